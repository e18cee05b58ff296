// AwayInstance: JOB@NODE, where NODE does not answer: as this node's files define the job. What is in force there, and
// in which state, only that node knows, and the store as far as it stands in a register.
//
// Threads: the main one.
//
//   const auto away = find_away("backup@host-3", config, jobs.set(), ledger.get());
//   if (away) slots = next_slots(*away->definition, ...), std::cerr << silence_of(away->node);
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.hpp"
#include "config/job_set.hpp"
#include "library/history/ledger_view.hpp"
#include "schedule/definition.hpp"

namespace ballot::app {

struct AwayInstance {
  schedule::DefinitionPtr definition;
  library::MissingNode node;
};

/// None: it is no other node's instance of a job that this node has, or that node answers. `ledger`: null where none
/// can be read.
std::optional<AwayInstance> find_away(const std::string& job, const config::Config& config, const config::JobSet& set,
                                      library::LedgerView* ledger);

/// The node where it does not answer: by the ledger that has been asked, else by `ballot nodes`.
std::optional<library::MissingNode> find_silence(const std::string& node, const config::Config& config,
                                                 const library::LedgerView* ledger);

/// Nodes without a session, or whose session is not renewed, by `ballot nodes`; none also where no daemon answers.
struct SilentNode : library::MissingNode {
  std::string state = {};  // "silent", "gone"
};
std::map<std::string, SilentNode> ask_silent_nodes(const config::Config& config);

/// Another node's instance is carried out by that node alone: it must be one of the fleet. Nothing is wrong with any
/// other job, nor where no daemon answers. Error: not_found.
Result<void> require_node_of(const std::string& job, const config::Config& config);
/// What was asked of the job has come to nothing: with the node of an instance, where that is known to be away.
Error with_silence(Error error, const std::string& job, const config::Config& config);

/// Names it on stderr, unless `ledger` names it already.
void name_away(std::string_view command, const library::MissingNode& node, const library::LedgerView* ledger);

}  // namespace ballot::app
