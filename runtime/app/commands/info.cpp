// ballot info [GROUP]: elections as the store shows them, with no daemon needed.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/document.hpp"
#include "app/ledger_access.hpp"
#include "app/observer.hpp"
#include "app/options.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

struct Options {
  ConfigOptions config;
  std::string group;
  bool json = false;
};

Document notes_of(const Candidate& candidate, WallTime now) {
  Document::Items notes;
  if (candidate.leads) notes.emplace_back("is leader");
  if (candidate.last_seen) {
    const Millis ago = now - *candidate.last_seen;
    notes.emplace_back("last heartbeat " + format_duration(std::max(ago, Millis(0))) + " ago");
    if (ago > candidate.timeout) notes.emplace_back("gone: no heartbeat within its session timeout");
  }
  return notes;
}

Document document_of(const Candidate& candidate, WallTime now) {
  Document node = Document::object();
  node.add("node", candidate.node).add("id", candidate.id).add("host", candidate.host);
  node.add("pid", std::int64_t{candidate.pid});
  node.add("version", candidate.version);
  node.add("proposalTime", format_millis(candidate.since)).add("proposalNode", candidate.id);
  node.add("sessionTimeout", format_duration(candidate.timeout));
  node.add("lastSeenTime", candidate.last_seen ? Document(format_millis(*candidate.last_seen)) : Document());
  node.add("notes", notes_of(candidate, now));
  return node;
}

Document document_of(const Election& election, const std::string& backend, WallTime now) {
  Document document = Document::object();
  document.add("group", election.group).add("backend", backend);
  document.add("epoch", static_cast<std::int64_t>(election.epoch));
  Document leader;
  Document::Items candidates;
  for (const Candidate& candidate : election.candidates) {
    if (candidate.leads) leader = document_of(candidate, now);
    candidates.push_back(document_of(candidate, now));
  }
  document.add("leader", std::move(leader)).add("allCandidates", std::move(candidates));
  return document;
}

Exit run(const Options& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  const auto observer = Observer::open(*config);
  if (!observer) return fail("info", observer.error());
  const auto elections = (*observer)->observe(options.group);
  if (!elections) return fail("info", elections.error());
  const WallTime now = io::read_clocks().wall;
  Document::Items all;
  for (const Election& election : *elections) all.push_back(document_of(election, config->coordination.backend, now));
  Document document = Document::object();
  if (options.group.empty())
    document = Document(std::move(all));
  else if (!all.empty())
    document = std::move(all.front());
  std::cout << (options.json ? to_json(document) : to_yaml(document));
  return Exit::done;
}

}  // namespace

Run setup_info(CLI::App& command) {
  auto options = std::make_shared<Options>();
  add_config_options(command, options->config);
  add_coordination_options(command, options->config.flags);
  add_value(command, "--format", "yaml or json", [to = options.get()](const std::string& text) {
    to->json = text == "json";
    return text == "json" || text == "yaml" ? std::string() : unknown_word(text, {"yaml", "json"}).what;
  });
  command.add_option("GROUP", options->group, "only this group");
  return [options] { return run(*options); };
}

}  // namespace ballot::app
