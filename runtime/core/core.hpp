// Core: everything that ballot decides, as one state machine. It is given now and an event and returns what to do; it
// reads no clock, file or socket, and the same inputs give the same actions.
//
//   group   | event                              | next
//   idle    | wanted (by the files, or by a      | candidate
//           | register left in it), session open |
//   candidate | Elected                          | reading
//   reading | registers read                     | leading: the term before is settled, its jobs catch up
//   leading | Deposed, session lost              | candidate
//   leading | a clean stop, and its jobs are done | resigning
//   resigning | Deposed                          | idle
//   leading | evicted, and its jobs are done     | resigning, then idle for 3 T, unless there is no other candidate
//
// Thread: the loop's. Use: actions = core.step(now, event), perform them in order, arm a timer for core.wake().
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/group/group_table.hpp"
#include "core/group/handover_planner.hpp"
#include "core/jobs/job_table.hpp"
#include "core/jobs/run_limits.hpp"
#include "core/jobs/unreleased_jobs.hpp"
#include "core/node/node_directory.hpp"
#include "core/node/node_health.hpp"
#include "core/request/request_desk.hpp"
#include "core/session/shutdown.hpp"
#include "core/store/prior_runs.hpp"
#include "core/store/record_feed.hpp"
#include "core/store/store_client.hpp"
#include "core/views.hpp"

