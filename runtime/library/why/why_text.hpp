// What `why` says of a row, in words: the rule behind its status and reason, and what is known of it.
//
// Pure functions.
//
//   text = circumstances(row) + " " + std::string(rule_of(row));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot::library {

/// One or more sentences; never empty for a pair that the ledger can hold.
std::string_view rule_of(Status status, Reason reason);
/// As that; of a function, which has no exit code, what is true of functions.
std::string_view rule_of(const Row& row);

/// Who, when, how it ended: a sentence or more. "" where there is nothing to say.
std::string circumstances(const Row& row);

/// Of the rows of a run, last attempt first: that the first one is the last of so many attempts. "" where it goes on,
/// or was the only one. `who_knows`: "this ledger knows".
std::string attempts_text(const std::vector<Row>& rows, std::string_view who_knows);
/// Of these rows the attempt before the first one: how it ended, and why. "" where there is none.
std::string before_text(const std::vector<Row>& rows);

/// Of a row that no ledger which was asked has: what the store shows.
std::string evidence_text(const Row& row);

}  // namespace ballot::library
