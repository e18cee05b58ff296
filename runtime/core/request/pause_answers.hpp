// What somebody is told who has ended a pause, where another one remains: which, since when, and whose it is.
//
// Pure values; used by JobMachine's parts and GroupRequests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/time.hpp"
#include "core/request/request.hpp"

namespace ballot::core {

/// "since 2025-03-09T07:00:00.000Z, by n1 uid 0, until 2025-03-09T09:00:00.000Z: disks", as far as that is known.
std::string pause_facts(const std::optional<WallTime>& since, std::string_view by, const PauseTerms& terms);

/// A pause has begun: until when, and why, where it has terms. `what`: "job backup", "group nightly".
Answer pause_done(const std::string& what, const PauseTerms& terms);

/// "until 2025-03-09T09:00:00.000Z: disks"; "" without terms.
std::string terms_text(const std::optional<WallTime>& ends, std::string_view reason);

/// A pause of all instances of a job has begun, or has ended.
Answer done_for_all(const Request& asked);

/// A second pause of what was paused already, which has other terms from now on. `facts`: of it before.
Answer pause_changed(const std::string& what, const std::string& facts, const PauseTerms& now);

/// A pause of the job itself is over. `group_pause`: the facts of its group's pause; none: there is none.
Answer job_resumed(std::string_view job, std::string_view group, const std::optional<std::string>& group_pause);

/// A pause of the group is over. `paused`: each job that is still paused by itself, with its facts.
Answer group_resumed(std::string_view group, const std::vector<std::pair<std::string, std::string>>& paused);

}  // namespace ballot::core
