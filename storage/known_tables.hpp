// KnownTables: what stores have shown this node, as the open ledger has it: of each store, and of its groups and jobs,
// the last that was recorded. A start reads them and no history.
//
// Thread: the writer's. Throws SqliteError.
//
//   known.write(row, name_id, change);
//   for (const KnownRow& row : read_known("/var/lib/ballot/history.db")) ...  // any thread
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "storage/database.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

class KnownTables {
 public:
  /// The database outlives it.
  explicit KnownTables(const Database& db);

  /// `name`: the number of the row's group or job. `change`: orders the stores by their last use.
  void write(const KnownRow& row, std::int64_t name, std::int64_t change);

 private:
  std::int64_t number_of(const RunId& store);

  Statement find_store_, insert_store_, update_store_, upsert_group_, upsert_job_;
  RunId last_store_{};  // and its number
  std::int64_t last_number_ = 0;
};

/// The rows of all stores, in the order in which the stores were last used. None where the file cannot be read, or was
/// last opened by a ballot that keeps no such rows.
std::vector<KnownRow> read_known(const std::string& path);

}  // namespace ballot::storage
