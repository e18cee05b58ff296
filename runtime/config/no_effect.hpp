// The keys whose feature this version does not have: they are read and checked, and one that is set to something other
// than its default is a warning. A feature that arrives takes its keys out of here, and out of nowhere else.
#pragma once

#include <algorithm>
#include <string_view>

namespace ballot::config {

inline constexpr std::string_view job_keys_without_effect[] = {
    "concurrency",    "hook_timeout", "jitter",        "mail_on",     "mail_to",         "max_running", "on_error",
    "on_failure",     "on_missed",    "on_recovery",   "on_success",  "ping_url",        "priority",    "queue_limit",
    "queue_overflow", "retries",      "retry_backoff", "retry_delay", "retry_max_delay",
};

inline constexpr std::string_view group_keys_without_effect[] = {
    "hook_timeout",
    "max_running",
    "on_demote",
    "on_promote",
    "state_file",
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
