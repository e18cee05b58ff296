// Chaos: one seed of random life. Nodes on one host or on several, jobs in several groups, faults of every kind,
// several at once; people who trigger, pause, edit and stop. Then everything heals, and what has to be true then is
// looked at.
//
//   EXPECT_EQ(Chaos(seed).run(), "");
#pragma once

#include <set>
#include <string>
#include <vector>

#include "support/sim/sim_world.hpp"

namespace ballot {

class Chaos {
 public:
  explicit Chaos(std::uint64_t seed, Capability of_store = Capability::fenced);

  /// "" or what broke, with the last events before it.
  std::string run();
  /// Every event goes to standard output.
  void trace() { world_.oracle.trace = true; }
  /// What the seed drew.
  const std::string& story() const { return story_; }

 private:
  static constexpr const char* groups[] = {"one", "two", "three"};
  enum class Fault {
    crash,
    reboot,
    stop,
    freeze,
    suspend,
    runner_crash,
    clock_step,
    cut,
    answers_cut,
    partition,
    lose_requests,
    lose_answers,
    duplicates,
    never_answered,
    lose_renewals,
    slow_link,
    fading_link,
    store_full,
    slow_ledger,
    slow_runner,
    early_expiry,
    late_expiry,
    depose,
    expire,
    spoil,
    store_down,
  };
  static constexpr std::uint64_t fault_count = static_cast<std::uint64_t>(Fault::store_down) + 1;

  bool one_in(std::uint64_t n) { return world_.loop.random().below(n) == 0; }
  std::size_t below(std::size_t n) { return world_.loop.random().below(n); }
  Millis some(Millis low, Millis high);
  SimNode& any_node();
  bool catches_up_nothing(const std::string& job) const;
  bool comes_after(const std::string& job) const;
  std::string any_job();
  Job* file_of(const std::string& job);
  std::string any_group();

  void go_to_a_change_of_clocks();
  void add_job_with_calendars();
  std::string any_rule();
  void make_jobs();
  void make_nodes();
  void habits(SimNode& node);
  /// It has what the files say, but for one job of them.
  void equip(SimNode& node, const std::string& without = {});
  bool has_instance(const SimNode& node, const Job& job) const;
  /// As config makes it of a job that comes after others; none: it has an error, for they are in other groups.
  std::optional<Job> linked(Job job, const std::string& without) const;
  void make_chains();
  void add_tail();
  void limit_starts();
  void spoil(const std::string& job);
  void expect(Job& job);
  void keep_expected(SimNode& node);
  /// As nodes run them.
  std::vector<Job> jobs() const;
  std::set<std::string> groups_in_force() const;
  void disturb();
  void find_unfit();
  void break_links();
  void disturb(SimNode& node, Fault fault);
  void fade(SimNode& node);
  void people();
  void trigger(SimNode& node, std::string job);
  static std::string long_variable();
  void trigger_many(SimNode& node);
  void edit();
  void move(Job& job, const std::string& group);
  void end_a_run(SimNode& node, core::Request::Kind kind);
  void pause(SimNode& node, bool paused);
  core::PauseTerms some_terms(const SimNode& node);
  void backfill(SimNode& node);
  void end_backfills();
  Millis drawn(Millis most);
  void load_all();
  void give_time();
  void hold_up();
  void edit_behind_a_halt();
  void watch_lags(Millis span);
  void heal(SimNode& node);
  void heal_all();
  std::string settle();
  void await_ends();
  std::string leaders();
  bool ask_for(core::Request::Kind kind, const std::string& job, const std::string& group);
  void repair_spoiled();
  std::string register_of(const std::string& job) const;
  bool is_limited() const;
  bool is_throttled() const;
  Millis longest_run(const std::string& job) const;
  Millis patience(const Job& job) const;
  Millis lateness() const;
  std::string lives_on();

  bool one_host_, store_lies_, health_checks_, asks_for_backfills_;
  SimWorld world_;
  // Each draws from its own, so that the rest of a seed is the same with and without it.
  Random backfills_, chains_, fitness_, functions_, links_, pauses_, places_, triggers_, zones_, days_, expected_,
      variables_, tails_, parents_, lines_;
  std::vector<Job> files_;
  std::vector<Group> elections_;
  std::string zone_;               // of all jobs; "": UTC
  std::chrono::local_days day_{};  // that begins for the job with calendars
  std::set<std::string> spoiled_;  // jobs whose register was
  std::string story_;
  Millis fastest_{1}, slowest_{3};  // of every link
};

}  // namespace ballot
