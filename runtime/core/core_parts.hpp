// CoreParts: what Core is made of. Each part owns its state and knows nothing of the others; what takes several of them
// is done, in one step, by a class that is made for that step over CoreParts and the step's Context:
//
//   Jobs          advances a job and keeps its wake-up times, its places and its groups     core/jobs/jobs.hpp
//   Groups        lets a group's machine do something, and keeps the table of groups        core/group/groups.hpp
//   Takeover      reads registers, and gives them to the jobs and to the term that begins   core/store/takeover.hpp
//   Requests      what people and other nodes ask                                           core/request/requests.hpp
//   Nodes         what nodes publish, and hand-overs                                        core/node/nodes.hpp
//   StoreTraffic  sends what a step has gathered, and hands answers to whom they are for core/store/store_traffic.hpp
//   CleanStop     the stop                                                                  core/session/clean_stop.hpp
//
// Each uses those above it only, and Core (core/core.hpp) uses all of them. Plain values; used inside core only.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/group/group_table.hpp"
#include "core/group/handover_planner.hpp"
#include "core/job/chain/chains.hpp"
#include "core/jobs/job_table.hpp"
#include "core/jobs/run_limits.hpp"
#include "core/jobs/standing_pauses.hpp"
#include "core/jobs/unreleased_jobs.hpp"
#include "core/node/node_directory.hpp"
#include "core/node/node_health.hpp"
#include "core/request/request_desk.hpp"
#include "core/session/shutdown.hpp"
#include "core/store/known_store.hpp"
#include "core/store/prior_runs.hpp"
#include "core/store/record_feed.hpp"
#include "core/store/refused_writes.hpp"
#include "core/store/store_client.hpp"

namespace ballot::core {

/// The list of all jobs' registers, in this session. In the first one of a daemon that knows of no run of its own there
/// is nothing to find in them before it takes part in elections, and they are listed later: of many jobs that takes
/// long, and a store in which a fleet has just been started has more to do.
struct JobListing {
  enum class State {
    none,     // no session yet
    lost,     // it is over
    first,    // nothing is campaigned for before
    later,    // at `at`, or under way
    complete  // once
  };
  State state = State::none;
  std::optional<SteadyTime> at;  // it is asked for, or again

  bool is_complete() const { return state == State::complete; }
  bool may_campaign() const { return state == State::later || is_complete(); }
};

struct CoreParts {
  explicit CoreParts(CoreSettings with)
      : settings(std::move(with)),
        random(settings.seed),
        known(settings.store_place),
        jobs(settings.node),
        limits(settings.max_running),
        store(settings.most_writes),
        desk(settings.node),
        feeds(settings.node),
        directory(settings.node, {settings.machine_id, settings.boot_id, settings.runner_socket}, settings.api) {}

  CoreSettings settings;
  Random random;
  Session session;
  KnownStore known;
  PriorRuns prior;
  JobListing listing;
  NodeHealth health;
  JobTable jobs;
  Chains chains;
  RunLimits limits;
  GroupTable groups;
  StandingPauses pauses;
  UnreleasedJobs unreleased;
  StoreClient store;
  RefusedWrites refused;
  SteadyTime deadline_sent{};  // the session's, to terms with runs
  RequestDesk desk;
  RecordFeeds feeds;
  bool kill_waits =
      false;  // of a run that somebody else executes, or that has ended: asked again after the next writes
  NodeDirectory directory;
  HandoverPlanner planner;
  std::optional<SteadyTime> renewal_noted_at;  // that it fails, until it succeeds
  StoreGuard guard;
  Shutdown shutdown;

  Wants wants;                            // what a step gathers,
  std::vector<const JobEntry*> advanced;  // and which jobs it has advanced: Invariants
};

}  // namespace ballot::core
