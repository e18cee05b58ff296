// Launch: a child that was made and is not known to have exec'd. Nobody waits for it: exec can take as long as whoever
// has a lease on the program, or serves the file, makes it take.
//
// | what has come                    | what it means                                                              |
// | nothing yet                      | it may still exec; past `not_after` it is killed                           |
// | the byte, then the end           | it has exec'd, or was killed about to: it counts as started                |
// | a ChildFailure                   | nothing was exec'd                                                         |
// | the end without either           | it died before: nothing was exec'd                                         |
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/unique_fd.hpp"
#include "runner/child.hpp"
#include "runner/launch_failure.hpp"
#include "runner/start_memory.hpp"

namespace ballot::runner {

class Launch {
 public:
  /// `report`: what the child writes to, not blocking. `memory`: what it uses until the end of that.
  Launch(UniqueFd report, StartMemory memory, SteadyTime limit)
      : not_after(limit), report_(std::move(report)), memory_(std::move(memory)) {}

  /// Takes what the child has reported. True: it is out of the memory; has_ended() from then on.
  bool read() {
    char bytes[128];
    while (report_) {
      const ssize_t n = ::read(report_.get(), bytes, sizeof bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      if (n == 0) report_.reset();
      received_.append(bytes, static_cast<std::size_t>(n));
    }
    return true;
  }

  bool has_ended() const { return !report_; }
  bool was_about_to_exec() const { return received_.starts_with(about_to_exec); }
  bool has_executed() const { return has_ended() && received_.size() == 1 && was_about_to_exec(); }

  /// Why it was not exec'd, as the child itself says.
  std::optional<ChildFailure> failure() const {
    ChildFailure failure;
    const std::size_t begin = was_about_to_exec() ? 1 : 0;
    if (received_.size() != begin + sizeof failure) return std::nullopt;
    std::memcpy(static_cast<void*>(&failure), received_.data() + begin, sizeof failure);
    return failure;
  }

  /// Requires: has_ended().
  StartMemory take_memory() { return std::move(memory_); }

  const SteadyTime not_after;
  std::optional<SteadyTime> killed_at;  // because not_after had passed
  bool counts_as_started = false;       // whatever the child reports: it was announced as running

 private:
  UniqueFd report_;
  StartMemory memory_;
  std::string received_;
};

}  // namespace ballot::runner
