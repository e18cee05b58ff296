// ChildGuard: the one child of `ballot run` and `ballot election run`, which a process of its own keeps: see
// guard_process.hpp. This is the loop's end of it.
//
// Thread: make() must come before the program has any other one, and before it changes signals; the rest is the loop's.
// The destruction waits for the child's end; nobody resigns for a program that comes so far.
//
//   auto guard = ChildGuard::make({argv, 10s, OnLost::end});
//   (*guard)->attach(loop.context(), {on_started, on_ended});
//   (*guard)->lease(deadline, grace);
//   (*guard)->start({"BALLOT_EPOCH=7"}, deadline - 500ms, pipes);
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/time.hpp"
#include "base/unique_fd.hpp"

namespace boost::asio {
class io_context;
}

namespace ballot::io {

/// The child's fate when the term is lost, by its deadline or sooner.
enum class OnLost {
  end,        // TERM, kill_grace, KILL
  interrupt,  // INT, 1 s, TERM, kill_grace, KILL
  signal      // and it goes on
};

struct ChildGuardSettings {
  std::vector<std::string> argv;  // exec'd byte for byte; argv[0] without a slash is looked up in PATH
  Millis kill_grace{0};
  OnLost on_lost = OnLost::end;
  int won_signal = 0, lost_signal = 0;  // of won() and of OnLost::signal: sent once the child catches them
  std::string epoch_file = {};          // is removed at the deadline
  /// The command that is started when `ballot` was killed, 1 s later and once its child is gone: `ballot resign`.
  /// Empty: none.
  std::vector<std::string> resign = {};
  std::string session_file = {};  // only while it is there
  /// An exclusive lock that both hold: it is released once both are gone, or when the guard lets it go, as the child is
  /// gone.
  int lock = -1;
};

struct ChildEnd {
  enum class Kind {
    exited,        // value: the code
    signalled,     // value: the signal
    too_late,      // nothing was exec'd: the lease was about to end
    cannot_start,  // value: errno
  };
  Kind kind = Kind::exited;
  int value = 0;
  bool by_lease = false;  // it was being ended because its term was over
};

struct ChildGuardHandlers {
  std::function<void(pid_t)> on_started;
  std::function<void(ChildEnd)> on_ended;
};

/// The pipes of a child's standard output and error, both ends. The guard holds those that are read from open, so that
/// a child whose `ballot` was killed is not killed by what it says while it ends.
struct ChildPipes {
  int out, err, out_read, err_read;
};

class ChildGuard {
 public:
  /// Forks. Errors: io.
  static Result<std::unique_ptr<ChildGuard>> make(ChildGuardSettings settings);
  ~ChildGuard();

  /// Until detach(), which must come before the loop goes. No handler is called after that.
  void attach(boost::asio::io_context& loop, ChildGuardHandlers handlers);
  void detach();

  /// Starts the child: answered by on_started or on_ended. `variables` are set beside this program's environment.
  /// Without pipes it has this program's own standard output and error; with them its input is /dev/null.
  /// Requires: none runs.
  void start(const std::vector<std::string>& variables, SteadyTime launch_not_after,
             const std::optional<ChildPipes>& pipes);

  /// Until when the term lasts; what is lost then begins `grace` before it. Also without a child.
  void lease(SteadyTime deadline, Millis grace);
  /// There is no term any more: what is lost begins now.
  void lost();
  /// The child is to know that it leads, until it is lost.
  void won();
  /// The signal, then KILL after kill_grace.
  void end(int signal);

 private:
  struct State;
  ChildGuard(UniqueFd socket, pid_t pid);
  std::unique_ptr<State> state_;
};

}  // namespace ballot::io
