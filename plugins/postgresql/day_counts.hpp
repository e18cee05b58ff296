// DayCounts: days that are over, counted whole: how their runs have ended that did not succeed at once. A day's counts
// hold as long as nothing of the day changes and no node begins another ledger; then it is counted anew. What is put
// meanwhile waits only until the count has begun. Failures are as those of Connection.
//
//   DayCounts(connection).count(1s);      // by who sends, once an hour; false: some days are left
#pragma once

#include <cstdint>

#include "ballot/time.hpp"
#include "connection.hpp"

namespace ballot::postgresql {

inline constexpr std::int64_t day_length = 24 * 60 * 60 * 1000;  // ms

class DayCounts {
 public:
  /// The connection outlives it.
  explicit DayCounts(Connection& connection) : connection_(connection) {}

  /// The newest days first, of the last two months; begins no other one after that time. False: some are left.
  bool count(Millis within);

 private:
  void count_day(std::int64_t day);

  Connection& connection_;
};

}  // namespace ballot::postgresql
