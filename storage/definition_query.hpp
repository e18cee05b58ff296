// Definition query: the definitions of jobs that began in a ledger, newest first, a page at a time. A ledger has a row
// of each term that went by a definition: the definition began with those rows whose job had another one before, or
// none.
//
// Which of several ledgers' rows are of the same beginning definition_merge.hpp says. Throws SqliteError. Thread: the
// database's.
//
//   read_definitions(db, {.jobs = {"nightly-backup"}}, [](const BegunDefinition& one) { ...; return true; });
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "storage/database.hpp"
#include "storage/definition_table.hpp"

namespace ballot::storage {

/// Where a page of definitions ended; it means the same to every ledger.
struct DefinitionPosition {
  WallTime from{};
  std::string job, node;
  std::int64_t written = 0;  // the change of the node's ledger
  auto operator<=>(const DefinitionPosition&) const = default;
};

/// All rows with the same key say the same of a job, as far as their writer knew it.
struct DefinitionKey {
  std::string job, digest;
  auto operator<=>(const DefinitionKey&) const = default;
};

/// Which definitions are wanted. Empty lists and absent values mean any.
struct DefinitionFilter {
  std::vector<std::string> jobs = {}, groups = {};
  std::vector<std::string> nodes = {};             // that went by them
  std::optional<WallTime> since = {}, until = {};  // inclusive; exclusive
  std::vector<DefinitionKey> of = {};              // not empty: all rows of these, also those that went on by them
  std::optional<DefinitionPosition> after = {};
  std::optional<std::int64_t> limit = 50;  // none: all
};

/// A row of a ledger, and what the job had there before.
struct BegunDefinition {
  DefinitionRow row;
  std::int64_t written = 0;
  std::optional<std::string> before = {};    // the digest; "": no file defined the job; none: the ledger has no row
  std::optional<WallTime> before_from = {};  // since when, as far as the ledger knows
};

inline DefinitionPosition position_of(const BegunDefinition& one) {
  return {one.row.from, one.row.job, one.row.node, one.written};
}

/// Called for each; false: no more.
using VisitDefinition = std::function<bool(const BegunDefinition&)>;

/// Where the next page begins, or nullopt when no row is left. No statement is open while `visit` is called.
std::optional<DefinitionPosition> read_definitions(Database& db, DefinitionFilter filter, const VisitDefinition& visit);

}  // namespace ballot::storage
