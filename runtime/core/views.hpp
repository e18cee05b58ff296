// Views: what a core shows of itself: jobs, groups and runs, some at a time, and counts. Whoever shows them pages
// through them between two steps, so that a hundred thousand jobs hold up nothing. Nothing is copied: what a view
// refers to is there until the core's next step.
//
//   std::optional<std::string> from = "";
//   while ((from = core.views().visit_jobs(now, *from, 64, [&](const JobView& job) { print(job.name, job.next); })))
//     let_the_loop_go_on();
//
// Pure; on the loop thread. Knows nothing of who looks: the control socket, an API, an embedder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/group/group_table.hpp"
#include "core/jobs/job_table.hpp"
#include "core/node/node_directory.hpp"

namespace ballot::core {

/// The first of these that is so.
enum class JobState {
  halted,      // see `trouble`
  waiting,     // for group `awaited`, which has not released it
  disabled,    // by its definition
  paused,      // itself, or its group; only whoever leads it knows
  clock_skew,  // it is settled ahead of this clock
  drift,       // other nodes' files define its group otherwise
  active
};

/// A job that the files define.
struct JobView {
  std::string_view name, group;
  std::string_view leader;  // "" where it is not this node
  JobState state = JobState::active;
  std::string_view awaited;
  std::optional<WallTime> next;
  std::string_view trouble;              // why it is halted,
  std::optional<WallTime> halted_at;     // since when, as far as this node knows,
  bool halted_with_group = false;        // and whether with its whole group
  DigestText digest;                     // of its definition
  std::optional<WallTime> since;         // slots at or before it are not due; none where its register is not known here
  std::optional<WallTime> paused_at;     // it, or its group,
  std::string_view paused_by;            // who asked for it,
  std::optional<WallTime> paused_until;  // when that ends by itself,
  std::string_view pause_reason;         // and why it was
  std::optional<WallTime> previous;      // the last slot that was settled: claimed, skipped or missed;
  std::optional<WallTime> last_success;  // when the last run that succeeded had ended;
  bool failing = false;                  // the run that was closed last had failed;
  std::uint64_t missed = 0;              // slots missed since the register was made: all of these as `since`
  std::string_view behind;               // a job that it comes after, of which no more ends of slots can wait for it
  std::optional<WallTime> overdue_since;  // when it was noticed that no run had succeeded in time;
  bool is_slow = false;                   // a run goes on for longer than expected: only whoever leads it knows both
  bool expects_success = false, expects_end = false;  // by its definition: that may be
  bool is_running = false;  // a run of it goes on, on whichever node; only whoever leads it knows

  struct Pause {
    std::optional<WallTime> since;
    std::string_view by;
    std::optional<WallTime> ends = {};  // by itself
    std::string_view reason = {};
  };
  std::optional<Pause> own_pause, group_pause;  // both may stand; only whoever leads it knows
  bool without_candidates = false;              // as of its group

  struct Backfill {
    WallTime at{};  // when it was taken up
    std::string_view by;
    int parallel = 1;
    std::uint32_t begun = 0;       // so many slots are
    int running = 0;               // so many of its runs go on, or are to be tried again
    std::optional<WallTime> next;  // the first slot that is not begun; none: all are
    std::optional<WallTime> last;  // the instant up to which its slots lie
  };
  std::optional<Backfill> backfill;  // that goes on; only whoever leads it knows
};

/// As people read it: "waiting for group nightly".
std::string text_of(const JobView& job);

struct GroupView {
  std::string_view name;
  std::string_view state;  // idle, candidate, reading, leading, resigning
  std::uint64_t epoch = 0;
  bool paused = false;
  std::string_view halted;
  const std::vector<std::string>& drift;  // nodes whose files define it otherwise
  bool leaderless = false;                // this node is a candidate, and nobody has led it for longer than 2 T
  bool wanted = false;                    // the files name it, or a register is left in it
  bool without_candidates =
      false;  // it has jobs, and neither this node may lead it nor one that is not known to be gone
};

/// A run that has not ended, of this node or of one that is dead; or one that waits for its next attempt.
struct RunView {
  std::string_view job, group;
  RunId id;
  int attempt = 1;
  WallTime slot{};
  Trigger trigger = Trigger::schedule;
  std::string_view node;                   // which executes it; "": it waits
  std::string_view state;                  // claiming, ready, starting, running, foreign, waiting
  std::optional<WallTime> starts_at = {};  // of one between two attempts: at about this time
  bool is_late = false, is_slow = false;   // it was noticed that its slot began late, or that it takes longer
};

/// A pause that stands: of a job, or of a group and all its jobs.
struct PauseView {
  std::string_view job, group;  // one of them is ""
  std::optional<WallTime> since;
  std::string_view by;
  std::optional<WallTime> ends = {};  // by itself
  std::string_view reason = {};
};

/// What a job's register shows of runs: rows of those that are open, of the last one that was closed, and of the last
/// slot that was claimed, where the register does not show how its run ended (`claimed`, without a run).
std::vector<Row> shown_runs(const std::string& job, const JobRegister& known);

class Views {
 public:
  /// Where to go on: after this name; none: that was all.
  using Next = std::optional<std::string>;

