/// \file
/// Job: what a job file says, as plain values with every default filled in. docs/jobs.md has each key's meaning. Small,
/// as there may be a hundred thousand of them: what few jobs have is in JobDetails, and what many have alike is Shared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballot/concurrency.hpp"
#include "ballot/defaulted.hpp"
#include "ballot/optional_time.hpp"
#include "ballot/options.hpp"
#include "ballot/policy.hpp"
#include "ballot/shared.hpp"
#include "ballot/time.hpp"

namespace ballot {

/// Which slot of a full queue is skipped.
enum class QueueOverflow : std::uint8_t {
  drop_new,  ///< the new one
  drop_old   ///< the oldest one
};

/// What follows a run.
enum class AfterRun : std::uint8_t {
  ignore,  ///< nothing
  rerun,   ///< another run
  reelect  ///< another election
};

/// What becomes of an output.
enum class OutputKeep : std::uint8_t {
  history,  ///< its head and its tail are kept
  discard   ///< nothing of it is
};

/// What becomes of processes that a command has left behind when it ends by itself.
enum class Background : std::uint8_t {
  kill,  ///< they are killed
  leave  ///< they go on, and are no part of the run any more
};

/// When a mail is sent.
enum class MailOn : std::uint8_t {
  failure,  ///< of what has failed
  output,   ///< of what has printed something
  always    ///< of each run
};

/// Resource limits of a run; absent ones are the daemon's.
struct Limits {
  /// rlimits
  ///@{
  std::optional<std::uint64_t> open_files = {}, cpu_time_seconds = {}, address_space = {}, processes = {};
  ///@}
  /// cgroup v2
  ///@{
  std::optional<std::uint64_t> memory_max = {}, cpu_weight = {}, tasks_max = {};
  ///@}
  bool operator==(const Limits&) const = default;  ///< in all of them
};

/// A user as resolved when the job was loaded; what the runner sets between fork and exec.
struct Identity {
  /// as its environment has them
  ///@{
  std::string user, home;
  ///@}
  /// its own
  ///@{
  std::uint32_t uid = 0, gid = 0;
  ///@}
  std::vector<std::uint32_t> groups;                 ///< all of them
  bool operator==(const Identity&) const = default;  ///< in all of it
};

/// What a job is expected to keep. Where it does not, people are notified, and nothing else follows.
struct Expectations {
  /// As the key of its name in docs/jobs.md; of times 0: nothing is expected.
  ///@{
  Millis expect_within{0}, expect_success{0}, late_after{0};
  std::vector<std::string> on_slow, on_overdue, on_late;
  ///@}
  bool operator==(const Expectations&) const = default;  ///< in all of it
};

/// The keys that most jobs leave at their defaults.
struct JobDetails {
  std::string function;     ///< of the program that embeds ballot, in place of a command; "": the job has a command
  std::string working_dir;  ///< "": the user's home
  std::vector<std::string> after;   ///< jobs of its group whose slots must have ended before one of its own begins
  bool has_slots_of_first = false;  ///< of `after`: it has no schedule of its own, and `schedule` is that one's
  /// As the key of its name in docs/jobs.md.
  ///@{
  std::map<std::string, std::string> env;
  std::string env_file;
  std::map<std::string, std::string> secrets;
  std::string standard_input;
  Limits limits;
  bool no_new_privs = false;  // no program that a run executes gives it privileges
  Background background = Background::kill;
  AfterStatus after_status = AfterStatus::succeeded;
  MailOn mail_on = MailOn::failure;
  std::vector<std::string> on_failure, on_recovery, on_missed;
  Millis hook_timeout = std::chrono::seconds(30);
  std::string mail_to;
  std::string ping_url;
  std::uint32_t umask = 022;
  int nice = 0;
  int kill_signal = 15;
  std::vector<int> success_codes = {0};
  std::int64_t output_limit = 64 * 1024;
  Millis retry_delay = std::chrono::seconds(10);
  Millis retry_max_delay = std::chrono::minutes(10);
  double retry_backoff = 2.0;
  Millis lost_after = std::chrono::hours(1);
  int lost_limit = 2;
  int misfire_limit = 100;
  int queue_limit = 1;
  int priority = 0;
  std::vector<std::string> except, only;
  DayShift shift = DayShift::none;
  ///@}
  Shared<std::vector<std::string>> trigger_env;  ///< as its key: variables that whoever triggers a run may give it
  Defaulted<Expectations> expects;               ///< what few jobs are expected to keep
  /// What its calendars say, in one line: "except holidays=2026-12-25,sun shift=next"; "": it has none.
  Shared<std::string> days;
  bool operator==(const JobDetails&) const = default;  ///< in all of them
};

/// A job.
struct Job {
  std::string name;                       ///< `JOB@NODE` where run_on = "each"
  Shared<std::string> description;        ///< for people
  Shared<std::string> group = "default";  ///< whose leader runs it

  Shared<std::vector<std::string>> schedule;  ///< none: by trigger only
  Shared<std::string> timezone = "UTC";       ///< of its schedule
  /// no slot is outside
  ///@{
  OptionalTime<WallTime> not_before, not_after;
  ///@}

  Shared<std::vector<std::string>> command;  ///< argv; `shell = TEXT` is {"/bin/sh", "-c", TEXT}
  std::shared_ptr<const Identity> identity;  ///< null: the daemon's. Jobs of one user share it
  Defaulted<JobDetails> details;             ///< what few jobs have

  /// As the key of its name in docs/jobs.md.
  ///@{
  Millis jitter{0};
  Millis start_deadline = std::chrono::minutes(5);
  std::optional<Millis> deadline;
  Millis kill_grace = std::chrono::seconds(10);
  int retries = 0;
  int max_running = 16;
  RunOn run_on = RunOn::leader;
  Concurrency concurrency = Concurrency::skip;
  QueueOverflow queue_overflow = QueueOverflow::drop_new;
  Misfire misfire = Misfire::latest;
  Guarantee guarantee = Guarantee::at_most_once;
  OnLeadershipLost on_leadership_lost = OnLeadershipLost::terminate;
  AfterRun on_success = AfterRun::ignore;
  AfterRun on_error = AfterRun::ignore;
  OutputKeep output = OutputKeep::history;
  bool log_output = false;
  bool enabled = true;
  ///@}
};

/// `[group.NAME]`: an election, with or without jobs.
struct Group {
  std::string name;                     ///< 1 to 64 letters, digits, '_', '-'
  std::vector<std::string> candidates;  ///< patterns of nodes that may lead; none: all
  std::vector<std::string> preferred;   ///< nodes, best first
  int max_running = 0;                  ///< 0: no limit
  /// As the key of its name in docs/jobs.md.
  ///@{
  std::vector<std::string> on_promote, on_demote;
  Millis hook_timeout = std::chrono::seconds(30);
  std::string state_file;
  ///@}
  std::map<std::string, Options> options;         ///< [group.NAME.BACKEND], by backend
  bool operator==(const Group&) const = default;  ///< in all of it
};

}  // namespace ballot
