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

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/group_state.hpp"
#include "core/job/job_machine.hpp"
#include "core/peers.hpp"

namespace ballot::core {

inline constexpr Millis poll_pause{5000};    // between looks at a register that another group has not released
inline constexpr Millis evict_wait{30'000};  // for the runs that hold a group to be handed over, before they are killed

struct Wake {
  std::optional<WallTime> wall;
  std::optional<SteadyTime> steady;
};

/// What `ballot jobs` shows of a job.
struct JobView {
  std::string name, group, leader, state;  // leader: "" where it is not this node
  std::optional<WallTime> next;
  std::string trouble;
};

struct GroupView {
  std::string name;
  std::string state;  // idle, candidate, reading, leading, resigning
  std::uint64_t epoch = 0;
  bool paused = false;
  std::string halted;
  std::vector<std::string> drift;  // nodes whose files define it otherwise
};

class Core {
 public:
  explicit Core(CoreSettings settings);
  ~Core();

  Actions step(Now now, const Event& event);
  Wake wake() const;

  std::vector<JobView> jobs(Now now) const;
  std::vector<GroupView> groups() const;
  /// Of a job that this node leads: see JobMachine::waiting().
  std::vector<WallTime> waiting(const std::string& job) const;
  const Session& session() const { return session_; }
  /// Runs that the runner has and that have not ended, over all jobs.
  int open_runs() const;
  /// It is there, and answers.
  bool has_runner() const { return runner_ && !silence_.is_silent; }
  bool runner_is_silent() const { return runner_ && silence_.is_silent; }
  /// More than 1 s: how far this clock is before (or, negative, behind) the store's; else 0.
  Millis clock_skew() const { return clock_alarm_ ? session_.clock_error() : Millis(0); }

 private:
  friend class Invariants;

  struct Reading {  // a read in flight
    enum class For {
      list,
      own_outcomes,
      takeover,
      outcomes,
      group,
      jobs,
      job_outcomes,
      requests,
      published,
      runs,
      trigger_fate,
      nodes,
      repairs
    } what = For::list;
    std::string group;
    std::uint64_t epoch = 0;  // of the takeover
    std::vector<JobEntry*> jobs;
    RunId asker;                        // the request that names a run
    std::vector<Register> registers{};  // of the jobs, while outcomes of their open runs are asked for
  };
  struct Recording {                          // records on their way
    std::optional<RunId> request;             // ours: it is in the store once this is done
    std::vector<runner::AttemptId> outcomes;  // one for each record
    std::vector<std::string> jobs;            // of the outcomes
    std::vector<ballot::Record> records;      // to be repeated while it is unknown whether they arrived
    std::vector<std::string> removals;
    std::optional<RunId> answered;        // ours: its answer is told once this is done
    std::string evicts{};                 // a group that is handed over once this is done
    bool of_self = false;                 // what this node tells of itself,
    std::vector<std::string> obsolete{};  // and what is removed once it stands
  };
  /// What jobs may do, as far as the session and the runner go. A change may let some of them go on.
  enum class Readiness {
    none,
    ahead,  // start runs without a claim
    late,   // claim, but nothing that the end of the term would reach soon
    full    // claim
  };
  struct Asked {  // here, of us
    Asker asker = 0;
    Request request;
    SteadyTime until{};
    std::string run_suffix{};             // kill, forget
    bool sent = false;                    // to the store: it may be there,
    bool stored = false;                  // and is
    bool lists_again = false;             // the registers could not be listed: once more, after a pause
    std::optional<Answer> answer{};       // told once the request is out of the store, so that nobody does it again
    bool answered = false;                // the reply is given; the run's end is still waited for
    std::optional<SteadyTime> fate_at{};  // of a trigger past its time: when the store is asked whether it was done
    bool fate_asked = false;
  };
  struct RunHash {
    std::size_t operator()(const RunId& id) const;
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
  void rearm(GroupState& group);
  void lose_trust(Context& c, const std::string& why);
  void note_renewal(Context& c, const backend::Renewed& event);
  void on_gone_back(Context& c);
  void look_for_repairs(Context& c);
  void on_repairs(Context& c, const std::vector<Register>& registers);
  void tell_halt(Context& c, GroupState& group);
  void begin_repair(Context& c, GroupState& group, const Request& request);
  void finish_repair(Context& c, GroupState& group);

  // the other nodes (core_peers.cpp)
  void count_definition(const schedule::DefinitionPtr& definition, int by);
  std::string unfit() const;
  void tell_of_self(Context& c);
  void on_told(Context& c, const Recording& recording);
  void tell_no_more(Context& c);
  void forget_told();
  void on_nodes(Context& c, const std::vector<Register>& records);
  void ask_runners(Context& c);
  void compare_by(SteadyTime at);
  void compare_files(Context& c);
  void look_at(Context& c, GroupState& group);
  void plan_moves(Context& c);
  void next_move(Context& c);
  bool may_hand_over(const Context& c, const GroupState& group) const;
  bool is_quiet(const Context& c, GroupState& group) const;
  void hand_over(Context& c, GroupState& group, const std::string& node);
  bool weigh_passing(Context& c, GroupState& group, const std::optional<Register>& stored);
  void pass_on(Context& c, GroupState& group);
  void settle_turn(Context& c, const GroupRegister& before, GroupRegister& now) const;
  void heed_clock(Context& c);
  bool may_take_part(const GroupState& group) const;
  void advance_yielding(Context& c, GroupState& group);

  // the store's answers (core_store.cpp)
  void on(Context& c, const backend::Wrote& event);
  void on(Context& c, const backend::ReadDone& event);
  void on(Context& c, const backend::Changed& event);
  void list(Context& c, Reading::For what, std::string_view prefix);
  void read(Context& c, Reading reading, std::vector<std::string> names);
  void on_list(Context& c, const Reading& asked, const backend::ReadDone& event);
  std::vector<std::string> unknown_ends(const std::vector<Register>& registers) const;
  bool is_shown(const runner::AttemptId& id, const std::vector<Register>& registers);
  void close_open_rows(Context& c, const std::vector<Register>& registers);
  void forget_settled(Context& c, const std::vector<Register>& registers);
  void on_jobs_read(Context& c, const Reading& asked, const backend::ReadDone& event);
  void look_again(Context& c, bool& changed);
  std::vector<std::string> unknown_outcomes(const std::vector<Register>& registers);
  void learn_outcomes(const std::vector<Register>& records);
  void on_takeover(Context& c, const Reading& asked, const backend::ReadDone& event);
  void on_group_read(Context& c, GroupState& group, const backend::ReadDone& event);
  void on_group_written(Context& c, GroupState& group, const WriteAnswer& answer);
  void on_recorded(Context& c, Recording recording, const std::vector<WriteAnswer>& answers);
  std::size_t room_to_write() const;
  void release_held(Context& c);
  void send_writes(Context& c);
  std::optional<RequestId> oldest_in_flight() const;
  void give_up_unanswered(Context& c);
  void send_reads(Context& c);
  void write_group(Context& c, GroupState& group);
  void create(Context& c, Recording recording);
  void remove(Context& c, std::vector<std::string> names);
  void poll_waiting(Context& c);
  void ask_for_release(Context& c, std::vector<JobEntry*> waiting);
  void ask_for_replacement(Context& c);
  Request of_node(Context& c, Request::Kind kind, const std::string& job) const;
  void tell_deadlines(Context& c);

  // what people ask (core_requests.cpp)
  void on_requests(Context& c, const std::vector<Register>& records);
  void on_outcomes(Context& c, const std::vector<Register>& records);
  void on_request_record(Context& c, const RunId& id, const Register& record);
  void on_answer_record(Context& c, const RunId& id, const Register& record);
  void on_end_record(Context& c, const RunId& id, const Register& record);
  void on_runs_listed(Context& c, const RunId& request, const backend::ReadDone& event);
  void look_after(const Context& c, WallTime until);
  void take(Context& c, const Request& request);
  void take_for_group(Context& c, const Request& request);
  void log_request(Context& c, const Request& request);
  void take_kill(Context& c, const Request& request);
  void take_release(Context& c, const Request& request);
  void take_replace(Context& c, const Request& request);
  void begin_pause_or_resume(Context& c, GroupState& group);
  void advance_group_requests(Context& c, GroupState& group);
  void store_asked(Context& c, Asked& asked);
  void give_up_asked(Context& c, const std::string& why);
  void expire_asked(Context& c);
  void expire(Context& c, const RunId& id, Asked& asked);
  static SteadyTime fate_unknown_at(const Asked& asked);
  SteadyTime wake_of(const Asked& asked) const;
  void ask_fate(Context& c, const RunId& id, Asked& asked);
  void on_fate(Context& c, const RunId& id, const backend::ReadDone& event);
  void answer(Context& c, const RunId& request, std::optional<Answer> answer);
  void reply(Context& c, const RunId& request, const Answer& answer);
  void tell_answer(Context& c, const RunId& request);
  void tell_end(Context& c, const Row& row);

  // the stop (core_stop.cpp)
  void advance_stop(Context& c);
  bool may_resign(const GroupState& group) const;
  void resign_if_done(Context& c, GroupState& group);
  void give_up_stop(Context& c);
  void give_up_closing(Context& c);

  void touch(Context& c, JobEntry& entry);
  void enrol(Context& c, JobEntry& entry);
  void touch_all(Context& c);
  Readiness readiness(const Context& c) const;
  void reconsider(Context& c, JobMachine& job);
  void fire_due(Context& c);
  void finish(Context& c);
  void count_runs(JobEntry& entry);
  void keep_waiters();
  void leave_queue(JobEntry& entry);
  void grant_places(Context& c);
  JobEntry* next_in_line() const;
  JobEntry& entry(const std::string& job);
  JobEntry* entry_of(const RunId& run);
  GroupState& group(const std::string& name);
  const GroupState* led(const std::string& group) const;

  CoreSettings settings_;
  Random random_;
  Session session_;
  Inventory inventory_;
  std::vector<Row> open_rows_;  // of a daemon before, until the registers have been listed
  std::map<runner::AttemptId, Row> outcomes_;
  bool loaded_ = false, inventoried_ = false, listed_ = false, runner_ = false;
  RunnerSilence silence_;
  Readiness readiness_ = Readiness::none;  // of the step before
  std::map<std::string, JobEntry> jobs_;
  std::map<std::string, GroupState> groups_;
  std::set<std::tuple<WallTime, std::size_t, JobEntry*>> wall_wakes_;
  std::set<std::tuple<SteadyTime, std::size_t, JobEntry*>> steady_wakes_;
  std::set<std::pair<SteadyTime, GroupState*>, ByName> group_wakes_;
  std::set<JobEntry*, BySerial> open_;      // jobs with runs that have not ended
  std::set<JobEntry*, BySerial> waiting_;   // jobs whose register another group has not released
  std::set<GroupState*, ByName> crowded_;   // groups with jobs that wait for a place
  int own_running_ = 0;                     // runs of this node
  std::set<GroupState*, ByName> moved_;     // groups to look at again at the end of the step
  std::set<GroupState*, ByName> standing_;  // led or being resigned
  std::set<GroupState*, ByName> unready_;   // of those, the ones that a stop waits for
  std::unordered_map<RunId, JobEntry*, RunHash> run_jobs_;
  RequestId last_request_ = 0;
  std::map<RequestId, std::vector<std::pair<JobMachine*, std::uint64_t>>> writes_in_flight_;
  std::size_t all_writing_ = 0;  // registers in `writes_in_flight_`
  std::deque<JobEntry*> held_;   // jobs that wait for others' writes to be answered
  std::map<RequestId, GroupState*> group_writes_, observing_;
  std::map<RequestId, Reading> reads_in_flight_;
  std::map<RequestId, Recording> records_in_flight_;
  std::vector<Recording> records_again_;
  std::deque<std::pair<RequestId, SteadyTime>> sent_;  // the last request of a step and when: what may be in flight
  std::optional<SteadyTime> poll_at_, list_at_, records_at_;
  std::optional<SteadyTime> leftovers_at_;  // when a record that its taker has not removed may be
  SteadyTime told_{};                       // the deadline that terms with runs were told last

  std::map<RunId, Asked> asked_;          // by request
  std::map<RunId, std::string> taken_;    // requests that this node is doing, and the group whose term they end with
  std::map<RunId, SteadyTime> answered_;  // requests that this node has answered, and until when it remembers them
  bool requests_changed_ = false, outcomes_changed_ = false;  // listed again at the end of the step
  bool kill_waits_ = false;  // of a run that somebody else executes, or that has ended: looked at after the next writes
  bool requests_listing_ = false, outcomes_listing_ = false;

  Peers peers_;
  std::set<std::string> unheard_;  // nodes whose runners are to be asked, once it is known where they are
  std::string session_id_;         // as others see it
  std::map<std::string, std::string> self_told_;  // what this node tells of itself, and the record's name
  std::string told_unfit_;
  bool self_changed_ = true, telling_ = false;
  SteadyTime steady_since_{};  // it has told the same
  bool nodes_changed_ = false, nodes_listing_ = false;
  std::deque<GroupState*> moves_;  // groups that somebody else should lead
  std::optional<SteadyTime> compare_at_, scan_at_, move_at_;
  bool clock_alarm_ = false, clock_wrong_ = false;
  std::optional<SteadyTime> renewal_noted_at_;  // that it fails, until it succeeds
  StoreGuard guard_;
  std::optional<SteadyTime> repairs_at_;  // when groups are looked at that the store has gone back under
  Millis repairs_pause_{0};

  std::optional<Stop> stop_;
  SteadyTime stop_asked_at_{}, give_up_at_{}, close_by_{};
  bool killed_ = false, closing_ = false, stopped_ = false;

  Wants wants_;  // what a step gathers
  std::vector<std::string> resigns_;
  std::vector<const JobEntry*> touched_;
};

}  // namespace ballot::core
