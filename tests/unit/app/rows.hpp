// Rows of a ledger to ask about.
#pragma once

#include "ballot/ledger.hpp"

namespace ballot::testing {

inline const WallTime slot = WallTime(std::chrono::seconds(1741503600));  // 2025-03-09T07:00:00Z
inline const RunId run = *RunId::parse("0195798e-1f00-7abc-8def-0123456789ab");

/// The first attempt of a run of job `nightly`.
inline Row run_row(Status status, Reason reason = Reason::none, RunId id = run) {
  Row row;
  row.run = id;
  row.job = "nightly";
  row.group = "g";
  row.slot = slot;
  row.attempt = 1;
  row.status = status;
  row.reason = reason;
  return row;
}

/// A slot of job `nightly` that never ran.
inline Row slot_row(WallTime at, Status status, Reason reason) {
  Row row;
  row.job = "nightly";
  row.group = "g";
  row.slot = at;
  row.status = status;
  row.reason = reason;
  return row;
}

}  // namespace ballot::testing
