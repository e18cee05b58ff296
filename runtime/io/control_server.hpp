// ControlServer: the daemon's end of the control socket. One request a connection, any number of lines in answer.
//
// It knows nothing of what is asked but the role that it takes: a request of a user without that role is refused here,
// and reaches no handler. A client that says nothing for 10 s, reads nothing for 10 s, or sends no Message is dropped;
// so is the 65th at once. Where the socket's file was removed it is made anew.
// Thread: the loop's.
//
//   Roles roles({.operators = "ballot"});
//   auto server = ControlServer::listen(loop, path, roles, [&](const Question& question, const Reply& reply) {
//     if (question.message.text("do") == "flush") ledger.flush([reply] { reply.finish({}); });
//   });
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "ballot/error.hpp"
#include "ballot/time.hpp"
#include "io/question.hpp"
#include "io/roles.hpp"

namespace boost::asio {
class io_context;
}

namespace ballot::io {

struct ControlLimits {
  std::size_t line_bytes = 1 << 20;            // of a request
  std::size_t line_bytes_without_role = 4096;  // of one that is refused in any case
  std::size_t values = 10'000;                 // of a request, but of root and the daemon's user: the loop reads it
  /// Connections at once of root and the daemon's user; as many of all other users with a role, a quarter of them for
  /// each; and a quarter of all users without one, who are only told so.
  std::size_t clients = 64;
  std::size_t unread_bytes = 64 << 20;  // of answers that a client has not read yet
  Millis patience = std::chrono::seconds(10);
  Millis file_check = std::chrono::seconds(1);  // how often the socket's file is looked for
};

class ControlServer {
 public:
  /// Replaces the socket of a daemon that is dead. conflict: another daemon listens there; io: it cannot be made.
  /// Requires: `roles` lives as long as the server.
  static Result<std::unique_ptr<ControlServer>> listen(boost::asio::io_context& loop, const std::string& path,
                                                       const Roles& roles, Handler handler, ControlLimits limits = {});
  /// Closes every connection and removes the socket. No request after return; replies then go nowhere.
  ~ControlServer();

 private:
  class Connection;
  struct State;
  explicit ControlServer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace ballot::io
