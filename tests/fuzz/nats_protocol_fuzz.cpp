// NATS's protocol, as a server speaks it: lines, messages and their headers, INFO, and what a client answers to it.
#include "harness.hpp"
#include "jetstream/login.hpp"
#include "jetstream/nkey.hpp"
#include "jetstream/protocol.hpp"
#include "support/bounds.hpp"

namespace ballot::fuzz::nats_protocol_harness {
namespace {

using namespace jetstream;
namespace bounds = support::bounds;

struct Read {
  std::vector<Frame> frames;
  bool understood = true;
};

Read read(const std::vector<std::string_view>& pieces) {
  Read found;
  Reader reader([&](Frame frame) { found.frames.push_back(std::move(frame)); });
  for (const std::string_view piece : pieces) found.understood = found.understood && reader.add(piece);
  require(found.understood == reader.problem().empty(), "what is not understood has a reason");
  return found;
}

void look_at(const Frame& frame) {
  require(frame.data.size() + frame.header.size() <= bounds::kept, "a message is bounded");
  require(frame.text.size() <= bounds::info, "a line is bounded");
  status_of(frame.header);
  require(value_of(frame.header, "Nats-Msg-Id").find('\r') == std::string_view::npos, "a value is of one line");
  places_of(frame.reply);
  if (frame.kind != Frame::Kind::info) return;
  const Info info = parse_info(frame.text);
  const Login login = log_in(info, {}, {});
  require(login.text.find("\r\n") == login.text.size() - 2, "CONNECT is one line", login.text);
}

}  // namespace

BALLOT_FUZZ(nats_protocol) {
  const Read whole = read({input}), cut = read(in_pieces(input));
  require(whole.understood == cut.understood && whole.frames.size() == cut.frames.size(),
          "it does not matter how it is cut");
  for (std::size_t i = 0; i < whole.frames.size(); ++i) {
    require(whole.frames[i].data == cut.frames[i].data && whole.frames[i].text == cut.frames[i].text,
            "nor for a frame");
    look_at(whole.frames[i]);
  }
  places_of(input);
  value_of(input, "A");
  const Credentials found = parse_credentials(input);
  require(found.jwt.size() + found.seed.size() <= input.size(), "credentials are of the text");
  const std::string text = publish_text({std::string(input), "data", {{"Nats-Msg-Id", std::string(input)}}}, "reply");
  if (!text.empty()) require(text.starts_with("HPUB ") && text.ends_with("data\r\n"), "a post is one frame", text);
}

}  // namespace ballot::fuzz::nats_protocol_harness
