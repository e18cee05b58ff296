// The line that `why` begins with, and how it breaks what follows into lines.
//
// Pure functions.
//
//   std::cout << headline(row, "Europe/Paris") << '\n' << wrapped(text, 80) << '\n';
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot::app {

/// `JOB SLOT STATUS: REASON (run ID)`; of a row of many slots SLOT is FIRST/LAST (N slots). Slots are as slot_in_zone()
/// has them, ids as tables do.
std::string headline(const Row& row, const std::string& zone = "UTC");

/// What its headline says besides: by what it is known how the run ended, and where its row is. "" where it has not.
std::string evidence_mark(const Row& row, const std::vector<std::string>& silent_nodes);

/// Broken into lines of at most `width` characters, at spaces.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace ballot::app
