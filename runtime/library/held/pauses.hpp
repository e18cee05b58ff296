// Pauses: which pauses a job has, as the daemon or the store says it: of the job itself, of its group, or both.
// Commands say the same of them on each node.
//
// Pure values.
//
//   pauses_text({{Pause::Of::job, since, "n1 uid 0", until, "disks"}})
//   // "paused since 2025-..., by n1 uid 0, until 2025-...: disks"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/time.hpp"
#include "io/message.hpp"

namespace ballot::core {
struct JobView;
}

namespace ballot::library {

struct Pause {
  enum class Of { job, group } of = Of::job;
  std::optional<WallTime> since = {};  // where that is known,
  std::string by = {};                 // who asked for it,
  std::optional<WallTime> until = {};  // when it ends by itself; none: somebody has to resume,
  std::string reason = {};             // and why it was asked for; "": nobody said
};

/// Of what a core shows: core::JobView::Pause.
template <class Shown>
Pause pause_of(Pause::Of of, const Shown& shown) {
  return {of, shown.since, std::string(shown.by), shown.ends, std::string(shown.reason)};
}

/// The pauses in force, as the job's leader has them.
std::vector<Pause> standing_pauses_of(const core::JobView& view);

/// Of the daemon's answer about a job: its list `pauses`.
std::vector<Pause> pauses_from(const io::Message& job);

/// "paused since T, by A, and with its group since T, by B". Requires: there is one.
std::string pauses_text(const std::vector<Pause>& pauses);

/// What ends them: "`ballot resume JOB`", "`ballot resume --group GROUP`", or both.
std::string resume_commands(const std::vector<Pause>& pauses, const std::string& job, const std::string& group);

/// When the last of them ends; none: one of them has no end, or there is none.
std::optional<WallTime> paused_until(const std::vector<Pause>& pauses);

/// From when on slots of a job are due whose state `word` is: from `now` on where it is active, and from their end
/// where its pauses have one. None: not before somebody has ended what it is held by.
std::optional<WallTime> due_from(std::string_view word, const std::vector<Pause>& pauses, WallTime now);

/// When the first of them began; none: it is not known of one of them.
std::optional<WallTime> paused_since(const std::vector<Pause>& pauses);

}  // namespace ballot::library
