// Scenarios whose fault is a daemon's: killed, frozen, hung, or lost with its host.
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <thread>

#include "chaos/daemons.hpp"
#include "chaos/scenarios.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::chaos {
namespace {

using testing::state_of;
using testing::wait_until;

void sleep(Millis span) { std::this_thread::sleep_for(span); }

/// Jobs of each policy; `long` is in a group of its own, as a group with an open run is not handed over at once.
void add_jobs_of_each_kind(Daemons& daemons) {
  const std::string brief = Daemons::every_second() + daemons.oracle.command({"--for", "50ms"});
  daemons.job("brief", brief + "misfire = \"all\"\n");
  daemons.job("latest", brief);
  daemons.job("none", brief + "misfire = \"skip\"\n");
  daemons.job("long", Daemons::every_second("group = \"slow\"\nkill_grace = \"300ms\"\n") +
                          daemons.oracle.command({"--for", "1500ms"}));
  // Run by hand, one after the other; and of the digits one is due each second whose last run has long been closed.
  for (int i = 0; i < 10; ++i) {
    const std::string digit = std::to_string(i);
    daemons.job("digit" + digit, "schedule = \"" + digit + "/10 * * * * *\"\n" + daemons.oracle.command());
    daemons.job("tool" + digit, daemons.oracle.command());
  }
}

/// Launched once and not lost, but for a claim that never reached its runner.
void expect_nothing_lost(const Evidence& evidence) {
  std::set<RunId> started;
  for (const Report& report : evidence.reports)
    if (report.job == "brief") started.insert(report.run);
  std::set<WallTime> never_started;
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const Row& row : ledger.rows) {
      if (row.job != "brief" || row.status != Status::lost) continue;
      expect(row.run && !started.contains(*row.run), "a run that was started is not lost");
      never_started.insert(row.slot);
    }
  std::map<WallTime, int> starts;
  for (const Report& report : evidence.reports)
    if (report.job == "brief") ++starts[report.slot];
  for (WallTime slot = evidence.from; slot <= evidence.until; slot += seconds(1))
    expect(never_started.contains(slot) || starts[slot] == 1, "each slot is launched once");
}

/// The loop's thread of a daemon is stopped, all its other threads go on; until this object goes.
class HungLoop {
 public:
  explicit HungLoop(pid_t pid) : loop_(testing::thread_of(pid, "ballot-loop")) {
    const bool hung = ::ptrace(PTRACE_SEIZE, loop_, 0, 0) == 0 && ::ptrace(PTRACE_INTERRUPT, loop_, 0, 0) == 0 &&
                      ::waitpid(loop_, nullptr, __WALL) == loop_;
    expect(hung, "this process may trace its children");
  }
  ~HungLoop() { ::ptrace(PTRACE_DETACH, loop_, 0, 0); }
  HungLoop(const HungLoop&) = delete;
  HungLoop& operator=(const HungLoop&) = delete;

 private:
  const pid_t loop_;
};

}  // namespace

void a_killed_leader(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}, .timeout = trial.on_network() ? Millis(8000) : Millis(15'000)});
  add_jobs_of_each_kind(daemons);
  daemons.start(2);
  std::string leader = "n1";
  for (int round = 0; round < (trial.long_form ? 10 : 4); ++round) {
    const bool supervised = round % 2 == 1;
    daemons.trigger(leader, "tool" + std::to_string(round));
    daemons.catch_up();
    // Mostly right before slots are due, which the next leader then has to start; else at any time.
    const Millis at = round % 4 == 3 ? trial.between(Millis(0), Millis(999)) : Millis(970);
    std::this_thread::sleep_until(std::chrono::ceil<seconds>(Instant::now().wall) + at);
    daemons[leader].kill();
    const Instant killed = Instant::now();
    if (supervised) daemons.command(leader, {"resign", "--session", daemons[leader].folder / "run/session"});
    const Report next = daemons.start_of({.not_on = leader, .after = killed});
    const Millis due = std::max(Millis(0), std::chrono::ceil<seconds>(killed.wall) - killed.wall);
    const Millis taken = std::chrono::ceil<Millis>(next.started.boot - killed.boot) - due;
    const Millis longest(!trial.on_network() ? 1000 : supervised ? 2500 : 4000);
    std::cout << "killed" << (supervised ? ", supervised" : "") << ": next START " << taken.count()
              << " ms after its slot\n";
    expect(taken <= longest, "the next one leads long before a session of " + format_duration(daemons.timeout) +
                                 " is over: after " + format_duration(taken));
    if (supervised)
      expect(wait_until([&] { return !std::filesystem::exists(daemons[leader].folder / "run/session"); }),
             "the session ends once no run of the other group goes on");
    daemons.bring_back(leader);
    leader = next.node;
  }
  daemons.start_of({.job = "long", .after = Instant::now()});  // what waits for the old deadline starts too
  expect_nothing_lost(daemons.judge());
}

