// What /proc says of a process, and waiting until it says so.
//
//   EXPECT_TRUE(wait_until([&] { return state_of(pid) == 'T'; }));
#pragma once

#include <dirent.h>
#include <poll.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace ballot::testing {

/// Checks every few milliseconds: /proc notifies nobody of a change.
inline bool wait_until(const std::function<bool()>& is_true, std::chrono::seconds limit = std::chrono::seconds(30)) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

/// "" also where the process goes while it is read, which an iterator over the file would throw for.
inline std::string proc_text(pid_t pid, const std::string& name) {
  const std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// R, S, D, T (stopped), Z (zombie); '-' for none.
inline char state_of(pid_t pid) {
  const std::string text = proc_text(pid, "stat");
  const std::size_t name = text.rfind(')');
  return name == std::string::npos ? '-' : text[name + 2];
}

inline std::vector<pid_t> children_of(pid_t pid) {
  std::istringstream text(proc_text(pid, "task/" + std::to_string(pid) + "/children"));
  std::vector<pid_t> all;
  for (pid_t child = 0; text >> child;) all.push_back(child);
  return all;
}

/// The first one of that name: those that it begins have its name too. -1: none.
inline pid_t thread_of(pid_t pid, const std::string& name) {
  pid_t first = -1;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    const pid_t thread = std::atoi(entry.path().filename().c_str());
    const bool is_earlier = first < 0 || thread < first;
    if (is_earlier && proc_text(pid, "task/" + std::to_string(thread) + "/comm") == name + "\n") first = thread;
  }
  return first;
}

inline std::size_t descriptors_of(pid_t pid) {
  const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

/// The most memory that it ever had.
inline std::int64_t peak_kib_of(pid_t pid) {
  const std::string text = proc_text(pid, "status");
  const std::size_t at = text.find("VmHWM:");
  return at == std::string::npos ? -1 : std::atoll(text.c_str() + at + 6);
}

/// Of the threads that it has now.
inline std::chrono::milliseconds processor_time_of(pid_t pid) {
  long long all = 0;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone))
    all += std::atoll(proc_text(pid, "task/" + entry.path().filename().string() + "/schedstat").c_str());
  return std::chrono::milliseconds(all / 1'000'000);
}

/// Who has the socket that listens at the path; -1: nobody.
inline pid_t listener_at(const std::string& path) {
  std::ifstream sockets("/proc/net/unix");
  std::string inode;
  for (std::string line; std::getline(sockets, line);) {
    std::istringstream words(line);
    std::string number, references, protocol, flags, type, state, node, name;
    words >> number >> references >> protocol >> flags >> type >> state >> node >> name;
    if (name == path && flags == "00010000") inode = "socket:[" + node + "]";
  }
  if (inode.empty()) return -1;
  std::error_code ignored;
  for (const auto& process : std::filesystem::directory_iterator("/proc"))
    for (const auto& fd : std::filesystem::directory_iterator(process.path() / "fd", ignored))
      if (std::filesystem::read_symlink(fd.path(), ignored) == inode)
        return static_cast<pid_t>(std::atoi(process.path().filename().c_str()));
  return -1;
}

}  // namespace ballot::testing
