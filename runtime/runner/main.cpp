// ballot-runner --listen-fd N [--linger-ms N]: started by the daemon, never by hand. See runner.hpp.
//
// It returns at once and goes on in the background: in a session of its own, without a terminal, as nobody's child,
// acting on no signal but SIGTERM. N is a listening Unix stream socket; no other descriptor above 2 is kept.
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/failpoint.hpp"
#include "runner/log.hpp"
#include "runner/runner.hpp"

namespace ballot::runner {
namespace {

constexpr int exit_usage = 2, exit_system = 71;

struct Arguments {
  int listen_fd = -1;
  Millis linger = std::chrono::seconds(30);
  Cgroups::Standing standing = Cgroups::Standing::beside_others;
};

std::optional<int> read_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<Arguments> read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const auto value = read_number(i + 1 < argc ? argv[i + 1] : "");
    if (!value) return std::nullopt;
    if (name == "--listen-fd")
      arguments.listen_fd = *value;
    else if (name == "--linger-ms")
      arguments.linger = Millis(*value);
    else if (name == "--own-scope" && *value == 1)
      arguments.standing = Cgroups::Standing::own_scope;
    else
      return std::nullopt;
  }
  return arguments;
}

bool is_listener(int fd) {
  int listens = 0;
  socklen_t size = sizeof listens;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens;
}

/// Nothing to read, nowhere to print; standard error stays where nobody waits for its end.
void settle_standard_streams() {
  int null = 0;
  while ((null = ::open("/dev/null", O_RDWR)) <= STDERR_FILENO)
    if (null < 0) ::_exit(exit_system);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  struct stat what {};
  const bool known = ::fstat(STDERR_FILENO, &what) == 0;
  if (!known || S_ISFIFO(what.st_mode) || S_ISCHR(what.st_mode)) ::dup2(null, STDERR_FILENO);
}

/// Descriptors 0 to 2 and the listener, nothing else.
UniqueFd keep_only(int listen_fd) {
  UniqueFd listener(::fcntl(listen_fd, F_DUPFD_CLOEXEC, 3));
  if (!listener) ::_exit(exit_system);
  const auto kept = static_cast<unsigned>(listener.get());
  if (kept > 3) ::close_range(3, kept - 1, 0);
  ::close_range(kept + 1, ~0u, 0);
  return listener;
}

/// Every disposition is the default and everything that does not come from a fault is blocked: children have nothing
/// to reset but their mask.
void quiet_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_IGN) continue;
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
  }
  sigset_t blocked;
  ::sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) ::sigdelset(&blocked, fault);
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
}

/// The parent of what goes on exits; what goes on leads no session, and so never gets a terminal.
void go_to_background() {
  ::setsid();
  const pid_t pid = BALLOT_FAILS("runner.background") ? -1 : ::fork();
  if (pid < 0) log(std::string("cannot fork: ") + std::strerror(errno));
  if (pid != 0) ::_exit(pid < 0 ? exit_system : 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  [[maybe_unused]] const int changed = ::chdir("/");
}

int main(int argc, char** argv) {
  const auto arguments = read_arguments(argc, argv);
  if (!arguments || !is_listener(arguments->listen_fd)) {
    log("usage: ballot-runner --listen-fd N, where N is a listening socket; ballot serve starts it");
    return exit_usage;
  }
  // glibc keeps small chunks that are freed apart, and joins them all at the next large allocation: of a thousand runs
  // that had ended this took 15 to 20 ms, at the beginning of the next thousand.
  ::mallopt(M_MXFAST, 0);
  settle_standard_streams();
  UniqueFd listener = keep_only(arguments->listen_fd);
  quiet_signals();
  go_to_background();
  Runner(std::move(listener), arguments->linger, Cgroups::find(arguments->standing)).run();
  return 0;
}

}  // namespace
}  // namespace ballot::runner

int main(int argc, char** argv) { return ballot::runner::main(argc, argv); }
