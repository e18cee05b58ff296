// SessionFile: the handle of the daemon's session, in its run directory, so that its supervisor can leave on its behalf
// when it has crashed (`ballot resign`). It stands while a session does that is to be left: not after a clean stop, nor
// after one with `leave`. Mode 0600: whoever reads it can end the daemon's terms.
#pragma once

#include <string>

#include "ballot/error.hpp"

namespace ballot::app {

struct SessionFile {
  std::string backend, name_space;
  std::string node;
  std::string handle;
  std::string runner_socket;  // who has its runs
};

/// Where a daemon with this run directory has it.
std::string session_path(const std::string& run_dir);

/// Replaced as a whole. Errors: io.
Result<void> write_session_file(const std::string& path, const SessionFile& file);

/// Errors: not_found; refused, where others than root and this user could have written it; corrupt.
Result<SessionFile> read_session_file(const std::string& path);

}  // namespace ballot::app
