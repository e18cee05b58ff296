// Scenarios whose fault is on a node's way to the store.
#include <algorithm>
#include <iostream>
#include <thread>

#include "chaos/daemons.hpp"
#include "chaos/scenarios.hpp"
#include "support/process/process_facts.hpp"
#include "support/process/shifted_clock.hpp"

namespace ballot::chaos {
namespace {

using testing::wait_until;

/// `brief` of one group, `long` of another.
void add_jobs(Daemons& daemons) {
  daemons.job("brief", daemons.brief());
  daemons.job("long", Daemons::every_second("group = \"slow\"\nkill_grace = \"300ms\"\n") +
                          daemons.oracle.command({"--for", "1500ms"}));
}

enum class Others { are_served, may_not_be };

/// n1, which leads, is let down by `begin`; what must be true then, and once that has ended. `renewed_for`: so long the
/// fault lets renewals arrive whose answers it keeps back.
void step_down(Trial& trial, Daemons& daemons, const std::function<void()>& begin, const std::function<void()>& end,
               Millis renewed_for = Millis(0), Others others = Others::are_served) {
  const Report of_old_term = daemons.start_of({.job = "long", .node = "n1", .after = Instant::now()});
  std::this_thread::sleep_for(trial.between(Millis(0), Millis(999)));
  const Instant fault = Instant::now();
  begin();
  const Instant begun = Instant::now();
  if (others == Others::are_served) {
    daemons.start_of({.not_on = "n1", .after = fault}, seconds(60));
    daemons.start_of({.job = "long", .not_on = "n1", .after = fault}, seconds(60));
  } else {
    daemons.await_log("n1", "leads no more", 2);
    std::this_thread::sleep_until(begun.wall + daemons.timeout);
  }
  daemons.expect_dead_by_the_deadline("n1", "long", begun);
  end();
  daemons.await_log("n1", "session open", 1, seconds(60));
  const Evidence evidence = daemons.judge();
  daemons.expect_no_start_past_the_deadline(of_old_term, begun);
  if (others == Others::are_served)
    daemons.expect_elected_within(evidence, fault, renewed_for + daemons.timeout + trial.store().grain() + busy);
}

}  // namespace

void a_leader_that_is_cut_off(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}});
  add_jobs(daemons);
  daemons.job("always", Daemons::every_second("guarantee = \"at-least-once\"\nkill_grace = \"200ms\"\n") +
                            daemons.oracle.command({"--for", "50ms"}));
  daemons.start(2);
  const auto how =
      trial.branch(std::vector{Store::Cut::silent, Store::Cut::broken, Store::Cut::requests, Store::Cut::answers});
  std::cout << "cut " << static_cast<int>(how) << "\n";
  Instant cut;
  // Until its deadline a node goes on to renew a session of which it hears nothing.
  const Millis renewed_for = how == Store::Cut::answers ? daemons.timeout : Millis(0);
  step_down(
      trial, daemons, [&] { daemons.cut("n1", how), cut = Instant::now(); }, [&] { daemons.heal("n1"); }, renewed_for);
  for (const Report& report : daemons.oracle.reports()) {
    if (report.fence != 0) continue;
    expect(report.job == "always", "only what is at-least-once starts without a claim: " + report.text());
    expect(report.node == "n1" && report.started.boot - cut.boot <= daemons.timeout - Daemons::margin,
           "and only by a term before its deadline: " + report.text());
  }
}

void lost_answers(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1"}});
  daemons.job("brief", daemons.brief());
  Store& store = trial.store();
  daemons["n1"].environment = store.environment("n1");
  daemons.start();
  daemons.catch_up();
  for (int round = 0; round < (trial.long_form ? 12 : 4); ++round) {
    // From before a slot is due until the answer to its claim is lost.
    const WallTime due = std::chrono::ceil<seconds>(Instant::now().wall + Millis(100));
    std::this_thread::sleep_until(due - trial.between(Millis(10), Millis(100)));
    daemons.cut("n1", Store::Cut::answers);
    std::this_thread::sleep_until(due);
    const std::size_t before = store.lost("n1");
    expect(wait_until([&] { return store.lost("n1") > before; }), "an answer is lost");
    std::this_thread::sleep_for(trial.between(Millis(50), Millis(300)));
    const bool killed = round % 2 == 1;
    if (killed) daemons["n1"].kill();
    daemons.heal("n1");
    if (killed) daemons["n1"].start();
    daemons.catch_up();
  }
  const Evidence evidence = daemons.judge();
  std::map<WallTime, int> starts;
  for (const Report& report : evidence.reports) ++starts[report.slot];
  for (const auto& [slot, count] : starts) expect(count == 1, "no slot is launched twice");
  // A claim that landed and was reported to have failed: its run was not started, and has its row.
  const auto& rows = evidence.ledgers[0].rows;
  expect(trial.on_network() ||
             std::any_of(
                 rows.begin(), rows.end(),
                 [](const Row& row) { return row.run && (row.reason == Reason::stale || row.status == Status::lost); }),
         "some claims landed without their answer");
}

