// Pages of the ledgers that a fleet's ledger merges: how one is asked for, and the rows of an answer with their places.
//
// Pure functions.
//
//   const auto rows = placed_rows(answer, "host-2", filter, after);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/message.hpp"
#include "library/history/ledger_view.hpp"
#include "storage/merge.hpp"
#include "storage/page_merge.hpp"

namespace ballot::library {

bool matches(const storage::Filter& filter, const Row& row);
/// Of that slot, alone or among others.
bool covers(const Row& row, const std::string& job, WallTime slot);
bool is_after(const storage::Position& at, const std::optional<storage::Position>& after);

/// By slot, then attempt, newest first; as the rows of a ledger of that name would stand.
std::vector<storage::PlacedRow> placed(const std::vector<storage::Account>& evidence, const std::string& ledger);

/// The rows of a page, each after the one before, and one that the filter asks for. Error: corrupt.
Result<std::vector<storage::PlacedRow>> placed_rows(const io::Message& answer, const std::string& ledger,
                                                    const storage::Filter& filter,
                                                    std::optional<storage::Position> after);

/// Asks for the rows after that place, and for no more than `most`.
io::Message page_question(storage::Filter filter, const std::optional<storage::Position>& after, std::int64_t most);

}  // namespace ballot::library
