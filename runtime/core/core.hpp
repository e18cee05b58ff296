// Core: everything that ballot decides, as one state machine. It is given now and an event and returns what to do; it
// reads no clock, file or socket, and the same inputs give the same actions.
//
//   events ──► step ──► who they are for (Takeover, Requests, Nodes, CleanStop, a job, a group)
//                  └──► what time has made due ──► what all of that wants of the store, in one request of each kind
//
// Where a slot is decided, claimed, launched and recorded: core/job/job_machine.hpp. What a group does: core/group/
// group_machine.hpp. What Core is made of: core/core_parts.hpp.
//
// Thread: the loop's. Use: actions = core.step(now, event), perform them in order, arm a timer for core.wake().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/core_parts.hpp"
#include "core/node_views.hpp"
#include "core/views.hpp"

namespace ballot::core {

struct Wake {
  std::optional<WallTime> wall;
  std::optional<SteadyTime> steady;
};

/// Whether further events of the same moment are known: what time has made due is decided once all are taken in, and so
/// is who gets a place of those that wait. The last one is followed by nothing.
enum class Follows { nothing, more };

class Core {
 public:
  explicit Core(CoreSettings settings);
  ~Core();

  Actions step(Now now, const Event& event, Follows follows = Follows::nothing);
  Wake wake() const;

  /// Of jobs, groups and runs. Valid as long as the core.
  Views views() const { return {parts_.settings.node, parts_.jobs, parts_.groups, parts_.directory}; }
  /// Of the other nodes. Valid as long as the core.
  NodeViews node_views() const { return {parts_.settings.node, parts_.groups, parts_.directory}; }
  const Session& session() const { return parts_.session; }
  /// What the other nodes have published of themselves; nothing without a session.
  const Peers& peers() const { return parts_.directory.peers(); }
  /// The runner is there, and answers.
  bool has_runner() const { return parts_.health.has_runner(); }
  bool runner_is_silent() const { return parts_.health.runner_is_silent(); }
  /// Since when, and why, the store refuses writes of this node; none: it takes them.
  const std::optional<RefusedWrites::Standing>& refused_writes() const { return parts_.refused.standing(); }
  /// More than 1 s: how far this clock is before (or, negative, behind) the store's; else 0.
  Millis clock_skew() const {
    return parts_.health.clock() == NodeHealth::Clock::right ? Millis(0) : parts_.session.clock_error();
  }

 private:
  friend class Invariants;

  /// How far the session and the runner let jobs go. A change may let some of them go on.
  enum class Readiness {
    none,
    ahead,  // start runs without a claim
    late,   // claim, but nothing that the end of the term would reach soon
    full    // claim
  };
  struct Step;  // the classes of core_parts.hpp, over one Context

  void on(Step&, const Tick&) {}
  void on(Step& s, const Load& event);
  void on(Step& s, const Reload& event);
  void on(Step& s, const Ask& event);
  void on(Step& s, const Troubles& event);
  void on(Step& s, const Stop& event);
  // the runner and the ledger
  void on(Step& s, const Inventory& event);
  void go_on_with_runner(Step& s, const Inventory& inventory);
  void on(Step& s, const RunnerGone& event);
  void on(Step& s, const RunnerSilence& event);
  void on(Step& s, const RunnerWord& event);
  void on(Step& s, const runner::Started& event);
  void on(Step& s, const runner::Refused& event);
  void on(Step& s, const runner::CannotStart& event);
  void on(Step& s, const runner::Ended& event);
  void on(Step& s, const RowsDurable& event);
  // the store
  void on(Step& s, const BackendEvent& event);
  void on(Step& s, const backend::SessionOpened& event);
  void on(Step& s, const backend::SessionClosed& event);
  void on(Step& s, const backend::Renewed& event);
  void on(Step& s, const backend::Outage& event);
  void on(Step& s, const backend::Unfit& event);
  void on(Step& s, const backend::Vacancy& event);
  void on(Step& s, const backend::Elected& event);
  void on(Step& s, const backend::Deposed& event);
  void on(Step& s, const backend::Observed& event);
  void on(Step& s, const backend::Wrote& event);
  void on(Step& s, const backend::ReadDone& event);
  void on(Step& s, const backend::Changed& event);

  void begin(Step& s);
  void watch_feeds(Step& s);
  void log_renewal(Context& c, const backend::Renewed& event);
  void lose_session(Step& s, Cause cause);
  Readiness readiness(const Context& c) const;
  void advance_due(Step& s);
  void finish(Step& s);
  void record_known(Step& s);

  CoreParts parts_;
  Readiness readiness_ = Readiness::none;  // of the step before
};

}  // namespace ballot::core
