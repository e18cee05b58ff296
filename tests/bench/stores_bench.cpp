// stores_bench [--pairs N] [BACKEND...]: 1,000 jobs due at one instant on each backend with its servers, beside a loop
// that claims and closes each launch through the backend's plugin (store_floor.hpp).
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/burst.hpp"
#include "bench/figures.hpp"
#include "bench/machine.hpp"
#include "bench/store_floor.hpp"
#include "chaos/stores/store.hpp"

namespace ballot::bench {
namespace {

constexpr int jobs = 1000;
constexpr std::chrono::seconds period{10};

void measure_store(const chaos::Backend& backend, int pairs, Figures& figures) {
  const auto store = backend.open({.as_shipped = true});
  Burst burst(jobs, period, store->configuration("n1", "burst", Millis(0)));
  const TempFolder folder;
  StoreFloor least(folder.path(), store->configuration("floor", "floor", Millis(0)), jobs);
  Pairs rate, late;
  const auto take_pair = [&] {
    const Launches ballot = burst.next();
    least.rest(Millis(2000));  // the daemon closes what ended
    std::filesystem::remove(burst.floor_file());
    const WallTime instant = next_multiple(std::chrono::seconds(1), wall_now() + Millis(100));
    least.burst(instant, {BALLOT_STAMP, burst.floor_file()});
    const Launches floor = launches_of(burst.floor_file(), instant, jobs);
    rate.add(floor.per_second(), ballot.per_second());
    late.add(quantile(floor.late, 0.5), quantile(ballot.late, 0.5));
  };
  for (int i = 0; i < pairs; ++i) until_undisturbed(take_pair);
  const std::string name = "burst of " + std::to_string(jobs) + " on " + backend.name + ": ";
  figures.add(rate.figure(name + "launches", "1/s", at_least_of_floor(0.75)));
  figures.add(late.figure(name + "lateness p50", "ms", std::nullopt));
}

int main(int argc, char** argv) {
  int pairs = 5;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--pairs" && i + 1 < argc)
      pairs = std::max(1, std::atoi(argv[++i]));
    else
      names.push_back(word);
  }
  Figures figures;
  for (const chaos::Backend& backend : chaos::backends())
    if (names.empty() || std::find(names.begin(), names.end(), backend.name) != names.end())
      measure_store(backend, pairs, figures);
  if (figures.size() == 0) fail("usage: stores_bench [--pairs N] [BACKEND...]");
  figures.print_table();
  return 0;
}

}  // namespace
}  // namespace ballot::bench

int main(int argc, char** argv) try { return ballot::bench::main(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "stores_bench: %s\n", error.what());
  return 1;
}
