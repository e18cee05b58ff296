// Scenarios whose fault is the store's: its leader killed, all of it down, gone back to what it was.
#include <algorithm>
#include <iostream>
#include <limits>
#include <thread>

#include "chaos/daemons.hpp"
#include "chaos/scenarios.hpp"

namespace ballot::chaos {
namespace {

constexpr const char* gone_back = "group halted: the store has gone back";

/// The node leads the group `default` and says that it is halted; nothing is launched until a repair, and fences go on
/// above all that were seen.
void expect_halted_until_it_is_repaired(Daemons& daemons, const std::string& node) {
  daemons.await_log(node, gone_back);
  const Instant halted = Instant::now();
  const Ran status = daemons[node].ballot({"status"});
  expect(status.code == 1, "status says degraded");
  expect(status.out.find("halted: group default: the store has gone back") != std::string::npos,
         "and why: " + status.out);
  std::this_thread::sleep_for(seconds(2));
  std::uint64_t before = 0;
  for (const Report& report : daemons.oracle.reports()) {
    before = std::max(before, report.fence);
    expect(report.started.boot <= halted.boot, "nothing is launched while halted: " + report.text());
  }
  const Ran repair = daemons[node].ballot({"repair", "--group", "default"});
  expect(repair.code == 0, "a repair works: " + repair.err);
  daemons.healed();
  daemons.catch_up();
  for (const Report& report : daemons.oracle.reports())
    if (report.started.boot > halted.boot) expect(report.fence > before, "fences go on above: " + report.text());
}

}  // namespace

void the_stores_leader_killed(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}, .store = {.servers = 3}});
  daemons.job("brief", daemons.brief());
  daemons.job("long", Daemons::every_second("group = \"slow\"\nkill_grace = \"300ms\"\n") +
                          daemons.oracle.command({"--for", "1500ms"}));
  daemons.start(2);
  const int rounds = std::min(trial.store().leader_kills(), trial.long_form ? 9 : 3);
  for (int round = 0; round < rounds; ++round) {
    std::this_thread::sleep_for(trial.between(Millis(0), Millis(999)));
    daemons.outage([](Store& store) { store.kill(store.leader()); });
    const Instant killed = Instant::now();
    const Report next = daemons.start_of({.after = killed}, seconds(60));
    std::cout << "the store's leader killed: next START after "
              << std::chrono::ceil<Millis>(next.started.boot - killed.boot).count() << " ms, on " << next.node << "\n";
    daemons.outage_over([](Store& store) { store.start(); });
    daemons.catch_up();
  }
  Daemons::expect_each_slot_once(daemons.judge(), Daemons::Terms::may_have_ended);
}

void every_server_down(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}});
  daemons.job("brief", daemons.brief());
  daemons.job("long", Daemons::every_second("group = \"slow\"\nkill_grace = \"300ms\"\n") +
                          daemons.oracle.command({"--for", "1500ms"}));
  daemons.start(2);
  daemons.start_of({.job = "long", .node = "n1"});
  const bool killed = trial.branch(std::vector<int>{0, 1}) == 1;
  std::this_thread::sleep_for(trial.between(Millis(0), Millis(999)));
  daemons.outage([&](Store& store) { killed ? store.go_down() : store.stand_still(); });
  const Instant down = Instant::now();
  const Millis lasts = trial.long_form ? Millis(60'000) : daemons.timeout + trial.between(Millis(500), Millis(2000));
  if (trial.on_network()) {
    daemons.await_log("n1", "leads no more");
    daemons.expect_dead_by_the_deadline("n1", "long", down);
  }
  std::this_thread::sleep_until(down.wall + lasts);
  const Instant up = Instant::now();
  daemons.outage_over([&](Store& store) { killed ? store.come_back() : store.go_on(); });
  daemons.catch_up();
  for (const Report& report : daemons.oracle.reports()) {
    const bool late =
        report.started.boot > down.boot + daemons.timeout - Daemons::margin && report.started.boot < up.boot;
    expect(!late, "nothing starts past the deadline: " + report.text());
  }
  Daemons::expect_each_slot_once(daemons.judge(), Daemons::Terms::may_have_ended);
}

