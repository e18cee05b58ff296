// The command line: finds the command, has its flags read, runs it, and says what is wrong with words that it does not
// know. Threads: the main one.
#pragma once

#include "app/exit.hpp"

namespace ballot::app {

/// Errors have been printed to stderr when it returns.
Exit run_command_line(int argc, const char* const* argv);

}  // namespace ballot::app
