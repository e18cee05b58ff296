// Subject: what `JOB or RUN` on a command line means: a job by its name, or a run by its id or the last digits of it.
// JOB is this node's instance, where it runs on each node. A name that a job has is the job, also where it could be the
// end of a run's id.
//
// Threads: the main one.
//
//   const auto subject = find_subject("backup", config, ledger);
//   if (subject->run) ...
#pragma once

#include <optional>
#include <string>

#include "ballot/error.hpp"
#include "ballot/run.hpp"
#include "config/config.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

struct Subject {
  std::string job;           // of a run too
  std::optional<RunId> run;  // none: the job itself
};

/// Errors: not_found, with the nearest job's name; invalid where several runs' ids end with it.
Result<Subject> find_subject(const std::string& text, const config::Config& config, library::LedgerView& ledger);

/// Whether some job file defines a job of that name. A program that embeds ballot has jobs that none does.
bool is_loaded(const std::string& job, const config::Config& config);

}  // namespace ballot::app
