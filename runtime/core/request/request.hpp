// Requests: what people ask of whoever leads, as records in the store, so that any node takes them and they survive a
// failover. The node that took one creates "q/ID"; the leader concerned (for a kill: the node that executes the run)
// does it, creates the answer "q/ID.answer" and removes the request; the taker reads the answer and removes it. The end
// of a run that somebody waits for comes later, as "q/ID.end".
//
// Pure values. Knows nothing of stores: to_text() is what is written, parse_*() what was read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ballot/error.hpp"
#include "ballot/ledger.hpp"
#include "ballot/run.hpp"
#include "ballot/time.hpp"
#include "core/record/backfill.hpp"
#include "core/record/pause_terms.hpp"

namespace ballot::core {

struct Request {
  /// release and replace are what nodes ask of each other, and nobody is answered. release: the group's leader may not
  /// know that the job's register is its own: it was made by the leader before, and this one's files have never had the
  /// job in the group. replace: the job's next run is due, and the one that goes on is another node's, of a term
  /// before.
  enum class Kind { trigger, kill, pause, resume, forget, repair, evict, release, replace, backfill, backfill_stop };

  Kind kind = Kind::trigger;
  RunId id;               // chosen by whoever asks, so that asking again is harmless; a trigger's is its run's
  std::string job;        // of a kill and a forget too
  std::string group;      // instead of a job: pause, resume, repair; evict; of a release too
  RunId run;              // kill, forget, replace; pause of an instance: the StandingPause that it is to follow
  bool wait = false;      // trigger: the run's end is asked for as well
  bool is_first = false;  // trigger: no ledger has its run; else one may, if the register has forgotten older runs
  bool alone = false;     // trigger: the jobs that come after this one have no slot of it
  std::string env;        // trigger: the variables that it gives its run: see EnvWords
  /// pause, resume: of all instances of `job`. It is no request in the store then, but the StandingPause itself.
  bool of_all = false;
  bool replaces_ended = false;  // pause of all: the one that the store still has is over by its own end
  PauseTerms terms;             // pause
  SlotRanges slots;             // backfill: the slots that are to be run,
  int parallel = 1;             // and so many of them at once
  WallTime until{};             // nobody waits for it any longer: it is not begun past this
  std::string by;               // who asked: node, and user where known
  bool operator==(const Request&) const = default;
};

struct Answer {
  bool ok = false;
  std::string text;           // why not; or what was done, where that is not what was asked
  Errc code = Errc::invalid;  // where not ok
  std::optional<RunId> run;   // of a trigger
  bool repeats = false;       // of a trigger: its run was there before
  WallTime until{};           // removed after it by whoever sees it
  std::string by = {};        // who made the request that it answers; "": that is not known

  static Answer done(std::optional<RunId> run = std::nullopt) { return {true, {}, {}, run, false, {}, {}}; }
  static Answer repeated(const RunId& run) { return {true, {}, {}, run, true, {}, {}}; }
  static Answer did(std::string text) { return {true, std::move(text), {}, {}, false, {}, {}}; }
  static Answer refused(Errc code, std::string text) { return {false, std::move(text), code, {}, false, {}, {}}; }
};

/// A request of one node to another that is not done by then is sent again.
inline constexpr Millis node_patience{60'000};

/// The request is about one run.
constexpr bool names_run(Request::Kind kind) { return kind == Request::Kind::kill || kind == Request::Kind::forget; }
/// A backfill begins, or ends.
constexpr bool is_of_backfill(Request::Kind kind) {
  return kind == Request::Kind::backfill || kind == Request::Kind::backfill_stop;
}

std::string_view to_string(Request::Kind);
std::optional<Request::Kind> parse_kind(std::string_view);

inline constexpr std::string_view request_prefix = "q/";
std::string request_record(const RunId& id);  // "q/ID"
std::string answer_record(const RunId& id);   // "q/ID.answer"
std::string end_record(const RunId& id);      // "q/ID.end"

/// Why no such request can be made: "" where it can. A kill or a forget names its run.
std::string_view fault_of(const Request&);

std::string to_text(const Request&);
std::string to_text(const Answer&);
Result<Request> parse_request(std::string_view text);
Result<Answer> parse_answer(std::string_view text);

}  // namespace ballot::core
