// What N nodes, G groups and J jobs cost at the store, counted in the simulation, one line a fleet. It judges nothing:
// `simulation --gtest_filter='Scale.*'` does.
//
//   scale_sim                      the fleets of docs/scale.md
//   scale_sim 100 1000 10000       one of so many nodes, groups and jobs
//   scale_sim --kinds 100 1000 10000   and what of it is which request
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/sim/sim_fleet.hpp"

namespace ballot {
namespace {

constexpr Millis rest{60'000};

struct Line {
  const char* what;
  SimFleet::Traffic traffic;
};

std::vector<Line> lines_of(const SimFleet::Size& size) {
  std::vector<Line> lines;
  SimFleet at_once(size);
  lines.push_back({"join at once, until all are led", at_once.count([&] {
                     at_once.join(Millis(0));
                     at_once.await_all_led();
                   })});
  lines.push_back({"until each leads its share", at_once.count([&] { at_once.settle(); })});
  lines.push_back({"one minute at rest", at_once.count([&] { at_once.run_for(rest); })});
  const auto lose = [&](int nodes) {
    return at_once.count([&] {
      at_once.kill(nodes);
      at_once.await_all_led();
    });
  };
  lines.push_back({"one node lost, until all are led", lose(1)});
  at_once.settle();
  if (size.nodes >= 20) lines.push_back({"a tenth lost, until all are led", lose(size.nodes / 10)});
  SimFleet one_by_one(size);
  lines.push_back({"join 1 s apart, and a minute", one_by_one.count([&] {
                     one_by_one.join(Millis(1000));
                     one_by_one.run_for(rest);
                   })});
  return lines;
}

void print(const SimFleet::Size& size, bool kinds) {
  for (auto& [what, traffic] : lines_of(size)) {
    const SimTraffic::Count nodes = traffic.by_kind["list n/"];
    std::printf(
        "| %d | %d | %d | %s | %.2f | %llu | %llu | %llu | %.2f | %llu | %llu |\n", size.nodes, size.groups, size.jobs,
        what, static_cast<double>(traffic.took.count()) / 1000, static_cast<unsigned long long>(traffic.all.requests),
        static_cast<unsigned long long>(traffic.all.events), static_cast<unsigned long long>(traffic.all.entries),
        static_cast<double>(traffic.all.sent + traffic.all.received) / 1e6,
        static_cast<unsigned long long>(nodes.requests), static_cast<unsigned long long>(nodes.entries));
    if (kinds)
      for (const auto& [kind, count] : traffic.by_kind)
        if (count.requests + count.events > 0)
          std::printf("    %-12s requests %llu, events %llu, entries %llu, sent %llu, received %llu\n", kind.c_str(),
                      static_cast<unsigned long long>(count.requests), static_cast<unsigned long long>(count.events),
                      static_cast<unsigned long long>(count.entries), static_cast<unsigned long long>(count.sent),
                      static_cast<unsigned long long>(count.received));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace ballot

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool kinds = !words.empty() && words[0] == "--kinds";
  std::vector<int> numbers;
  for (std::size_t i = kinds; i < words.size(); ++i) numbers.push_back(std::atoi(words[i].c_str()));
  if (!numbers.empty() && (numbers.size() != 3 || numbers[0] < 1 || numbers[1] < 1 || numbers[2] < numbers[1])) {
    std::fprintf(stderr, "usage: scale_sim [--kinds] [NODES GROUPS JOBS], at least a job a group\n");
    return 2;
  }
  std::printf(
      "| nodes | groups | jobs | what | seconds | requests | events | entries | MB | lists of nodes' records | records "
      "in them |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  if (!numbers.empty()) return ballot::print({numbers[0], numbers[1], numbers[2]}, kinds), 0;
  for (const ballot::SimFleet::Size& size : {ballot::SimFleet::Size{3, 100, 1'000},
                                             {3, 1'000, 10'000},
                                             {3, 10'000, 100'000},
                                             {10, 1'000, 10'000},
                                             {30, 1'000, 10'000},
                                             {100, 1'000, 10'000}})
    ballot::print(size, kinds);
}
