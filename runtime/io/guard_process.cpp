#include "io/guard_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "io/clocks.hpp"

extern char** environ;

namespace ballot::io {
namespace {

constexpr Millis kill_margin{200};  // before the deadline KILL is sent
constexpr Millis interrupt_grace{1000};
constexpr std::size_t largest_packet = 64 * 1024;
constexpr Millis comes_back_within{1000};
constexpr Millis retry_pause{1000};  // while the store is away
constexpr int most_tries = 30;
constexpr int store_away = 69;
constexpr Millis eager_pause{20}, eager_time{1000}, patient_pause{250};  // until a child catches its signals

UniqueFd open_child_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  return UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

SteadyTime steady_now() { return read_clocks().steady; }

/// Whether the process has a handler for the signal, or blocks it, as who waits for it does.
bool catches(int signal, pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:") || line.starts_with("SigBlk:"))
      if (std::strtoull(line.c_str() + 7, nullptr, 16) >> (signal - 1) & 1) return true;
  return false;
}

/// Empties a pipe that nobody else reads any more.
void drain(UniqueFd& pipe) {
  std::array<char, 4096> bytes;
  const ssize_t size = ::read(pipe.get(), bytes.data(), bytes.size());
  if (size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN)) pipe.reset();
}

/// This program's environment, with `variables` in place of those that have the same names.
std::vector<char*> environment_with(std::string_view variables) {
  std::vector<char*> all;
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < variables.size(); at = variables.find('\0', at) + 1) {
    all.push_back(const_cast<char*>(variables.data() + at));
    const std::string_view whole(all.back());
    names.push_back(whole.substr(0, whole.find('=') + 1));
  }
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view whole(*entry);
    if (std::none_of(names.begin(), names.end(), [&](std::string_view name) { return whole.starts_with(name); }))
      all.push_back(*entry);
  }
  all.push_back(nullptr);
  return all;
}

}  // namespace

GuardProcess::GuardProcess(UniqueFd socket, const ChildGuardSettings& settings, const sigset_t& mask)
    : socket_(std::move(socket)),
      settings_(settings),
      mask_(mask),
      children_(open_child_signals()),
      timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!children_ || !timer_) ::_exit(71);
}

void GuardProcess::run() {
  while (!orphaned_ || pid_ != 0) step();
  if (!left_ && !settings_.resign.empty()) resign();
}

/// The lock first: whoever is started takes it, and so may a `ballot` that comes back.
void GuardProcess::resign() {
  if (settings_.lock >= 0) ::close(settings_.lock);
  SteadyTime at = orphaned_at_ + comes_back_within;
  for (int i = 0; i < most_tries; ++i, at = steady_now() + retry_pause) {
    const auto left = std::max(at - steady_now(), Millis(0));
    ::poll(nullptr, 0, static_cast<int>(left.count()));
    if (::access(settings_.session_file.c_str(), F_OK) != 0 || start_resign() != store_away) return;
  }
}

