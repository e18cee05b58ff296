// Pace: what a job's runs are held against to be called slow.
//
//   usual       | how long they take as a rule: see usual_time.hpp
//   percentile  | 95 of 100 of its successes of the last 30 days took no longer; only those from before it grew slow
//               | count, or before the last day, by what is usual
//
//   const auto pace = pace_of(successes, usual, now);
//   if (pace && is_slow(*row.duration, *pace)) print(row);
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ballot/ledger.hpp"
#include "library/history/usual_time.hpp"

namespace ballot::library {

inline constexpr std::chrono::days pace_days{30};
/// Of fewer successes one in twenty says nothing.
inline constexpr std::size_t least_successes = 20;

struct Pace {
  Millis usual{0}, percentile{0};
  std::size_t runs = 0;  // successes of the last 30 days, as many as were given
};

/// `rows`: of one job; of them its successes count. None: there are too few, or none of before.
std::optional<Pace> pace_of(const std::vector<Row>& rows, const UsualTime& usual, WallTime now);

/// Longer than 95 of 100, and than usual by more than noise.
bool is_slow(Millis took, const Pace& pace);

}  // namespace ballot::library
