#include "runner/environments.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/failpoint.hpp"

namespace ballot::runner {
namespace {

constexpr std::size_t most_readers = 16;  // at a time
constexpr Millis patience{400};
constexpr Millis empty_pause{20};  // one that is just executing a program shows nothing for a moment

/// By the folder, whose owner a process cannot change by what it does to itself.
bool is_of_another_user(pid_t pid) {
  struct stat found {};
  return ::stat(("/proc/" + std::to_string(pid)).c_str(), &found) == 0 && found.st_uid != ::geteuid();
}

/// All that is asked of it: an environment may be megabytes long.
std::string entries_of_run(std::string_view environment) {
  std::string found;
  while (!environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    if (entry.starts_with("BALLOT_RUN_ID=") || entry.starts_with("BALLOT_ATTEMPT=")) found.append(entry) += '\0';
    environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
  }
  return found;
}

/// In the child. It has nothing of this process's that somebody may wait for the end of.
[[noreturn]] void read_for(int result, pid_t parent, pid_t pid) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent || ::dup2(result, STDIN_FILENO) < 0) ::_exit(1);
  ::close_range(STDERR_FILENO + 1, ~0u, 0);
  BALLOT_FAILPOINT("runner.environment");
  const std::string text = entries_of_run(proc_text(pid, "environ"));
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t size = ::write(STDIN_FILENO, text.data() + written, text.size() - written);
    if (size < 0 && errno != EINTR) ::_exit(1);
    if (size > 0) written += static_cast<std::size_t>(size);
  }
  ::_exit(0);
}

}  // namespace

Environments::~Environments() {
  for (auto& [name, reading] : readings_) end(reading);
}

std::optional<std::string> Environments::of(const ProcessFacts& process, SteadyTime now) {
  if (!is_of_another_user(process.pid)) return entries_of_run(proc_text(process.pid, "environ"));
  const Name name{process.pid, process.started};
  auto found = readings_.find(name);
  if (found == readings_.end()) {
    begin(name, now);
    return std::nullopt;
  }
  proceed(found->second, now);
  Reading& reading = found->second;
  if (!reading.is_done) return std::nullopt;
  const std::string text = reading.text;
  if (text.empty() && now >= reading.again_at) readings_.erase(found);
  return text;
}

bool Environments::is_pending(const ProcessFacts& process) const {
  const auto found = readings_.find({process.pid, process.started});
  return found == readings_.end() || found->second.result;
}

bool Environments::begin(const Name& name, SteadyTime now) {
  int ends[2];
  if (readers_.size() >= most_readers || ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  Reading reading;
  reading.result.reset(ends[0]);
  const UniqueFd child_end(ends[1]);
  ::fcntl(ends[1], F_SETFL, 0);  // the reader waits for room
  const pid_t self = ::getpid();
  heap_.show();
  reading.reader = ::fork();
  if (reading.reader < 0) return false;
  if (reading.reader == 0) read_for(child_end.get(), self, name.first);
  reading.give_up_at = now + patience;
  readers_.insert(reading.reader);
  readings_.emplace(name, std::move(reading));
  return true;
}

void Environments::proceed(Reading& reading, SteadyTime now) {
  if (!reading.result) return;
  char chunk[4096];
  ssize_t size = 0;
  while ((size = ::read(reading.result.get(), chunk, sizeof chunk)) > 0)
    reading.text.append(chunk, static_cast<std::size_t>(size));
  reading.is_done = size == 0;
  const bool waits = size < 0 && (errno == EAGAIN || errno == EINTR) && now < reading.give_up_at;
  if (waits) return;
  end(reading);
  reading.again_at = now + empty_pause;
}

void Environments::end(Reading& reading) {
  reading.result.reset();
  if (readers_.contains(reading.reader)) ::kill(reading.reader, SIGKILL);
}

void Environments::forget_but(const std::vector<pid_t>& living) {
  for (auto each = readings_.begin(); each != readings_.end();) {
    if (std::find(living.begin(), living.end(), each->first.first) != living.end()) {
      ++each;
      continue;
    }
    end(each->second);
    each = readings_.erase(each);
  }
}

}  // namespace ballot::runner
