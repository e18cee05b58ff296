// The registers: what a term leaves in the store for the next one. A job's register says up to where its slots are
// settled, which runs are open, and what became of the slots that it passed and that no ledger is known to have yet; a
// group's says how its last term began and ended. Readable text, a line a field; what a newer version added is kept,
// not understood.
//
// Pure values. Knows nothing of stores: to_text() is what is written, parse_*() what was read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/defaulted.hpp"
#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "ballot/optional_time.hpp"
#include "ballot/run.hpp"
#include "ballot/shared.hpp"
#include "ballot/time.hpp"
#include "base/digest_text.hpp"
#include "base/rare_list.hpp"
#include "core/record/backfill.hpp"
#include "core/record/chained_slot.hpp"
#include "core/record/last_end.hpp"
#include "core/record/pause_terms.hpp"
#include "core/record/slot_end.hpp"

namespace ballot::core {

/// Register names in the store.
std::string job_register(std::string_view job);      // "j/NAME"
std::string group_register(std::string_view group);  // "g/NAME"
/// The job whose register it is; none where no job can bear the name.
std::optional<std::string> job_of(const Register& stored);

inline constexpr std::size_t register_limit = 8 * 1024;  // bytes of text
inline constexpr std::size_t open_run_limit = 16;
inline constexpr std::size_t triggered_limit = 8;
inline constexpr std::size_t passed_over_limit = 4;
inline constexpr std::size_t boot_limit = 16;
inline constexpr std::size_t unknown_limit = 1024;    // bytes of what a newer version added
inline constexpr std::size_t disposition_limit = 32;  // ranges in one write; more go into writes of their own, first

/// Consecutive scheduled slots of a job that became the same without a run.
struct Disposition {
  WallTime from{}, to{};
  std::int64_t slots = 1;
  Named<Status> status = Status::missed;
  Named<Reason> reason = Reason::none;
  bool operator==(const Disposition&) const = default;
};

/// What few runs have, and give their children as variables.
struct RunVariables {
  std::string upstream;  // the runs that it comes after, with commas between; "": none
  std::string env;       // of whoever triggered it: see EnvWords; "": none
  bool operator==(const RunVariables&) const = default;
};

/// A claimed run that has not been closed. It carries the policies it runs under: whoever settles it goes by these.
struct OpenRun {
  RunId id;
  WallTime slot{};
  Trigger trigger = Trigger::schedule;
  int attempt = 1;
  std::uint64_t fence = 0;
  std::uint64_t epoch = 0;
  std::string node;
  OnLeadershipLost on_leadership_lost = OnLeadershipLost::terminate;
  AfterRun on_success = AfterRun::ignore, on_error = AfterRun::ignore;
  bool late = false;           // its slot began later than the job expects;
  bool slow = false;           // an attempt took longer than it expects: both were noticed
  bool queued = false;         // it waits until the job's other runs have ended
  bool awaited = false;        // whoever triggered it waits for its end
  bool at_least_once = false;  // repeated where it is lost,
  int lost = 0;                // as it was so often before,
  int lost_limit = 2;          // until it was so often
  int retries = 0;             // so many attempts may still follow ones that fail,
  Millis retry_delay{0};       // the next one after this, up to a tenth of it longer,
  Millis retry_max_delay{0};   // which grows to at most this
  double retry_backoff = 1;    // by this factor
  Millis kill_grace{0};
  Millis lost_after = std::chrono::hours(1);  // of a `finish` run
  std::vector<int> success_codes = {0};
  Defaulted<RunVariables> variables;
  std::optional<WallTime> waits_until;  // nothing runs, and `attempt` is claimed then
  Millis expect_within{0};              // the attempt is expected to take no longer; 0: nothing is expected
  WallTime begun_at{};                  // when it was claimed, where it is expected to end in time: a whole second
  std::string unknown;                  // fields of a newer version, as read
  bool operator==(const OpenRun&) const = default;
};

/// Where an `@every` schedule counts from, keyed by its text.
struct Anchor {
  std::string text;
  WallTime at{};
  bool operator==(const Anchor&) const = default;
};

/// The definition's timing, so that a term that never saw its file can still account for its slots.
struct Timing {
  Shared<std::string> timezone;
  Shared<std::vector<std::string>> expressions;
  OptionalTime<WallTime> not_before, not_after;
  bool operator==(const Timing&) const = default;
};

/// What people have done about a job beside its file.
struct Interventions {
  std::optional<WallTime> paused_at;    // since when it is paused,
  std::string paused_by;                // and who asked for it, where that is known
  PauseTerms pause_terms;               // its end and its reason
  std::optional<RunId> standing_pause;  // the one of all instances that it has followed: see StandingPause;
  bool own_pause = false;               // it was paused or resumed by itself since: the end of that one is not its end
  std::optional<WallTime> repaired_at;
  std::string repaired_by;
  std::optional<WallTime> claims_passed;  // of the repair at that instant: all that it had left claimed is behind
  std::uint64_t repair = 0;  // the number of its last repair, larger than any before: at most the fence then
  bool operator==(const Interventions&) const = default;
};

/// Of a job that is expected to succeed within a time.
struct ExpectedSuccess {
  WallTime from{};                 // counted from there, or from its last success, whichever is later
  OptionalTime<WallTime> overdue;  // when it was noticed that there was none in time; none: it is not, or not yet
  bool operator==(const ExpectedSuccess&) const = default;
};

/// What few jobs keep of slots that are settled, and of runs that have ended.
struct KeptSlots {
  RareList<std::string> boots;    // for @reboot: boots that were seen, newest last, at most 16
  RareList<SlotEnd> ends;         // for the jobs `after` it: see slot_end.hpp; in order, at most 8
  RareList<ChainedSlot> chained;  // of chains that were triggered: see chained_slot.hpp; at most 8
  RareList<Backfill> backfill;    // that goes on: one, or none
  Defaulted<ExpectedSuccess> success;
  bool operator==(const KeptSlots&) const = default;
};

/// Slots that were passed over, as missed or in a pause: no run has claimed them. A clock that was ahead makes such a
/// range.
struct PassedOver {
  WallTime from{}, to{};
  bool operator==(const PassedOver&) const = default;
};

/// Each node keeps that of every job which it leads.
struct JobRegister {
  Shared<std::string> group;
  DigestText definition;  // empty once released
  Timing timing;
  std::uint64_t epoch = 0;   // of the term that wrote last
  WallTime since{};          // slots at or before it are not due
  WallTime cursor{};         // every scheduled slot up to it is settled; only grows, but by a repair
  WallTime claimed_until{};  // the last scheduled slot that was claimed; after a repair it may be later than the cursor
  RareList<PassedOver> passed_over;  // the newest ranges up to there that were not; at most 4, in order
  bool paused = false;
  bool released = false;        // no group's any more: the next leader whose files define the job may take it
  bool failing = false;         // the run that was closed last had failed: the next that succeeds is a recovery
  std::uint32_t missed = 0;     // slots that were missed since the register was made, or the most that it counts
  Defaulted<LastEnd> last_end;  // what a node of before wrote since is not in it: it is true of its own run
  Defaulted<Interventions> interventions;
  std::uint64_t fence = 0;
  RareList<Disposition> dispositions;  // oldest first; whoever leads has them in its ledger before they go
  RareList<OpenRun> runs;
  RareList<Anchor> anchors;
  /// Manual runs that were closed, so that asking again for one is harmless: those whose ids are the newest. Of a full
  /// list, older ones may have been dropped, and no newer ones.
  RareList<RunId> triggered;  // and backfills that are over
  Defaulted<KeptSlots> kept;
  RareList<std::string> unknown;

