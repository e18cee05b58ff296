// Definitions that began, of all nodes that answer: a page of their ledgers' rows, newest first; and out of these,
// whoever is asked, which definition of a job began when. History databases are not asked: a plugin has no such query.
//
// Thread: the one that uses it; calls block as long as the ledger's answers do.
//
//   read_definition_changes(ledger, {.jobs = {"backup"}}, [](const auto& change) { ...; return true; });
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "library/history/fleet_answers.hpp"
#include "library/history/ledger_view.hpp"
#include "storage/definition_merge.hpp"

namespace ballot::library {

struct DefinitionPage {
  std::vector<storage::BegunDefinition> definitions;  // newest first, as many as the filter's limit or fewer
  bool has_more = false;
};

/// The newest of each node's page. Requires: the filter has a limit.
Result<DefinitionPage> page_of(FleetAnswers& fleet, const storage::DefinitionFilter& filter);

/// As LedgerView::definitions().
Result<std::optional<storage::DefinitionPosition>> read_definitions(FleetAnswers& fleet,
                                                                    const storage::DefinitionFilter& filter,
                                                                    const storage::VisitDefinition& visit);

using VisitDefinitionChange = std::function<bool(const storage::DefinitionChange&)>;

/// Newest first. Where the next page begins; nullopt: none is left, or `visit` has ended it.
Result<std::optional<storage::DefinitionPosition>> read_definition_changes(LedgerView& ledger,
                                                                           const storage::DefinitionFilter& filter,
                                                                           const VisitDefinitionChange& visit);

}  // namespace ballot::library
