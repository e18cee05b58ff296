// The events of the core. Each is given to Core::step together with `now`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"
#include "base/runner_wire.hpp"
#include "core/request/request.hpp"
#include "schedule/definition.hpp"

namespace ballot::core {

/// Names whoever asked.
using Asker = std::uint64_t;

/// Time has passed: what Core::wake() asked for.
struct Tick {};

/// The jobs and groups that the files define now. Complete: what is not in it is not defined any more.
struct Load {
  std::vector<schedule::DefinitionPtr> jobs;
  std::vector<Group> groups;
  std::vector<Row> rows{};        // of this node's ledger, of a daemon before: see is_prior_row()
  std::vector<KnownRow> known{};  // what its ledger knows of stores
};

/// A run of this node whose end nobody has recorded.
inline bool is_open_row(const Row& row, std::string_view node) {
  return row.run && row.node == node && (row.status == Status::claimed || row.status == Status::running);
}

/// A run that has ended on this node, as its runner has said: a register may still show it as open.
inline bool is_ended_row(const Row& row, std::string_view node) {
  return row.run && row.node == node && is_final(row.status) && row.ended_at && row.started_at;
}

/// A slot of the job's schedule is behind the row, and nobody's wish.
inline bool is_of_slot(Trigger trigger) { return trigger < Trigger::manual; }
inline bool is_of_slot(const Row& row) { return is_of_slot(row.trigger); }

/// Of such a row the core wants to know when it begins.
inline bool is_prior_row(const Row& row, std::string_view node) {
  return is_open_row(row, node) || is_ended_row(row, node);
}

/// What has changed since the Load before: jobs that are new or defined otherwise, and those that are not defined any
/// more. `groups` is complete.
struct Reload {
  std::vector<schedule::DefinitionPtr> jobs;
  std::vector<std::string> removed;
  std::vector<Group> groups;
};

/// What the runner had when the daemon connected to it. Comes before the first session is opened, and again after each
/// RunnerGone. `same_runner`: of the connection before; a launch that it does not know never reached it and never
/// will. Of another runner: what was started and is not in it is lost.
struct Inventory {
  std::vector<runner::Running> running;
  std::vector<runner::Ended> ended;
  bool same_runner = false;

  bool knows(const runner::AttemptId& id) const {
    const auto is = [&](const auto& one) { return one.id == id; };
    return std::any_of(running.begin(), running.end(), is) || std::any_of(ended.begin(), ended.end(), is);
  }
};

/// The link to the runner is broken, which may live or be dead; an Inventory comes when it, or another one, is
/// connected.
struct RunnerGone {};

/// The runner is connected and does not answer: nothing is claimed until it does. `for_long`: this node gives its
/// groups away, as far as their runs allow, and takes part in no election.
struct RunnerSilence {
  bool is_silent = false, for_long = false;
  bool operator==(const RunnerSilence&) const = default;
};

/// What the runner of another node of this host says of that node's runs: see AskRunner.
struct RunnerWord {
  std::string node;
  bool complete = false;  // it has nothing else, and never will: its daemon is gone
  std::vector<runner::Running> running;
  std::vector<runner::Ended> ended;
  bool gone = false;  // the runner has stopped answering: its runs may go on or not
};

/// The rows of the first `ranges` ranges of slots without a run that a job has recorded since its daemon started.
struct Settled {
  std::string job;
  std::uint32_t ranges = 0;
};

/// The last row of these attempts is durable, and so are these rows of slots without a run.
struct RowsDurable {
  std::vector<runner::AttemptId> ids;
  std::vector<Settled> settled{};
  bool empty() const { return ids.empty() && settled.empty(); }
};

/// Somebody asks for something: it becomes a record in the store, for whoever leads. Answered by exactly one Reply, at
/// the latest after `patience`; a trigger that waits, by a RunEnded after it. `request.until` is the core's to set.
struct Ask {
  Asker asker = 0;
  Request request;
  std::string run_suffix;  // kill, forget: the last digits of the run's id; "": the one open run of the job
  Millis patience = std::chrono::seconds(30);
  std::set<std::string> gone = {};  // kill: nodes that are known to be down or cut off, so that nobody ends their runs
};

/// What is wrong with this node, beside what the core knows itself: for the other nodes to see. Complete: what is not
/// in it is well again.
struct Troubles {
  std::vector<std::string> reasons;  // each with the word in front that monitoring looks for: "config: ..."
};

/// Stop cleanly. Groups without open runs are resigned at once, the others when their runs have ended, or after `wait`,
/// when they are killed. `leave`: everything stays with the runner, and the terms are kept for a restart.
struct Stop {
  Millis wait{0};
  bool leave = false;
};

using Event =
    std::variant<Tick, Load, Reload, Inventory, RunnerGone, RunnerSilence, RunnerWord, BackendEvent, runner::Started,
                 runner::Refused, runner::CannotStart, runner::Ended, RowsDurable, Ask, Troubles, Stop>;

}  // namespace ballot::core