namespace {

void kill_at_the_launch(Trial& trial, const std::string& job, const std::string& guarantee) {
  Daemons daemons(trial, {.timeout = Millis(3000)});
  daemons.job(job, guarantee + daemons.oracle.command());
  daemons["n1"].environment = {"BALLOT_FAILPOINTS=io.launch=kill@1"};
  daemons.start();
  sleep(trial.between(Millis(0), Millis(999)));
  daemons.fault("n1");
  daemons["n1"].ballot({"trigger", job});  // nobody is left to answer it
  expect(daemons["n1"].wait() == 128 + SIGKILL, "the daemon is killed at the launch");
  const bool again = !guarantee.empty();
  daemons.await_row("n2", job, again ? Status::succeeded : Status::lost, again ? 2 : 1);
  daemons["n1"].environment = {};
  daemons.bring_back("n1");
  daemons.judge("");
  const Reports starts = daemons.oracle.reports();
  if (again)
    expect(starts.size() == 1 && starts[0].attempt == 2 && starts[0].node == "n2", "it is started once, as attempt 2");
  else
    expect(starts.empty(), "the lost run was never started");
}

}  // namespace

void a_kill_between_claim_and_launch(Trial& trial) {
  kill_at_the_launch(trial, "once", "");
  kill_at_the_launch(trial, "again", "guarantee = \"at-least-once\"\n");
}

void a_lost_host(Trial& trial) {
  Daemons daemons(trial, {.timeout = Millis(3000)});
  daemons.job("brief", daemons.brief());
  daemons.job("once", daemons.oracle.command({"--wait"}));
  daemons.job("again", "guarantee = \"at-least-once\"\n" + daemons.oracle.command({"--wait"}));
  daemons.start();
  for (const char* job : {"once", "again"}) {
    daemons.command("n1", {"trigger", job});
    daemons.start_of({.job = job, .node = "n1"});
  }
  sleep(trial.between(Millis(0), Millis(999)));
  daemons.lose_host("n1");
  daemons.start_of({.job = "again", .node = "n2"});
  daemons.await_row("n2", "once", Status::lost);
  expect(daemons.row("n2", "once").reason == Reason::node_died, "it is lost with its node");
  daemons.oracle.end("again", 0);
  daemons.await_row("n2", "again", Status::succeeded, 2);
  daemons.judge();
  expect(daemons.oracle.reports("once").size() == 1, "the lost run is not repeated");
  const Reports again = daemons.oracle.reports("again");
  expect(again.size() == 2 && again[1].run == again[0].run && again[1].attempt == 2, "the same run's second attempt");
  expect(again[1].fence > again[0].fence, "with a higher fence");
}

void a_frozen_leader(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}});
  add_jobs_of_each_kind(daemons);
  daemons.start(2);
  const Report of_old_term = daemons.start_of({.job = "long", .node = "n1"});
  daemons.start_of({.node = "n1"});
  sleep(trial.between(Millis(0), Millis(999)));
  daemons["n1"].send(SIGSTOP);
  const Instant frozen = Instant::now();
  daemons.start_of({.not_on = "n1", .after = frozen});
  daemons.start_of({.job = "long", .not_on = "n1", .after = frozen});
  daemons.expect_dead_by_the_deadline("n1", "long", frozen);
  expect(state_of(daemons["n1"].pid()) == 'T', "it need not be killed");
  std::this_thread::sleep_until(frozen.wall + 3 * daemons.timeout);
  daemons["n1"].send(SIGCONT);
  daemons.await_log("n1", "leads no more");
  const Evidence evidence = daemons.judge();
  daemons.expect_no_start_past_the_deadline(of_old_term, frozen);
  daemons.expect_elected_within(evidence, frozen, daemons.timeout + trial.store().grain() + busy);
}

