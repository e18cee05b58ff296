// ControlClient: a command's end of the control socket. Blocking, with a time limit for each step.
//
// Thread: one at a time.
//
//   auto client = ControlClient::ask("/run/ballot/ballot.sock", request);
//   while (auto line = client->next(std::chrono::seconds(30)); line && *line) print(**line);
#pragma once

#include <optional>
#include <string>

#include "ballot/error.hpp"
#include "ballot/time.hpp"
#include "base/unique_fd.hpp"
#include "io/message.hpp"

namespace ballot::io {

class ControlClient {
 public:
  /// Connects and sends the request. unavailable: no daemon listens there; refused: this user may not talk to it, or
  /// another user listens there, of whom this one takes no answers.
  static Result<ControlClient> ask(const std::string& path, const Message& request,
                                   Millis timeout = std::chrono::seconds(10));

  /// The next line of the answer; none after the last. An error that the daemon answered comes as that error.
  /// timeout: no line within `timeout`, asking again is allowed; unavailable: the daemon went away before the end.
  Result<std::optional<Message>> next(Millis timeout);

 private:
  ControlClient(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  Result<std::optional<Message>> take_line(std::size_t end);
  Error went_away() const;

  UniqueFd fd_;
  std::string path_;
  std::string buffer_;
  std::size_t searched_ = 0;
  bool ended_ = false;
};

/// One request, one answer.
Result<Message> ask_once(const std::string& path, const Message& request, Millis timeout);

}  // namespace ballot::io
