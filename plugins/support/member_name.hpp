// MemberName: a session's node as it is named in a store: NODE, or NODE@GROUP of a candidate of one group only, since
// candidates of different groups may bear one name. No name has an '@'. Pure.
//
//   request.node = member_name(request.node, request.only_group);   ... "node " + shown(row.node) + " lives"
#pragma once

#include <string>

namespace ballot::support {

inline std::string member_name(const std::string& node, const std::string& only_group) {
  return only_group.empty() ? node : node + "@" + only_group;
}

/// The node, as people know it.
inline std::string shown(const std::string& member_name) { return member_name.substr(0, member_name.find('@')); }

/// Why a second daemon of a name is refused: whose it is.
inline std::string in_use_text(const std::string& member_name, int pid, const std::string& host) {
  return "node " + shown(member_name) + " is in use by the daemon with pid " + std::to_string(pid) + " on " + host +
         ": give this one another name (node)";
}

}  // namespace ballot::support
