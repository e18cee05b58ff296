// What is promised in figures, with the default times and a store that is set up as its users do: how long a hand-over
// takes, and how long a store may stand still. A line "figure|..." each, which tests/chaos/run prints.
#include <algorithm>
#include <iostream>
#include <optional>
#include <thread>

#include "chaos/daemons.hpp"
#include "chaos/scenarios.hpp"

namespace ballot::chaos {
namespace {

enum class Kind { supervised, unsupervised, stopped, lost };

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::supervised: return "killed, its supervisor resigns";
    case Kind::unsupervised: return "killed, without a supervisor";
    case Kind::stopped: return "clean stop";
    case Kind::lost: return "cut from the store, as a lost host is";
  }
  return "";
}

/// At most, on a quiet machine; docs/developers/design.md has the table.
Millis promised(const std::string& backend, Kind kind, Millis timeout, Millis grain) {
  const bool local = backend == "local";
  switch (kind) {
    case Kind::supervised: return Millis(local ? 50 : backend == "zookeeper" ? 600 : 500);
    case Kind::unsupervised: return Millis(local ? 50 : 2000);
    case Kind::stopped: return Millis(local ? 50 : 100);
    case Kind::lost: return timeout + (backend == "zookeeper" ? grain + Millis(300) : Millis(500));
  }
  return {};
}

constexpr Millis ahead{10};  // of the slot that the next leader starts first

/// From the fault to the first START of the next leader, which `leader` is then. None: who was asked to stop has
/// started that slot's run itself.
std::optional<Millis> hand_over(Daemons& daemons, Kind kind, std::string& leader) {
  daemons.catch_up();
  std::this_thread::sleep_until(std::chrono::ceil<seconds>(Instant::now().wall + Millis(100)) - ahead);
  const std::string old = leader;
  const Instant fault = Instant::now();
  if (kind == Kind::lost) daemons.cut(old, Store::Cut::silent);
  if (kind == Kind::stopped) daemons[old].send(SIGTERM);
  if (kind == Kind::supervised || kind == Kind::unsupervised) daemons[old].kill();
  if (kind == Kind::supervised) daemons.command(old, {"resign", "--session", daemons[old].folder / "run/session"});
  const Report next = daemons.start_of({.not_on = old, .after = fault}, seconds(60));
  if (kind == Kind::lost) {
    daemons.heal(old);
    daemons.await_log(old, "session open", 1, seconds(60));
  } else {
    if (kind == Kind::stopped) expect(daemons[old].wait() == 0, "it ends well");
    daemons.bring_back(old);
  }
  leader = next.node;
  if (daemons.starts_of({.node = old, .after = fault}) > 0) return std::nullopt;
  return std::chrono::ceil<Millis>(next.started.boot - fault.boot);
}

}  // namespace

void handover(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"}, .timeout = Millis(0), .store = {.as_shipped = true}});
  daemons.job("brief", daemons.brief());
  daemons.start();
  std::string leader = "n1", missed;
  std::vector<Kind> kinds{Kind::supervised, Kind::unsupervised, Kind::stopped};
  if (trial.backend.cannot(Need::own_way).empty()) kinds.push_back(Kind::lost);
  for (const Kind kind : kinds) {
    std::vector<Millis> times;
    while (times.size() < static_cast<std::size_t>(trial.tries))
      if (const auto time = hand_over(daemons, kind, leader)) times.push_back(*time);
    std::sort(times.begin(), times.end());
    // The 99th of a hundred; of fewer, each.
    const Millis median = times[times.size() / 2], longest = times.back(), p99 = times[(times.size() * 99 - 1) / 100];
    const Millis most = promised(trial.backend.name, kind, daemons.timeout, trial.store().grain());
    std::cout << "figure|" << name_of(kind) << ": median " << median.count() << " ms, p99 " << p99.count()
              << " ms, maximum " << longest.count() << " ms of " << times.size() << "; at most " << most.count()
              << " ms" << (p99 > most ? ": NOT KEPT" : "") << std::endl;
    if (p99 > most) missed += std::string(missed.empty() ? "" : "; ") + name_of(kind);
  }
  daemons.judge();
  expect(missed.empty(), "the hand-overs are as quick as promised, 99 of 100: " + missed);
}

void standstill(Trial& trial) {
  Daemons daemons(trial, {.nodes = {"n1", "n2", "n3"},
                          .timeout = Millis(0),
                          .more = "[runner]\non_stop = \"kill\"\n",
                          .store = {.as_shipped = true}});
  daemons.job("brief", daemons.brief());
  daemons.job("endless", Daemons::every_second() + daemons.oracle.command({"--for", "3600s"}));
  daemons.job("long", Daemons::every_second("group = \"slow\"\n") + daemons.oracle.command({"--for", "3s"}));
  daemons.start(2);
  for (int i = 0; i < (trial.long_form ? 20 : 1); ++i) {
    // Two of them in a row would be one of twice the time.
    if (i > 0) std::this_thread::sleep_for(daemons.timeout / 2);
    daemons.catch_up();
    std::this_thread::sleep_for(trial.between(Millis(0), Millis(999)));
    daemons.outage([](Store& store) { store.stand_still(); });
    std::this_thread::sleep_for(daemons.timeout / 2);
    const Instant over = Instant::now();
    daemons.outage_over([](Store& store) { store.go_on(); });
    const Report next = daemons.start_of({.after = over}, seconds(60));
    std::cout << "figure|stood still for " << (daemons.timeout / 2).count() << " ms: next START "
              << std::chrono::ceil<Millis>(next.started.boot - over.boot).count() << " ms later" << std::endl;
  }
  const Evidence evidence = daemons.judge();
  Daemons::expect_each_slot_once(evidence, Daemons::Terms::stood);
  expect(count_of_terms(evidence) == 2, "no leader changed: one term of each group");
  for (const NodeLedger& ledger : evidence.ledgers)
    for (const Row& row : ledger.rows)
      expect(row.reason != Reason::leadership_lost, "no run is killed: " + row.job + " " + row.group);
  expect(daemons.oracle.reports("endless").size() == 1, "one run went on all the while");
}

}  // namespace ballot::chaos
