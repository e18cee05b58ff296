// Terms of all nodes that answer: each once, as the node knows it that led.
//
// Thread: the one that uses it; calls block as long as the ledgers' answers do.
//
//   const auto terms = read_terms(fleet, question_of_terms_since(noon, 200), 200);
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "ballot/ledger.hpp"
#include "library/history/fleet_answers.hpp"

namespace ballot::library {

io::Message question_of_terms_since(WallTime since, std::int64_t most);

/// `asked`: of one group or of all. Those that began last first, so many at most.
Result<std::vector<TermRow>> read_terms(FleetAnswers& fleet, const io::Message& asked,
                                        std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace ballot::library