void a_stop_after_the_claim(Trial& trial) {
  const bool has_standby = trial.branch(std::vector<int>{0, 1}) == 1;
  Daemons daemons(trial, {.nodes = has_standby ? std::vector<std::string>{"n1", "n2"} : std::vector<std::string>{"n1"},
                          .timeout = Millis(3000)});
  daemons.job("mark", daemons.oracle.command());
  daemons["n1"].environment = {"BALLOT_FAILPOINTS=io.launch=stop@1"};
  daemons.start();
  testing::Running asks({BALLOT_PROGRAM, "trigger", "mark", "--config", daemons["n1"].folder / "ballot.toml"});
  expect(wait_until([&] { return state_of(daemons["n1"].pid()) == 'T'; }), "it is stopped after its claim");
  daemons.fault("n1");
  sleep(daemons.timeout + trial.between(Millis(100), Millis(1500)));
  if (has_standby) daemons.await_log("n2", "leads");
  daemons["n1"].send(SIGCONT);
  daemons.healed("n1");
  daemons.await_log("n1", "leads no more");
  daemons.await_log("n1", "session open");
  if (!has_standby) {
    daemons.await_log("n1", "epoch=");
    expect(wait_until([&] { return daemons.row("n1", "mark").reason == Reason::stale; }), "its run is missed: stale");
  }
  expect(daemons.oracle.reports().empty(), "nothing was launched");
  // While the first run is open, another is skipped: what its node says of it comes with the next renewals.
  const auto is_taken = [&] { return daemons[has_standby ? "n2" : "n1"].ballot({"trigger", "mark"}).code == 0; };
  expect(wait_until(is_taken), "another is triggered");
  daemons.start_of({.job = "mark"});
  daemons.judge("");
  expect(daemons.oracle.reports("mark").size() == 1, "only the second one was launched");
}

void a_hung_loop(Trial& trial) {
  Daemons daemons(trial, {});
  add_jobs_of_each_kind(daemons);
  daemons.start(2);
  const Report of_old_term = daemons.start_of({.job = "long", .node = "n1"});
  sleep(trial.between(Millis(0), Millis(999)));
  daemons.fault("n1");
  std::optional<HungLoop> hang(daemons["n1"].pid());
  const Instant hung = Instant::now();
  const Report next = daemons.start_of({.not_on = "n1", .after = hung});
  daemons.start_of({.job = "long", .node = "n2", .after = hung});
  expect(next.started.boot - hung.boot <= daemons.timeout + trial.store().grain() + busy, "in time: " + next.text());
  hang.reset();
  daemons.healed("n1");
  daemons.await_log("n1", "leads no more");
  const Evidence evidence = daemons.judge();
  daemons.expect_no_start_past_the_deadline(of_old_term, hung);
  daemons.expect_elected_within(evidence, hung, daemons.timeout + trial.store().grain() + busy);
}

namespace {

void run_out(Trial& trial, int signal) {
  // T / 10 is to be more than the 200 ms before the deadline at which KILL comes: else TERM has no time.
  Daemons daemons(trial, {.timeout = Millis(5000), .more = "[runner]\non_stop = \"kill\"\n"});
  daemons.job("gentle", Daemons::every_second() + daemons.oracle.command({"--wait"}));
  daemons.job("stubborn",
              Daemons::every_second("kill_grace = \"300ms\"\n") + daemons.oracle.command({"--wait", "--ignore-term"}));
  daemons.job("brief", daemons.brief());
  daemons.start();
  for (const char* job : {"gentle", "stubborn"}) daemons.start_of({.job = job, .node = "n1"});
  sleep(trial.between(Millis(0), Millis(999)));
  if (signal == SIGKILL)
    daemons["n1"].kill();
  else
    daemons["n1"].send(signal);
  const Instant gone = Instant::now();
  const auto ended = [](const Report& r) { return r.node != "n1" || r.job == "brief" || r.gone; };
  expect(daemons.oracle.wait_until([&](const Reports& all) { return std::all_of(all.begin(), all.end(), ended); }),
         "what it left is ended");
  if (signal != SIGKILL) daemons["n1"].kill();  // what a watchdog does
  for (const char* job : {"gentle", "stubborn"}) {
    daemons.expect_dead_by_the_deadline("n1", job, gone);
    const Reports all = daemons.oracle.reports(job);
    expect(all[0].how == (all[0].job == "gentle" ? "signal 15" : ""), "TERM, and KILL where that is ignored");
    const Report next = daemons.start_of({.job = job, .node = "n2"});
    expect(next.started.boot > all[0].gone->boot, "the next leader waits: " + next.text());
  }
  daemons.judge();
}

}  // namespace

void runs_of_a_daemon_that_is_gone(Trial& trial) {
  run_out(trial, SIGSTOP);
  run_out(trial, SIGKILL);
}

}  // namespace ballot::chaos
