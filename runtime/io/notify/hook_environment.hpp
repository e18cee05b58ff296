// What a job's hook gets to know: what the run's child got, and what became of it.
#pragma once

#include <string>
#include <vector>

#include "ballot/job.hpp"
#include "core/action.hpp"

namespace ballot::io {

/// NAME=VALUE, the whole of it. Where a slot was missed, nothing of a run is in it; where several were, the last one
/// and how many.
std::vector<std::string> hook_environment(const core::Notify& told, const Identity& daemon);

/// The row's slot, as a child sees it.
std::string hook_slot(const Row& row);

}  // namespace ballot::io
