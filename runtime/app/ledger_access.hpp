// The ledger as commands read it: this node's file, after a living daemon was asked to write what it has in memory.
//
// Threads: the main one.
#pragma once

#include <optional>
#include <string>

#include "app/exit.hpp"
#include "ballot/error.hpp"
#include "config/config.hpp"
#include "storage/reader.hpp"

namespace ballot::app {

/// Errors: as Reader::open.
Result<storage::Reader> open_ledger(const config::Config& config);

/// The one run whose id ends with `suffix`. not_found: none; invalid: too short, no number, or several, which it names.
Result<RunId> find_run(storage::Reader& ledger, const std::string& suffix);

/// Prints `error` as the last line of the command. not_found is Exit::not_found, invalid is Exit::usage, and so on.
Exit fail(std::string_view command, const Error& error);

}  // namespace ballot::app
