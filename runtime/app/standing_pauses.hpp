// What people asked for and the store shows, while the node that took it up does not answer: the pauses that stand. All
// else of a request only that node's ledger has.
//
// Pure.
//
//   add_standing(requests, stored->pauses(), filter);
#pragma once

#include <vector>

#include "ballot/ledger.hpp"
#include "storage/reader.hpp"

namespace ballot::app {

struct ShownRequest {
  RequestRow row;
  bool is_evidence = false;  // the store shows it, and no ledger
};

/// Adds those which the filter asks for, and which no row is of, in their places. Requires: newest first, as many as
/// the filter's limit or fewer.
void add_standing(std::vector<ShownRequest>& requests, const std::vector<RequestRow>& pauses,
                  const storage::RequestFilter& filter);

}  // namespace ballot::app
