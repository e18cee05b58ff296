// What a job's register has of the job's definition, beside its digest.
//
// Pure functions; used by PendingWrite and RegisterView.
#pragma once

#include <vector>

#include "core/record/register.hpp"
#include "schedule/definition.hpp"

namespace ballot::core {

/// Its timing; none where it has no slots, or where that would be too long.
Timing timing_of(const Job& job);

/// Of the plan's `@every` schedules, keeping the phase of those whose text stays.
std::vector<Anchor> anchored_anew(const schedule::Plan& plan, const JobRegister& stored);

}  // namespace ballot::core
