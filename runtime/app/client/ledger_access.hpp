// The ledger as commands read it: by the daemon, whose roles say who may; and where none runs, from its file.
//
// Threads: the main one.
//
//   auto ledger = open_ledger(config);
//   if (!ledger) return fail("history", ledger.error());
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/client/remote_ledger.hpp"
#include "app/exit.hpp"
#include "app/options/flags.hpp"
#include "app/print/format.hpp"
#include "ballot/error.hpp"
#include "config/config.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

/// Flags of commands that ask for the fleet's history where they can.
struct ScopeOptions {
  bool is_local = false;
  std::string node;
  LedgerScope scope() const { return {!is_local, node}; }
};
enum class ScopeFlags { local, local_and_node };
void add_scope_options(CLI::App& command, ScopeOptions& to, ScopeFlags flags);

/// The daemon is asked once whether it answers. The file of one that hangs, or is of an older ballot, is read without
/// it; stderr names a daemon that hangs. Errors: refused (a role is missing), denied (no daemon runs, and this user may
/// not read the file), io, corrupt.
Result<std::unique_ptr<library::LedgerView>> open_ledger(const config::Config& config, LedgerScope scope = {});

/// Sets the states of jobs that other nodes lead, as the API shows them: to what those nodes say, or the store, as the
/// daemon has found out with the jobs' last statuses; none, where nobody has said it. False, and nothing is set: the
/// daemon has asked no other node. `ledger`: null where none can be read; it has been asked for the last statuses.
bool set_said_states(std::vector<io::Message>& jobs, const config::Config& config, const library::LedgerView* ledger);

/// Has a living daemon write what it has in memory.
void flush_ledger(const config::Config& config);

/// Where no daemon answered, rows that have not ended are as the last one left them: says so on stderr.
void warn_of_open_rows(std::string_view command, const library::LedgerView& ledger);

/// "node host-3 has not answered (its last answer was at 2026-11-27T14:38:46Z): its API cannot be connected to".
std::string silence_of(const library::MissingNode& node);

/// Names on stderr the nodes that did not answer: what they alone know is not in what was printed.
void name_missing(std::string_view command, const library::LedgerView& ledger);
/// The same as last elements of a list in JSON, and that it is one ledger's view where that is so.
void remark_missing(RecordWriter& out, const library::LedgerView& ledger, const config::Config& config);
void remark_missing(RecordWriter& out, const library::MissingNode& node);

/// The one run whose id ends with `suffix`. not_found: none, with the node of one that goes on elsewhere, where the
/// daemon knows it; unavailable: none, and nodes have not answered; invalid: too short, no number, or several, which it
/// names.
Result<RunId> find_run(library::LedgerView& ledger, const config::Config& config, const std::string& suffix);

/// Prints `error` as the last line of the command. not_found is Exit::not_found, invalid is Exit::usage, and so on.
Exit fail(std::string_view command, const Error& error);
/// The same of a store that was not opened: where it answers, and does not refuse this user, the configuration is
/// wrong.
Exit fail_to_open(std::string_view command, const Error& error);

}  // namespace ballot::app
