// What can become of a slot: the words of the ledger, of `history` and of `why`.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ballot {

/// A run's name, decided before anything starts: UUID version 7 (RFC 9562), so ids sort by time.
struct RunId {
  std::array<std::uint8_t, 16> bytes{};

  /// 36 characters, lower case.
  std::string text() const;
  static std::optional<RunId> parse(std::string_view text);
  auto operator<=>(const RunId&) const = default;
};

enum class Status { queued, claimed, running, succeeded, failed, timed_out, killed, lost, skipped, missed };

enum class Reason {
  none,
  exit_code,
  signal,
  cannot_start,
  oom,
  lost_limit,  // failed
  deadline,    // timed_out
  operator_,
  replaced,
  leadership_lost,
  shutdown,  // killed
  node_died,
  runner_died,
  forgotten,
  evidence_lost,  // lost
  overlap,
  queue_full,
  paused,
  dry_run,  // skipped
  misfire,
  start_deadline,
  unclaimed,
  stale,
  dst_gap,
  no_leader,
  no_definition,
  halted,  // missed
};

enum class Trigger { schedule, catch_up, reboot, manual, rerun };

/// What a run left behind when its row ended.
enum class Leftover { none, escaped, unkillable };

/// Why a term ended.
enum class Cause { none, resigned, expired, superseded, unreachable, evicted, auth_failed, shutdown };

/// The words as they stand in the ledger and on the screen ("operator" for operator_); "" for none.
std::string_view to_string(Status);
std::string_view to_string(Reason);
std::string_view to_string(Trigger);
std::string_view to_string(Leftover);
std::string_view to_string(Cause);
std::optional<Status> parse_status(std::string_view);
std::optional<Reason> parse_reason(std::string_view);
std::optional<Trigger> parse_trigger(std::string_view);
std::optional<Leftover> parse_leftover(std::string_view);
std::optional<Cause> parse_cause(std::string_view);

/// False for queued, claimed and running: rows that are still open.
constexpr bool is_final(Status s) { return s > Status::running; }

}  // namespace ballot
