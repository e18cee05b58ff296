/// \file
/// The ledger's rows: what became of every slot, whether it ran or not, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ballot/concurrency.hpp"
#include "ballot/run.hpp"
#include "ballot/shared.hpp"
#include "ballot/time.hpp"

namespace ballot {

/// One attempt of a run, keyed by (run, attempt); or a slot that never ran: no run, attempt 0, keyed by (job, slot).
struct Row {
  std::optional<RunId> run;               ///< none: the slot never ran
  std::string job;                        ///< `JOB@NODE` where run_on = "each"
  std::string group;                      ///< of the term
  WallTime slot{};                        ///< for which instant it was due
  std::optional<WallTime> slot_until;     ///< the last slot of a row that is of more than one
  std::int64_t slots = 1;                 ///< how many slots the row is of
  Trigger trigger = Trigger::schedule;    ///< why
  int attempt = 0;                        ///< from 1 on
  Named<Status> status = Status::missed;  ///< what has become of it
  Named<Reason> reason = Reason::none;    ///< why it has
  std::optional<int> exit_code;           ///< none: it has not exited by itself, or is a function
  std::optional<int> signal;              ///< that has ended it
  std::optional<WallTime> started_at;     ///< none: it has not been
  std::optional<WallTime> ended_at;       ///< none: it goes on, or never began
  std::optional<Millis> duration;         ///< by the boot clock, so a clock step does not bend it
  std::string node;                       ///< where it ran, or which has settled it
  std::uint64_t epoch = 0;                ///< of the term
  std::uint64_t fence = 0;                ///< 0: none (a slot without a run)
  std::int64_t output_bytes = 0;          ///< that it printed, kept or not
  Leftover leftover = Leftover::none;     ///< of a command's processes
  /// In a row that is read, where this node took up what people asked, as RequestRow::by: who triggered the run; who
  /// had it killed or forgotten; of a slot that is `skipped: paused`, who had paused, and who resumed; "": nobody, or
  /// not known. A row that is recorded has none of them.
  ///@{
  std::string triggered_by, ended_by, paused_by, resumed_by;
  ///@}
  /// Of such a slot, as of PauseRow: since when it was paused, until when it was to be, and why. `resumed_by` is
  /// by_its_end where that has come.
  ///@{
  std::optional<WallTime> paused_at, pause_ends;
  std::string pause_reason;
  ///@}
  /// In a row that is read, of a run that somebody triggered: as RequestRow::env. A row that is recorded has none.
  Shared<std::string> env;
};

/// In Row::resumed_by, of a pause that nobody resumed: its own end has come.
inline constexpr const char* by_its_end = "its end";

/// One unbroken leadership of a group by one node, keyed by (group, epoch).
struct TermRow {
  std::string group;                 ///< that it led
  std::string node;                  ///< that led
  std::uint64_t epoch = 0;           ///< grows from term to term
  WallTime elected_at{};             ///< when it began
  std::optional<WallTime> ended_at;  ///< none: it goes on, or nobody knows
  Cause cause = Cause::none;         ///< of its end
};

/// How a term came to go by a definition.
enum class Basis : std::uint8_t {
  taken_over,  ///< the job's register said so when the term took it over
  defined,     ///< the term has written it there, when all slots up to then had been settled by what was there before
  created,     ///< there was no register: nothing is known of slots before
  repaired     ///< a repair has written the register: what it said before counts no more
};

/// What a job's slots go by from an instant on, in a term of this node. The next one of the job ends it.
struct DefinitionRow {
  /// whose
  ///@{
  std::string job, group, node;
  ///@}
  WallTime from{};           ///< slots after it go by this; all up to it are settled
  std::uint64_t epoch = 0;   ///< of the term
  std::uint64_t before = 0;  ///< of the term that wrote the register last: this one, or whose it took up; 0: nobody
  Basis basis = Basis::taken_over;    ///< how it came to be
  std::string digest;                 ///< of what the job's file says; "": no file defines the job
  std::vector<std::string> schedule;  ///< none: no slot is due, or the expressions are not known to the term
  std::vector<WallTime> anchors;      ///< of its `@every` expressions, in their order
  std::string timezone = "UTC";       ///< as its key
  /// as its keys
  ///@{
  std::optional<WallTime> not_before, not_after;
  ///@}
  bool enabled = true;  ///< as its key
  /// A policy that a row is judged by; without a digest it says nothing.
  ///@{
  Millis jitter{0}, start_deadline{0};
  Concurrency concurrency = Concurrency::skip;
  int retries = 0;
  bool at_least_once = false;
  bool reruns = false;  // on_success or on_error
  ///@}
  /// The keys that the job's file sets, by name, as words NAME=HASH: two definitions differ in the keys whose words
  /// differ. `calendar` is for what the job's calendars say. "": not known.
  std::string keys = {};
  bool operator==(const DefinitionRow&) const = default;  ///< in all of it
};

/// A pause of a job, or of a whole group, as a term of this node knows it. Keyed by (job, group, from): the row with
/// its end replaces the one without.
struct PauseRow {
  std::string job;                    ///< `JOB@NODE` where run_on = "each"; "": of all jobs of the group
  std::string group;                  ///< of the term
  std::string node;                   ///< that has recorded it
  WallTime from{};                    ///< since when it is paused; 1970 where the register does not say
  std::optional<WallTime> until;      ///< none: it goes on, or another node has ended it
  std::string by;                     ///< who has paused it; "": it is not known
  std::optional<WallTime> ends = {};  ///< when it was to end by itself; none: somebody had to resume
  std::string reason = {};            ///< as whoever paused it gave it; "": none
  std::int64_t change = 0;            ///< in a row that is read: rows up to that change were written before it
};

/// What somebody asked for, recorded by the node that took it up: the leader, or of a kill the executing node; or,
/// where none did, by the node that was asked. Keyed by id.
struct RequestRow {
  RunId id;          ///< of the request; a trigger's is its run's
  std::string kind;  ///< "trigger", "kill", "pause", "resume", "forget", "repair", "evict", "replace"
  /// what it is about; "": not of a job, or not of a group
  ///@{
  std::string job, group;
  ///@}
  std::optional<RunId> run;  ///< that is to be killed, forgotten or replaced; in a row that is read, that it triggered
  std::string node;          ///< that took it up, or was asked
  WallTime at{};             ///< when
  /// Who asked, and of which node: "NODE uid UID", "NODE token NAME from ADDRESS", "NODE by its program"; "": the
  /// request does not say.
  std::string by;
  /// In a row that is read, what came of it, as AnswerRow has it; "" and none: it is under way, or this node's term has
  /// ended before it was done.
  ///@{
  std::string result = {}, text = {};
  std::optional<WallTime> answered_at = {};
  ///@}
  /// Of a trigger, the variables that it gave its run: words NAME=VALUE, by name. What is no printable character of
  /// ASCII, spaces and '%' are %XX in them. "": it gave none.
  std::string env = {};
};

/// What came of a request, recorded by the node that has recorded the request. Keyed by id.
struct AnswerRow {
  RunId id;            ///< of the request
  std::string result;  ///< "done"; "refused"; "expired": nobody was known to have done it when its time was up
  std::string text;    ///< why not, or what was done where that is not what was asked
  WallTime at{};       ///< when
};

/// `next` is `known` still, taken over by a term of this node from one of this node: the two are one.
inline bool goes_on(const DefinitionRow& known, DefinitionRow next) {
  if (next.basis != Basis::taken_over || next.before != known.epoch) return false;
  next.from = known.from;
  next.epoch = known.epoch;
  next.before = known.before;
  next.basis = known.basis;
  next.keys = known.keys;  // the digest says whether they are the same
  return next == known;
}

/// The most that a store has shown this node of itself, of a group or of a job, keyed by (store, of, name). A store
/// that shows less when the node starts again has gone back.
struct KnownRow {
  /// What the row is of.
  enum class Of : std::uint8_t { store, group, job };
  RunId store;               ///< the store's identity, which a copy of it keeps
  Of of = Of::store;         ///< what the row is of
  std::string name;          ///< of the group or the job; of the store: where the node finds it
  std::uint64_t repair = 0;  ///< number of the last repair of the group or the job; 0: none
  std::uint64_t count = 0;   ///< the store's highest revision; the epoch of the group's last term; the job's last fence
  std::uint64_t times = 0;   ///< how often the store has gone back; of a group: when it was last found sound
  bool operator==(const KnownRow&) const = default;  ///< in all of it
};

/// What a run printed: its head and its tail, and how many bytes between them are gone.
struct Output {
  std::string head;              ///< its first bytes
  std::string tail;              ///< its last ones
  std::int64_t total_bytes = 0;  ///< that were printed
  /// Bytes between them.
  std::int64_t left_out() const {
    return total_bytes - static_cast<std::int64_t>(head.size()) - static_cast<std::int64_t>(tail.size());
  }
};

}  // namespace ballot
