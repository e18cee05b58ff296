// Kills and stalls by the hundred, as the seed has them: nodes, hosts, ways and servers, one after the other and some
// at once. Each few of them everything is healed, and within two timeouts every group must be led.
#include <algorithm>
#include <iostream>
#include <set>
#include <thread>

#include "chaos/daemons.hpp"
#include "chaos/scenarios.hpp"

namespace ballot::chaos {
namespace {

constexpr int kills_between_rests = 25;
constexpr Millis poll_each{200};

const std::vector<std::string> three_nodes{"n1", "n2", "n3"}, three_groups{"one", "two", "three"};

enum class Harm { kill, kill_all, stop, lose_host, stand_still, cut, delay, kill_server };

std::string text_of(Harm kind) {
  switch (kind) {
    case Harm::kill: return "kill";
    case Harm::kill_all: return "kill all";
    case Harm::stop: return "stop";
    case Harm::lose_host: return "lose the host";
    case Harm::stand_still: return "let the store stand still";
    case Harm::cut: return "cut";
    case Harm::delay: return "delay";
    case Harm::kill_server: return "kill the store's leader";
  }
  return "?";
}

struct Campaign {
  explicit Campaign(Trial& of)
      : trial(of),
        many(of.backend.cannot(Need::servers).empty()),
        daemons(of, {.nodes = three_nodes, .timeout = Millis(3000), .store = {.servers = many ? 3u : 1u}}) {
    const auto command = [&](const char* takes) { return daemons.oracle.command({"--for", takes}); };
    daemons.job("brief", daemons.brief("group = \"one\"\n"));
    daemons.job("latest", Daemons::every_second("group = \"two\"\n") + command("700ms"));
    daemons.job("always", Daemons::every_second("group = \"three\"\nguarantee = \"at-least-once\"\n"
                                                "kill_grace = \"200ms\"\n") +
                              command("300ms"));
    daemons.job("finish",
                "schedule = \"*/2 * * * * *\"\ngroup = \"two\"\non_leadership_lost = \"finish\"\n"
                "lost_after = \"2s\"\n" +
                    command("1200ms"));
    daemons.start(static_cast<int>(three_groups.size()));
    kinds = {Harm::kill, Harm::kill, Harm::kill,      Harm::kill_all,
             Harm::stop, Harm::stop, Harm::lose_host, Harm::stand_still};
    if (trial.backend.cannot(Need::own_way).empty()) kinds.insert(kinds.end(), {Harm::cut, Harm::delay});
    if (many && trial.store().leader_kills() > trial.kills) kinds.push_back(Harm::kill_server);
  }

  void pause(Millis from, Millis to) { std::this_thread::sleep_for(trial.between(from, to)); }
  const std::string& any_node() { return trial.one_of(three_nodes); }

  /// What it does is over when it returns.
  void disturb(Harm kind, const std::string& node) {
    switch (kind) {
      case Harm::kill:
        daemons[node].kill();
        pause(Millis(0), Millis(800));
        return daemons[node].start();
      case Harm::kill_all:
        for (const std::string& one : three_nodes) daemons[one].kill();
        pause(Millis(0), Millis(500));
        for (const std::string& one : three_nodes) daemons[one].start();
        return;
      case Harm::stop: return daemons.freeze(node, trial.between(Millis(100), daemons.timeout + Millis(500)));
      case Harm::lose_host:
        daemons.lose_host(node);
        pause(Millis(0), Millis(1500));
        return daemons[node].start();
      case Harm::stand_still:
        daemons.outage([](Store& store) { store.stand_still(); });
        pause(Millis(100), daemons.timeout);
        return daemons.outage_over([](Store& store) { store.go_on(); });
      case Harm::cut:
        daemons.cut(node, trial.one_of(std::vector{Store::Cut::silent, Store::Cut::broken, Store::Cut::requests,
                                                   Store::Cut::answers}));
        pause(Millis(100), daemons.timeout);
        return daemons.heal(node);
      case Harm::delay:
        daemons.fault(node);
        trial.store().delay(node, trial.between(Millis(50), Millis(400)));
        pause(Millis(200), Millis(1500));
        return daemons.heal(node);
      case Harm::kill_server:
        daemons.outage([](Store& store) { store.kill(store.leader()); });
        pause(Millis(0), Millis(1000));
        return daemons.outage_over([](Store& store) { store.start(); });
    }
  }

  /// By what the daemons say of themselves.
  std::set<std::string> unled(std::string& said) {
    std::set<std::string> left(three_groups.begin(), three_groups.end());
    said.clear();
    for (const std::string& node : three_nodes) {
      const Ran status = daemons[node].ballot({"status"});
      said += "\n" + node + " (exit " + std::to_string(status.code) + (status.code == 0 ? ", HEALTHY" : "") + "):\n" +
              status.out + status.err;
      std::erase_if(left, [&](const std::string& group) {
        return status.out.find(" " + group + " (epoch ") != std::string::npos;
      });
    }
    return left;
  }

  /// Nothing is wrong any more: within two timeouts each group is led; else a node that says `healthy` is named too.
  void rest(int done) {
    const auto healed_at = Instant::now();
    const auto until = std::chrono::steady_clock::now() + 2 * daemons.timeout + busy;
    std::string said;
    for (std::set<std::string> left; !(left = unled(said)).empty(); std::this_thread::sleep_for(poll_each))
      if (std::chrono::steady_clock::now() > until) {
        std::string names;
        for (const std::string& group : left) names += " " + group;
        throw Failure("after " + std::to_string(done) + " kills, two timeouts after healing, nobody leads:" + names +
                      said);
      }
    std::cout << done << " done; all are led after " << (Instant::now().wall - healed_at.wall).count() << " ms"
              << std::endl;
  }

  Trial& trial;
  const bool many;  // servers, of which one leads
  Daemons daemons;
  std::vector<Harm> kinds;
};

}  // namespace

void kills_by_the_hundred(Trial& trial) {
  Campaign campaign(trial);
  for (int done = 0; done < trial.kills;) {
    const Harm kind = trial.one_of(campaign.kinds);
    const std::string node = campaign.any_node();
    std::cout << ++done << ": " << text_of(kind) << " " << node << std::endl;
    campaign.disturb(kind, node);
    campaign.pause(Millis(0), Millis(600));
    if (done % kills_between_rests == 0 || done == trial.kills) campaign.rest(done);
  }
  campaign.daemons.catch_up("always");  // whose leader may have to wait for what the one before has started in doubt
  const Evidence evidence = campaign.daemons.judge();
  std::cout << "figure|" << trial.kills << " kills and stalls in " << (evidence.until - evidence.from).count() / 1000
            << " s: " << evidence.reports.size() << " launches, " << count_of_terms(evidence) << " terms" << std::endl;
}

}  // namespace ballot::chaos
