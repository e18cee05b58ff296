// RunnerClient: the daemon's end of the runner's socket. It takes up the runner that is there, or starts one, and hands
// messages over in both directions; what they mean it does not know.
//
// Thread: the loop's. Handlers are called on it, never from within send() or start(), and not after the destruction
// (which a handler may bring about). The runner outlives it.
//
//   RunnerClient runner(loop, {run_dir + "/runner.sock", "/usr/lib/ballot/ballot-runner"}, {on_messages, on_down});
//   if (auto started = runner.start(); !started) ...
//   runner.send(runner::Start{...});
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "base/runner_wire.hpp"
#include "base/unique_fd.hpp"
#include "io/living_process.hpp"

namespace boost::asio {
class io_context;
}

namespace ballot::io {

struct RunnerSettings {
  std::string socket_path;  // in a folder that belongs to this daemon alone; at most 107 bytes
  std::string runner_path;  // the program
  std::string owner{};      // see runner::Ready
  /// The command that the runner starts when this process is gone; without argv: none.
  runner::Successor successor{};
};

struct RunnerHandlers {
  /// All that the runner says from Hello on, as much of it at a time as was there to be read; see base/runner_wire.hpp.
  std::function<void(std::vector<runner::FromRunner>)> on_messages;
  /// The connection is over: the runner closed it, or what came over it is not a runner's word. What was sent and not
  /// answered may not have arrived. Once for each start() that succeeded. start() may be called from here.
  std::function<void(const std::string& text)> on_down;
  /// For how long nothing has come though an answer is due: each half second from 2 s on; once with 0 when it answers
  /// again. What was sent meanwhile is not lost. Time in which this process itself was suspended does not count.
  std::function<void(Millis silence)> on_silence = [](Millis) {};
};

class RunnerClient {
 public:
  RunnerClient(boost::asio::io_context& loop, RunnerSettings settings, RunnerHandlers handlers);
  RunnerClient(const RunnerClient&) = delete;
  RunnerClient& operator=(const RunnerClient&) = delete;
  /// Sends what is queued, as far as the socket takes it.
  ~RunnerClient();

  /// Connects to the runner that listens on socket_path, else starts one there: in a session of its own, with an empty
  /// environment and no descriptor of this process but the socket and standard error. Blocks for the milliseconds that
  /// takes. refused: the runner that is there cannot be used (another protocol, another user); io: none can be started.
  /// unavailable: the runner of the connection before lives and cannot be reached; no other one is started beside it.
  Result<void> start();

  /// Whether the runner that greeted last is the one of the connection before: what it does not know of it never
  /// started, or was answered and acknowledged.
  bool is_same_runner() const { return is_same_runner_; }
  /// Of the runner that greeted last.
  pid_t pid() const { return runner_.pid(); }

  /// Queued; what is sent in one iteration of the loop goes in a few writes at the most. Dropped where no runner is
  /// connected.
  void send(const runner::ToRunner& message);

  /// Hands over the runner's messages up to now before it returns, not when the loop comes to them. Without effect
  /// within on_messages and on_silence.
  void take_pending();

 private:
  class Connection;

  Result<UniqueFd> reach();
  void take_up(pid_t pid);

  boost::asio::io_context& loop_;
  const RunnerSettings settings_;
  const std::shared_ptr<const RunnerHandlers> handlers_;  // a call outlives a client that it destroys
  std::string refusal_;                                   // why the runner that is there cannot be used
  LivingProcess runner_;                                  // that greeted last
  bool is_same_runner_ = false;                           // as the one before
  std::shared_ptr<Connection> connection_;
};

}  // namespace ballot::io