  void count_missed(std::int64_t slots);
  /// `all_are`: the pause of all instances stands. Of one that has ended it says so still where its node is away.
  bool is_paused_yet(bool all_are) const {
    return paused && (all_are || interventions->own_pause || !interventions->standing_pause);
  }
  /// The end that its pause has; none: it is not paused, or without an end.
  std::optional<WallTime> pause_ends() const { return paused ? interventions->pause_terms.ends : std::nullopt; }
  /// A repair: the next slots are those after `second`. Those that were not due yet, for they lie before the first that
  /// ever was, nobody has claimed.
  void go_on_from(WallTime second);

  /// That goes on; null: none does.
  const Backfill* backfill() const { return kept->backfill.empty() ? nullptr : &kept->backfill.front(); }
  /// No more of its slots are begun. Its request is remembered, as that of a run by hand.
  void end_backfill();
  /// Of the ids of what was asked for and is done the newest stay.
  void bound_triggered();

  /// The scheduled slot is done, though the cursor has not passed it: it was claimed before a repair brought the cursor
  /// back. Slots of which it is not known count as claimed, so that none runs twice.
  bool is_claimed(WallTime slot) const;
  /// What was claimed or asked for by then may have been forgotten since: a repair goes by what could be read.
  bool may_have_forgotten(WallTime at) const;
  /// No node has written it so: a claim takes the cursor with it, and only a repair brings that back.
  bool claims_beyond_cursor() const {
    return claimed_until > cursor && interventions->claims_passed == interventions->repaired_at;
  }
  /// The cursor has passed what the last repair had left claimed: from here on no claim is beyond it.
  void note_claims_passed();
  /// From `slot` up to the instant that is returned all slots are claimed, or none is, as is_claimed(slot) says.
  WallTime alike_until(WallTime slot) const;