namespace ballot::core {

inline constexpr Millis poll_pause{5000};    // between looks at a register that another group has not released
inline constexpr Millis evict_wait{30'000};  // for the runs that hold a group to be handed over, before they are killed

struct Wake {
  std::optional<WallTime> wall;
  std::optional<SteadyTime> steady;
};

class Core {
 public:
  explicit Core(CoreSettings settings);
  ~Core();

  Actions step(Now now, const Event& event);
  Wake wake() const;

  /// Of jobs, groups and runs. Valid as long as the core.
  Views views() const { return {settings_.node, jobs_, groups_}; }
  const Session& session() const { return session_; }
  /// It is there, and answers.
  bool has_runner() const { return health_.has_runner(); }
  bool runner_is_silent() const { return health_.runner_is_silent(); }
  /// More than 1 s: how far this clock is before (or, negative, behind) the store's; else 0.
  Millis clock_skew() const { return health_.clock() == NodeHealth::Clock::right ? Millis(0) : session_.clock_error(); }

 private:
  friend class Invariants;

  using Reading = StoreClient::Reading;
  using Recording = StoreClient::Recording;

  /// What jobs may do, as far as the session and the runner go. A change may let some of them go on.
  enum class Readiness {
    none,
    ahead,  // start runs without a claim
    late,   // claim, but nothing that the end of the term would reach soon
    full    // claim
  };
  // events (core.cpp)
  void on(Context& c, const Tick&) { (void)c; }
  void on(Context& c, const Load& event);
  void on(Context& c, const Reload& event);
  void on(Context& c, const Inventory& event);
  void on(Context& c, const RunnerGone& event);
  void on(Context& c, const RunnerSilence& event);
  void on(Context& c, const RunnerWord& event);
  void on(Context& c, const BackendEvent& event);
  void on(Context& c, const runner::Started& event);
  void on(Context& c, const runner::Refused& event);
  void on(Context& c, const runner::CannotStart& event);
  void on(Context& c, const runner::Ended& event);
  void on(Context& c, const Recorded& event);
  void on(Context& c, const Ask& event);
  void on(Context& c, const Stop& event);
  void begin(Context& c);
  void adopt_row(Context& c, const Row& row);
  void define_groups(const std::vector<Group>& groups);

  // leadership (core_groups.cpp)
  void on(Context& c, const backend::SessionOpened& event);
  void on(Context& c, const backend::SessionClosed& event);
  void on(Context& c, const backend::Renewed& event);
  void on(Context& c, const backend::Elected& event);
  void on(Context& c, const backend::Deposed& event);
  void on(Context& c, const backend::Observed& event);
  void lose_all(Context& c, Cause cause);
  bool led_elsewhere(const JobEntry& entry) const;
  void campaign(Context& c);
  void enter_or_leave(Context& c, GroupState& group);
  void read_takeover(Context& c, GroupState& group);
  void settle_before(Context& c, GroupState& group, const std::vector<Register>& registers);
  void take_over(Context& c, GroupState& group, const std::vector<Register>& registers);
  void begin_term(Context& c, GroupState& group, const std::optional<Register>& stored);
  void end_term(Context& c, GroupState& group, Cause cause);
  void halt(Context& c, GroupState& group, const std::string& why);
  void advance_group(Context& c, GroupState& group);
  void advance_eviction(Context& c, GroupState& group);
  void advance_reelection(Context& c, GroupState& group);
  void resign(Context& c, GroupState& group, Cause cause);
  void lose_trust(Context& c, const std::string& why);
  void note_renewal(Context& c, const backend::Renewed& event);
  void on_gone_back(Context& c);
  void list_repairs(Context& c);
  void on_repairs(Context& c, const std::vector<Register>& registers);
  void tell_halt(Context& c, GroupState& group);
  void begin_repair(Context& c, GroupState& group, const Request& request);
  void finish_repair(Context& c, GroupState& group);

  // the other nodes (core_peers.cpp)
  void count_definition(const schedule::DefinitionPtr& definition, int by);
  void publish_node_record(Context& c);
  void on_node_recorded(Context& c, const Recording& recording);
  void withdraw_node_record(Context& c);
  void forget_nodes();
  void on_nodes(Context& c, const std::vector<Register>& records);
  void ask_runners(Context& c);
  void compare_files(Context& c);
  void plan_handovers(Context& c);
  Peers::Best best_leader(const Context& c, const GroupState& group) const;
  void begin_handover(Context& c);
  bool may_hand_over(const Context& c, const GroupState& group) const;
  bool is_quiet(const Context& c, GroupState& group) const;
  void hand_over(Context& c, GroupState& group, const std::string& node);
  bool weigh_passing(Context& c, GroupState& group, const std::optional<Register>& stored);
  void pass_on(Context& c, GroupState& group);
  void settle_turn(Context& c, const GroupRegister& before, GroupRegister& now) const;
  void heed(Context& c, NodeHealth::Change change);
  bool may_take_part(const GroupState& group) const;
  void advance_yielding(Context& c, GroupState& group);

  // the store's answers (core_store.cpp)
  void on(Context& c, const backend::Wrote& event);
  void on(Context& c, const backend::ReadDone& event);
  void on(Context& c, const backend::Changed& event);
  void list_jobs(Context& c);
  void on_list(Context& c, const Reading& asked, const backend::ReadDone& event);
  std::vector<std::string> unknown_ends(const std::vector<Register>& registers) const;
  bool is_shown(const runner::AttemptId& id, const std::vector<Register>& registers);
  void close_open_rows(Context& c, const std::vector<Register>& registers);
  void forget_settled(Context& c, const std::vector<Register>& registers);
  void on_jobs_read(Context& c, const Reading& asked, const backend::ReadDone& event);
  void on_feed_listed(Context& c, RecordFeed& feed, bool done);
  void list_if_dirty(Context& c, RecordFeed& feed, Reading::For what);
  std::vector<std::string> unknown_outcomes(const std::vector<Register>& registers);
  void on_takeover(Context& c, const Reading& asked, const backend::ReadDone& event);
  void on_group_read(Context& c, GroupState& group, const backend::ReadDone& event);
  void on_group_written(Context& c, GroupState& group, const WriteAnswer& answer);
  void on_recorded(Context& c, Recording recording, const std::vector<WriteAnswer>& answers);
  void release_held(Context& c);
  void send_writes(Context& c);
  void give_up_unanswered(Context& c);
  void send_reads(Context& c);
  void write_group(Context& c, GroupState& group);
  void create(Context& c, Recording recording);
  void remove(Context& c, std::vector<std::string> names);
  void poll_unreleased(Context& c);
  void ask_for_release(Context& c, std::vector<JobEntry*> waiting);
  void ask_for_replacement(Context& c);
  Request of_node(Context& c, Request::Kind kind, const std::string& job) const;
  void tell_deadlines(Context& c);

  // what people ask (core_requests.cpp)
  void on_outcomes(Context& c, const std::vector<Register>& records);
  void perform(Context& c, RequestDesk::Errands errands);
  void perform(Context& c, Recording& recording);
  void perform(Context& c, const RequestDesk::TakeUp& errand);
  void perform(Context& c, const RequestDesk::ListRuns& errand);
  void perform(Context& c, const RequestDesk::ReadFate& errand);
  void perform(Context& c, const Reply& reply);
  void perform(Context& c, const RunEnded& ended);
  void take(Context& c, const Request& request);
  void take_for_group(Context& c, const Request& request);
  void log_request(Context& c, const Request& request);
  void take_kill(Context& c, const Request& request);
  void take_release(Context& c, const Request& request);
  void take_replace(Context& c, const Request& request);
  void begin_pause_or_resume(Context& c, GroupState& group);
  void advance_group_requests(Context& c, GroupState& group);
  void answer(Context& c, const RunId& request, std::optional<Answer> answer);

  // the stop (core_stop.cpp)
  void advance_stop(Context& c);
  bool may_resign(const GroupState& group) const;
  void resign_if_done(Context& c, GroupState& group);
  void give_up_stop(Context& c);
  void close(Context& c);
  void end_stop(Context& c);

  void touch(Context& c, JobEntry& entry);
  void enrol(Context& c, JobEntry& entry);
  void touch_all(Context& c);
  Readiness readiness(const Context& c) const;
  void reconsider(Context& c, JobMachine& job);
  void fire_due(Context& c);
  void finish(Context& c);
  void queue_waiters();
  void grant_places(Context& c);
  GroupState& group_of(const std::string& name);

  CoreSettings settings_;
  Random random_;
  Session session_;
  PriorRuns prior_;
  bool listed_ = false;  // the registers of all jobs, in this session
  NodeHealth health_;
  Readiness readiness_ = Readiness::none;  // of the step before
  JobTable jobs_;
  RunLimits limits_;
  GroupTable groups_;
  UnreleasedJobs unreleased_;
  StoreClient store_;
  std::optional<SteadyTime> list_at_;
  SteadyTime told_{};  // the deadline that terms with runs were told last

  RequestDesk desk_;
  RecordFeeds feeds_;
  bool kill_waits_ = false;  // of a run that somebody else executes, or that has ended: looked at after the next writes

  NodeDirectory directory_;
  HandoverPlanner planner_;
  std::optional<SteadyTime> renewal_noted_at_;  // that it fails, until it succeeds
  StoreGuard guard_;

  Shutdown shutdown_;

  Wants wants_;  // what a step gathers
  std::vector<std::string> resigns_;
  std::vector<const JobEntry*> touched_;
};

}  // namespace ballot::core
