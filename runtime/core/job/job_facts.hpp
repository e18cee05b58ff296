// JobFacts: what the parts of a job are given of it in a call. JobMachine makes it anew for each; it is read and not
// kept.
//
// Plain values. Knows nothing of what the parts do with it.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/runner_wire.hpp"
#include "core/job/job_context.hpp"
#include "core/job/repair.hpp"
#include "core/record/register.hpp"
#include "schedule/definition.hpp"

namespace ballot::core {

/// Registers have whole seconds where they speak of slots.
inline WallTime whole_seconds(WallTime t) { return std::chrono::floor<std::chrono::seconds>(t); }

/// A run that was started without a confirmed claim, or (nullopt) the ranges of a write whose fate is unknown.
struct Ahead {
  std::vector<Disposition> passed;  // decided before its slot
  std::optional<runner::AttemptId> run;
  WallTime until() const { return passed.back().to; }
};

/// The overlap that a job's runs are for its next slots.
struct Overlap {
  bool busy = false;          // one is known to go on
  bool fate_unknown = false;  // of one it is not known whether it does; or it is a backfill's
  bool catching_up = false;
  int room = 0;  // so many more may begin or, with `queue`, wait; negative where more wait than may
};

struct JobFacts {
  const std::string& name;
  const schedule::DefinitionPtr& definition;  // null where no file defines the job
  const JobRegister& stored;                  // the register as last confirmed
  const Term* term = nullptr;                 // null where its group is not led here
  bool leading = false;                       // it is, and the job is not halted
  bool defined = false;                       // by this group's files, and the register says the same
  const Repair* repair = nullptr;             // under way
  std::span<const Ahead> ahead{};             // of this term, and not in the register yet
  bool read_again = false;                    // in this term: ends that others have published are not known
  bool pauses = false;                        // all instances are: the register is to say so first

  bool is_paused() const { return stored.paused || pauses || (term && term->paused); }
  bool is_ahead(const runner::AttemptId& run) const {
    return std::any_of(ahead.begin(), ahead.end(), [&](const Ahead& one) { return one.run == run; });
  }
};

}  // namespace ballot::core
