// StandingPause: the pause of all instances of a job, also of nodes that come later. It is a record p/JOB in the store,
// and stands until it is removed; each instance follows it once: see JobMachine. Its end is a record p/-JOB, until the
// next pause, for instances whose nodes are away then. Releases before know no such name, and pass it over. One with an
// end of its own stays there past that: each instance that has followed it ends by itself, and nobody follows it then.
//
// Pure values. Knows nothing of stores: to_text() is what is written, parse_standing_pause() what was read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "ballot/run.hpp"
#include "ballot/time.hpp"
#include "core/record/pause_terms.hpp"

namespace ballot::core {

struct StandingPause {
  RunId id;        // of the request: by this an instance knows which one it has followed
  WallTime at{};   // when it was asked for,
  std::string by;  // and by whom
  PauseTerms terms = {};
  bool operator==(const StandingPause&) const = default;
};

struct PauseEnd {
  WallTime at{};   // when it was asked for,
  std::string by;  // and by whom
  bool operator==(const PauseEnd&) const = default;
};

/// What the store has of the pauses of all instances of a job.
struct PauseOfAll {
  std::optional<StandingPause> standing;
  std::optional<PauseEnd> end;  // of the last one, where it is known
  bool operator==(const PauseOfAll&) const = default;
};

inline constexpr std::string_view pause_prefix = "p/";
std::string pause_record(std::string_view job);  // "p/JOB"
/// The job whose record it is; none where no job can bear the name.
std::optional<std::string> paused_job(const Register& stored);

std::string to_text(const StandingPause&);
Result<StandingPause> parse_standing_pause(std::string_view text);
/// One that cannot be read is a pause all the same, by nobody known.
StandingPause standing_pause_of(const Register& stored);

std::string pause_end_record(std::string_view job);  // "p/-JOB"
/// The job whose record of an end it is.
std::optional<std::string> resumed_job(const Register& stored);

std::string to_text(const PauseEnd&);
Result<PauseEnd> parse_pause_end(std::string_view text);
/// None: it cannot be read.
std::optional<PauseEnd> pause_end_of(const Register& stored);

}  // namespace ballot::core