/// Returns the exit code of `ballot resign`.
int GuardProcess::start_resign() const {
  std::vector<char*> argv;
  for (const std::string& argument : settings_.resign) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void GuardProcess::step() {
  arm();
  pollfd waiting[] = {{orphaned_ ? -1 : socket_.get(), POLLIN, 0},
                      {children_.get(), POLLIN, 0},
                      {timer_.get(), POLLIN, 0},
                      {orphaned_ ? out_.get() : -1, POLLIN, 0},
                      {orphaned_ ? err_.get() : -1, POLLIN, 0}};
  ::poll(waiting, std::size(waiting), -1);
  char ignored[sizeof(signalfd_siginfo)];
  if (waiting[1].revents) (void)!::read(children_.get(), ignored, sizeof ignored);
  if (waiting[2].revents) (void)!::read(timer_.get(), ignored, sizeof(std::uint64_t));
  if (waiting[3].revents) drain(out_);
  if (waiting[4].revents) drain(err_);
  if (waiting[0].revents) take_orders();  // a renewal that has come counts, before the old deadline does
  reap();
  do_what_is_due();
}

void GuardProcess::arm() {
  const std::int64_t at =
      next() == SteadyTime::max() ? 0 : std::max<std::int64_t>(next().time_since_epoch().count(), 1);
  const itimerspec when{.it_interval = {}, .it_value = {at / 1000, at % 1000 * 1'000'000}};
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

SteadyTime GuardProcess::next() const {
  if (pid_ == 0) return SteadyTime::max();
  SteadyTime next = std::min({lost_ ? SteadyTime::max() : lost_at_, kill_due(), tell_at_});
  if (term_at_) next = std::min(next, *term_at_);
  return next;
}

/// While a term that is being left is still renewed, its child has its whole grace.
SteadyTime GuardProcess::kill_due() const {
  if (!ending_ || killed_) return SteadyTime::max();
  return settings_.on_lost == OnLost::signal ? kill_at_ : std::min(kill_at_, lease_ - kill_margin);
}

void GuardProcess::take_orders() {
  while (!orphaned_) {
    static std::array<char, largest_packet> packet;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ChildPipes))];
    iovec place{packet.data(), packet.size()};
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
      orphaned_ = true;
      orphaned_at_ = steady_now();
      if (settings_.lock >= 0) (void)!::pwrite(settings_.lock, "guard  ", 7, 0);  // whoever waits for it waits for us
      begin_end(SIGTERM);
      return;
    }
    Descriptors descriptors;
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header && header->cmsg_type == SCM_RIGHTS) {
      ChildPipes pipes;
      std::memcpy(&pipes, CMSG_DATA(header), sizeof pipes);
      descriptors = {UniqueFd(pipes.out), UniqueFd(pipes.err), UniqueFd(pipes.out_read), UniqueFd(pipes.err_read)};
    }
    GuardOrder order;
    std::memcpy(&order, packet.data(), sizeof order);
    obey(order, {packet.data() + sizeof order, static_cast<std::size_t>(size) - sizeof order}, std::move(descriptors));
  }
}

void GuardProcess::obey(const GuardOrder& order, std::string_view variables, Descriptors descriptors) {
  switch (order.kind) {
    case GuardOrder::Kind::start: return start(order, variables, std::move(descriptors));
    case GuardOrder::Kind::won: return want(true);
    case GuardOrder::Kind::end: return begin_end(order.signal);
    case GuardOrder::Kind::lost: return begin_lost();
    case GuardOrder::Kind::leave: left_ = true; return;
    case GuardOrder::Kind::lease: {
      lease_ = SteadyTime(Millis(order.at));
      const bool ends = settings_.on_lost != OnLost::signal;
      lost_at_ = lease_ - (ends ? std::max(Millis(order.grace), kill_margin) : Millis(0));
      lost_ = lost_ && ending_;  // a child that is being ended is not spared
    }
  }
}

