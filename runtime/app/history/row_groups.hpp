// RowGroups: a listing of rows for people, newest first, in which the slots that one pause of a job has passed are one
// row. Other rows are shown as they are.
//
//   RowGroups groups(50);
//   ledger.history(filter, [&](const Row& row) { return groups.add(row); });   // false: the listing is full
//   // then of each job in groups.begun() what is older, until add() is false: the rest of its pause
//   for (const Row& row : groups.rows()) print(row);
//
// Pure; one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot::app {

class RowGroups {
 public:
  /// Shows at most so many rows; none: all.
  explicit RowGroups(std::optional<std::int64_t> most) : most_(most) {}

  /// A row that is older than those before. False: there is no place for it, nor for any that comes.
  bool add(const Row& row);

  /// Jobs of which a pause is shown that may have begun before the last row.
  std::vector<std::string> begun() const;

  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::optional<std::int64_t> most_;
  std::vector<Row> rows_;
  std::map<std::string, std::size_t> paused_;  // by job: the row of a pause that its next row may be of
};

}  // namespace ballot::app
