// The ledger as commands read it: this node's file, after a living daemon was asked to write what it has in memory.
//
// Threads: the main one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/exit.hpp"
#include "ballot/error.hpp"
#include "config/config.hpp"
#include "storage/reader.hpp"

namespace ballot::app {

/// Has a living daemon write what it has in memory.
void flush_ledger(const config::Config& config);

/// Errors: as Reader::open.
Result<storage::Reader> open_ledger(const config::Config& config);

/// Of rows that are of a run; the others' slots never ran.
std::vector<Status> run_statuses();

/// The one run whose id ends with `suffix`. not_found: none; invalid: too short, no number, or several, which it names.
Result<RunId> find_run(storage::Reader& ledger, const std::string& suffix);

/// Prints `error` as the last line of the command. not_found is Exit::not_found, invalid is Exit::usage, and so on.
Exit fail(std::string_view command, const Error& error);
/// The same of a store that was not opened: where it answers, and does not refuse this user, the configuration is
/// wrong.
Exit fail_to_open(std::string_view command, const Error& error);

}  // namespace ballot::app
