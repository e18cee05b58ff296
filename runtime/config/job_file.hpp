// JobFile: what one job file says, or everything that is wrong with it.
//
// The file is the unit: one error in it, and it defines no job and no group. Knows nothing of other files, and reads no
// disk but for the system's users, groups and zones. Threads: one.
//
//   Identities identities;
//   const JobFile file = read_job_file(text, {.name = "a.toml"}, {.timezone = "Europe/Paris"}, identities);
//   for (const auto& [definition, position] : file.definitions) ...
#pragma once

#include <unistd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/backends.hpp"
#include "config/calendars.hpp"
#include "config/diagnostics.hpp"
#include "config/group.hpp"
#include "config/identities.hpp"
#include "config/presence.hpp"
#include "config/shared_parts.hpp"
#include "schedule/definition.hpp"

namespace ballot::config {

/// What is the same for all files.
struct JobSettings {
  std::string timezone = "UTC";                             // of jobs that name none
  std::uint32_t daemon = ::geteuid();                       // whom the jobs of a daemon run as
  std::optional<Millis> longest_kill_grace = std::nullopt;  // where set, a longer `kill_grace` in a file is a warning
  Backends backends = {};                                   // whose tables a group may have
  /// The machine's cgroup v2 controllers: a limit that needs another is an error, in a file that is named by hand a
  /// warning, as its machine may be another one. None: not asked.
  std::optional<std::vector<std::string>> controllers = std::nullopt;
  Presence presence = Presence::ignored;  // looked_at: what is not there is a warning
  /// Whose instances are made of jobs with `run_on = "each"`; "": nobody's, these are loaded by the names in the files.
  std::string node = {};
  /// Of a program that embeds ballot: whether it has a function of that name. None: it is no such program, and a job
  /// with a 'function' is an error.
  std::function<bool(std::string_view)> has_function = {};
  /// Whether the commands of jobs, of hooks and of mails can be run: there is a runner.
  bool has_runner = true;
};

struct FileOrigin {
  std::string name;                    // as findings show it
  std::optional<std::uint32_t> owner;  // none: named by hand; who owns it and who reads it is not asked
};

struct PlacedDefinition {
  schedule::DefinitionPtr definition;
  Position position;
};

struct JobFile {
  std::vector<PlacedDefinition> definitions;           // by name
  std::map<std::string, std::vector<Position>> after;  // of jobs with `after`, by common name: where each name is
  std::vector<PlacedGroup> groups;
  std::vector<PlacedCalendar> calendars;
  std::set<std::string> calendar_names;  // that its jobs name, also where they have errors
  Diagnostics diagnostics;

  /// With errors: what it would define without them, for who looks for more of them.
  struct Refused {
    std::vector<PlacedDefinition> definitions;
    std::map<std::string, std::vector<Position>> after;
    std::set<std::string> unread;  // jobs that have errors of their own
  };
  Refused refused;
};

/// Where a file's jobs find the calendars that they name, beside those of the file itself.
struct CalendarSource {
  const Calendars& all;  // which count before the file's own
  ReadBeside read_beside;
};

/// Keeps nothing of its arguments but what definitions share by `parts`. With errors among the diagnostics the file has
/// no definitions, groups and calendars. Without `calendars` there are only the file's own, without a `file`.
JobFile read_job_file(std::string_view text, const FileOrigin& origin, const JobSettings& settings,
                      Identities& identities, SharedParts* parts = nullptr, const CalendarSource* calendars = nullptr);

}  // namespace ballot::config
