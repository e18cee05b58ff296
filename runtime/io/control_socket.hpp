// The control socket's file, and that of the API's socket: made for one daemon at a time.
//
// A lock file beside it says whether its daemon lives, so that of two daemons that start together one is refused.
#pragma once

#include <sys/types.h>

#include <string>

#include "ballot/error.hpp"
#include "base/unique_fd.hpp"
#include "io/roles.hpp"

namespace ballot::io {

/// A listening socket, not blocking, and the lock that is held as long as it is used.
struct ControlSocket {
  UniqueFd socket, lock;
  std::string path;
  dev_t device = 0;  // of the file, whatever has its name later
  ino_t inode = 0;

  /// Replaces a socket on which nobody listens any more. A file that cannot have the group of `access` is open to
  /// everybody. conflict: a daemon, or another program, listens there; refused: others may write to its folder; io: it
  /// cannot be made. `name`: as errors call it.
  static Result<ControlSocket> make(const std::string& path, const SocketAccess& access,
                                    const std::string& name = "the control socket");

  /// What make() asks first, and needs nothing for: refused: others may write to its folder; io: the path is too long.
  /// A folder that is not there may be made by then, and is no error here.
  static Result<void> check(const std::string& path, const std::string& name = "the control socket");

  /// Makes socket and file anew where nothing lies at `path` any more. True: it did, and the old socket is of no use.
  bool restore(const SocketAccess& access);

  /// Before `socket` is closed. What another program has put in the file's place stays.
  void remove_file() const;
};

}  // namespace ballot::io
