// Scenarios of what people do to a fleet, of its size, and of everything at once.
#include <algorithm>
#include <iostream>
#include <set>
#include <thread>

#include "base/wall_text.hpp"
#include "chaos/daemons.hpp"
#include "chaos/scenarios.hpp"
#include "support/process/process_facts.hpp"

namespace ballot::chaos {
namespace {

using testing::wait_until;

/// A clean stop of n1, which leads two groups: `idle` has nothing running; `busy` has a run each of `patient`, which
/// waits until it is asked to end, and of `stubborn`, which also ignores TERM.
struct CleanStop {
  CleanStop(Trial& trial, const std::string& on_stop)
      : daemons(trial, {.timeout = Millis(4000), .more = "[runner]\non_stop = \"" + on_stop + "\"\n"}) {
    const std::string busy_group = "group = \"busy\"\nkill_grace = \"500ms\"\n";
    daemons.job("brief", daemons.brief("group = \"idle\"\n"));
    daemons.job("patient", busy_group + daemons.oracle.command({"--wait"}));
    daemons.job("stubborn", busy_group + daemons.oracle.command({"--wait", "--ignore-term"}));
    daemons.start(2);
    for (const char* job : {"patient", "stubborn"}) {
      daemons.trigger("n1", job);
      daemons.start_of({.job = job, .node = "n1"});
    }
    daemons.start_of({.node = "n1"});
    std::this_thread::sleep_for(trial.between(Millis(0), Millis(999)));
    asked = Instant::now();
    daemons["n1"].send(SIGTERM);
  }

  Report report(const std::string& job) const { return daemons.oracle.reports(job).at(0); }

  /// All is well, and the run of each of the two jobs has this one row.
  void judge(const std::map<std::string, std::pair<Status, Reason>>& wanted) {
    const Evidence evidence = daemons.judge();
    for (const auto& [job, expected] : wanted) {
      expect(daemons.oracle.reports(job).size() == 1, job + " was started once");
      std::vector<Row> rows;
      for (const NodeLedger& ledger : evidence.ledgers)
        std::copy_if(ledger.rows.begin(), ledger.rows.end(), std::back_inserter(rows),
                     [&](const Row& row) { return row.job == job; });
      expect(rows.size() == 1 && rows[0].status == expected.first && rows[0].reason == expected.second,
             job + " is recorded once, " + std::string(to_string(expected.first)));
    }
  }

  Daemons daemons;
  Instant asked;
};

constexpr Millis coarse{20};  // the core counts in whole milliseconds, from when it received the signal

void stop_and_wait(Trial& trial) {
  CleanStop stop(trial, "wait 30s");
  const Report next = stop.daemons.start_of({.node = "n2", .after = stop.asked});
  const Millis due = std::max(Millis(0), std::chrono::ceil<seconds>(stop.asked.wall) - stop.asked.wall);
  const Millis taken = std::chrono::ceil<Millis>(next.started.boot - stop.asked.boot) - due;
  std::cout << "asked to stop: next START of the idle group " << taken.count() << " ms after its slot\n";
  expect(taken <= busy, "the idle group is handed over at once");
  expect(!stop.report("patient").over() && !stop.report("stubborn").over(), "while runs of the other go on");
  stop.daemons.oracle.end("patient", 0);
  stop.daemons.oracle.end("stubborn", 3);
  expect(stop.daemons["n1"].wait() == 0, "it ends well");
  stop.daemons.await_log("n2", "group=busy");
  stop.judge({{"patient", {Status::succeeded, Reason::none}}, {"stubborn", {Status::failed, Reason::exit_code}}});
}

/// After `wait`, which is 0 where all runs are killed at once.
void stop_and_kill(Trial& trial, const std::string& on_stop, Millis wait) {
  CleanStop stop(trial, on_stop);
  expect(stop.daemons["n1"].wait() == 0, "it ends well");
  const Report patient = stop.report("patient"), stubborn = stop.report("stubborn");
  expect(patient.how == "signal 15", "TERM ends what heeds it");
  expect(patient.ended && patient.ended->boot - stop.asked.boot >= wait - coarse, "not before the wait is over");
  expect(patient.ended->boot - stop.asked.boot <= wait + busy, "but then");
  expect(stubborn.gone && stubborn.gone->boot - stop.asked.boot >= wait + Millis(500) - coarse,
         "KILL comes kill_grace after TERM");
  stop.judge({{"patient", {Status::killed, Reason::shutdown}}, {"stubborn", {Status::killed, Reason::shutdown}}});
}

/// Something happens to a node; it ends before the next.
void disturb(Trial& trial, Daemons& daemons, const std::string& node, const std::set<int>& kinds) {
  const Millis span = trial.between(Millis(300), Millis(1800));
  const int kind = trial.one_of(std::vector<int>(kinds.begin(), kinds.end()));
  std::cout << "kind " << kind << " to " << node << " for " << span.count() << " ms" << std::endl;
  switch (kind) {
    case 0:
      daemons[node].kill();
      std::this_thread::sleep_for(span);
      return daemons[node].start();
    case 1: return daemons.freeze(node, 2 * span);
    case 2:
      daemons.lose_host(node);
      std::this_thread::sleep_for(span);
      return daemons[node].start();
    case 3: daemons[node].ballot({"election", "evict", "default"}); return;
    case 4:
      daemons.outage([](Store& store) { store.stand_still(); });
      std::this_thread::sleep_for(span);
      return daemons.outage_over([](Store& store) { store.go_on(); });
    case 5:
      daemons.cut(node, trial.one_of(std::vector{Store::Cut::silent, Store::Cut::broken, Store::Cut::requests,
                                                 Store::Cut::answers}));
      std::this_thread::sleep_for(2 * span);
      return daemons.heal(node);
    case 6:
      daemons.fault(node);
      trial.store().delay(node, span / 4);
      std::this_thread::sleep_for(2 * span);
      return daemons.heal(node);
    default:
      daemons.outage([](Store& store) { store.kill(store.leader()); });
      std::this_thread::sleep_for(span);
      return daemons.outage_over([](Store& store) { store.start(); });
  }
}

}  // namespace

void a_clean_stop(Trial& trial) {
  stop_and_wait(trial);
  stop_and_kill(trial, "wait 1s", seconds(1));
  stop_and_kill(trial, "kill", Millis(0));
}

void all_at_once(Trial& trial) {
  // Three servers where one of them can be killed; that takes longer to set up.
  const bool many = trial.long_form && trial.backend.cannot(Need::servers).empty();
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}, .timeout = Millis(3000), .store = {.servers = many ? 3u : 1u}});
  daemons.job("brief", daemons.brief());
  daemons.job("latest", Daemons::every_second() + daemons.oracle.command({"--for", "700ms"}));
  daemons.job("always", Daemons::every_second("guarantee = \"at-least-once\"\nkill_grace = \"200ms\"\n") +
                            daemons.oracle.command({"--for", "300ms"}));
  daemons.job("finish", "schedule = \"*/2 * * * * *\"\non_leadership_lost = \"finish\"\nlost_after = \"2s\"\n" +
                            daemons.oracle.command({"--for", "1200ms"}));
  daemons.start();
  std::set<int> kinds{0, 1, 2, 3, 4};
  if (trial.backend.cannot(Need::own_way).empty()) kinds.insert({5, 6});
  if (many && trial.store().leader_kills() > 1) kinds.insert(7);
  const auto until = std::chrono::steady_clock::now() + (trial.long_form ? seconds(600) : seconds(20));
  while (std::chrono::steady_clock::now() < until)
    disturb(trial, daemons, "n" + std::to_string(1 + trial.random.below(3)), kinds);
  daemons.catch_up("always");  // whose leader may have to wait for what the one before has started in doubt
  const Evidence evidence = daemons.judge();
  expect(evidence.until - evidence.from >= seconds(5), "there is something to judge");
}

