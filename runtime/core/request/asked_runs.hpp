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

/// For whoever asks for it a second time.
std::string under_way(const Request& request);

/// Whoever asks, and however long they wait.
bool is_same_trigger(const Request& a, const Request& b);
/// Of the same trigger that another node was asked for: it may be read before it is known whose record was first.
bool is_of_another(const Answer& answer, const Request& request);

struct NamedRun {
  std::string job;
  RunId id;
  std::string node;       // which executes it; "": it waits, or that is not known
  bool finishes = false;  // it goes on when its node's term is over
};

/// The open runs of a job and its instances, or (job "") those whose id ends with `suffix`.
std::vector<NamedRun> open_runs(const std::vector<Register>& registers, const std::string& job,
                                const std::string& suffix);

/// Why a kill or a forget cannot be made.
Answer no_single_run(const std::vector<NamedRun>& found, const std::string& job, const std::string& suffix);

/// Why nobody ends the run of a node that is gone.
Answer run_of_gone(const NamedRun& run);
/// Why what nobody has answered is given up, but for a trigger. `run`: of a kill. `open`: there is a session.
Answer not_answered(const Request& request, const NamedRun& run, bool open);
/// The store refuses it, and has not said what became of the same record before.
Answer may_arrive_yet(const Request& request, const std::string& why);

}  // namespace ballot::core
