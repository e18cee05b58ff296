/// \file
/// What can become of a slot: the words of the ledger, of `history` and of `why`.
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
  std::array<std::uint8_t, 16> bytes{};  ///< in the order of the text

  /// 36 characters, lower case.
  std::string text() const;
  /// None: it is no such text.
  static std::optional<RunId> parse(std::string_view text);
  auto operator<=>(const RunId&) const = default;  ///< by time
};

// Status and Reason have numbers, which are used in ledgers, in spools and on the runner's wire, and words, used in
// registers, outcomes and on the screen. Neither is ever changed, nor used again for something else; a new one has the
// next number. What a newer version has added is kept as it is: see Named.

/// What has become of a slot or of an attempt.
enum class Status : std::int32_t {
  queued = 0,     ///< it waits for a run before it, or for room
  claimed = 1,    ///< the leader has taken the slot; nothing runs yet
  running = 2,    ///< it was started
  succeeded = 3,  ///< it has ended well
  failed = 4,     ///< it has ended otherwise, or could not be started
  timed_out = 5,  ///< it was ended at its deadline
  killed = 6,     ///< it was ended for another reason
  lost = 7,       ///< nobody knows how it has ended
  skipped = 8,    ///< it was not to run: see the reason
  missed = 9,     ///< it could not run in time: see the reason
};

/// Why it has.
enum class Reason : std::int32_t {
  none = 0,  ///< there is none to be given
  // failed
  exit_code = 1,     ///< it exited with one that means failure
  signal = 2,        ///< a signal has ended it
  cannot_start = 3,  ///< its program, user or files are not there, or the machine has no room
  oom = 4,           ///< it was out of memory
  lost_limit = 5,    ///< it was lost `lost_limit` times
  // timed_out
  deadline = 6,  ///< it ran for longer
  // killed
  operator_ = 7,        ///< somebody has killed it
  replaced = 8,         ///< its job has `concurrency = "replace"`, and a slot was due
  leadership_lost = 9,  ///< its node does not lead the group any more
  shutdown = 10,        ///< its node stops
  // lost
  node_died = 11,      ///< its node is gone
  runner_died = 12,    ///< the process is gone that watched it
  forgotten = 13,      ///< somebody has said so: `ballot forget`
  evidence_lost = 14,  ///< nothing writes it
  // skipped
  overlap = 15,     ///< a run of the job still went on
  queue_full = 16,  ///< `queue_limit` slots waited already
  paused = 17,      ///< the job or its group was paused
  dry_run = 18,     ///< the node launches nothing
  // missed
  misfire = 19,         ///< its job's `misfire` chose others
  start_deadline = 20,  ///< it waited for longer
  unclaimed = 21,       ///< no claim was confirmed in time
  stale = 22,           ///< it was claimed, and not begun in time
  dst_gap = 23,         ///< on a date that does not exist
  no_leader = 24,       ///< no term covered it
  no_definition = 25,   ///< the job was edited or deleted before it was settled
  halted = 26,          ///< the job or its group was halted
  // failed, of a function of a program that embeds ballot: see JobResult in runtime.hpp
  exception = 27,  ///< it threw
  temporary = 28,  ///< it asked for another attempt
  permanent = 29,  ///< it asked for none
  // skipped
  upstream = 30,  ///< a job that its job comes `after` had ended otherwise than it waits for
  calendar = 31,  ///< its job's calendars leave out its day
};

/// The last reason that this version knows.
inline constexpr Reason last_reason = Reason::calendar;

/// Why a run was begun.
enum class Trigger {
  schedule,  ///< its slot was due
  catch_up,  ///< its slot was passed, and is made up for
  reboot,    ///< `@reboot`
  manual,    ///< somebody asked for it
  rerun,     ///< `on_success` or `on_error`
  chain,     ///< somebody triggered a job that its job comes `after`
  backfill   ///< its slot was passed, and somebody asked to run it: `ballot backfill`
};

/// The last trigger that this version knows.
inline constexpr Trigger last_trigger = Trigger::backfill;

