// What the store's records and registers say of runs that people ask for, or about.
//
// Pure; used by RequestDesk.
//
//   if (const auto answer = fate_of(id, registers)) reply(*answer);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "core/request/request.hpp"

namespace ballot::core {

/// A trigger's outcome: the answer that nobody has read yet, or the run itself, where its leader died before it could
/// answer.
std::optional<Answer> fate_of(const RunId& id, const std::vector<Register>& registers);

/// The request as the store has it; none where it is not there, or a newer node's.
std::optional<Request> stored_request(const RunId& id, const std::vector<Register>& registers);

struct NamedRun {
  std::string job;
  RunId id;
};

/// The open runs of a job and its instances, or (job "") those whose id ends with `suffix`.
std::vector<NamedRun> open_runs(const std::vector<Register>& registers, const std::string& job,
                                const std::string& suffix);

/// Why a kill or a forget cannot be made.
Answer no_single_run(const std::vector<NamedRun>& found, const std::string& job, const std::string& suffix);

}  // namespace ballot::core
