// What two nodes leave behind, for tests to spoil: job `tick`, every second from noon on. n1 runs slots 0 and 1 and
// skips 2, for which it is paused; at 2.5 it is killed, at 3.2 n2 leads, and runs 4 after it missed 3. A run started by
// hand, `tool`, comes last. Each run takes 300 ms.
#pragma once

#include <memory>
#include <string>

#include "support/judge/checker.hpp"

namespace ballot::testing {

inline constexpr WallTime noon{std::chrono::seconds(1'741'521'600)};  // 2025-03-09T12:00:00Z

inline WallTime slot(int number) { return noon + std::chrono::seconds(number); }

inline RunId run_id(int number) {
  RunId id;
  id.bytes = {0x01, 0x95, 0x7a, 0, 0, 0, 0x70, 0, 0x80};
  id.bytes[15] = static_cast<std::uint8_t>(number);
  return id;
}

inline Instant at(WallTime wall) { return {wall - noon + std::chrono::hours(1), wall}; }

inline schedule::DefinitionPtr define(Job job) {
  auto plan = schedule::Plan::make({.expressions = job.schedule, .timezone = job.timezone});
  return std::make_shared<schedule::Definition>(
      schedule::Definition{std::move(job), std::get<schedule::Plan>(std::move(plan)), "digest"});
}

inline schedule::DefinitionPtr define(const std::string& name, std::vector<std::string> expressions) {
  Job job;
  job.name = name;
  job.schedule = std::move(expressions);
  return define(std::move(job));
}

inline TermRow term(const std::string& node, std::uint64_t epoch, WallTime elected_at) {
  TermRow row;
  row.group = "default";
  row.node = node;
  row.epoch = epoch;
  row.elected_at = elected_at;
  return row;
}

inline Row row_of(int number, int slot_number, const std::string& node, std::uint64_t epoch) {
  Row row;
  row.run = run_id(number);
  row.job = "tick";
  row.group = "default";
  row.slot = slot(slot_number);
  row.attempt = 1;
  row.status = Status::succeeded;
  row.exit_code = 0;
  row.started_at = row.slot + Millis(10);
  row.ended_at = row.slot + Millis(320);
  row.node = node;
  row.epoch = epoch;
  row.fence = static_cast<std::uint64_t>(number);
  return row;
}

inline Row row_without_run(int slot_number, const std::string& node, std::uint64_t epoch, Status status,
                           Reason reason) {
  Row row;
  row.job = "tick";
  row.group = "default";
  row.slot = slot(slot_number);
  row.status = status;
  row.reason = reason;
  row.node = node;
  row.epoch = epoch;
  return row;
}

inline Deed killed(const std::string& node, WallTime when) {
  return {.node = node, .words = {"KILL"}, .from = when, .until = when};
}

/// The START and END of what a row says has ended well.
inline Report report_of(const Row& row) {
  Report report;
  report.job = row.job;
  report.node = row.node;
  report.slot = row.slot;
  report.trigger = row.trigger;
  report.run = *row.run;
  report.attempt = row.attempt;
  report.epoch = row.epoch;
  report.fence = row.fence;
  report.pid = 1000 + static_cast<int>(row.fence);
  report.started = at(*row.started_at + Millis(5));
  report.ended = at(*row.ended_at - Millis(5));
  report.how = "exit 0";
  report.gone = at(*row.ended_at - Millis(4));
  return report;
}

inline Evidence right_evidence() {
  Evidence evidence;
  evidence.jobs = {{.definition = define("tick", {"* * * * * *"})}, {.definition = define("tool", {})}};
  evidence.from = slot(0);
  evidence.until = slot(4);
  Row by_hand = row_of(4, 4, "n2", 2);
  by_hand.job = "tool";
  by_hand.trigger = Trigger::manual;
  by_hand.slot += Millis(5);
  by_hand.fence = 1;
  NodeLedger one{.node = "n1", .rows = {}, .terms = {}};
  one.rows = {row_of(1, 0, "n1", 1), row_of(2, 1, "n1", 1),
              row_without_run(2, "n1", 1, Status::skipped, Reason::paused)};
  one.terms = {term("n1", 1, slot(-20))};
  NodeLedger two{.node = "n2", .rows = {}, .terms = {}};
  two.rows = {row_without_run(2, "n2", 1, Status::skipped, Reason::paused),  // copied from the register
              row_without_run(3, "n2", 2, Status::missed, Reason::no_leader), row_of(3, 4, "n2", 2), by_hand};
  two.terms = {term("n2", 2, slot(3) + Millis(200))};
  evidence.reports = {report_of(one.rows[0]), report_of(one.rows[1]), report_of(two.rows[2]), report_of(by_hand)};
  evidence.ledgers = {std::move(one), std::move(two)};
  evidence.triggered = {run_id(4)};
  const WallTime paused = slot(1) + Millis(600), resumed = slot(2) + Millis(300);
  evidence.deeds = {{.node = "n1", .words = {"pause", "tick"}, .from = paused, .until = paused},
                    {.node = "n1", .words = {"resume", "tick"}, .from = resumed, .until = resumed},
                    killed("n1", slot(2) + Millis(500))};
  return evidence;
}

}  // namespace ballot::testing
