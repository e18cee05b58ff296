// How the daemon reaches its runner: by the socket's file, or by making both.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "base/unique_fd.hpp"

namespace ballot::io {

/// Whether a process of this network namespace listens at `socket_path`, by /proc/net/unix: unlike a connection, that
/// is nothing a runner could take for its daemon.
bool is_listening(const std::string& socket_path);

/// A connection, not blocking, with the runner that listens at `socket_path`; an empty descriptor where none does.
Result<UniqueFd> find_runner(const std::string& socket_path);

/// A connection, not blocking, with the runner that listens at `socket_path`; started from `runner_path` where none
/// does. invalid: the path is too long; refused: what is there is not this user's runner; unavailable: it does not
/// accept; io: it cannot be started.
Result<UniqueFd> reach_runner(const std::string& socket_path, const std::string& runner_path);

}  // namespace ballot::io
