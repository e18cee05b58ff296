// Who is to be notified of a job's runs, and what counts as a failure. Pure.
#pragma once

#include "ballot/job.hpp"
#include "ballot/ledger.hpp"
#include "schedule/definition.hpp"

namespace ballot::core {

/// Cheap: most jobs have none of it.
bool is_notified(const schedule::DefinitionPtr& definition);

inline bool is_mailed(const schedule::DefinitionPtr& definition) {
  return definition && !definition->job.details->mail_to.empty();
}

/// The run failed, timed out, was lost, or was killed because its term was over. A run that an operator, a successor or
/// a stop killed has neither failed nor succeeded.
bool is_failure(const Row& row);

}  // namespace ballot::core
