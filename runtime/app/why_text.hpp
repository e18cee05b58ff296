// What `why` says: the rule behind each status and reason, in words, and what is known of a row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot::app {

/// One or more sentences; never empty for a pair that the ledger can hold.
std::string_view rule_of(Status status, Reason reason);
/// As that; of a function, which has no exit code, what is true of functions.
std::string_view rule_of(const Row& row);

/// `JOB SLOT STATUS: REASON (run ID)`; of a row of many slots SLOT is FIRST/LAST (N slots). Slots are as slot_in_zone()
/// has them, ids as tables do.
std::string headline(const Row& row, const std::string& zone = "UTC");

/// Who, when, how it ended: a sentence or more. "" where there is nothing to say.
std::string circumstances(const Row& row);

/// Of the rows of a run, last attempt first: that the first one is the last of so many attempts. "" where it goes on,
/// or was the only one. `who_knows`: "this ledger knows".
std::string attempts_text(const std::vector<Row>& rows, std::string_view who_knows);
/// Of these rows the attempt before the first one: how it ended, and why. "" where there is none.
std::string before_text(const std::vector<Row>& rows);

/// Broken into lines of at most `width` characters, at spaces.
std::string wrapped(std::string_view text, std::size_t width);

/// Of a row that no ledger which was asked has: what the store shows.
std::string evidence_text(const Row& row);
/// What its headline says besides: by what it is known how the run ended, and where its row is. "" where it has not.
std::string evidence_mark(const Row& row, const std::vector<std::string>& silent_nodes);

}  // namespace ballot::app