void a_clock_that_is_off(Trial& trial) {
  Daemons daemons(trial, {});
  const testing::ShiftedClock clock(daemons["n1"].folder / "clock", BALLOT_SHIFTED_CLOCK);
  daemons["n1"].environment = clock.environment();
  daemons.job("brief", daemons.brief());
  daemons.start();
  daemons.start_of({.node = "n1", .after = Instant::now()});
  const Millis off = trial.one_of(std::vector{Millis(11'000), Millis(-11'000)});
  std::cout << "off by " << off.count() << " ms\n";
  const Instant fault = Instant::now();
  clock.set(off);
  daemons.await_log("n1", "clock skew");
  daemons.await_log("n1", "leads no more");
  const Instant resigned = Instant::now();
  expect(resigned.boot - fault.boot <= daemons.timeout, "the next renewal shows that the clock is wrong");
  daemons.start_of({.node = "n2", .after = fault}, seconds(60));
  daemons.lose_host("n2");
  // Nobody else is there, and still it leads nothing: for twice the time in which the dead node's session ends.
  std::this_thread::sleep_for(2 * (daemons.timeout + trial.store().grain()));
  expect(daemons.starts_of({.node = "n1", .after = resigned}) == 0, "a node whose clock is wrong launches nothing");
  clock.set(Millis(0));
  daemons.start_of({.node = "n1", .after = Instant::now()}, seconds(60));
}

void a_leader_on_the_minority_side(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}, .store = {.servers = 3, .parted = true}});
  add_jobs(daemons);
  trial.store().bind("n1", Store::Place::follower);
  daemons.start(2);
  step_down(
      trial, daemons,
      [&] {
        daemons.fault();
        trial.store().part_from_others("n1");
      },
      [&] {
        trial.store().heal("n1");
        daemons.healed();
      });
}

void packets_lost_one_way(Trial& trial) {
  struct Way {
    Store::Place place;
    testing::Lost lost;
    const char* what;
  };
  std::vector<Way> ways{
      {Store::Place::leader, testing::Lost::sent, "the leader of the servers hears its followers and is not heard"},
      {Store::Place::follower, testing::Lost::received, "a follower is heard, and hears nobody"},
      {Store::Place::leader, testing::Lost::received, "the leader of the servers is heard, and hears nobody"},
      {Store::Place::follower, testing::Lost::sent, "a follower hears its leader and is not heard"}};
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}, .store = {.servers = 3, .parted = true}});
  // Servers that then serve nobody may need a minute to agree after healing: those ways are for the long form.
  if (!trial.long_form)
    std::erase_if(ways, [&](const Way& way) { return !trial.store().serves_beside(way.place, way.lost); });
  const Way way = trial.branch(ways);
  std::cout << way.what << std::endl;
  add_jobs(daemons);
  daemons.job("endless", "kill_grace = \"300ms\"\n" + daemons.oracle.command({"--wait"}));
  trial.store().bind("n1", way.place);
  daemons.start(2);
  daemons.trigger("n1", "endless");
  daemons.start_of({.job = "endless", .node = "n1"});
  Instant fault;
  const auto begin = [&] {
    daemons.fault();
    trial.store().part_one_way("n1", way.lost);
    fault = Instant::now();
  };
  const auto end = [&] {
    trial.store().heal("n1");
    daemons.healed();
  };
  const auto is_dead_then = [&] { daemons.expect_dead_by_the_deadline("n1", "endless", fault), end(); };
  step_down(trial, daemons, begin, is_dead_then, daemons.timeout,
            trial.store().serves_beside(way.place, way.lost) ? Others::are_served : Others::may_not_be);
}

void renewals_or_writes_alone(Trial& trial) {
  for (const Store::Half half : {Store::Half::renewals, Store::Half::writes}) {
    Daemons daemons(trial, {});
    add_jobs(daemons);
    daemons.start(2);
    step_down(
        trial, daemons,
        [&] {
          daemons.fault("n1");
          trial.store().lose("n1", half);
        },
        [&] { daemons.heal("n1"); });
  }
}

}  // namespace ballot::chaos