  bool operator==(const JobRegister&) const = default;
};

/// When terms of a group have led. Both ends are in it.
struct LedSpan {
  WallTime from{}, until{};
  bool operator==(const LedSpan&) const = default;
};

struct GroupRegister {
  std::uint64_t epoch = 0;
  std::string node;
  WallTime elected_at{};
  std::optional<WallTime> ended_at;  // none: the term has not recorded its end
  Cause cause = Cause::none;
  std::vector<LedSpan> led_before;  // by terms before it, as far as it knew: for its daemon, should that start again
  bool paused = false;              // every job of the group
  std::optional<WallTime> paused_at;
  std::string paused_by;
  PauseTerms pause_terms;
  std::string halted;                 // why nothing of the group is launched, until it is repaired; "" where it is not
  std::optional<WallTime> halted_at;  // since when
  std::optional<WallTime> repaired_at;
  std::string repaired_by;
  std::uint64_t repair = 0;  // as a job's
  /// A node: whoever is elected instead passes the group on to it; and while it leads by that. "": none.
  std::string hand_over_to;
  int forwards = 0;                          // so often it was
  std::optional<WallTime> last_handover_at;  // of the last voluntary hand-over, or when it had failed
  int failed_handovers = 0;                  // voluntary hand-overs in a row that came to nothing
  RareList<std::string> unknown;

  /// Why its term ended. One that could not say so has lost its session.
  Cause end() const { return epoch > 0 && !ended_at ? Cause::expired : cause; }
  bool operator==(const GroupRegister&) const = default;
};

std::string to_text(const JobRegister&);
std::string to_text(const GroupRegister&);

/// Errors: Errc::corrupt where it cannot be read: a field is missing, wrong, doubled or out of its bounds, or they do
/// not go together; Errc::refused where its format is newer than this program's.
Result<JobRegister> parse_job_register(std::string_view text);
Result<GroupRegister> parse_group_register(std::string_view text);

/// What can be read of a register that cannot: the lines that make sense; where that of the cursor does not, it is at
/// the end of what is settled by another. For a repair only. `left_out`: gets the keys of the others, and of those that
/// should be there; "" of a line that is no field's.
JobRegister salvage_job_register(std::string_view text, std::vector<std::string>* left_out = nullptr);
/// A line of this key may be among those that were left out.
bool may_be_lost(std::string_view key, const std::vector<std::string>& left_out);

}  // namespace ballot::core
