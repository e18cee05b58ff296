// What can become of a slot: the words of the ledger, of `history` and of `why`.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ballot/export.hpp"

namespace ballot {

/// A run's name, decided before anything starts: UUID version 7 (RFC 9562), so ids sort by time.
struct BALLOT_API RunId {
  std::array<std::uint8_t, 16> bytes{};

  /// 36 characters, lower case.
  std::string text() const;
  static std::optional<RunId> parse(std::string_view text);
  auto operator<=>(const RunId&) const = default;
};

// Status and Reason have numbers, which are used in ledgers, in spools and on the runner's wire, and words, used in
// registers, outcomes and on the screen. Neither is ever changed, nor used again for something else; a new one has the
// next number. What a newer version has added is kept as it is: see Named.

enum class Status : std::int32_t {
  queued = 0,
  claimed = 1,
  running = 2,
  succeeded = 3,
  failed = 4,
  timed_out = 5,
  killed = 6,
  lost = 7,
  skipped = 8,
  missed = 9,
};

enum class Reason : std::int32_t {
  none = 0,
  // failed
  exit_code = 1,
  signal = 2,
  cannot_start = 3,
  oom = 4,
  lost_limit = 5,
  // timed_out
  deadline = 6,
  // killed
  operator_ = 7,
  replaced = 8,
  leadership_lost = 9,
  shutdown = 10,
  // lost
  node_died = 11,
  runner_died = 12,
  forgotten = 13,
  evidence_lost = 14,
  // skipped
  overlap = 15,
  queue_full = 16,
  paused = 17,
  dry_run = 18,
  // missed
  misfire = 19,
  start_deadline = 20,
  unclaimed = 21,
  stale = 22,
  dst_gap = 23,
  no_leader = 24,
  no_definition = 25,
  halted = 26,
  // failed, of a function of a program that embeds ballot: see JobResult in runtime.hpp
  exception = 27,
  temporary = 28,
  permanent = 29,
};

inline constexpr Reason last_reason = Reason::permanent;

enum class Trigger { schedule, catch_up, reboot, manual, rerun };

/// What a run left behind when its row ended.
enum class Leftover { none, escaped, unkillable };

/// Why a term ended. Numbers and words as of Status.
enum class Cause : std::int32_t {
  none = 0,
  resigned = 1,
  expired = 2,
  superseded = 3,
  unreachable = 4,
  evicted = 5,
  auth_failed = 6,
  shutdown = 7,
  unfit = 8,  // the node may not lead: its runner, its clock, or what the store says of it
};

/// The words as used in the ledger and on the screen ("operator" for operator_); "" for none, "unknown" for a
/// number that this version does not know.
BALLOT_API std::string_view to_string(Status);
BALLOT_API std::string_view to_string(Reason);
BALLOT_API std::string_view to_string(Trigger);
BALLOT_API std::string_view to_string(Leftover);
BALLOT_API std::string_view to_string(Cause);
BALLOT_API std::optional<Status> parse_status(std::string_view);
BALLOT_API std::optional<Reason> parse_reason(std::string_view);
BALLOT_API std::optional<Trigger> parse_trigger(std::string_view);
BALLOT_API std::optional<Leftover> parse_leftover(std::string_view);
BALLOT_API std::optional<Cause> parse_cause(std::string_view);

/// False for queued, claimed and running: rows that are still open. What a newer version has added is final.
constexpr bool is_final(Status s) { return s > Status::running; }

constexpr bool is_known(Status s) { return s >= Status::queued && s <= Status::missed; }
constexpr bool is_known(Reason r) { return r >= Reason::none && r <= last_reason; }

/// A status or a reason as it was read: one that this version knows, or one of a newer version, of which it knows the
/// number or the word alone. It compares as its enumerator; what is not known equals none that is.
///
///   Named<Reason> reason = Reason::overlap;
///   if (const auto read = Named<Reason>::parse("solar_flare")) write(read->text());  // as it was
template <class Enum>
class BALLOT_API Named {
 public:
  Named() = default;
  Named(Enum value) : value_(value) {
    if (!ballot::is_known(value)) newer_ = std::to_string(static_cast<std::int32_t>(value));
  }
  /// A word, or a number, as text() has it. None where it can be neither.
  static std::optional<Named> parse(std::string_view text);
  /// By both, as a ledger has them; a word that it has for an unknown number may be known by now.
  static std::optional<Named> make(std::int64_t number, std::string_view word);

  operator Enum() const { return value_; }
  bool is_known() const { return newer_.empty(); }
  /// Of an unknown word one of its own, above all that are given: the same on every node.
  std::int32_t number() const { return static_cast<std::int32_t>(value_); }
  /// Its word; of a newer version its word, or its number where that is all there is.
  std::string_view text() const { return newer_.empty() ? to_string(value_) : std::string_view(newer_); }
  /// For people.
  std::string description() const;

  bool operator==(const Named&) const = default;
  bool operator==(Enum value) const { return value_ == value; }

 private:
  Enum value_{};
  std::string newer_;  // its word or number, where this version does not know it
};

/// Words without numbers have numbers from here on.
inline constexpr std::int32_t first_unnumbered = 1 << 30;

inline std::string_view to_string(const Named<Status>& status) { return status.text(); }
inline std::string_view to_string(const Named<Reason>& reason) { return reason.text(); }

}  // namespace ballot
