// Daemons: a fleet on the store of a trial, and what scenarios ask and expect of it. What does not happen in time, and
// what the checker finds, ends the trial with a Failure.
//
//   Daemons daemons(trial, {.nodes = {"n1", "n2"}, .timeout = Millis(4000)});
//   daemons.job("brief", daemons.brief());
//   daemons.start();
//   daemons.cut("n1", Store::Cut::silent);
//   const Report next = daemons.start_of({.not_on = "n1", .after = Instant::now()});
//   daemons.heal("n1");
//   daemons.judge();
#pragma once

#include <string>
#include <vector>

#include "chaos/trial.hpp"
#include "support/process/fleet.hpp"

namespace ballot::chaos {

using std::chrono::seconds;
using testing::BallotDaemon;
using testing::Evidence;
using testing::Instant;
using testing::NodeLedger;
using testing::Ran;
using testing::Report;
using testing::Reports;

/// A machine with other things to do takes so much longer than a quiet one, at most.
inline constexpr Millis busy{3000};

struct Setup {
  std::vector<std::string> nodes{"n1", "n2"};
  Millis timeout{4000};  // of a session; 0: the backend's default
  std::string more{};    // of each ballot.toml
  StoreSettings store{};
};

class Daemons : public testing::Fleet {
 public:
  Daemons(Trial& trial, const Setup& setup);

  static std::string every_second(const std::string& more = "") { return "schedule = \"* * * * * *\"\n" + more; }
  /// Each second, of which each slot is to be run.
  std::string brief(const std::string& more = "") const {
    return every_second("misfire = \"all\"\n" + more) + oracle.command({"--for", "50ms"});
  }
  /// `more`, and a second node's folder, for a daemon that is started beside the fleet.
  std::string configuration(const std::string& node) const { return store_.configuration(node, name_space_, asked_); }

  struct Which {
    std::string job = "brief", node{}, not_on{};
    Instant after{};
    std::size_t count = 1;
  };
  /// Waits for the count-th START of these.
  Report start_of(const Which& which, seconds limit = seconds(30)) const;
  std::size_t starts_of(const Which& which) const;
  /// Until a slot that is due from now on is run in time, and so many more.
  void catch_up(const std::string& job = "brief", int count = 1, seconds limit = seconds(60)) const;
  /// Until a line of its log, from the last that was waited for, says so.
  void await_log(const std::string& node, const std::string& text, int count = 1, seconds limit = seconds(30));
  /// By the command line of a node; its exit code is 0.
  Ran command(const std::string& node, const std::vector<std::string>& words);
  RunId trigger(const std::string& node, const std::string& job);

  // ---- faults
  void cut(const std::string& node, Store::Cut how);
  void heal(const std::string& node);
  void outage(const std::function<void(Store&)>& begin);
  void outage_over(const std::function<void(Store&)>& end);
  /// The daemon, its runner and all its runs, as if their host lost its power.
  void lose_host(const std::string& node);
  /// The daemon is stopped for so long. One that another node had to kill, as it held the store of `local` past its
  /// deadline, is started again.
  void freeze(const std::string& node, Millis span);
  /// Started again, and has a session.
  void bring_back(const std::string& node);

  // ---- what became of it
  Row row(const std::string& node, const std::string& job, int attempt = 1);
  void await_row(const std::string& node, const std::string& job, Status status, int attempt = 1);
  /// The node's runs of a job whose term ends with it.
  void expect_dead_by_the_deadline(const std::string& node, const std::string& job, const Instant& fault) const;
  /// Nothing of that epoch is launched past the deadline of a term whose node met a fault then.
  void expect_no_start_past_the_deadline(const Report& of_the_term, const Instant& fault) const;
  /// From a fault to the next term, printed.
  void expect_elected_within(const Evidence& evidence, const Instant& fault, Millis longest) const;
  /// Each slot of an every-second job was launched once; or, where terms may have ended meanwhile, says that it was
  /// claimed by one that did.
  enum class Terms { stood, may_have_ended };
  static void expect_each_slot_once(const Evidence& evidence, Terms terms, const std::string& job = "brief");
  /// Catches up, stops all and asks the checker.
  Evidence judge(const std::string& caught_up = "brief");

  std::vector<RunId> triggered;

 private:
  Store& store_;
  const std::string name_space_;
  const Millis asked_;
};

std::size_t count_of_terms(const Evidence& evidence);

}  // namespace ballot::chaos
