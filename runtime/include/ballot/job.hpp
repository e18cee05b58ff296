// Job: what a job file says, as plain values with every default filled in. docs/jobs.md has each key's meaning. Small,
// as there may be a hundred thousand of them: what few jobs have is in JobDetails, and what many have alike is Shared.
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
#include "ballot/shared.hpp"
#include "ballot/time.hpp"

namespace ballot {

enum class RunOn : std::uint8_t { leader, each };
enum class QueueOverflow : std::uint8_t { drop_new, drop_old };
enum class Misfire : std::uint8_t { latest, all, skip };
enum class Guarantee : std::uint8_t { at_most_once, at_least_once };
enum class OnLeadershipLost : std::uint8_t { terminate, finish };
enum class AfterRun : std::uint8_t { ignore, rerun, reelect };
enum class OutputKeep : std::uint8_t { history, discard };
enum class MailOn : std::uint8_t { failure, output, always };

/// Resource limits of a run; absent ones are the daemon's.
struct Limits {
  // rlimits
  std::optional<std::uint64_t> open_files = {}, cpu_time_seconds = {}, address_space = {}, processes = {};
  std::optional<std::uint64_t> memory_max = {}, cpu_weight = {}, tasks_max = {};  // cgroup v2
  bool operator==(const Limits&) const = default;
};

/// A user as resolved when the job was loaded; what the runner sets between fork and exec.
struct Identity {
  std::string user, home;
  std::uint32_t uid = 0, gid = 0;
  std::vector<std::uint32_t> groups;
  bool operator==(const Identity&) const = default;
};

/// The keys that most jobs leave at their defaults.
struct JobDetails {
  std::string function;     // of the program that embeds ballot, in place of a command; "": the job has a command
  std::string working_dir;  // "": the user's home
  std::map<std::string, std::string> env;
  std::string env_file;
  std::map<std::string, std::string> secrets;
  std::string standard_input;
  Limits limits;
  bool no_new_privs = false;  // no program that a run executes gives it privileges
  std::vector<std::string> on_failure, on_recovery, on_missed;
  Millis hook_timeout = std::chrono::seconds(30);
  std::string mail_to;
  MailOn mail_on = MailOn::failure;
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
  bool operator==(const JobDetails&) const = default;
};

struct Job {
  std::string name;
  Shared<std::string> description;
  Shared<std::string> group = "default";

  Shared<std::vector<std::string>> schedule;  // none: by trigger only
  Shared<std::string> timezone = "UTC";
  OptionalTime<WallTime> not_before, not_after;

  Shared<std::vector<std::string>> command;  // argv; `shell = TEXT` is {"/bin/sh", "-c", TEXT}
  std::shared_ptr<const Identity> identity;  // null: the daemon's. Jobs of one user share it
  Defaulted<JobDetails> details;

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
};

/// `[group.NAME]`: an election, with or without jobs.
struct Group {
  std::string name;
  std::vector<std::string> candidates;  // patterns of nodes that may lead; none: all
  std::vector<std::string> preferred;   // nodes, best first
  int max_running = 0;                  // 0: no limit
  std::vector<std::string> on_promote, on_demote;
  Millis hook_timeout = std::chrono::seconds(30);
  std::string state_file;
  std::map<std::string, Options> options;  // [group.NAME.BACKEND], by backend
  bool operator==(const Group&) const = default;
};

}  // namespace ballot
