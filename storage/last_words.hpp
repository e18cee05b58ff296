// The status and the reason of each job's newest row, for many jobs at once: a few steps in an index for each, and one
// statement for all.
#pragma once

#include <string>
#include <vector>

#include "storage/database.hpp"
#include "storage/reader.hpp"
#include "storage/row_columns.hpp"

namespace ballot::storage {

/// In the order of the names. Throws SqliteError.
LastWords read_last_words(Database& db, const RowTexts& texts, const std::vector<std::string>& jobs);

}  // namespace ballot::storage
