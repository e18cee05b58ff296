// Pace: how long the runs of a job take as a rule, from its successes.
//
//   usual       | the middle of the successes of the seven days before the last one; of a job that is not known so
//   long,
//               | of the older half of its last 100: so a job that is slow for hours is not usual. As the page has it
//   percentile  | 95 of 100 of its successes of the last 30 days took no longer
//
//   const auto pace = pace_of(successes, now);
//   if (pace && is_slow(*row.duration, *pace)) print(row);
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot::library {

inline constexpr std::chrono::days pace_days{30};
/// Of fewer successes one in twenty says nothing.
inline constexpr std::size_t least_successes = 20;
/// Less is noise: a run of some milliseconds is not slow.
inline constexpr Millis least_slowness{1000};

struct Pace {
  Millis usual{0}, percentile{0};
  std::size_t runs = 0;  // successes of the last 30 days, as many as were given
};

/// `rows`: of one job, by slot, newest first; of them its successes count. None: there are too few.
std::optional<Pace> pace_of(const std::vector<Row>& rows, WallTime now);

/// Longer than 95 of 100, and than usual by more than noise.
bool is_slow(Millis took, const Pace& pace);

}  // namespace ballot::library
