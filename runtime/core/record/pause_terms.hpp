// PauseTerms: the end and the reason that whoever asks for a pause may give it. A job's and a group's register,
// requests and StandingPauses have them.
//
// In a register they are one line that repeats the instant of the pause which they belong to: a release before this one
// keeps the line beside a later pause of its own, where it means nothing.
//
// Pure values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ballot/time.hpp"

namespace ballot::core {

struct Words;

inline constexpr std::size_t longest_reason = 256;  // bytes

struct PauseTerms {
  std::optional<WallTime> ends;  // then it ends by itself; none: somebody has to resume
  std::string reason;            // "": none was given

  bool empty() const { return !ends && reason.empty(); }
  bool is_over(WallTime now) const { return ends && *ends <= now; }
  bool operator==(const PauseTerms&) const = default;
};

/// Why nobody can give a pause such terms: "" where they can.
std::string_view fault_of(const PauseTerms& terms);

/// The line `pause_terms` of a register, whose pause is of that instant; and its reading. None: it is of another pause.
std::string terms_line(WallTime paused_at, const PauseTerms& terms);
std::optional<PauseTerms> read_terms(Words& words, const std::optional<WallTime>& paused_at);

}  // namespace ballot::core
