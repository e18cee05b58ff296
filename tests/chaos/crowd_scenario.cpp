// Ten thousand groups on three nodes: how long it takes until all of them are led, led again once the leader of most is
// killed, and once all nodes were stopped and started. It prints; only what must be true on any machine fails.
#include <algorithm>
#include <iostream>
#include <map>
#include <thread>
#include <utility>

#include "base/wall_text.hpp"
#include "chaos/daemons.hpp"
#include "chaos/scenarios.hpp"
#include "support/process/process_facts.hpp"
#include "support/process/socket_traffic.hpp"

namespace ballot::chaos {
namespace {

using testing::wait_until;

constexpr int groups = 10'000, groups_of_a_file = 1'000;
constexpr std::chrono::duration<int, std::milli> look_each{100};
constexpr seconds longest{300}, fit_delay{30}, scan_pause{10};  // of nodes that may be handed groups

/// So many jobs in each of the groups from the first on.
std::string jobs_from(int first, int group_jobs) {
  std::string text;
  for (int i = first; i < first + groups_of_a_file; ++i)
    for (int job = 0; job < group_jobs; ++job)
      text += "[job.j" + std::to_string(i) + "-" + std::to_string(job) + "]\nschedule = \"@hourly\"\ngroup = \"g" +
              std::to_string(i) + "\"\ncommand = [\"/bin/true\"]\n";
  return text;
}

/// When a daemon began to lead each group that it leads, by its log.
struct Leads {
  explicit Leads(BallotDaemon& one) : daemon(one) {}

  void read_log() {
    daemon.read_log();
    const std::string& log = daemon.log;
    for (std::size_t end = log.find('\n', read); end != std::string::npos; end = log.find('\n', read)) {
      const std::string line = log.substr(std::exchange(read, end + 1), end - read);
      sessions += line.find("session open") != std::string::npos;
      const std::size_t group = line.find("group=");
      if (group == std::string::npos) continue;
      const std::string name = line.substr(group, line.find(' ', group) - group);
      if (line.find(" leads no more ") != std::string::npos) since.erase(name);
      if (line.find("INFO  leads ") == std::string::npos) continue;
      since[name] = parse_wall(line.substr(0, line.find(' '))).value();
      last = std::max(last, since[name]);
      fresh.emplace_back(name, since[name]);
    }
  }

  std::vector<std::pair<std::string, WallTime>> take_fresh() {
    read_log();
    return std::exchange(fresh, {});
  }

