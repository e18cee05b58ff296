// ballot info [GROUP]: elections as the store shows them, with no daemon needed.
#include <iostream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/document.hpp"
#include "app/election_notes.hpp"
#include "app/ledger_access.hpp"
#include "app/observer.hpp"
#include "app/options.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

struct InfoOptions {
  ConfigOptions config;
  std::string group;
  bool json = false;
};

Document document_of(const std::vector<std::string>& notes) {
  Document::Items items;
  for (const std::string& note : notes) items.emplace_back(note);
  return items;
}

Document document_of(const Candidate& candidate, const std::vector<std::string>& notes) {
  Document node = Document::object();
  node.add("node", candidate.node).add("id", candidate.id).add("host", candidate.host);
  node.add("pid", std::int64_t{candidate.pid});
  node.add("version", candidate.version);
  node.add("proposalTime", candidate.readable ? Document(format_millis(candidate.since)) : Document());
  node.add("proposalNode", candidate.id);
  node.add("sessionTimeout", format_duration(candidate.timeout));
  node.add("lastSeenTime", candidate.last_seen ? Document(format_millis(*candidate.last_seen)) : Document());
  node.add("notes", document_of(notes));
  return node;
}

Document document_of(const Election& election, const std::string& backend, WallTime now) {
  Document document = Document::object();
  document.add("group", election.group).add("backend", backend);
  document.add("epoch", static_cast<std::int64_t>(election.epoch));
  Document::Items candidates;
  for (std::size_t i = 0; i < election.candidates.size(); ++i)
    candidates.push_back(document_of(election.candidates[i], candidate_notes(election, i, now)));
  const Candidate* leader = leader_of(election);
  document.add("leader", leader ? document_of(*leader, leader_notes(*leader, now)) : Document());
  document.add("allCandidates", std::move(candidates));
  return document;
}

Exit run(const InfoOptions& options) {
  const auto config = load_backend_config(options.config);
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

Run setup_info(CLI::App& command, const Words& words) {
  auto options = std::make_shared<InfoOptions>();
  add_config_options(command, options->config);
  add_coordination_options(command, options->config, words);
  add_value(command, "--format", "yaml or json", [to = options.get()](const std::string& text) {
    to->json = text == "json";
    return text == "json" || text == "yaml" ? std::string() : unknown_word(text, {"yaml", "json"}).what;
  });
  add_string(command, "GROUP", options->group, "only this group");
  return [options] { return run(*options); };
}

}  // namespace ballot::app
