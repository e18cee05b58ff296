// DefinitionTable: the definitions of jobs that terms of this node went by, as the open ledger has them. A term that
// goes on by the one before it, without another node's in between, adds nothing but its epoch.
//
// Thread: the writer's. Throws SqliteError.
//
//   definitions.write(row, {job_id, group_id, node_id}, ++change);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ballot/ledger.hpp"
#include "storage/database.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

/// A definition with the numbers that order it, and rows.
struct NumberedDefinition {
  DefinitionRow row;
  std::uint64_t first_epoch = 0;  // of the terms that went by it, one after the other
  std::int64_t change = 0;        // when it was written
  std::int64_t renewed = 0;       // when the last of these terms began
};

/// What read_definition takes, in its order; the names of job, group and node are numbers.
inline constexpr const char* definition_columns =
    "id, change, renewed, job_id, group_id, node_id, since, first_epoch, epoch, before, basis, digest, schedule,"
    " anchors, timezone, not_before, not_after, enabled, jitter_ms, start_deadline_ms, concurrency, retries,"
    " at_least_once, reruns";

/// Without its names, and without its keys.
NumberedDefinition read_definition(const Cursor& cursor);

class DefinitionTable {
 public:
  /// The database outlives it.
  explicit DefinitionTable(const Database& db);

  struct Ids {
    std::int64_t job = 0, group = 0, node = 0;
  };
  /// Returns its id.
  std::int64_t write(const DefinitionRow& row, Ids ids, std::int64_t change);

 private:
  std::optional<std::int64_t> renew(const DefinitionRow& row, Ids ids, std::int64_t change);

  const Database& db_;
  Statement newest_, renew_, end_, insert_, insert_keys_;
};

}  // namespace ballot::storage
