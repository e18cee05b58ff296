// The control socket's file: made for one daemon at a time.
//
// A lock file beside it says whether its daemon lives, so that of two daemons that start together one is refused.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "base/unique_fd.hpp"

namespace ballot::io {

/// A listening socket, not blocking, and the lock that is held as long as it is used.
struct ControlSocket {
  UniqueFd socket, lock;
  std::string path;

  /// Replaces the socket of a daemon that is dead. Open to its owner, and to the group where that is `ballot`, or where
  /// the owner is root. conflict: another one listens there; io: it cannot be made.
  static Result<ControlSocket> make(const std::string& path);
};

}  // namespace ballot::io