  Views(const std::string& node, const JobTable& jobs, const GroupTable& groups, const NodeDirectory& directory)
      : node_(node), jobs_(jobs), groups_(groups), directory_(directory) {}

  /// By name, those after `after`; visits `most` of the table at a time.
  Next visit_jobs(WallTime now, const std::string& after, std::size_t most,
                  const std::function<void(const JobView&)>& visit) const;
  Next visit_groups(const std::string& after, std::size_t most,
                    const std::function<void(const GroupView&)>& visit) const;
  /// By their jobs' names, which are what `after` counts.
  Next visit_runs(const std::string& after, std::size_t most, const std::function<void(const RunView&)>& visit) const;

  /// The group that the file of a job which runs on each node names, as far as instances of it are known; "": none are.
  std::string group_of_instances(const std::string& job) const;
  /// Slots of a job that this node leads that are due and wait: see JobMachine::waiting().
  std::vector<WallTime> waiting(const std::string& job) const;
  /// The slots of a job after `after` and before `until`, at most `most`, as its files and its register have them now.
  /// None: that is not known here, as only whoever leads the job knows where its `@every` counts from.
  std::optional<std::vector<WallTime>> planned(const std::string& job, WallTime now, WallTime after, WallTime until,
                                               std::size_t most) const;
  /// What alone decides the slots of a job after `after`: jobs with equal plans have them in common. Null: its register
  /// counts too, or where its `@every` counts from.
  const schedule::Plan* common_plan(const std::string& job, WallTime after) const;
  /// As its files have it; null: none defines it. Valid until the core's next step.
  const schedule::Plan* plan_of(const std::string& job) const;
  /// As visit_jobs() shows it; none where no file defines such a job.
  std::optional<JobView> find_job(WallTime now, const std::string& job) const;
  /// How many slots of its backfill are not begun, up to 10,000, which takes some milliseconds; none: none goes on that
  /// is known here.
  std::optional<std::size_t> left_of_backfill(const std::string& job) const;
  /// What registers show of runs of other nodes, as far as this node has read them: rows of runs that are open, and, of
  /// these jobs, or without names of all, of the last run that was closed (without names: of another node's, of at most
  /// 5,000 jobs): how it ended. Of jobs that are named also of the last slot that was claimed, where no register says
  /// how its run ended: `claimed`, without a run.
  std::vector<Row> runs_of_others(const std::vector<std::string>& jobs) const;
  /// Open runs of a job that this node leads, of which it is not known whether they go on: the next slots wait for it.
  std::vector<Row> runs_in_question(const std::string& job) const;
  /// The jobs that files define, with the groups whose they are, as visit_jobs() goes through them.
  Next visit_owners(const std::string& after, std::size_t most,
                    const std::function<void(const std::string& job, const std::string& group)>& visit) const;
  /// The pauses of what this node leads.
  void visit_pauses(const std::function<void(const PauseView&)>& visit) const;
  /// Of one of them; null: no file defines it.
  const std::string* find_owner(const std::string& job) const;
  /// As many jobs as a visit of all of them shows, or more.
  std::size_t known_jobs() const { return jobs_.all().size(); }
  /// Runs that the runner has and that have not ended, over all jobs.
  int open_runs() const;

 private:
  std::vector<WallTime> chained_to_come(const JobMachine& job) const;
  static bool knows_phase(const JobMachine& job);
  bool lacks_candidates(const GroupEntry& group) const;
  JobView view_of(const JobEntry& entry, WallTime now) const;
  const std::string* behind_of(const JobMachine& job, WallTime now) const;
  JobState state_of(const JobMachine& job, const GroupEntry* group, WallTime now) const;

  const std::string& node_;
  const JobTable& jobs_;
  const GroupTable& groups_;
  const NodeDirectory& directory_;
};

}  // namespace ballot::core
