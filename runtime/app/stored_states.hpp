// StoredStates: whether jobs are paused or halted, and which runs are open, as the store has it: of jobs that another
// node leads, only that node and the store know.
//
// Threads: the main one. Needs what a user may need leave for: the backend's secrets, the store.
//
//   const auto states = StoredStates::read(config);
//   if (states) state = states->of("backup", "default").word;
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/pauses.hpp"
#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "ballot/ledger.hpp"
#include "ballot/time.hpp"
#include "config/config.hpp"
#include "core/record/register.hpp"

namespace ballot::app {

struct StoredState {
  std::string word = "active";         // or "paused", "halted"
  bool of_group = false;               // its whole group is
  std::string why = {};                // it is halted
  std::optional<WallTime> since = {};  // it is halted, where the store says it
  std::vector<Pause> pauses = {};      // of the job, then of its group

  /// The job's state, where the daemon, which does not lead it, says `daemon`. The first that is so, in the order of
  /// core::JobState, counts.
  const std::string& over(const std::string& daemon) const;
};

/// A run that a job's register shows as open.
struct StoredRun {
  std::string job, node;
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
/// Of the run whose id ends with `suffix`. None: no register shows it, or the store cannot be read.
std::optional<StoredRun> find_stored_run(const config::Config& config, const std::string& suffix);

class StoredStates {
 public:
  static constexpr Millis patience{2000};
  /// Errors: those of Observer; unavailable, where the store does not answer within that time.
  static Result<StoredStates> read(const config::Config& config, Millis within = patience);
  static StoredStates of(const std::vector<Register>& registers);
  /// Of one job alone.
  static Result<StoredState> read(const config::Config& config, const std::string& job, const std::string& group);

  /// The registers of jobs and groups that are not active.
  std::vector<std::string> held() const;
  /// By the time at which they go on.
  const std::vector<WaitingRun>& waiting() const { return waiting_; }
  /// Halted comes before paused; of a halt the group before the job.
  StoredState of(const std::string& job, const std::string& group) const;

 private:
  void add(const Register& stored);
  void add_waiting(const core::JobRegister& stored, const std::string& job);

  std::map<std::string, StoredState> states_;  // of those that are not active, by their registers' names
  std::vector<WaitingRun> waiting_;
};

}  // namespace ballot::app
