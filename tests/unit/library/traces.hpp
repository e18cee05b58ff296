// What a library could leave behind in the process of its host.
#pragma once

#include <signal.h>

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace ballot::testing {

inline std::set<std::string> entries(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

/// Where each descriptor of this process leads.
inline std::multiset<std::string> descriptors() {
  std::multiset<std::string> targets;
  std::error_code gone;
  for (const std::string& number : entries("/proc/self/fd")) {
    const auto target = std::filesystem::read_symlink("/proc/self/fd/" + number, gone).string();
    if (!gone && target.find("/proc/") != 0) targets.insert(target);
  }
  return targets;
}

inline std::vector<void (*)(int)> signal_handlers() {
  std::vector<void (*)(int)> handlers;
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0) handlers.push_back(action.sa_handler);
  }
  return handlers;
}

}  // namespace ballot::testing
