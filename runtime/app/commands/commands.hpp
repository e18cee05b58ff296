// The commands, each in a file of its own name. docs/commands.md says what each does.
#pragma once

#include "app/command.hpp"

namespace ballot::app {

Run setup_check(CLI::App& command);
Run setup_history(CLI::App& command);
Run setup_jobs(CLI::App& command);
Run setup_output(CLI::App& command);
Run setup_schedule(CLI::App& command);
Run setup_serve(CLI::App& command);
Run setup_trigger(CLI::App& command);
Run setup_version(CLI::App& command);
Run setup_why(CLI::App& command);

}  // namespace ballot::app
