// FaultyDaemon: a real daemon that its machine lets down: failpoints, limits that change while it runs, a disk that can
// be filled; and what must be true of it afterwards.
//
//   FaultyDaemon daemon;
//   daemon.failpoints("runner.clone=fail(EAGAIN)@2");
//   daemon.job("job", "command = [\"/bin/true\"]");
//   daemon.lead();
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>
#include <utility>
#include <vector>

#include "base/failpoint.hpp"
#include "support/judge/schedule_check.hpp"
#include "support/process/ballot_daemon.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::testing {

/// A limit of another process, as it was when this object goes.
class Limited {
 public:
  Limited(pid_t pid, __rlimit_resource resource, rlim_t most) : pid_(pid), resource_(resource) {
    EXPECT_EQ(::prlimit(pid, resource, nullptr, &before_), 0);
    const rlimit now{most, before_.rlim_max};
    EXPECT_EQ(::prlimit(pid, resource, &now, nullptr), 0);
  }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;
  ~Limited() { ::prlimit(pid_, resource_, &before_, nullptr); }

 private:
  const pid_t pid_;
  const __rlimit_resource resource_;
  rlimit before_{};
};

class FaultyDaemon : public BallotDaemon {
 public:
  using BallotDaemon::BallotDaemon;

  /// For the next start, of the daemon and of the runner that it starts.
  void failpoints(const std::string& rules) { environment = {"BALLOT_FAILPOINTS=" + rules}; }

  /// Starts it, and waits until it leads.
  void lead() {
    start();
    ASSERT_TRUE(wait_for("leads")) << log;
    if (!led_from_) led_from_ = first_slot_after(wall_now());
  }

  pid_t runner() const { return listener_at(folder / "run/runner.sock"); }

  /// A run by hand, to its end.
  Ran run(const std::string& job) {
    read_log();
    return ballot({"trigger", job, "--wait"});
  }
  /// The same, and its row; with status `queued` where it was refused.
  Row trigger(const std::string& job) {
    const Ran ran = run(job);
    for (const Row& row : rows(job))
      if (row.run && ran.out.starts_with(row.run->text())) return row;
    return {};
  }

  /// What must be true once the fault is over: `job` runs, each of its runs ended and is recorded, nothing is left
  /// behind.
  void expect_well(const std::string& job) {
    EXPECT_TRUE(wait_until([&] { return trigger(job).status == Status::succeeded; })) << log;
    for (const Row& row : rows(job)) EXPECT_TRUE(is_final(row.status)) << to_string(row.status);
    for (const pid_t child : children_of(pid())) ADD_FAILURE() << "the daemon has the child " << child;
    EXPECT_TRUE(wait_until([&] { return children_of(runner()).empty(); })) << "the runner has children";
  }

  /// Every slot of an every-second job has one disposition: from when the daemon led first (where that was not waited
  /// for: from the job's first row) to now, or to when it was asked to stop.
  void expect_accounted(const std::string& job) const {
    WallTime until = wall_now();
    for (const Deed& deed : deeds())
      if (pid() <= 0 && (deed.words[0] == "TERM" || deed.words[0] == "KILL")) until = deed.from;
    expect_accounted_until(until - std::chrono::seconds(2), job);
  }

 private:
  void expect_accounted_until(WallTime until, const std::string& job) const {
    std::string wrong;
    wait_until(
        [&] {  // rows of slots that were skipped are written a little later
          const std::vector<Row> all = rows(job);
          if (all.empty()) return wrong = "no row", false;
          wrong = unaccounted(all, job, every_second(), led_from_.value_or(all.front().slot), until);
          return wrong.empty() || pid() <= 0;
        },
        std::chrono::seconds(10));
    EXPECT_EQ(wrong, "") << log;
  }

  std::optional<WallTime> led_from_;
};

inline std::string status_of(const Row& row) {
  std::string text(to_string(row.status));
  return row.reason == Reason::none ? text : text + ": " + std::string(to_string(row.reason));
}

}  // namespace ballot::testing
