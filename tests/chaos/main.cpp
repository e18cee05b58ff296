// ballot_chaos: one scenario, on one backend, with one seed; tests/chaos/run starts one process for each.
//
//   ballot_chaos --list [--long]                            SCENARIO|BACKEND|why it cannot be, or nothing
//   ballot_chaos SCENARIO --backend B --seed N [--long]     exit code 0, or 1 with what was not true
//
// Everything lies below $TMPDIR, and is left there where something was not true.
#include <cstring>
#include <iostream>

#include "chaos/scenarios.hpp"
#include "support/temp_folder.hpp"

namespace ballot::chaos {
namespace {

constexpr int failed = 1, misused = 2;

std::string why_not(const Scenario& scenario, const Backend& backend) {
  for (const Need need : scenario.needs)
    if (const std::string why = backend.cannot(need); !why.empty()) return why;
  return "";
}

int list(bool long_form) {
  for (const Scenario& scenario : scenarios())
    for (const Backend& backend : backends())
      if (long_form || !scenario.only_long)
        std::cout << scenario.name << "|" << backend.name << "|" << why_not(scenario, backend) << "\n";
  return 0;
}

int run(const Scenario& scenario, const Backend& backend, std::uint64_t seed, bool long_form) {
  TempFolder::left_by_exceptions = true;
  std::cout << scenario.name << " on " << backend.name << ", seed " << seed << ": " << scenario.sentence << std::endl;
  try {
    Trial trial(backend, seed, long_form);
    scenario.run(trial);
  } catch (const std::exception& error) {
    std::cout << "FAILED: " << error.what() << std::endl;
    return failed;
  }
  return 0;
}

int misuse(const std::string& what) {
  std::cerr << "ballot_chaos: " << what << "\n";
  return misused;
}

int main(const std::vector<std::string>& words) {
  std::string scenario_name, backend_name;
  std::uint64_t seed = 1;
  bool lists = false, long_form = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--list")
      lists = true;
    else if (words[i] == "--long")
      long_form = true;
    else if (words[i] == "--backend" && i + 1 < words.size())
      backend_name = words[++i];
    else if (words[i] == "--seed" && i + 1 < words.size())
      seed = std::stoull(words[++i]);
    else
      scenario_name = words[i];
  }
  if (lists) return list(long_form);
  for (const Scenario& scenario : scenarios())
    for (const Backend& backend : backends()) {
      if (scenario.name != scenario_name || backend.name != backend_name) continue;
      const std::string why = why_not(scenario, backend);
      return why.empty() ? run(scenario, backend, seed, long_form) : misuse(why);
    }
  return misuse("no such scenario or backend: " + scenario_name + " on " + backend_name);
}

}  // namespace
}  // namespace ballot::chaos

int main(int argc, char** argv) { return ballot::chaos::main({argv + 1, argv + argc}); }
