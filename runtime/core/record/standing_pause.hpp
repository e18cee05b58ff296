// StandingPause: the pause of all instances of a job, also of nodes that come later. It is a record p/JOB in the store,
// and stands until it is removed; each instance follows it once: see JobMachine.
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

namespace ballot::core {

struct StandingPause {
  RunId id;        // of the request: by this an instance knows which one it has followed
  WallTime at{};   // when it was asked for,
  std::string by;  // and by whom
  bool operator==(const StandingPause&) const = default;
};

inline constexpr std::string_view pause_prefix = "p/";
std::string pause_record(std::string_view job);  // "p/JOB"
/// The job whose record it is; none where no job can bear the name.
std::optional<std::string> paused_job(const Register& stored);

std::string to_text(const StandingPause&);
Result<StandingPause> parse_standing_pause(std::string_view text);
/// One that cannot be read is a pause all the same, by nobody known.
StandingPause standing_pause_of(const Register& stored);

}  // namespace ballot::core
