// StoredStates: whether jobs are paused or halted, which runs wait for their next attempts, and where `@every` counts
// from, as registers in the store have it: of jobs that another node leads, only that node and the store know.
//
// Pure.
//
//   const StoredStates states = StoredStates::of(registers);
//   state = states.of("backup", "default").word;
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "ballot/ledger.hpp"
#include "ballot/time.hpp"
#include "core/record/register.hpp"
#include "core/record/standing_pause.hpp"
#include "library/held/pauses.hpp"
#include "schedule/plan.hpp"

namespace ballot::library {

/// "moved" or "moving": the state of a job whose whole namespace goes to another store.
inline bool is_move(std::string_view word) { return word == "moved" || word == "moving"; }

struct StoredState {
  std::string word = "active";                 // or "paused", "halted", "moved", "moving"
  bool of_group = false;                       // its whole group is
  std::string why = {};                        // it is halted, or its namespace moves
  std::optional<WallTime> since = {};          // it is halted, where the store says it
  std::vector<Pause> pauses = {};              // of the job, then of its group
  std::optional<WallTime> overdue_since = {};  // no run has succeeded in time, as was noticed then;
  bool is_slow = false;                        // a run goes on for longer than expected

  /// Nothing of it is launched until somebody mends that, or the move has ended.
  bool is_halted() const;
  /// The job's state, where the daemon, which does not lead it, says `daemon`. The first that is so, in the order of
  /// core::JobState, counts.
  const std::string& over(const std::string& daemon) const;
};

/// A run between two attempts, as its job's register has it.
struct WaitingRun {
  std::string job, group;
  RunId run;
  WallTime slot{};
  int attempt = 2;       // that is to come,
  WallTime starts_at{};  // at about this time
  bool operator==(const WaitingRun&) const = default;
};

class StoredStates {
 public:
  /// `now`: pauses of all instances that are over by then are none for instances that have not followed them.
  explicit StoredStates(WallTime now = {}) : now_(now) {}
  static StoredStates of(const std::vector<Register>& registers, WallTime now = {});
  /// The registers of jobs, of groups, of pauses of all instances, of which those come before the instances', and the
  /// marks of a move (core::holding_marks).
  void add(std::span<const Register> registers);

  /// The registers of jobs and groups that are not active.
  std::vector<std::string> held() const;
  /// The waiting runs that nothing keeps back, by the time at which they go on.
  std::vector<WaitingRun> waiting() const;
  /// Where each `@every` of the plan counts from; none: that is not in the job's register.
  std::optional<std::vector<WallTime>> phase(const std::string& job, const schedule::Plan& plan) const;
  /// Halted comes before paused; of a halt the group before the job.
  StoredState of(const std::string& job, const std::string& group) const;

 private:
  void add(const Register& stored);
  void add_mark(const Register& mark);
  StoredState held(const std::string& job, const std::string& group) const;
  void add_waiting(const core::JobRegister& stored, const std::string& job);
  const core::StandingPause* pause_of_all(const std::string& job) const;
  bool is_to_come(const core::StandingPause* pause) const { return pause && !pause->terms.is_over(now_); }

  WallTime now_;
  std::optional<StoredState> move_;                    // of all jobs: their namespace is held, or was moved
  std::map<std::string, StoredState> states_;          // of those that are not active, by their registers' names
  std::map<std::string, core::StandingPause> pauses_;  // of jobs of which all instances are paused
  std::set<std::string> known_;                        // jobs that have a register
  std::map<std::string, core::JobRegister> counting_;  // of jobs with `@every`: where these count from, and no more
  std::vector<WaitingRun> waiting_;
  std::map<std::string, std::pair<std::optional<WallTime>, bool>> unmet_;  // by job: overdue since, and slow
};

}  // namespace ballot::library
