// Instances: of a job with `run_on = "each"` every node has one of its own, JOB@NODE, in a group of its own,
// GROUP@NODE. No name in a file has an '@', nor has a node's. Knows nothing of jobs and groups but their names.
//
//   instance_name("trim", "web-1")      // "trim@web-1"
//   common_name("trim@web-1")           // "trim"; of what is no instance its own name
//   node_of_instance("trim@web-1")      // "web-1"; "" of what is no instance
//
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace ballot {

inline constexpr char instance_mark = '@';

inline bool is_instance(std::string_view name) { return name.find(instance_mark) != std::string_view::npos; }

inline std::string instance_name(std::string_view name, std::string_view node) {
  return std::string(name).append(1, instance_mark).append(node);
}

/// As files have it.
inline std::string_view common_name(std::string_view name) { return name.substr(0, name.find(instance_mark)); }

inline std::string_view node_of_instance(std::string_view name) {
  return is_instance(name) ? name.substr(name.find(instance_mark) + 1) : std::string_view();
}

}  // namespace ballot
