#include "runner/resigner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "runner/clock.hpp"
#include "runner/log.hpp"

namespace ballot::runner {
namespace {

constexpr Millis comes_back_within{1000};
constexpr Millis first_lock_poll{50}, longest_lock_poll{1000};  // of a lock that is held
constexpr Millis first_pause{1000}, longest_pause{60'000};      // while the store is away
constexpr int store_away = 69;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

Millis doubled(Millis pause, Millis first, Millis longest) { return std::clamp(2 * pause, first, longest); }

}  // namespace

void Resigner::set(Successor&& successor, SteadyTime now) {
  successor_ = std::move(successor);
  if (alone_) make_due(now);
}

void Resigner::forget() {
  successor_.reset();
  due_ = SteadyTime::max();
}

void Resigner::daemon_came() {
  alone_ = begun_ = again_ = false;
  due_ = SteadyTime::max();
}

void Resigner::daemon_went(SteadyTime now) {
  alone_ = true;
  begun_ = again_ = false;
  pause_ = Millis(0);
  make_due(now + comes_back_within);
}

void Resigner::run_ended(SteadyTime now) {
  if (!alone_ || !begun_) return;
  again_ = pid_ != 0;
  pause_ = Millis(0);
  make_due(now);
}

void Resigner::make_due(SteadyTime at) {
  if (successor_) due_ = std::min(due_, std::max(at, successor_->not_before));
}

pid_t Resigner::advance(SteadyTime now) {
  if (!alone_ || !successor_ || pid_ != 0 || now < due_) return 0;
  if (is_locked()) {
    pause_ = doubled(pause_, first_lock_poll, longest_lock_poll);
    due_ = now + pause_;
    return 0;
  }
  due_ = SteadyTime::max();
  begun_ = true;
  return pid_ = std::max(start(), 0);
}

/// A daemon or another `ballot resign` uses the session. The lock is given back at once: who is started takes its own.
bool Resigner::is_locked() const {
  const UniqueFd file(::open(successor_->lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// By fork: exec may take its time, and nothing else may wait for it.
pid_t Resigner::start() const {
  const std::vector<char*> argv = pointers(successor_->argv), environment = pointers(successor_->environment);
  if (argv[0] == nullptr) return 0;
  heap_.show();
  const pid_t pid = ::fork();
  if (pid < 0) log(std::string("cannot fork for `ballot resign`: ") + std::strerror(errno));
  if (pid != 0) return pid;
  ::setpgid(0, 0);
  ::close_range(3, ~0u, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(argv[0], argv.data(), environment.data());
  ::_exit(127);
}

bool Resigner::reaped(pid_t pid, int wait_status, SteadyTime now) {
  if (pid == 0 || pid != pid_) return false;
  pid_ = 0;
  const int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  if (code != 0 && code != store_away) log("`ballot resign` ended with " + std::to_string(code));
  if (!alone_) return true;
  if (code == store_away) {
    pause_ = doubled(pause_, first_pause, longest_pause);
    make_due(now + pause_);
  } else {
    pause_ = Millis(0);
  }
  if (std::exchange(again_, false)) make_due(now);
  return true;
}

}  // namespace ballot::runner
