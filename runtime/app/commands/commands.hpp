// The commands, each in a file of its own name. docs/commands.md says what each does.
#pragma once

#include "app/command.hpp"

namespace ballot::app {

Run setup_audit(CLI::App& command);
Run setup_backfill(CLI::App& command);
Run setup_backup(CLI::App& command);
Run setup_check(CLI::App& command);
Run setup_election(CLI::App& command, const Words& words);
Run setup_forget(CLI::App& command);
Run setup_help(CLI::App& command);
Run setup_history(CLI::App& command);
Run setup_import(CLI::App& command);
Run setup_info(CLI::App& command, const Words& words);
Run setup_jobs(CLI::App& command);
Run setup_kill(CLI::App& command);
Run setup_next(CLI::App& command);
Run setup_nodes(CLI::App& command);
Run setup_output(CLI::App& command);
Run setup_pause(CLI::App& command);
Run setup_plan(CLI::App& command);
Run setup_repair(CLI::App& command);
Run setup_resign(CLI::App& command);
Run setup_resume(CLI::App& command);
Run setup_run(CLI::App& command, const Words& words);
Run setup_schedule(CLI::App& command);
Run setup_serve(CLI::App& command, const Words& words);
Run setup_show(CLI::App& command);
Run setup_simulate(CLI::App& command);
Run setup_slow(CLI::App& command);
Run setup_status(CLI::App& command);
Run setup_store(CLI::App& command, const Words& words);
Run setup_token(CLI::App& command);
Run setup_trigger(CLI::App& command);
Run setup_version(CLI::App& command);
Run setup_why(CLI::App& command);

}  // namespace ballot::app
