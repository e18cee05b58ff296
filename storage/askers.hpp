// Askers: who triggered, killed or forgot the runs of rows, by the requests that a ledger keeps. Throws SqliteError.
//
//   Askers askers(db);        askers.name(row);     // row.triggered_by, row.ended_by
#pragma once

#include <optional>
#include <string_view>

#include "ballot/ledger.hpp"
#include "storage/row_columns.hpp"
#include "storage/schema.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

class Askers {
 public:
  /// The database outlives it. A ledger that an older ballot writes has no requests.
  explicit Askers(Database& db) {
    if (keeps_requests(db)) find_.emplace(db, sql);
  }

  void name(Row& row) {
    const bool by_hand = row.trigger == Trigger::manual;
    const std::string_view end = row.reason == Reason::operator_   ? "kill"
                                 : row.reason == Reason::forgotten ? "forget"
                                                                   : "";
    if (!find_ || !row.run || !(by_hand || !end.empty())) return;
    for (Cursor found = find_->start(id_blob(*row.run)); found.step();) {
      if (found.text(0) == "trigger" && by_hand) row.triggered_by = found.text(1);
      if (found.text(0) == end) row.ended_by = found.text(1);
    }
  }

 private:
  static constexpr const char* sql =
      "SELECT kind, by FROM request WHERE id = ?1 UNION ALL SELECT kind, by FROM request WHERE run_id = ?1";

  std::optional<Statement> find_;
};

}  // namespace ballot::storage
