// Keyed rows: the rows of many jobs, attempts and slots, each found through an index, by statements that are prepared
// once for all of them. A transaction ends before what it has read is handed out, and has about a thousand rows.
//
// Throws SqliteError. Thread: the database's.
//
//   read_newest(db, page, {.is_of_one_job = true}, {3, 4}, {.limit = 12}, visit);
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ballot/history_rows.hpp"
#include "storage/database.hpp"
#include "storage/history_query.hpp"
#include "storage/reader.hpp"
#include "storage/row_columns.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

/// Reads a cursor with the columns `row_columns` to its end.
using ReadPage = std::function<std::vector<NumberedRow>(Cursor&&)>;

/// As Reader::newest(). `jobs`: their numbers, instead of the filter's names.
void read_newest(Database& db, const ReadPage& page, const Selection& of_one_job, const std::vector<std::int64_t>& jobs,
                 const Filter& filter, const VisitPlacedRow& visit);

/// As Reader::rows_of().
void read_rows_of(Database& db, const ReadPage& page, const Selection& of_one_job, const std::vector<RowKey>& keys,
                  std::int64_t most_of_a_key, const VisitRow& visit);

}  // namespace ballot::storage
