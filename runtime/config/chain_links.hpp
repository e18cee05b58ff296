// Chain links: a job that comes `after` others, put together with them. Which files define them is known only when all
// have been read: what is wrong with a name is a finding at its place, in the file of the job that names it.
//
//   a name in `after`                          | the job
//   that nobody defines, or of a job that is   | is in force, and none of its slots begins
//     not in force by this table itself        |
//   of another group, with another `run_on`,   | is not in force
//     of a job that waits for this one         |
//   the first, of a job with `@reboot`, where  | is not in force: those slots are each node's own
//     it has no schedule of its own            |
//   of a job whose slots never come            | is in force; a warning
//
// A job without a schedule of its own has that of the first one it names, in its zone and with its bounds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "schedule/definition.hpp"

namespace ballot::config {

/// The definition of a job by its common name, as its file has it; null: there is none.
using FindJob = std::function<schedule::DefinitionPtr(std::string_view)>;

struct Linked {
  schedule::DefinitionPtr definition;  // as it is in force; null: it is not
  std::string fault;                   // "": there is none
  std::size_t name = 0;                // the number of the name in `after` that it is about
  std::string unknown = {};            // that name, where no job has it
  bool is_warning = false;             // of the fault: the job runs otherwise than somebody may expect
};

/// Of a job that comes after none: itself.
Linked link_job(const schedule::DefinitionPtr& job, const FindJob& find);

}  // namespace ballot::config
