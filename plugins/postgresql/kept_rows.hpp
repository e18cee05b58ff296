// How rows are selected and read: what a statement with rows as `r` takes of them, and the rows that it is answered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "answer.hpp"
#include "ballot/history_rows.hpp"

namespace ballot::postgresql {

/// Names and words are joined: "SELECT " + row_columns() + " FROM (...) AS r" + row_joins.
std::string row_columns();
inline constexpr const char* row_joins =
    " JOIN ledger AS l ON l.id = r.ledger LEFT JOIN name AS job ON job.id = r.job"
    " LEFT JOIN name AS grp ON grp.id = r.grp LEFT JOIN name AS node ON node.id = r.node";

KeptRow read_row(const Answer& answer, int row);
/// The number that a row's ledger has in the tables.
std::int64_t ledger_of(const Answer& answer, int row);
std::vector<KeptRow> read_rows(const Answer& answer);

/// An enumerator that the tables have as a number; a number that this version does not know is the last one.
template <class Enum>
Enum read_enum(std::int64_t number, Enum last) {
  return number >= 0 && number <= static_cast<std::int64_t>(last) ? static_cast<Enum>(number) : last;
}

}  // namespace ballot::postgresql
