// MemoryCgroup: a control group with a limit of memory, past which the kernel kills who is in it. Below the group of
// this process; of version 2 where that hands out the controller, else of version 1.
//
//   MemoryCgroup group("daemon", 8 << 20);
//   if (!group.why_not().empty()) GTEST_SKIP() << group.why_not();
//   group.enter(daemon.pid());   ...   EXPECT_EQ(group.kills(), 1);
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "base/cgroup_place.hpp"

namespace ballot::testing {

class MemoryCgroup {
 public:
  MemoryCgroup(const std::string& name, std::uint64_t limit) {
    for (const auto& [parent, file] : {std::pair(of_version_2(), "memory.max"), {of_version_1(), limit_of_version_1}}) {
      if (parent.empty()) continue;
      path_ = parent + "/ballot-test-" + name + "-" + std::to_string(::getpid());
      if (::mkdir(path_.c_str(), 0755) == 0 && write(file, std::to_string(limit))) break;
      ::rmdir(path_.c_str());
      path_.clear();
    }
    // What is in it must not go to a disk instead.
    if (!path_.empty()) write("memory.swap.max", "0") || write("memory.swappiness", "0");
  }
  MemoryCgroup(const MemoryCgroup&) = delete;
  MemoryCgroup& operator=(const MemoryCgroup&) = delete;
  /// Requires: nobody is in it any more.
  ~MemoryCgroup() {
    if (!path_.empty()) ::rmdir(path_.c_str());
  }

  std::string why_not() const {
    return path_.empty() ? "no memory controller of any cgroup can be handed out here" : "";
  }
  /// Where a process that is to be in it writes its id.
  std::string processes() const { return path_ + "/cgroup.procs"; }
  /// With all its threads; the memory that it has already does not count.
  bool enter(pid_t process) const { return write("cgroup.procs", std::to_string(process)); }
  /// How many processes of it the kernel has killed for want of memory.
  std::int64_t kills() const {
    for (const char* name : {"/memory.events", "/memory.oom_control"}) {
      std::ifstream file(path_ + name);
      for (std::string key, value; file >> key >> value;)
        if (key == "oom_kill") return std::stoll(value);
    }
    return 0;
  }

 private:
  static constexpr const char* limit_of_version_1 = "memory.limit_in_bytes";

  bool write(const char* file, const std::string& value) const {
    return static_cast<bool>(std::ofstream(path_ + "/" + file) << value << std::flush);
  }
  static std::string of_version_2() {
    const auto place = find_cgroup();
    return place && ::access((place->own + "/memory.max").c_str(), W_OK) == 0 ? place->own : "";
  }
  /// As the lines of /proc/self/mountinfo and /proc/self/cgroup say it.
  static std::string of_version_1() {
    std::ifstream mounts("/proc/self/mountinfo"), groups("/proc/self/cgroup");
    std::string mounted, own;
    for (std::string line; std::getline(mounts, line);) {
      const auto type = line.find(" - cgroup ");
      if (type == std::string::npos || line.find("memory", type) == std::string::npos) continue;
      std::istringstream words(line);
      for (int field = 0; field < 5; ++field) words >> mounted;
    }
    for (std::string line; std::getline(groups, line);)
      if (const auto at = line.find(":memory:"); at != std::string::npos) own = line.substr(at + 8);
    if (mounted.empty() || own.empty()) return {};
    const std::string path = own == "/" ? mounted : mounted + own;
    return ::access((path + "/" + limit_of_version_1).c_str(), W_OK) == 0 ? path : mounted;
  }

  std::string path_;
};

}  // namespace ballot::testing
