#include "io/role.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ballot::io {
namespace {

constexpr std::array beyond_viewing{std::pair("trigger", Role::operator_), std::pair("kill", Role::operator_),
                                    std::pair("pause", Role::operator_),   std::pair("resume", Role::operator_),
                                    std::pair("evict", Role::admin),       std::pair("forget", Role::admin),
                                    std::pair("repair", Role::admin)};

}  // namespace

std::string_view to_string(Role role) {
  constexpr std::string_view words[] = {"none", "viewer", "operator", "admin"};
  return words[static_cast<std::size_t>(role)];
}

std::optional<Role> parse_role(std::string_view word) {
  for (const Role role : {Role::viewer, Role::operator_, Role::admin})
    if (to_string(role) == word) return role;
  return std::nullopt;
}

Role role_for(std::string_view request) {
  const auto found = std::find_if(beyond_viewing.begin(), beyond_viewing.end(),
                                  [&](const auto& entry) { return entry.first == request; });
  return found == beyond_viewing.end() ? Role::viewer : found->second;
}

}  // namespace ballot::io
