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
//
// Thread: the loop's. Use: actions = core.step(now, event), perform them in order, arm a timer for core.wake().
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/job.hpp"

namespace ballot::core {

inline constexpr Millis poll_pause{5000};  // between looks at a register that another group has not released

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
};

class Core {
 public:
  explicit Core(CoreSettings settings);
  ~Core();

  Actions step(Now now, const Event& event);
  Wake wake() const;

  std::vector<JobView> jobs(Now now) const;
  std::vector<GroupView> groups() const;
  const Session& session() const { return session_; }
  /// Runs that the runner has and that have not ended, over all jobs.
  int open_runs() const;

 private:
  friend class Invariants;

  struct Entry {
    JobMachine machine;
    std::size_t serial = 0;
    std::optional<WallTime> wall;
    std::optional<SteadyTime> steady;
  };
  struct GroupState {
    enum class Phase { idle, candidate, reading, leading, resigning };
    Phase phase = Phase::idle;
    Group settings;
    bool configured = false;  // [group.NAME] stands in the files
    Term term;
    bool resumed = false;
    std::optional<WallTime> last_alive;
    GroupRegister stored;
    std::uint64_t version = 0;
    std::optional<SteadyTime> told;   // the deadline that the runner was told last
    std::optional<SteadyTime> retry;  // of the takeover's read
  };
  struct Asked {  // a read in flight
    enum class For { list, takeover, jobs } what = For::list;
    std::string group;
    std::uint64_t epoch = 0;  // of the takeover
    std::vector<std::string> jobs;
  };
  struct RunHash {
    std::size_t operator()(const RunId& id) const;
  };

  // events (core.cpp)
  void on(Context& c, const Tick&) { (void)c; }
  void on(Context& c, const Load& event);
  void on(Context& c, const Inventory& event);
  void on(Context& c, const RunnerGone& event);
  void on(Context& c, const BackendEvent& event);
  void on(Context& c, const runner::Started& event);
  void on(Context& c, const runner::Refused& event);
  void on(Context& c, const runner::CannotStart& event);
  void on(Context& c, const runner::Ended& event);
  void on(Context& c, const Recorded& event);
  void on(Context& c, const TriggerJob& event);
  void on(Context& c, const PauseJob& event);
  void on(Context& c, const Stop& event);

  // the backend's (core_groups.cpp)
  void on(Context& c, const backend::SessionOpened& event);
  void on(Context& c, const backend::SessionClosed& event);
  void on(Context& c, const backend::Renewed& event);
  void on(Context& c, const backend::Elected& event);
  void on(Context& c, const backend::Deposed& event);
  void on(Context& c, const backend::Wrote& event);
  void on(Context& c, const backend::ReadDone& event);
  void on(Context& c, const backend::Changed& event);
  void on(Context& c, const backend::Observed& event);
  void lose_all(Context& c, Cause cause);
  void list(Context& c);
  void campaign(Context& c);
  bool wanted(const std::string& group) const;
  void read_takeover(Context& c, GroupState& group);
  void take_over(Context& c, GroupState& group, const std::vector<Register>& registers);
  void end_term(Context& c, GroupState& group, Cause cause);
  void write_group(Context& c, GroupState& group);
  void read_jobs(Context& c);
  void poll_waiting(Context& c);
  void tell_deadlines(Context& c);

  // the stop (core_stop.cpp)
  void advance_stop(Context& c);
  bool may_resign(const GroupState& group) const;
  bool resign_what_is_done(Context& c);
  void give_up_stop(Context& c);

  void touch(Context& c, Entry& entry);
  void touch_all(Context& c);
  void reconsider(Context& c, JobMachine& job);
  void fire_due(Context& c);
  void finish(Context& c);
  Entry& entry(const std::string& job);
  Entry* entry_of(const RunId& run);
  GroupState& group(const std::string& name);
  const GroupState* led(const std::string& group) const;

  CoreSettings settings_;
  Random random_;
  Session session_;
  Inventory inventory_;
  bool loaded_ = false, inventoried_ = false, listed_ = false, could_claim_ = false, runner_ = false;
  std::map<std::string, Entry> jobs_;
  std::map<std::string, GroupState> groups_;
  std::set<std::tuple<WallTime, std::size_t, Entry*>> wall_wakes_;
  std::set<std::tuple<SteadyTime, std::size_t, Entry*>> steady_wakes_;
  std::unordered_map<RunId, std::string, RunHash> run_jobs_;
  RequestId last_request_ = 0;
  std::map<RequestId, std::vector<std::pair<JobMachine*, std::uint64_t>>> writes_in_flight_;
  std::map<RequestId, std::string> group_writes_;
  std::map<RequestId, Asked> reads_in_flight_;
  std::optional<SteadyTime> poll_at_, list_at_;
  SteadyTime told_{};  // the deadline that terms with runs were told last

  std::optional<Stop> stop_;
  SteadyTime stop_asked_at_{}, give_up_at_{};
  bool killed_ = false, closing_ = false, stopped_ = false;

  // what a step gathers
  std::vector<JobWrite> writes_;
  std::vector<JobMachine*> reads_, changed_;
  std::vector<RegisterWrite> group_batch_;
  std::vector<std::string> group_batch_names_, resigns_;
};

}  // namespace ballot::core
