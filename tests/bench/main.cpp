// ballot_bench [--short] [--json] [--pairs N] [BENCH...]: prints the figures of docs/developers/performance.md.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "bench/benches.hpp"
#include "bench/machine.hpp"

namespace ballot::bench {
namespace {

struct Bench {
  const char* name;
  void (*measure)(const Scale&, Figures&);
  bool by_name_only = false;
};

constexpr Bench benches[] = {
    {"burst", measure_burst},   {"lateness", measure_lateness},   {"load", measure_load},
    {"memory", measure_memory}, {"flatness", measure_flatness},   {"idle", measure_idle},
    {"next", measure_next},     {"ledger", measure_ledger},       {"answers", measure_answers},
    {"api", measure_api},       {"sustained", measure_sustained}, {"peers", measure_peers, true}};

int usage() {
  std::fprintf(stderr, "usage: ballot_bench [--short] [--json] [--pairs N] [BENCH...]\nbenches:");
  for (const Bench& bench : benches) std::fprintf(stderr, " %s", bench.name);
  std::fprintf(stderr, "\n");
  return 2;
}

struct Arguments {
  Scale scale;
  bool json = false;
  std::vector<std::string> names;
};

bool read(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--short")
      arguments.scale = {.small = true, .pairs = 2};
    else if (word == "--json")
      arguments.json = true;
    else if (word == "--pairs" && i + 1 < argc && std::atoi(argv[i + 1]) > 0)
      arguments.scale.pairs = std::atoi(argv[++i]);
    else if (word[0] != '-')
      arguments.names.push_back(word);
    else
      return false;
  }
  return true;
}

bool is_wanted(const Bench& bench, const std::vector<std::string>& names) {
  bool wanted = names.empty() && !bench.by_name_only;
  for (const std::string& name : names) wanted |= name == bench.name;
  return wanted;
}

int main(int argc, char** argv) {
  Arguments arguments;
  if (!read(argc, argv, arguments)) return usage();
#ifndef NDEBUG
  std::fprintf(stderr,
               "ballot_bench: this is no release build (cmake --preset release), so its figures mean nothing\n");
#endif
  Figures figures;
  bool known = false;
  for (const Bench& bench : benches) {
    if (!is_wanted(bench, arguments.names)) continue;
    std::fprintf(stderr, "%s\n", bench.name);
    known = true;
    const std::size_t before = figures.size();
    try {
      bench.measure(arguments.scale, figures);
      if (figures.size() == before) fail(std::string(bench.name) + " has no figure");
    } catch (const Disturbed& disturbed) {
      std::fprintf(stderr, "  no figure: %s, each time that it was taken\n", disturbed.what());
    }
  }
  if (!known) return usage();
  arguments.json ? figures.print_json() : figures.print_table();
  return 0;
}

}  // namespace
}  // namespace ballot::bench

int main(int argc, char** argv) try { return ballot::bench::main(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "ballot_bench: %s\n", error.what());
  return 1;
}
