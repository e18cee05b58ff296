// What people asked for and the store shows, while the node that took it up does not answer: the pauses that stand. All
// else of a request only that node's ledger has, its id among it.
//
// Pure.
//
//   for (const RequestRow& pause : missing_among(std::move(pauses), filter, requests)) ...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "storage/reader.hpp"

namespace ballot::library {

/// As the request for it, which has no id. One of `job` and `group` is "".
RequestRow standing_pause(std::string job, std::string group, std::optional<WallTime> since, std::string by);

/// The store shows it, and no ledger.
inline bool is_of_store(const RequestRow& request) { return request.id == RunId{}; }

/// The run that it made, killed or closed. A pause names with it another pause, which it follows, and that is no run.
inline std::optional<RunId> run_of(const RequestRow& request) {
  return request.kind == "pause" || request.kind == "resume" ? std::nullopt : request.run;
}

/// Those of the pauses which the filter asks for, and which none of the requests is of; newest first, each once. Which
/// node took one up the store does not say.
std::vector<RequestRow> missing_among(std::vector<RequestRow> pauses, const storage::RequestFilter& filter,
                                      const std::vector<RequestRow>& requests);

/// Requests that one of the pauses may be of.
storage::RequestFilter requests_of(const std::vector<RequestRow>& pauses);

}  // namespace ballot::library
