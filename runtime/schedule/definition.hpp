// Definition: a job as it was loaded, with its compiled plan. Config makes it, the core runs it; never changed after.
#pragma once

#include <memory>

#include "ballot/job.hpp"
#include "base/digest_text.hpp"
#include "schedule/plan.hpp"

namespace ballot::schedule {

struct Definition {
  Job job;
  Plan plan;
  DigestText digest;  // of everything that the job file says of the job: another digest is another definition
};
using DefinitionPtr = std::shared_ptr<const Definition>;

}  // namespace ballot::schedule
