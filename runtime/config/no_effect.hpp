// The keys whose feature this version does not have: they are read and checked, and one that is set to something other
// than its default is a warning. A feature that arrives takes its keys out of here, and out of nowhere else.
#pragma once

#include <algorithm>
#include <string_view>

namespace ballot::config {

inline constexpr std::string_view job_keys_without_effect[] = {
    "concurrency", "env_file",      "jitter",      "limits",          "max_running",
    "on_error",    "on_success",    "priority",    "queue_limit",     "queue_overflow",
    "retries",     "retry_backoff", "retry_delay", "retry_max_delay", "secrets",
};

inline constexpr std::string_view group_keys_without_effect[] = {
    "max_running",
    // [group.NAME.consul]
    "lock_delay",
    "primary_tag",
    "service",
    "service_checks",
};

inline constexpr std::string_view config_keys_without_effect[] = {"max_running"};

template <std::size_t n>
constexpr bool lists(const std::string_view (&names)[n], std::string_view name) {
  return std::find(names, names + n, name) != names + n;
}

}  // namespace ballot::config
