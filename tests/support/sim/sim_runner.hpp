// SimRunner: one node's runner with its children, as runtime/runner is: it outlives the daemon, checks the clock
// right before exec, keeps every end until it is acknowledged, and ends the `terminate` runs of a term at its deadline,
// TERM at deadline - g and KILL at deadline - 200 ms, whether a daemon is there or not. Reports to the oracle every
// START and END. What is a function of the host program runs in the daemon's process instead: it dies with the daemon
// and not with the runner, ends without a code, and where it is stubborn nothing ends it.
//
//   runner.habits.takes["job"] = 40s;          // how children behave
//   runner.connect([&](core::Event e) { daemon.feed(e); });   // after which inventory() is what it has
//   runner.start(launch); ... Started, Ended
//   runner.crash();                            // its children are nobody's
//   runner.break_link(200ms, 1s);              // it lives; what is on the way, either way, is lost
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"
#include "core/store/left_runs.hpp"
#include "support/sim/judge/sim_oracle.hpp"
#include "support/sim/sim_machine.hpp"

namespace ballot {

class SimRunner {
 public:
  struct Habits {
    std::map<std::string, Millis> takes;  // how long a job's child runs; else 1 s
    std::map<std::string, int> exits;     // its code; else 0. Of a function: 0 success, 1 failure, 2 retry, 3 exception
    std::set<std::string> stubborn;       // ignores TERM
    Millis slowest_start{2};              // from the order to exec
  };
  using OnEvent = std::function<void(core::Event)>;

  /// All must outlive it.
  SimRunner(SimLoop& loop, const SimMachine& machine, SimOracle& oracle, std::string node);
  ~SimRunner();
  SimRunner(const SimRunner&) = delete;
  SimRunner& operator=(const SimRunner&) = delete;

  Habits habits;

  /// The orders of the daemon before are carried out first.
  void connect(OnEvent on_event);
  void disconnect();
  core::Inventory inventory() const;
  /// For whoever resigns for its dead daemon: that one's orders are carried out first.
  core::RunnerView left();

  void start(const core::Launch& launch);
  void kill(const core::KillRun& kill);
  void set_deadline(const core::TermDeadline& deadline);
  void forget(const runner::AttemptId& id);

  /// What it has, and then each end: to a daemon of another node on its machine.
  using OnWord = std::function<void(core::RunnerWord)>;
  void watch(const std::string& watcher, SimLoop::Owner owner, OnWord on_word);

  /// It dies, and whoever is connected notices; its children go on without anybody.
  void crash();
  /// The link to the daemon breaks, which notices it then, and takes it up again `down` later. What either says in
  /// between never arrives; but of functions, which are in the daemon's process.
  void break_link(Millis noticed, Millis down);
  /// The machine goes, with everything on it.
  void power_cut();
  /// The machine goes on, which was suspended since then.
  void resume(SteadyTime since);

  /// Between a crash and the inventory after it.
  bool gone() const { return gone_; }
  /// What it is sent does not arrive.
  bool is_cut_off() const { return gone_ || is_broken_; }
  int open_children() const { return static_cast<int>(children_.size()); }
  std::optional<SteadyTime> deadline(std::uint64_t term) const;
  const std::vector<runner::Ended>& unacknowledged() const { return unacknowledged_; }

 private:
  struct Child {
    runner::AttemptId id;
    std::string job;
    WallTime started_at;
    std::size_t start;  // the oracle's
    std::uint64_t term;
    bool terminate, stubborn, function;
    bool outlives = false;  // a function that was to be gone: nothing ends it
    Millis grace;
    int code;
    SteadyTime begun, exits_at, kill_at = SteadyTime::max();
    std::optional<SteadyTime> deadline;  // of the attempt
    Reason reason = Reason::none;        // of being stopped
  };
  struct Deadline {
    SteadyTime at{};
    Millis grace{0};
  };

  SteadyTime now() const { return machine_.clock.now().steady; }
  void launch(std::size_t number);
  void exec(const core::Launch& launch);
  void stop(Child& child, Reason reason, SteadyTime kill_at);
  void advance(std::optional<SteadyTime> suspended_since = std::nullopt);
  void obey_deadlines(Child& child);
  const Deadline* deadline_of(const Child& child) const;
  static SteadyTime signal_at(const Deadline& term, const Child& child);
  void end(const Child& child, SteadyTime lived_until);
  void outlive(Child& child);
  void lose_functions();
  enum class Survivors { none, functions };
  void clear(Survivors survivors);
  void rearm();
  void say(core::Event event, bool of_function);
  void take_up_link();

  SimLoop& loop_;
  const SimMachine& machine_;
  SimOracle& oracle_;
  const std::string node_;
  const SimLoop::Owner owner_;
  SimLoop::Owner connection_ = 0;  // with the daemon,
  SimLoop::Owner link_ = 0;        // and the part of it that can break
  OnEvent on_event_;
  std::size_t last_wanted_ = 0;
  std::map<std::size_t, core::Launch> wanted_;                        // ordered, not started yet
  std::map<std::uint64_t, Deadline> deadlines_, function_deadlines_;  // the runner's, the daemon's
  std::vector<Child> children_;
  std::vector<runner::Ended> unacknowledged_;
  struct Watcher {
    SimLoop::Owner owner;
    OnWord on_word;
  };
  std::map<std::string, Watcher> watchers_;
  SimLoop::Timer timer_ = 0;
  bool gone_ = false, is_broken_ = false;  // it is dead; its link is
};

}  // namespace ballot