/// What a run left behind when its row ended.
enum class Leftover {
  none,       ///< nothing
  escaped,    ///< processes that have left its session
  unkillable  ///< a process that KILL does not end
};

/// Why a term ended. Numbers and words as of Status.
enum class Cause : std::int32_t {
  none = 0,         ///< it has not ended, or nobody knows
  resigned = 1,     ///< it was handed over
  expired = 2,      ///< its session was not renewed in time
  superseded = 3,   ///< another session has taken its place
  unreachable = 4,  ///< the store does not answer
  evicted = 5,      ///< somebody has ended it: `ballot election evict`
  auth_failed = 6,  ///< the store does not let this node in
  shutdown = 7,     ///< its node was stopped
  unfit = 8,        ///< the node may not lead: its runner, its clock, or what the store says of it
};

/// The words as used in the ledger and on the screen ("operator" for operator_); "" for none, "unknown" for a
/// number that this version does not know.
///@{
BALLOT_API std::string_view to_string(Status);
BALLOT_API std::string_view to_string(Reason);
BALLOT_API std::string_view to_string(Trigger);
BALLOT_API std::string_view to_string(Leftover);
BALLOT_API std::string_view to_string(Cause);
///@}
/// The other way; none: this version knows no such word.
///@{
BALLOT_API std::optional<Status> parse_status(std::string_view);
BALLOT_API std::optional<Reason> parse_reason(std::string_view);
BALLOT_API std::optional<Trigger> parse_trigger(std::string_view);
BALLOT_API std::optional<Leftover> parse_leftover(std::string_view);
BALLOT_API std::optional<Cause> parse_cause(std::string_view);
///@}

/// False for queued, claimed and running: rows that are still open. What a newer version has added is final.
constexpr bool is_final(Status s) { return s > Status::running; }

/// This version has a word for it.
///@{
constexpr bool is_known(Status s) { return s >= Status::queued && s <= Status::missed; }
constexpr bool is_known(Reason r) { return r >= Reason::none && r <= last_reason; }
///@}

/// A status or a reason as it was read: one that this version knows, or one of a newer version, of which it knows the
/// number or the word alone. It compares as its enumerator; what is not known equals none that is.
///
///   Named<Reason> reason = Reason::overlap;
///   if (const auto read = Named<Reason>::parse("solar_flare")) write(read->text());  // as it was
template <class Enum>
class BALLOT_API Named {
 public:
  Named() = default;  ///< the first of them
  /// A number that is not known is its own word.
  Named(Enum value) : value_(value) {
    if (!ballot::is_known(value)) newer_ = std::to_string(static_cast<std::int32_t>(value));
  }
  /// A word, or a number, as text() has it. None where it can be neither.
  static std::optional<Named> parse(std::string_view text);
  /// By both, as a ledger has them; a word that it has for an unknown number may be known by now.
  static std::optional<Named> make(std::int64_t number, std::string_view word);

  operator Enum() const { return value_; }          ///< which compares as none that is known, where it is not
  bool is_known() const { return newer_.empty(); }  ///< by this version
  /// Of an unknown word one of its own, above all that are given: the same on every node.
  std::int32_t number() const { return static_cast<std::int32_t>(value_); }
  /// The value's word; of a newer version's value the word that it came with, or its number where there was none.
  std::string_view text() const { return newer_.empty() ? to_string(value_) : std::string_view(newer_); }
  /// For people.
  std::string description() const;

  /// By the word too, where it is not known.
  bool operator==(const Named&) const = default;
  /// False for what is not known.
  bool operator==(Enum value) const { return value_ == value; }

 private:
  Enum value_{};
  std::string newer_;  ///< its word or number, where this version does not know it
};

/// Words without numbers have numbers from here on.
inline constexpr std::int32_t first_unnumbered = 1 << 30;

/// As text().
///@{
inline std::string_view to_string(const Named<Status>& status) { return status.text(); }
inline std::string_view to_string(const Named<Reason>& reason) { return reason.text(); }
///@}

}  // namespace ballot
