// ballot_chaos: one scenario, on one backend, with one seed; tests/chaos/run starts one process for each.
//
//   ballot_chaos --list [--long]                            SCENARIO|BACKEND|why it cannot be, or nothing
//   ballot_chaos SCENARIO --backend B --seed N [--long] [--tries N] [--kills N] [--group-jobs N]
//                                                           exit code 0, or 1 with what was not true
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

struct Asked {
  std::string scenario, backend;
  std::uint64_t seed = 1;
  int tries = 20, kills = 100, group_jobs = 1;
  bool lists = false, long_form = false;
};

int run(const Scenario& scenario, const Backend& backend, const Asked& asked) {
  TempFolder::left_by_exceptions = true;
  std::cout << scenario.name << " on " << backend.name << ", seed " << asked.seed << ": " << scenario.sentence
            << std::endl;
  try {
    Trial trial(backend, asked.seed, asked.long_form);
    trial.tries = asked.tries;
    trial.kills = asked.kills;
    trial.group_jobs = asked.group_jobs;
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
  Asked asked;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] { return i + 1 < words.size() ? words[++i] : ""; };
    if (words[i] == "--list")
      asked.lists = true;
    else if (words[i] == "--long")
      asked.long_form = true;
    else if (words[i] == "--backend")
      asked.backend = value();
    else if (words[i] == "--seed")
      asked.seed = std::stoull(value());
    else if (words[i] == "--tries")
      asked.tries = std::max(1, std::stoi(value()));
    else if (words[i] == "--kills")
      asked.kills = std::max(1, std::stoi(value()));
    else if (words[i] == "--group-jobs")
      asked.group_jobs = std::max(1, std::stoi(value()));
    else
      asked.scenario = words[i];
  }
  if (asked.lists) return list(asked.long_form);
  for (const Scenario& scenario : scenarios())
    for (const Backend& backend : backends()) {
      if (scenario.name != asked.scenario || backend.name != asked.backend) continue;
      const std::string why = why_not(scenario, backend);
      return why.empty() ? run(scenario, backend, asked) : misuse(why);
    }
  return misuse("no such scenario or backend: " + asked.scenario + " on " + asked.backend);
}

}  // namespace
}  // namespace ballot::chaos

int main(int argc, char** argv) { return ballot::chaos::main({argv + 1, argv + argc}); }