/// Its old group's leader dies before it has the new file; the next one has never seen the job in that group.
void a_job_that_moves(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}});
  for (const char* node : {"n1", "n2", "n3"})
    daemons[node].file("groups", "[group.one]\ncandidates = [\"n1\", \"n2\"]\n[group.two]\ncandidates = [\"n3\"]\n");
  const std::string one = daemons.brief("group = \"one\"\n"), two = daemons.brief("group = \"two\"\n");
  daemons.job("brief", one);
  daemons.start();
  const auto starts = [&](const std::string& node, std::size_t count) {
    daemons.start_of({.node = node, .after = Instant::now(), .count = count});
  };
  starts("n1", 2);
  std::this_thread::sleep_for(trial.between(Millis(0), Millis(999)));
  daemons["n3"].job("brief", two);
  starts("n1", 2);  // it is not released yet
  daemons["n2"].job("brief", two);
  starts("n1", 1);
  const Ran jobs = daemons["n3"].ballot({"jobs"});
  expect(jobs.out.find("waiting for group one") != std::string::npos, "the new group's leader waits: " + jobs.out);
  daemons["n1"].kill();
  starts("n3", 2);
  daemons["n1"].job("brief", two);
  daemons.bring_back("n1");
  starts("n3", 2);
  daemons.judge();
}

void two_daemons_of_one_name(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1"}});
  daemons.job("brief", daemons.brief());
  daemons.job("long", Daemons::every_second() + daemons.oracle.command({"--for", "1900ms"}));
  daemons.start();
  daemons.start_of({.job = "long"});
  BallotDaemon other("n1", daemons.configuration("n1"));
  other.job("brief", daemons.brief());
  std::this_thread::sleep_for(trial.between(Millis(0), Millis(999)));
  other.start();
  expect(other.wait() == 1, "the second one ends with 1: " + other.log);
  expect(other.log.find("node n1 is in use by the daemon with pid " + std::to_string(daemons["n1"].pid())) !=
             std::string::npos,
         "and names the first: " + other.log);
  daemons.start_of({.node = "n1", .after = Instant::now(), .count = 3});
  if (trial.on_network()) {
    BallotDaemon nameless("n2", trial.store().configuration("n2", "", daemons.timeout));
    nameless.start();
    expect(nameless.wait() == 78, "without a namespace it ends with 78: " + nameless.log);
    expect(nameless.log.find("namespace") != std::string::npos, "and says why: " + nameless.log);
  }
  expect(count_of_terms(daemons.judge()) == 1, "the first one is not disturbed");
}

}  // namespace ballot::chaos
