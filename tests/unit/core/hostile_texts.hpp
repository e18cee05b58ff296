// Texts as nodes write them with every field, and what of a text that was read cannot be reckoned with.
#pragma once

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "base/random.hpp"
#include "base/wall_text.hpp"
#include "core/candidate/ticks.hpp"
#include "core/node/peers.hpp"
#include "core/record/outcome.hpp"
#include "core/record/record_text.hpp"
#include "core/record/register.hpp"
#include "core/request/request.hpp"

namespace ballot::core::hostile {

using namespace std::chrono_literals;

inline WallTime time_at(const char* text) { return *parse_wall(text); }
inline RunId run_id(std::uint64_t seed) { return Random(seed).run_id(time_at("2025-03-09T07:00:00Z")); }

// ---- what nodes write

inline OpenRun claimed_run() {
  OpenRun run;
  run.id = run_id(1);
  run.slot = time_at("2025-03-09T07:00:00Z");
  run.trigger = Trigger::catch_up;
  run.attempt = 2;
  run.fence = 12;
  run.epoch = 7;
  run.node = "host-1.example";
  run.on_leadership_lost = OnLeadershipLost::finish;
  run.kill_grace = 10s;
  run.success_codes = {0, 3};
  run.at_least_once = true;
  run.lost = 1;
  run.retries = 3;
  run.retry_delay = 10s;
  run.retry_max_delay = 10min;
  run.retry_backoff = 2;
  run.on_success = AfterRun::reelect;
  run.on_error = AfterRun::rerun;
  run.awaited = true;
  run.expect_within = 30min;
  run.begun_at = time_at("2025-03-09T07:00:01Z");
  run.late = run.slow = true;
  return run;
}

inline OpenRun waiting_run() {
  OpenRun run = claimed_run();
  run.expect_within = Millis(0);
  run.begun_at = {};
  run.id = run_id(2);
  run.node.clear();
  run.queued = true;
  run.waits_until = time_at("2025-03-09T07:10:00Z");
  return run;
}

inline std::string job_text() {
  JobRegister r;
  r.group = "nightly";
  r.definition = "9f3a";
  r.timing = {
      "Europe/Paris", {"0 2 * * *", "@every 90s"}, time_at("2025-01-01T00:00:00Z"), time_at("2026-01-01T00:00:00Z")};
  r.epoch = 7;
  r.since = time_at("2025-03-01T00:00:00Z");
  r.cursor = time_at("2025-03-09T07:00:00Z");
  r.paused = r.failing = true;
  r.last_end.edit() = {Random(2).run_id(r.since),
                       r.since,
                       Trigger::schedule,
                       2,
                       6,
                       11,
                       Status::failed,
                       Reason::exit_code,
                       time_at("2025-03-01T07:00:41.250Z"),
                       3,
                       "host-2",
                       time_at("2025-03-01T07:00:41.250Z")};
  r.missed = 3;
  r.interventions.edit().paused_at = WallTime(std::chrono::hours(3));
  r.interventions.edit().paused_by = "a uid 0";
  r.interventions.edit().pause_terms = {time_at("2025-03-09T09:00:00Z"), "a reason"};
  r.fence = 12;
  r.dispositions = {
      {time_at("2025-03-08T07:00:00Z"), time_at("2025-03-09T05:00:00Z"), 3, Status::missed, Reason::no_leader},
      {time_at("2025-03-09T06:00:00Z"), time_at("2025-03-09T06:00:00Z"), 1, Status::skipped, Reason::overlap}};
  r.runs = {claimed_run(), waiting_run()};
  r.anchors = {{"@every 90s", r.since}};
  r.kept.edit().boots = {"boot-1", "boot-2"};
  r.kept.edit().ends = {{r.since, r.since, Status::skipped, r.since, {}}};
  r.kept.edit().chained = {{run_id(5), r.since, false, Status::succeeded}};
  r.kept.edit().success.edit() = {r.since, time_at("2025-03-05T00:00:00.125Z")};
  r.triggered = {run_id(3)};
  r.interventions.edit().repaired_at = time_at("2025-03-02T00:00:00.125Z");
  r.interventions.edit().repaired_by = "a uid 0";
  r.interventions.edit().claims_passed = r.interventions->repaired_at;
  return to_text(r);
}

inline std::string group_text() {
  GroupRegister r;
  r.epoch = 7;
  r.node = "a";
  r.elected_at = time_at("2025-03-09T07:00:00.250Z");
  r.ended_at = time_at("2025-03-09T08:00:00Z");
  r.cause = Cause::shutdown;
  r.led_before = {{time_at("2025-03-09T05:00:00Z"), time_at("2025-03-09T06:00:00Z")}};
  r.paused = true;
  r.paused_at = WallTime(std::chrono::hours(3));
  r.paused_by = "a uid 0";
  r.pause_terms = {time_at("2025-03-09T09:00:00Z"), "a reason"};
  r.halted = "a reason";
  r.halted_at = r.elected_at;
  r.repaired_at = time_at("2025-03-09T06:00:00.125Z");
  r.repaired_by = "a uid 0";
  r.hand_over_to = "b.example";
  r.forwards = 2;
  r.last_handover_at = time_at("2025-03-09T08:00:00.001Z");
  r.failed_handovers = 3;
  return to_text(r);
}

inline std::string request_text() {
  Request r;
  r.kind = Request::Kind::kill;
  r.id = run_id(4);
  r.job = "backup";
  r.run = run_id(1);
  r.wait = true;
  r.until = time_at("2025-03-09T07:00:00Z");
  r.by = "a uid 0";
  return to_text(r);
}

inline std::string done_text() {
  Answer answer = Answer::done(run_id(1));
  answer.until = time_at("2025-03-09T07:00:00Z");
  return to_text(answer);
}

inline std::string refused_text() {
  Answer answer = Answer::refused(Errc::conflict, "somebody was first");
  answer.until = time_at("2025-03-09T07:00:00Z");
  return to_text(answer);
}

inline std::string outcome() {
  Row row;
  row.run = run_id(1);
  row.attempt = 2;
  row.job = "backup";
  row.group = "nightly";
  row.slot = time_at("2025-03-09T07:00:00Z");
  row.trigger = Trigger::manual;
  row.node = "host-1.example";
  row.epoch = 7;
  row.fence = 12;
  row.status = Status::failed;
  row.reason = Reason::exit_code;
  row.exit_code = 3;
  row.signal = 9;
  row.started_at = row.ended_at = time_at("2025-03-09T07:00:01.250Z");
  row.duration = 250ms;
  row.output_bytes = 100;
  row.leftover = Leftover::escaped;
  return outcome_text(row);
}

inline std::string node_text() {
  return to_texts({"host-1.example",
                   "s1",
                   "its clock is wrong",
                   time_at("2025-03-09T07:00:00Z"),
                   {{"nightly", 7}},
                   {},
                   {{"weekly", "maintenance"}}})[0];
}

inline std::string tick_text() {
  TickRegister r;
  r.cursor = time_at("2025-03-09T07:00:00Z");
  r.run = "run-1";
  r.node = "a";
  r.anchors = {{"@every 90s", r.cursor}};
  return to_text(r);
}

// ---- what can be reckoned with: "" or what cannot

inline std::string bad_time(WallTime time) {
  return time >= first_time && time <= last_time ? "" : "a time out of bounds: " + format_millis(time);
}
inline std::string bad_span(Millis span) { return span >= 0ms && span <= longest_span ? "" : "a span out of bounds"; }
inline std::string bad_count(std::int64_t count) {
  return count >= 0 && count <= largest_count ? "" : "a count out of bounds";
}
inline std::string bad_counter(std::uint64_t value) {
  return value <= largest_counter && value + largest_count <= std::uint64_t(std::numeric_limits<std::int64_t>::max())
             ? ""
             : "a counter out of bounds";
}
inline std::string bad_text(const std::string& text) {
  if (text.size() > longest_line) return "a text of " + std::to_string(text.size()) + " bytes";
  return is_plain(text) ? "" : "a text with control characters";
}
inline std::string bad_name(const std::string& text) { return is_stored_name(text) ? "" : "no name: " + text; }

inline std::string first_of(std::initializer_list<std::string> faults) {
  for (const std::string& fault : faults)
    if (!fault.empty()) return fault;
  return "";
}

inline std::string bad(const OpenRun& run) {
  for (const int code : run.success_codes)
    if (code < 0 || code > 255) return "an exit code out of bounds";
  if (run.success_codes.empty()) return "no run succeeds";
  if (!std::isfinite(run.retry_backoff) || run.retry_backoff < 1 || run.retry_backoff > 1000) return "a wild backoff";
  if (run.attempt < 1 || run.lost_limit < 1) return "an attempt out of bounds";
  if (run.queued && !run.waits_until) return "it is queued for ever";
  if (!run.waits_until && run.node.empty()) return "it is claimed by nobody";
  return first_of({bad_time(run.slot), bad_time(run.waits_until.value_or(WallTime{})), bad_count(run.attempt),
                   bad_counter(run.fence), bad_counter(run.epoch), bad_text(run.node), bad_span(run.kill_grace),
                   bad_span(run.lost_after), bad_count(run.lost), bad_count(run.lost_limit), bad_count(run.retries),
                   bad_span(run.retry_delay), bad_span(run.retry_max_delay), bad_text(run.unknown)});
}

inline std::string bad(const JobRegister& r) {
  std::set<RunId> ids;
  for (const OpenRun& run : r.runs) {
    if (const auto fault = bad(run); !fault.empty()) return fault;
    if (!ids.insert(run.id).second) return "a run twice";
  }
  if (r.runs.size() > 16 || r.dispositions.size() > 32 || r.triggered.size() > 8) return "a list too long";
  WallTime before = first_time - 1ms;
  for (const Disposition& d : r.dispositions) {
    if (d.from <= before || d.to < d.from || d.to > r.cursor) return "settled slots in disorder";
    if (d.slots < 1 || d.slots > (d.to - d.from) / 1s + 1) return "a number of slots that cannot be";
    if (d.status.is_known() && d.status != Status::missed && d.status != Status::skipped)
      return "a slot without a run that ran";
    if (d.reason == Reason::none) return "a slot that was passed for no reason";
    before = d.to;
  }
  for (const Anchor& anchor : r.anchors)
    if (const auto fault = first_of({bad_time(anchor.at), bad_text(anchor.text)}); !fault.empty()) return fault;
  for (const std::string& text : r.timing.expressions)
    if (const auto fault = bad_text(text); !fault.empty()) return fault;
  for (const std::string& text : r.unknown)
    if (const auto fault = bad_text(text); !fault.empty()) return fault;
  return first_of({bad_name(r.group), bad_text(r.definition.text()), bad_text(r.timing.timezone), bad_counter(r.epoch),
                   bad_counter(r.fence), bad_time(r.since), bad_time(r.cursor), bad_text(r.interventions->repaired_by),
                   bad_time(r.timing.not_before.value_or(WallTime{})),
                   bad_time(r.timing.not_after.value_or(WallTime{})),
                   bad_time(r.interventions->repaired_at.value_or(WallTime{}))});
}

inline std::string bad(const GroupRegister& r) {
  return first_of({bad_counter(r.epoch), bad_text(r.node), bad_time(r.elected_at), bad_text(r.halted),
                   bad_time(r.ended_at.value_or(WallTime{})), bad_time(r.repaired_at.value_or(WallTime{})),
                   bad_time(r.halted_at.value_or(WallTime{})), bad_text(r.repaired_by), bad_text(r.hand_over_to),
                   bad_count(r.forwards), bad_count(r.failed_handovers),
                   bad_time(r.last_handover_at.value_or(WallTime{}))});
}

inline std::string bad(const Request& r) {
  return first_of({std::string(fault_of(r)), bad_time(r.until), bad_text(r.by), bad_name(r.job)});
}

inline std::string bad(const Answer& answer) { return first_of({bad_text(answer.text), bad_time(answer.until)}); }

inline std::string bad(const Row& row) {
  if (!row.run || !is_final(row.status)) return "no end of a run";
  if (row.exit_code.value_or(0) < 0 || row.exit_code.value_or(0) > 255) return "an exit code out of bounds";
  if (row.signal.value_or(1) < 1 || row.signal.value_or(1) > 64) return "a signal out of bounds";
  if (row.output_bytes < 0 || row.attempt < 1) return "a negative number";
  return first_of({bad_name(row.job), bad_name(row.group), bad_text(row.node), bad_time(row.slot),
                   bad_time(row.started_at.value_or(WallTime{})), bad_time(row.ended_at.value_or(WallTime{})),
                   bad_span(row.duration.value_or(0ms)), bad_count(row.attempt), bad_counter(row.epoch),
                   bad_counter(row.fence), bad_counter(static_cast<std::uint64_t>(row.output_bytes))});
}

inline std::string bad(const NodeRecord& r) {
  for (const auto& [group, digest] : r.groups)
    if (const auto fault = bad_name(group); !fault.empty()) return fault;
  for (const auto& [group, why] : r.unfit_groups)
    if (const auto fault = first_of({bad_name(group), bad_text(why)}); !fault.empty()) return fault;
  return first_of({bad_text(r.node), bad_text(r.session), bad_text(r.unfit), bad_text(r.api), bad_time(r.at)});
}

inline std::string bad(const TickRegister& r) {
  for (const Anchor& anchor : r.anchors)
    if (const auto fault = first_of({bad_time(anchor.at), bad_text(anchor.text)}); !fault.empty()) return fault;
  return first_of({bad_time(r.cursor), bad_text(r.run), bad_text(r.node)});
}

}  // namespace ballot::core::hostile
