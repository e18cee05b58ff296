// The job files as commands read them: what is in force, without a word about what is wrong with the rest.
//
// Threads: the main one.
#pragma once

#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "config/config.hpp"
#include "config/jobs_dir.hpp"
#include "io/message.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

config::JobsDir load_jobs(const config::Config& config);

/// On stderr. True: one of them is an error, and its file gives none of its jobs.
bool report_errors(const config::JobSet& set);

/// The jobs that come after one, and by way of these.
struct Downstream {
  std::vector<std::string> next, further;
};
Downstream downstream_of(const config::JobSet& set, const std::string& job);

/// What the daemon says of a job, whoever defines it. not_found: it does not have the job; unavailable: no daemon.
Result<io::Message> ask_job(const config::Config& config, const std::string& job);

/// Another node's instance, as the daemon shows it in public form: by what that node says, and the files here. Errors:
/// also not_found (it is no such instance).
Result<io::Message> ask_instance_elsewhere(const config::Config& config, const std::string& job);

/// All jobs as the daemon has them, or its groups, or its runs: by these words. It answers some at a time.
Result<std::vector<io::Message>> ask_list(const config::Config& config, const char* what);
inline Result<std::vector<io::Message>> ask_jobs(const config::Config& config) { return ask_list(config, "jobs"); }

/// Of an instance JOB@NODE of another node, where the job's file defines it for each node: not_found, with whom to ask.
/// Nothing is wrong with any other name.
Result<void> require_own(const std::string& name, const config::Config& config);

/// not_found, with the nearest name, where `name` is neither loaded, nor the daemon's, nor in the ledger. The job files
/// are read, and the daemon is asked, only for what the ledger does not know.
Result<void> require_job(const std::string& name, const config::Config& config, library::LedgerView& ledger);
/// The names, and the instances of each that the ledger has.
Result<std::vector<std::string>> with_instances(std::vector<std::string> names, library::LedgerView& ledger);
Result<void> require_group(const std::string& name, const config::Config& config, library::LedgerView& ledger);

/// Where job files have errors, a job that nobody knows may be one of theirs: with the first of these.
Error with_config_errors(Error error, const config::JobSet& set);

/// What a daemon has refused of that job, or of that group where no job is named: with the nearest name, where the
/// files have none like it.
Error with_guess(Error error, const std::string& job, const std::string& group, const config::Config& config);

}  // namespace ballot::app
