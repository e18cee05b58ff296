// JobFacts: what the parts of a job are told of it in a call. JobMachine makes it anew for each; it is read and not
// kept.
//
// Plain values. Knows nothing of what the parts do with it.
#pragma once

#include <string>

#include "core/job/job_context.hpp"
#include "core/register.hpp"
#include "schedule/definition.hpp"

namespace ballot::core {

struct JobFacts {
  const std::string& name;
  const schedule::DefinitionPtr& definition;  // null where no file defines the job
  const JobRegister& stored;                  // the register as last confirmed
  const Term* term = nullptr;                 // null where its group is not led here
  bool leading = false;                       // it is, and the job is not halted
  bool defined = false;                       // by this group's files, and the register says the same

  bool is_paused() const { return stored.paused || (term && term->paused); }
};

}  // namespace ballot::core
