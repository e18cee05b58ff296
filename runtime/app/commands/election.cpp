// ballot election list [REGEX] | watch GROUP | evict GROUP: elections, with no daemon needed (but to ask a leader).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <regex>

#include "app/ask.hpp"
#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"
#include "app/observer.hpp"
#include "app/options.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

constexpr Millis look_every = std::chrono::seconds(1);  // candidates that come and go tell nobody

struct Options {
  ConfigOptions config;
  Format format = Format::table;
  std::string pattern, group;
  bool force = false;
  Patience patience;
};

const Candidate* leader_of(const Election& election) {
  for (const Candidate& candidate : election.candidates)
    if (candidate.leads) return &candidate;
  return nullptr;
}

Exit list(const Options& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  std::regex wanted;
  try {
    wanted = std::regex(options.pattern);
  } catch (const std::regex_error& error) {
    return fail("election list", {Errc::invalid, std::string("REGEX is no regular expression: ") + error.what()});
  }
  const auto observer = Observer::open(*config);
  if (!observer) return fail("election list", observer.error());
  const auto elections = (*observer)->observe("");
  if (!elections) return fail("election list", elections.error());
  RecordWriter out(std::cout,
                   {{"group", "GROUP"},
                    {"leader", "LEADER"},
                    {"epoch", "EPOCH"},
                    {"candidates", "CANDIDATES"},
                    {"host", "HOST"},
                    {"pid", "PID"}},
                   {options.format, false, terminal_width()});
  for (const Election& election : *elections) {
    if (!std::regex_search(election.group, wanted)) continue;
    const Candidate* leader = leader_of(election);
    out.row({election.group, word(leader ? leader->node : ""), number(election.epoch),
             static_cast<std::int64_t>(election.candidates.size()), word(leader ? leader->host : ""),
             leader ? Cell(std::int64_t{leader->pid}) : Cell()});
  }
  out.finish();
  return Exit::done;
}

/// What a line of `watch` says; a change is a line that differs.
std::vector<Cell> line_of(const Election& election) {
  const Candidate* leader = leader_of(election);
  std::string others;
  for (const Candidate& candidate : election.candidates)
    if (!candidate.leads) others += (others.empty() ? "" : " ") + candidate.node;
  return {election.group, word(leader ? leader->node : ""), number(election.epoch), word(others)};
}

Exit watch(const Options& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  const auto observer = Observer::open(*config);
  if (!observer) return fail("election watch", observer.error());
  (*observer)->watch("g/" + options.group);
  RecordWriter out(
      std::cout,
      {{"time", "TIME"}, {"group", "GROUP"}, {"leader", "LEADER"}, {"epoch", "EPOCH"}, {"followers", "FOLLOWERS"}},
      {options.format, true, terminal_width()});
  std::vector<Cell> shown;
  do {
    const auto elections = (*observer)->observe(options.group);
    if (!elections) return fail("election watch", elections.error());
    std::vector<Cell> line = line_of(elections->empty() ? Election{options.group, 0, {}} : elections->front());
    if (line == shown) continue;
    shown = line;
    line.insert(line.begin(), Cell(io::read_clocks().wall));
    out.row(std::move(line));
    out.flush();
    if (!std::cout.flush()) return Exit::done;
  } while ((*observer)->wait_for_change(look_every));
  return fail("election watch", {Errc::unavailable, "the backend is gone"});
}

bool confirmed(const std::string& group) {
  if (::isatty(STDIN_FILENO) == 0) return true;
  std::cerr << "Evict the leader of group " << group << "? [y/N] " << std::flush;
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
}

Exit evict(const Options& options) {
  if (!options.force) {
    if (!confirmed(options.group)) return fail("election evict", {Errc::conflict, "not confirmed"});
    io::Message request;
    request.set("do", "evict").set("group", options.group);
    return ask_daemon("election evict", options.config, std::move(request), options.patience);
  }
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  const auto observer = Observer::open(*config);
  if (!observer) return fail("election evict", observer.error());
  const auto evicted = (*observer)->evict(options.group);
  return evicted ? Exit::done : fail("election evict", evicted.error());
}

CLI::App& add(CLI::App& command, const std::shared_ptr<Options>& options, const char* name, const char* summary) {
  CLI::App& sub = *command.add_subcommand(name, summary);
  add_config_options(sub, options->config);
  add_coordination_options(sub, options->config.flags);
  return sub;
}

}  // namespace

Run setup_election(CLI::App& command) {
  auto options = std::make_shared<Options>();
  command.require_subcommand(1);
  CLI::App& listed = add(command, options, "list", "every election, its leader and how many take part");
  add_format_option(listed, options->format);
  listed.add_option("REGEX", options->pattern, "only groups that it matches");
  CLI::App& watched = add(command, options, "watch", "a line now, and one for each change");
  add_format_option(watched, options->format);
  watched.add_option("GROUP", options->group, "the group")->required();
  CLI::App& evicted = add(command, options, "evict", "have the leader resign and stay out for a while");
  evicted.add_option("GROUP", options->group, "the group")->required();
  evicted.add_flag("--force", options->force, "ask nobody, neither you nor the leader: its entry is deleted");
  add_timeout_option(evicted, options->patience);
  return [options, &listed, &watched] {
    if (listed.parsed()) return list(*options);
    return watched.parsed() ? watch(*options) : evict(*options);
  };
}

}  // namespace ballot::app