void GuardProcess::start(const GuardOrder& order, std::string_view variables, Descriptors descriptors) {
  const std::vector<char*> environment = environment_with(variables);
  ending_ = killed_ = lost_ = leads_ = knows_ = false;
  tell_at_ = SteadyTime::max();
  term_at_.reset();
  if (SteadyTime(Millis(order.at)) == SteadyTime::max()) lease_ = lost_at_ = SteadyTime::max();  // under no term
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return report({GuardReport::Kind::cannot_start, 0, errno, 0});
  const UniqueFd result(ends[0]);
  UniqueFd failed(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return report({GuardReport::Kind::cannot_start, 0, errno, 0});
  if (pid == 0) become_child(environment, descriptors, SteadyTime(Millis(order.at)), failed.get());
  failed.reset();
  int error = 0;
  ssize_t size = 0;
  while ((size = ::read(result.get(), &error, sizeof error)) < 0 && errno == EINTR) continue;
  if (size <= 0) {
    pid_ = pid;
    out_ = std::move(descriptors.out_read);
    err_ = std::move(descriptors.err_read);
    return report({GuardReport::Kind::started, pid, 0, 0});
  }
  ::waitpid(pid, nullptr, 0);
  report({error == ETIME ? GuardReport::Kind::too_late : GuardReport::Kind::cannot_start, 0, error, 0});
}

void GuardProcess::become_child(const std::vector<char*>& environment, const Descriptors& descriptors, SteadyTime limit,
                                int failed) const {
  const auto fail = [&](int error) {
    (void)!::write(failed, &error, sizeof error);
    ::_exit(127);
  };
  const pid_t guard = ::getppid();
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != guard) ::_exit(127);
  if (descriptors.out) {
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    if (null > STDERR_FILENO) ::close(null);
    ::dup2(descriptors.out.get(), STDOUT_FILENO);
    ::dup2(descriptors.err.get(), STDERR_FILENO);
  }
  std::vector<char*> argv;
  for (const std::string& argument : settings_.argv) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
  if (steady_now() > limit) fail(ETIME);
  ::execvpe(argv[0], argv.data(), environment.data());
  fail(errno);
  ::_exit(127);
}

void GuardProcess::begin_lost() {
  if (std::exchange(lost_, true)) return;
  switch (settings_.on_lost) {
    case OnLost::end: return begin_end(SIGTERM);
    case OnLost::interrupt: return begin_end(SIGINT);
    case OnLost::signal: return want(false);
  }
}

void GuardProcess::want(bool leads) {
  leads_ = leads;
  eager_until_ = steady_now() + eager_time;
  tell();
}

/// To the child alone, which expects it; what the child has started does not.
void GuardProcess::tell() {
  tell_at_ = SteadyTime::max();
  if (pid_ == 0 || ending_ || leads_ == knows_) return;
  const int signal = leads_ ? settings_.won_signal : settings_.lost_signal;
  if (!catches(signal, pid_)) {
    const SteadyTime now = steady_now();
    tell_at_ = now + (now < eager_until_ ? eager_pause : patient_pause);
    return;
  }
  knows_ = leads_;
  ::kill(pid_, signal);
}

void GuardProcess::begin_end(int signal) {
  if (pid_ == 0 || std::exchange(ending_, true)) return;
  const SteadyTime time = steady_now();
  const bool asks_first = signal == SIGINT && settings_.on_lost == OnLost::interrupt;
  if (asks_first) term_at_ = time + interrupt_grace;
  kill_at_ = time + settings_.kill_grace + (asks_first ? interrupt_grace : Millis(0));
  send(signal);
}

void GuardProcess::do_what_is_due() {
  if (pid_ == 0) return;
  const SteadyTime time = steady_now();
  if (!lost_ && time >= lost_at_) {
    if (!settings_.epoch_file.empty()) ::unlink(settings_.epoch_file.c_str());
    begin_lost();
  }
  if (time >= tell_at_) tell();
  if (term_at_ && time >= *term_at_) {
    term_at_.reset();
    send(SIGTERM);
  }
  if (time < kill_due()) return;
  ::kill(-pid_, SIGKILL);
  killed_ = true;
}

/// Kills the rest of the child's process group while its pid cannot be another process's.
void GuardProcess::reap() {
  if (pid_ == 0) return;
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid_) return;
  ::kill(-pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  out_.reset();
  err_.reset();
  report({GuardReport::Kind::ended, std::exchange(pid_, 0), status, lost_ ? 1 : 0});
}

/// A packet that finds no room would be lost: waits, as there are few.
void GuardProcess::report(GuardReport report) {
  if (orphaned_) return;
  while (::send(socket_.get(), &report, sizeof report, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

/// To the whole group; a child that was stopped gets it too.
void GuardProcess::send(int signal) const {
  if (pid_ == 0) return;
  ::kill(-pid_, signal);
  ::kill(-pid_, SIGCONT);
}

}  // namespace ballot::io
