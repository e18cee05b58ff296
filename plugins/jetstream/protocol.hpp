// Protocol: the client's side of NATS's protocol, as text: lines that end with CR LF, some followed by a payload whose
// size they name. The Reader takes a server's bytes in any pieces and keeps no more of them than the bounds say. Pure.
//
//   Reader reader([](Frame frame) { ... });
//   if (!reader.add(bytes)) close(reader.problem());
//   out += publish_text({"$JS.API.INFO"}, "_INBOX.a.r.1");
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/time.hpp"

namespace ballot::jetstream {

/// One unit of what a server says.
struct Frame {
  enum class Kind { info, message, ping, pong, ok, error };
  Kind kind = Kind::ok;
  std::string text = {};  // of info: JSON; of an error: why
  std::string subject = {}, reply = {};
  std::uint64_t subscription = 0;
  std::string header = {};  // "NATS/1.0..." with its lines; "" where there is none
  std::string data = {};    // at most support::bounds::kept bytes of it
};

//   | state   | reads                                | left by                                             |
//   | ------- | ------------------------------------ | --------------------------------------------------- |
//   | line    | up to the end of a line              | a message's line: payload; one that is none: broken |
//   | payload | the bytes that the line has named    | all of them: end                                    |
//   | end     | CR LF                                | line; anything else: broken                         |
//   | broken  | nothing                              | -                                                   |
class Reader {
 public:
  using Take = std::function<void(Frame)>;

  /// `take` is called from within add().
  explicit Reader(Take take) : take_(std::move(take)) {}

  /// False: these are no bytes of the protocol, or more than a limit; see problem(). What came before was taken.
  bool add(std::string_view bytes);
  const std::string& problem() const noexcept { return problem_; }
  /// Nothing of a frame has been read yet.
  bool is_between_frames() const noexcept { return state_ == State::line && line_.empty(); }

 private:
  enum class State { line, payload, end, broken };

  bool read_line(std::string_view& bytes);
  bool read_payload(std::string_view& bytes);
  bool read_end(std::string_view& bytes);
  bool on_line(std::string_view line);
  bool on_message(const std::vector<std::string_view>& words, bool has_header);
  bool fail(std::string problem);

  const Take take_;
  State state_ = State::line;
  std::string line_;
  Frame frame_;                                // the message whose payload is read
  std::string payload_;                        // with its header, as far as it is kept
  std::size_t header_size_ = 0, missing_ = 0;  // of the payload: not read yet
  std::string problem_;
};

/// The status of a message of the server's own, such as 100 or 503; 0: it has none.
int status_of(std::string_view header);
/// "" where there is none.
std::string_view value_of(std::string_view header, std::string_view name);

/// The places of a consumer's message in stream and consumer, as its reply subject names them.
struct Places {
  std::string consumer;
  std::uint64_t stream_sequence = 0, consumer_sequence = 0;
  WallTime stored{};  // by the clock of the server that took it in
};
/// None: the reply is no consumer's.
std::optional<Places> places_of(std::string_view reply);

/// A message to be published.
struct Post {
  std::string subject;
  std::string data = {};
  std::vector<std::pair<const char*, std::string>> headers = {};
};

/// "": it has a subject or a header that cannot be sent.
std::string publish_text(const Post& post, std::string_view reply);
std::string subscribe_text(std::string_view subject, std::uint64_t subscription);
std::string unsubscribe_text(std::uint64_t subscription);
inline constexpr std::string_view ping_text = "PING\r\n", pong_text = "PONG\r\n";

}  // namespace ballot::jetstream