/// Terms that take turns and overlap, so that two of them claim the same slots.
void weak_updates(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}, .timeout = Millis(3000), .store = {.servers = 3}});
  daemons.job("brief", daemons.brief());
  daemons.job("always", Daemons::every_second("guarantee = \"at-least-once\"\nkill_grace = \"200ms\"\n") +
                            daemons.oracle.command({"--for", "300ms"}));
  daemons.start();
  bool told = false;
  for (const char* node : {"n1", "n2", "n3"})
    told = told || testing::text_of(daemons[node].folder / "log").find("updates are not atomic") != std::string::npos;
  expect(told, "a node has found out that updates are not atomic, and says so");
  for (int round = 0; round < (trial.long_form ? 30 : 5); ++round) {
    const std::string leader = daemons.start_of({.after = Instant::now()}, seconds(60)).node;
    std::this_thread::sleep_until(std::chrono::ceil<seconds>(Instant::now().wall) -
                                  trial.between(Millis(0), Millis(5)));
    daemons[leader].send(SIGSTOP);
    if (round % 2 == 1) daemons[leader == "n1" ? "n2" : "n1"].ballot({"election", "evict", "default", "--force"});
    std::this_thread::sleep_for(round % 2 == 1 ? trial.between(Millis(0), Millis(1000)) : daemons.timeout + busy / 2);
    daemons[leader].send(SIGCONT);
  }
  daemons.catch_up("always");
  daemons.judge();
}

void a_restored_store(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1"}});
  daemons.job("brief", daemons.brief());
  daemons.start();
  daemons.catch_up();
  daemons.outage([](Store& store) { store.save(); });
  daemons.catch_up("brief", 2 + static_cast<int>(trial.random.below(3)));
  daemons.halted("default");
  trial.store().restore();
  expect_halted_until_it_is_repaired(daemons, "n1");
  daemons.judge();
}

/// Neither daemon has seen anything of it go back: the ledgers have.
void a_store_put_back_while_nobody_looked(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2"}});
  daemons.job("brief", daemons.brief());
  daemons.start();
  daemons.catch_up();
  daemons.outage([](Store& store) { store.save(); });
  daemons.catch_up("brief", 2 + static_cast<int>(trial.random.below(3)));
  const std::string leader = daemons.start_of({.after = Instant::now()}).node;
  std::this_thread::sleep_for(trial.between(Millis(300), Millis(800)));  // what ran last is in its node's ledger
  const bool cleanly = trial.branch(std::vector<int>{0, 1}) == 1;
  const std::string other = leader == "n1" ? "n2" : "n1";
  for (const std::string& node : {other, leader}) {
    if (cleanly)
      expect(daemons[node].stop() == 0, "a clean stop");
    else
      daemons.lose_host(node);
  }
  daemons.halted("default");
  trial.store().restore();
  daemons.bring_back(leader);
  expect_halted_until_it_is_repaired(daemons, leader);
  daemons.bring_back(other);
  daemons.judge();
}

void a_restored_store_under_a_new_leader(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}});
  daemons.job("brief", daemons.brief());
  daemons.start();
  daemons.catch_up();
  daemons.outage([](Store& store) { store.save(); });
  daemons.catch_up("brief", 4);
  std::vector<std::string> survivors;  // the restart of the store may have cost the first leader its term
  for (const char* node : {"n2", "n3"})
    if (daemons.starts_of({.node = node}) == 0) survivors.push_back(node);
  expect(!survivors.empty(), "somebody has not led yet");
  const std::string survivor = trial.branch(survivors);
  // The store's restart may have ended its session too: without one it sees nothing of what the store will have lost.
  testing::wait_until([&] { return daemons[survivor].ballot({"status"}).code == 0; }, seconds(30));
  std::this_thread::sleep_for(trial.between(Millis(300), Millis(800)));  // what ran last is in its node's ledger
  // Frozen meanwhile, so that it does not lead before the store has gone back. A stand-by of `local` reads nothing of
  // the store until it leads, and cannot know; there it takes over first.
  const bool knows = trial.on_network();
  for (const char* node : {"n2", "n3"})
    if (node != survivor || knows) daemons[node].send(SIGSTOP);
  for (const char* node : {"n1", "n2", "n3"})
    if (node != survivor) daemons[node].kill();
  if (!knows) daemons.start_of({.node = survivor});
  daemons.halted("default");
  trial.store().restore();
  if (knows) daemons[survivor].send(SIGCONT);
  expect_halted_until_it_is_repaired(daemons, survivor);
  for (const char* node : {"n1", "n2", "n3"})
    if (node != survivor) daemons.bring_back(node);
  daemons.judge();
}

}  // namespace ballot::chaos
