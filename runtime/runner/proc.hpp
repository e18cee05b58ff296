// What /proc says of processes, and signals that reach the process that is meant, though numbers are used again.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"

namespace ballot::runner {

/// Of an open file, from its present offset; at most `most` bytes.
std::string read_some(int file, std::size_t most);

/// Split at blanks and ends of lines.
std::vector<std::string_view> words_of(std::string_view text);

/// The whole of the word; 0 where it is none.
std::uint64_t number_of(std::string_view word);

/// /proc/PID/NAME, at most 2 MiB; "" where there is none.
std::string proc_text(pid_t pid, const std::string& name);

struct ProcessFacts {
  pid_t pid = 0, parent = 0, group = 0;
  std::uint64_t started = 0;  // clock ticks of the boot clock: with the pid it names one process for ever
  bool has_ended = false;     // a zombie
};

std::optional<ProcessFacts> facts_of(pid_t pid);

/// Children of all its threads. None, too, where the kernel does not list them (CONFIG_PROC_CHILDREN).
std::vector<pid_t> children_of(pid_t pid);

/// Sends it if `is_meant` says so once nobody else can get the number any more.
template <class Check>
void signal_if(pid_t pid, int signal, Check is_meant) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (process && is_meant()) ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);
}

}  // namespace ballot::runner
