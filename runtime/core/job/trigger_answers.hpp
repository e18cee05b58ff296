// Trigger answers: what a job's leader answers a trigger at once, before it is known whether its run can begin.
//
//   if (auto answer = answer_to_trigger(c, job, request, is_known)) return *answer;
//
// Pure; used by JobMachine and JobClaims.
#pragma once

#include <optional>

#include "core/job/job_facts.hpp"
#include "core/request/request.hpp"

namespace ballot::core {

/// None: it is to be done. `is_known`: its run is there. Requires: a term.
std::optional<Answer> answer_to_trigger(const Context& c, const JobFacts& job, const Request& request, bool is_known);

/// A request whose id was made before the job's last repair is refused: it may have been done, and be forgotten.
std::optional<Answer> refusal_after_repair(const JobRegister& stored, const RunId& request);

/// The register has room for the trigger's variables, which the run has in it until it is closed.
bool has_room_for_env(const JobRegister& stored, const Request& request);

}  // namespace ballot::core
