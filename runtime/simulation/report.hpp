// Report: what a simulated fleet was asked, and what became of it. Plain values, in the order in which they are shown.
//
// A wait is a slot's first attempt that starts later than it is due (with its share of the job's jitter); it is divided
// among what it waited for, in this order: a leader, the jobs that it comes after, a run of its own job, a place.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::simulation {

enum class WaitFor : std::uint8_t { leader, upstream, own_run, place };
inline constexpr std::size_t wait_kinds = 4;
/// "a leader", "upstream", "its own run", "a place".
std::string_view to_string(WaitFor what);

/// Of the slots that waited for one thing.
struct Waits {
  std::int64_t slots = 0;
  Millis total{0}, longest{0};
  WallTime longest_of{};  // the slot

  void add(Millis wait, WallTime slot);
};
using WaitsByKind = std::array<Waits, wait_kinds>;

/// Slots, and what became of them.
struct Outcome {
  Status status = Status::missed;
  Reason reason = Reason::none;
  std::int64_t slots = 0;
};

/// So many at once, first at that time.
struct Peak {
  std::int64_t most = 0;
  std::optional<WallTime> at = {};  // none: there was none

  void see(std::int64_t now_many, WallTime now) {
    if (now_many > most) most = now_many, at = now;
  }
};

struct NodeReport {
  std::string node;
  std::int64_t groups = 0;  // that it leads when the span begins
  std::int64_t starts = 0;
  Peak running = {};
};

struct HourReport {
  WallTime hour{};
  std::int64_t starts = 0;
  std::vector<std::int64_t> by_node = {};  // in the nodes' order
  std::int64_t most_running = 0;           // of all nodes at once
  std::int64_t most_waiting = 0;           // for their own run or a place
  std::int64_t not_run = 0;                // slots that were skipped (but for calendars) or missed
};

struct MinuteReport {
  WallTime minute{};
  std::int64_t due = 0;  // slots that are not left out by calendars
  std::int64_t starts = 0;
  Millis longest_wait{0};  // of those that were due then
};

/// What bounds how many runs go on at once: a node's max_running, or a group's.
struct LimitReport {
  std::string kind;  // "node", "group"
  std::string name;
  int max_running = 0;
  Waits waits = {};         // of slots that got a place
  std::int64_t missed = 0;  // slots that got none within their start deadline
  Peak waiting = {};
};

struct JobReport {
  std::string job, group;
  std::int64_t slots = 0;  // that were decided in the span
  std::int64_t starts = 0;
  std::optional<Millis> takes = {};  // none: it is assumed
  WaitsByKind waits = {};
  std::vector<Outcome> outcomes = {};  // by status and reason
  std::int64_t waiting_at_end = 0, running_at_end = 0;
};

struct LostRun {
  std::string job;
  WallTime slot{};
  std::optional<WallTime> started_at = {};
  std::optional<WallTime> again_at = {};  // its next attempt started then
};
struct LateSlot {
  std::string job;
  WallTime slot{}, started_at{};
  Millis late{0};
  WaitFor waited_for = WaitFor::leader;
};
struct LedAgain {
  std::string group;
  std::optional<WallTime> at = {};  // none: not in this span
  std::string node = {};
};
struct LossReport {
  std::string node;
  WallTime at{};
  std::optional<WallTime> back_at = {};
  std::vector<LedAgain> groups = {};
  std::vector<LostRun> lost_runs = {};    // the first ones
  std::vector<LateSlot> late_slots = {};  // the first ones
  std::int64_t lost_run_count = 0, late_slot_count = 0;
  Millis latest{0};
  std::vector<Outcome> not_run = {};  // slots that were missed or skipped by it, or wait for a leader at the end
};

struct Report {
  WallTime from{}, until{};
  std::int64_t jobs = 0, groups = 0, slots = 0, starts = 0;
  std::vector<Outcome> outcomes = {};
  WaitsByKind waits = {};
  Peak running = {}, waiting = {};  // of all nodes
  std::vector<NodeReport> nodes = {};
  std::vector<HourReport> hours = {};
  std::vector<MinuteReport> busiest = {};  // those with most slots first
  std::vector<LimitReport> limits = {};    // that slots have waited for
  std::vector<JobReport> all_jobs = {};    // by name
  std::vector<LossReport> losses = {};
  std::uint64_t steps = 0;
};

}  // namespace ballot::simulation
