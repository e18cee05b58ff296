// The keys whose feature this version does not have: they are read and checked, and one that is set to something other
// than its default is a warning. A feature that arrives takes its keys out of here, and out of nowhere else.
#pragma once

#include <algorithm>
#include <string_view>

namespace ballot::config {

inline constexpr std::string_view group_keys_without_effect[] = {
    // [group.NAME.consul]
    "lock_delay",
    "primary_tag",
    "service",
    "service_checks",
};

template <std::size_t n>
constexpr bool lists(const std::string_view (&names)[n], std::string_view name) {
  return std::find(names, names + n, name) != names + n;
}

}  // namespace ballot::config
