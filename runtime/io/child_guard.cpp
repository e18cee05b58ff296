#include "io/child_guard.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <optional>

#include "io/guard_process.hpp"
#include "io/guard_wire.hpp"

namespace ballot::io {

namespace asio = boost::asio;
using boost::system::error_code;

struct ChildGuard::State {
  UniqueFd socket;
  pid_t guard = -1;
  pid_t child = 0;       // 0: none
  bool awaited = false;  // an end is still to be reported
  bool gone = false;     // the guard is
  std::optional<asio::posix::stream_descriptor> waiter;
  ChildGuardHandlers handlers;

  void wait();
  void take();
  void on(const GuardReport& report);
  void on_gone();
  void ended(ChildEnd end);
  void send(const GuardOrder& order, const std::string& variables = {}, const std::optional<ChildPipes>& pipes = {});
};

namespace {

Error failure(const std::string& what) { return {Errc::io, what + ": " + std::strerror(errno)}; }

/// Deaf to all that comes from a terminal: its orders come from `ballot`, and its own end with the child's.
[[noreturn]] void keep(UniqueFd socket, const ChildGuardSettings& settings) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  ::setpgid(0, 0);
  ::prctl(PR_SET_NAME, "ballot-guard");
  GuardProcess(std::move(socket), settings, before).run();
  ::_exit(0);
}

ChildEnd end_of(const GuardReport& report) {
  const bool by_lease = report.by_lease != 0;
  switch (report.kind) {
    case GuardReport::Kind::too_late: return {ChildEnd::Kind::too_late, 0, false};
    case GuardReport::Kind::cannot_start: return {ChildEnd::Kind::cannot_start, report.value, false};
    default: break;
  }
  if (WIFEXITED(report.value)) return {ChildEnd::Kind::exited, WEXITSTATUS(report.value), by_lease};
  return {ChildEnd::Kind::signalled, WTERMSIG(report.value), by_lease};
}

}  // namespace

Result<std::unique_ptr<ChildGuard>> ChildGuard::make(ChildGuardSettings settings) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return failure("cannot make a socket");
  UniqueFd ours(ends[0]), theirs(ends[1]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // a child whose guard was killed becomes ours, so that its number stays its own
  const pid_t pid = ::fork();
  if (pid < 0) return failure("cannot fork");
  if (pid == 0) {
    ours.reset();
    keep(std::move(theirs), settings);
  }
  return std::unique_ptr<ChildGuard>(new ChildGuard(std::move(ours), pid));
}

ChildGuard::ChildGuard(UniqueFd socket, pid_t pid) : state_(std::make_unique<State>()) {
  state_->socket = std::move(socket);
  state_->guard = pid;
}

ChildGuard::~ChildGuard() {
  detach();
  state_->send({GuardOrder::Kind::leave, 0, 0, 0});
  state_->socket.reset();
  if (!state_->gone) ::waitpid(state_->guard, nullptr, 0);
}

void ChildGuard::detach() {
  if (state_->waiter) state_->waiter->release();
  state_->waiter.reset();
}

void ChildGuard::attach(asio::io_context& loop, ChildGuardHandlers handlers) {
  state_->handlers = std::move(handlers);
  state_->waiter.emplace(loop, state_->socket.get());
  state_->wait();
}

void ChildGuard::State::wait() {
  waiter->async_wait(asio::posix::stream_descriptor::wait_read, [this](error_code error) {
    if (error) return;
    take();
    if (!gone) wait();
  });
}

void ChildGuard::State::take() {
  GuardReport report;
  const ssize_t size = ::recv(socket.get(), &report, sizeof report, MSG_DONTWAIT);
  if (size == static_cast<ssize_t>(sizeof report)) return on(report);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  on_gone();
}

void ChildGuard::State::on(const GuardReport& report) {
  if (report.kind == GuardReport::Kind::started) {
    child = report.pid;
    return handlers.on_started(report.pid);
  }
  ended(end_of(report));
}

/// The guard was killed, and the child with it; processes that the child had started are killed here.
void ChildGuard::State::on_gone() {
  gone = true;
  ::waitpid(guard, nullptr, 0);
  if (child != 0) {
    ::kill(-child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  if (awaited) ended({ChildEnd::Kind::signalled, SIGKILL, false});
}

void ChildGuard::State::ended(ChildEnd end) {
  child = 0;
  awaited = false;
  handlers.on_ended(end);
}

void ChildGuard::State::send(const GuardOrder& order, const std::string& variables,
                             const std::optional<ChildPipes>& pipes) {
  iovec parts[] = {{const_cast<GuardOrder*>(&order), sizeof order},
                   {const_cast<char*>(variables.data()), variables.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ChildPipes))] = {};
  if (pipes) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(ChildPipes));
    std::memcpy(CMSG_DATA(header), &*pipes, sizeof(ChildPipes));
  }
  while (::sendmsg(socket.get(), &message, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

void ChildGuard::start(const std::vector<std::string>& variables, SteadyTime launch_not_after,
                       const std::optional<ChildPipes>& pipes) {
  std::string text;
  for (const std::string& variable : variables) (text += variable) += '\0';
  state_->awaited = true;
  if (state_->gone) return state_->ended({ChildEnd::Kind::cannot_start, EPIPE, false});
  state_->send({GuardOrder::Kind::start, 0, launch_not_after.time_since_epoch().count(), 0}, text, pipes);
}

void ChildGuard::lease(SteadyTime deadline, Millis grace) {
  state_->send({GuardOrder::Kind::lease, 0, deadline.time_since_epoch().count(), grace.count()});
}

void ChildGuard::lost() { state_->send({GuardOrder::Kind::lost, 0, 0, 0}); }
void ChildGuard::won() { state_->send({GuardOrder::Kind::won, 0, 0, 0}); }
void ChildGuard::end(int signal) { state_->send({GuardOrder::Kind::end, signal, 0, 0}); }

}  // namespace ballot::io