  BallotDaemon& daemon;
  std::size_t read = 0;
  std::map<std::string, WallTime> since;
  std::vector<std::pair<std::string, WallTime>> fresh;  // begun since it was asked last
  WallTime last{};                                      // that a term began
  int sessions = 0;
};

/// Until each of so many groups is led by one of those that run since `from`.
void await_all_led(std::vector<Leads>& nodes, const std::string& what, std::size_t wanted, WallTime from) {
  std::map<std::string, WallTime> led;
  const bool all = wait_until(
      [&] {
        ::poll(nullptr, 0, look_each.count());  // the servers and the nodes need the processors
        for (Leads& node : nodes)
          for (const auto& [group, at] : node.take_fresh())
            if (node.daemon.pid() > 0 && at >= from) led.emplace(group, at);
        return led.size() >= wanted;
      },
      longest);
  expect(all, what + ": all are led, not " + std::to_string(led.size()) + " of " + std::to_string(wanted));
  WallTime first = WallTime::max(), last = WallTime::min();
  for (const auto& [group, at] : led) first = std::min(first, at), last = std::max(last, at);
  std::cout << "figure|" << what << ": the first after " << (first - from).count() << " ms, all " << led.size()
            << " after " << (last - from).count() << " ms" << std::endl;
}

/// Until nobody has much to do: who waits has then read what it needs to lead.
void await_calm(const std::vector<Leads>& nodes) {
  Millis before{0};
  const auto is_calm = [&] {
    std::this_thread::sleep_for(seconds(2));
    Millis all{0};
    for (const Leads& node : nodes) all += testing::processor_time_of(node.daemon.pid());
    return all - std::exchange(before, all) < Millis(200);
  };
  expect(wait_until(is_calm, longest), "the nodes come to rest");
}

/// What each node takes while nothing is due.
void print_rest(const std::vector<Leads>& nodes) {
  constexpr seconds span{20};
  const auto a_second = [span](std::uint64_t count) { return count / static_cast<std::uint64_t>(span.count()); };
  std::vector<Millis> before;
  std::vector<testing::SocketTraffic> said;
  for (const Leads& node : nodes) {
    before.push_back(testing::processor_time_of(node.daemon.pid()));
    said.push_back(testing::socket_traffic_of(node.daemon.pid()));
  }
  std::this_thread::sleep_for(span);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Millis took = testing::processor_time_of(nodes[i].daemon.pid()) - before[i];
    const auto traffic = testing::socket_traffic_of(nodes[i].daemon.pid()) - said[i];
    std::cout << "figure|at rest: " << nodes[i].daemon.node() << " leads " << nodes[i].since.size() << " groups, "
              << took.count() / span.count() << " ms of a processor a second in its loop, "
              << testing::peak_kib_of(nodes[i].daemon.pid()) / 1024 << " MiB at most, sends "
              << a_second(traffic.messages_out) << " messages of " << a_second(traffic.bytes_out)
              << " bytes a second, receives " << a_second(traffic.messages_in) << " of " << a_second(traffic.bytes_in)
              << std::endl;
  }
}

/// A few are of a busy machine; thousands are of a store that is asked again while it still works on what it was asked.
void print_unanswered(const std::vector<Leads>& nodes) {
  const std::string unanswered = "the backend has not answered";
  int times = 0;
  for (const Leads& node : nodes)
    for (std::size_t at = 0; (at = node.daemon.log.find(unanswered, at)) != std::string::npos; ++at) ++times;
  std::cout << "figure|all of it: " << times << " times a store had not answered for T" << std::endl;
}

void stop(const std::vector<Leads>& nodes) {
  for (const Leads& node : nodes)
    if (node.daemon.pid() > 0) expect(node.daemon.stop() == 0, node.daemon.node() + " ends well");
}

/// Until each leads its share: nobody hands anything over any more.
void await_spread(std::vector<Leads>& nodes) {
  const auto moves_no_more = [&] {
    std::this_thread::sleep_for(seconds(1));
    WallTime last{};
    for (Leads& node : nodes) node.read_log(), last = std::max(last, node.last);
    return Instant::now().wall - last > scan_pause + fit_delay;
  };
  expect(wait_until(moves_no_more, longest), "the groups come to rest");
}

}  // namespace

void ten_thousand_groups(Trial& trial) {
  const std::size_t servers = trial.backend.cannot(Need::servers).empty() ? 3 : 1;
  Daemons daemons(
      trial, {.nodes = {"n1", "n2", "n3"}, .timeout = Millis(0), .store = {.servers = servers, .as_shipped = true}});
  std::vector<Leads> nodes;
  for (const char* name : {"n1", "n2", "n3"}) {
    for (int first = 0; first < groups; first += groups_of_a_file)
      daemons[name].file("jobs-" + std::to_string(first), jobs_from(first, trial.group_jobs));
    nodes.emplace_back(daemons[name]);
  }
  WallTime from = Instant::now().wall;
  for (Leads& node : nodes) node.daemon.start();
  await_all_led(nodes, "ten thousand groups, first start", groups, from);
  for (const Leads& node : nodes) expect(node.sessions == 1, node.daemon.node() + " has not lost its session");
  await_calm(nodes);
  await_spread(nodes);
  print_rest(nodes);
  Leads& leader = *std::max_element(nodes.begin(), nodes.end(),
                                    [](const Leads& a, const Leads& b) { return a.since.size() < b.since.size(); });
  from = Instant::now().wall;
  leader.daemon.kill();
  await_all_led(nodes, "their leader killed, without a supervisor", leader.since.size(), from);
  for (Leads& node : nodes)
    if (&node != &leader) expect(node.sessions == 1, node.daemon.node() + " has not lost its session");
  stop(nodes);
  from = Instant::now().wall;
  for (Leads& node : nodes) node.daemon.start();
  await_all_led(nodes, "started again", groups, from);
  print_unanswered(nodes);
  stop(nodes);
}

}  // namespace ballot::chaos
