// The runner's wire, both ways: what the runner reads of a daemon, and a daemon of its runner.
#include "base/runner_wire.hpp"
#include "harness.hpp"

namespace ballot::fuzz::wire_harness {
namespace {

using namespace runner;

/// What a reader has made of a stream.
struct Heard {
  std::string messages;  // encoded again
  std::string error;
  bool operator==(const Heard&) const = default;
};

template <class Message>
void take(FrameReader& reader, Result<std::optional<Message>> (FrameReader::*next)(), Heard& heard) {
  while (heard.error.empty()) {
    const auto message = (reader.*next)();
    if (!message) heard.error = message.error().what;
    if (!message || !*message) return;
    heard.messages += encode(**message);
  }
}

template <class Message>
void hear(std::string_view input, Result<std::optional<Message>> (FrameReader::*next)()) {
  Heard whole, pieces;
  FrameReader at_once, bit_by_bit;
  at_once.feed(input);
  take(at_once, next, whole);
  for (const std::string_view piece : in_pieces(input)) {
    bit_by_bit.feed(piece);
    take(bit_by_bit, next, pieces);
  }
  require(whole == pieces, "it does not matter how a stream is cut", whole.error + "\n" + pieces.error);
  require(input.starts_with(whole.messages), "a message that was read is written as it was");
  require(is_showable(whole.error), "an error can be shown");
}

}  // namespace

BALLOT_FUZZ(wire) {
  hear(input, &FrameReader::next_to_runner);
  hear(input, &FrameReader::next_from_runner);
}

}  // namespace ballot::fuzz::wire_harness
