// ballot info [GROUP]: elections as the store shows them, with no daemon needed.
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/candidates/election_notes.hpp"
#include "app/client/ledger_access.hpp"
#include "app/client/observer.hpp"
#include "app/commands/commands.hpp"
#include "app/options/options.hpp"
#include "app/print/document.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "core/node/peers.hpp"
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

/// What is the same for all elections of a store.
struct StoreFacts {
  std::string backend;
  Capability capability = Capability::fenced;
  StoreState state;
  std::vector<Register> nodes;  // their records
};

Document document_of(const StoreState& state) {
  Document::Items facts;
  for (const auto& [name, value] : state.facts) {
    Document fact = Document::object();
    fact.add("name", name).add("value", value);
    facts.push_back(std::move(fact));
  }
  return facts;
}

Document document_of(const std::vector<UnfitNode>& nodes) {
  Document::Items items;
  for (const UnfitNode& unfit : nodes) {
    Document item = Document::object();
    item.add("node", unfit.node).add("reason", unfit.why).add("since", format_millis(unfit.since));
    items.push_back(std::move(item));
  }
  return items;
}

Document document_of(const Election& election, const StoreFacts& store, WallTime now) {
  Document document = Document::object();
  document.add("group", election.group).add("backend", store.backend);
  document.add("capability", std::string(to_string(store.capability)));
  document.add("epoch", static_cast<std::int64_t>(election.epoch));
  Document::Items candidates;
  for (std::size_t i = 0; i < election.candidates.size(); ++i)
    candidates.push_back(document_of(election.candidates[i], candidate_notes(election, i, now)));
  const Candidate* leader = leader_of(election);
  document.add("leader", leader ? document_of(*leader, leader_notes(*leader, now)) : Document());
  document.add("allCandidates", std::move(candidates));
  document.add("unfit", document_of(unfit_nodes(election.group, store.nodes)));
  document.add("store", document_of(store.state)).add("warnings", document_of(store.state.warnings));
  return document;
}

/// Groups that nobody has led yet, as whoever would may not.
void add_unfit(const std::string& group, const std::vector<Register>& nodes, std::vector<Election>& elections) {
  for (const std::string& name : unfit_groups(nodes)) {
    const bool is_known = std::any_of(elections.begin(), elections.end(),
                                      [&](const Election& election) { return election.group == name; });
    if (!is_known && (group.empty() || group == name)) elections.push_back({name, 0, {}});
  }
}

Exit run(const InfoOptions& options) {
  const auto config = load_backend_config(options.config);
  if (!config) return Exit::configuration;
  const auto observer = Observer::open(*config);
  if (!observer) return fail_to_open("info", observer.error());
  auto elections = (*observer)->observe(options.group);
  if (!elections) return fail("info", elections.error());
  auto nodes = (*observer)->list(std::string(core::node_prefix));
  if (!nodes) return fail("info", nodes.error());
  const StoreFacts store{config->coordination.backend, (*observer)->capability(), (*observer)->store(),
                         *std::move(nodes)};
  const WallTime now = io::read_clocks().wall;
  add_unfit(options.group, store.nodes, *elections);
  Document::Items all;
  for (const Election& election : *elections) all.push_back(document_of(election, store, now));
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
  add_value(command, "--format FORMAT", "yaml or json", [to = options.get()](const std::string& text) {
    to->json = text == "json";
    return text == "json" || text == "yaml" ? std::string() : unknown_word(text, {"yaml", "json"}).what;
  });
  add_string(command, "GROUP", options->group, "only this group");
  return [options] { return run(*options); };
}

}  // namespace ballot::app
