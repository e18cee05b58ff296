// Runs by the end of their ids, which is what people type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ballot/run.hpp"
#include "storage/database.hpp"

namespace ballot::storage {

/// Hexadecimal digits without dashes, in lower case; empty if there is anything else.
std::string run_digits(std::string_view text);

/// At most ten. Requires: at least two digits, as run_digits() has them. Throws SqliteError.
std::vector<RunId> runs_ending_with(Database& db, const std::string& digits);

}  // namespace ballot::storage
