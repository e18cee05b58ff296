// CgroupPlace: where a process is in the control groups of version 2, by the mount table; the hierarchy of version
// 2 that a hybrid system mounts beside those of version 1 counts too.
//
//   if (const auto place = find_cgroup()) ... cgroup_controllers(place->root)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballot {

struct CgroupPlace {
  std::string root;  // the folder of the hierarchy, as far as it is mounted here
  std::string own;   // the folder of the process
  bool operator==(const CgroupPlace&) const = default;
};

/// Of the texts of /proc/self/mountinfo and /proc/self/cgroup. None: no such hierarchy is mounted, or the process
/// is outside of what is mounted.
std::optional<CgroupPlace> find_cgroup(std::string_view mountinfo, std::string_view cgroup);

/// Of this process.
std::optional<CgroupPlace> find_cgroup();

/// Whether systemd has left the folder to its service or scope (`Delegate=yes`).
bool is_delegated_cgroup(const std::string& folder);

/// What can be limited there: "cpu", "memory", "pids", ... None where the folder does not say.
std::vector<std::string> cgroup_controllers(const std::string& folder);

/// What this machine can limit: of the root of its hierarchy.
std::vector<std::string> machine_controllers();

}  // namespace ballot
