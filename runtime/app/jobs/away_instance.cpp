#include "app/jobs/away_instance.hpp"

#include <algorithm>
#include <iostream>

#include "app/client/ask.hpp"
#include "app/client/ledger_access.hpp"
#include "app/print/escape.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "config/names.hpp"
#include "config/other_instance.hpp"
#include "io/control_client.hpp"

namespace ballot::app {
namespace {

/// One whose newest rows are not written answers all the same.
std::optional<library::MissingNode> missing_in(const library::LedgerView* ledger, std::string_view node) {
  if (!ledger) return std::nullopt;
  for (library::MissingNode& one : ledger->missing())
    if (one.node == node && one.heard_by != "ledger") return std::move(one);
  return std::nullopt;
}

}  // namespace

std::map<std::string, SilentNode> ask_silent_nodes(const config::Config& config) {
  std::map<std::string, SilentNode> silent;
  for (const io::Message& one : ask_nodes(config)) {
    const std::string name = one.text("node").value_or(""), state = one.text("state").value_or("");
    if (state != "silent" && state != "gone") continue;
    std::string why;
    for (const std::string& reason : one.texts("reasons")) why += (why.empty() ? "" : "; ") + reason;
    library::MissingNode node{name, parse_wall(one.text("last_heard").value_or("")), why.empty() ? state : why,
                              one.text("heard_by").value_or("")};
    silent[name] = {std::move(node), state};
  }
  return silent;
}

Result<void> require_node_of(const std::string& job, const config::Config& config) {
  const std::string node(node_of_instance(job));
  if (node.empty() || node == config.node) return {};
  std::vector<std::string> names;
  for (const io::Message& one : ask_nodes(config)) names.push_back(one.text("node").value_or(""));
  if (names.empty() || std::find(names.begin(), names.end(), node) != names.end()) return {};
  const std::vector<std::string_view> near(names.begin(), names.end());
  return Error{Errc::not_found, "no node " + node + " is in the fleet that this node knows, so nobody runs " + job +
                                    config::did_you_mean(node, near)};
}

Error with_silence(Error error, const std::string& job, const config::Config& config) {
  const std::string node(node_of_instance(job));
  if (node.empty() || node == config.node) return error;
  const auto silent = ask_silent_nodes(config);
  const auto found = silent.find(node);
  if (found != silent.end()) error.what += "; " + silence_of(found->second);
  return error;
}

std::optional<library::MissingNode> find_silence(const std::string& node, const config::Config& config,
                                                 const library::LedgerView* ledger) {
  if (node.empty() || node == config.node) return std::nullopt;
  if (auto missing = missing_in(ledger, node)) return missing;
  if (ledger && ledger->is_of_fleet()) return std::nullopt;  // it has answered
  auto silent = ask_silent_nodes(config);
  const auto found = silent.find(node);
  return found == silent.end() ? std::nullopt : std::optional<library::MissingNode>(std::move(found->second));
}

std::optional<AwayInstance> find_away(const std::string& job, const config::Config& config, const config::JobSet& set,
                                      library::LedgerView* ledger) {
  auto definition = config::definition_on(set, config.node, job);
  if (!definition) return std::nullopt;
  if (ledger) (void)ledger->last_statuses({job});  // now it is known who answers
  auto node = find_silence(std::string(node_of_instance(job)), config, ledger);
  if (!node) return std::nullopt;
  return AwayInstance{std::move(definition), *std::move(node)};
}

void name_away(std::string_view command, const library::MissingNode& node, const library::LedgerView* ledger) {
  if (missing_in(ledger, node.node)) return;
  std::cout.flush();
  std::cerr << "ballot " << command << ": " << escaped(silence_of(node), Escape::plain) << '\n';
}

}  // namespace ballot::app
