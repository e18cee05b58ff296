// Chain links: a job that comes `after` others, put together with them. Which files define them is known only when all
// have been read: what is wrong with a name is a finding at its place, in the file of the job that names it.
//
//   a name in `after`                          | the job
//   that nobody defines                        | is in force, and none of its slots begins
//   that has no slots, where it has some       | is in force, and there is a warning
//   of another group, with another `run_on`,   | is not in force
//     of a job that waits for this one         |
//   the first, of a job with `@reboot`, where  | is not in force: those slots are each node's own
//     it has no schedule of its own            |
//
// A job without a schedule of its own has that of the first one it names, in its zone and with its bounds.
#pragma once

#include <string>

#include "config/chain_survey.hpp"
#include "config/diagnostics.hpp"
#include "schedule/definition.hpp"

namespace ballot::config {

struct Linked {
  schedule::DefinitionPtr definition;  // as it is in force; null: it is not
  std::string fault{};                 // "": there is none
  std::size_t name = 0;                // the number of the name in `after` that it is about
  Severity severity = Severity::error;
};

/// Of a job that comes after none: itself.
Linked link_job(const schedule::DefinitionPtr& job, ChainSurvey& survey);

}  // namespace ballot::config
