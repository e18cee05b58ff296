// Pauses: which pauses a job has, as the daemon or the store says it: of the job itself, of its group, or both.
// Commands say the same of them on each node.
//
// Pure values.
//
//   pauses_text({{Pause::Of::job, since, "n1 uid 0"}})   // "paused since 2025-..., by n1 uid 0"
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "io/message.hpp"

namespace ballot::app {

struct Pause {
  enum class Of { job, group } of = Of::job;
  std::optional<WallTime> since = {};  // where that is known,
  std::string by = {};                 // and who asked for it
};

/// Of the daemon's answer about a job: its list `pauses`.
std::vector<Pause> pauses_from(const io::Message& job);

/// "paused since T, by A, and with its group since T, by B". Requires: there is one.
std::string pauses_text(const std::vector<Pause>& pauses);

/// What ends them: "`ballot resume JOB`", "`ballot resume --group GROUP`", or both.
std::string resume_commands(const std::vector<Pause>& pauses, const std::string& job, const std::string& group);

/// The first instant at which one of them stood; none: it is not known of one of them.
std::optional<WallTime> paused_since(const std::vector<Pause>& pauses);

}  // namespace ballot::app
