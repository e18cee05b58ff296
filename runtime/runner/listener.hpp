// Listener: the runner's listening socket. Its file is the only way to the runner, and so to its runs: where somebody
// has removed it (a cleaner of temporary files, a service manager that removes the folder) the socket is made anew.
//
//   Listener listener(std::move(fd), poller);
//   listener.restore();                       // now and then
#pragma once

#include <string>

#include "base/unique_fd.hpp"
#include "runner/poller.hpp"

namespace ballot::runner {

class Listener {
 public:
  /// Requires: `socket` listens, and `poller` outlives the listener.
  Listener(UniqueFd socket, Poller& poller);

  int descriptor() const { return socket_.get(); }

  /// Listens anew where nothing lies at the socket's path; what lies there, be it another runner's, is left alone.
  /// Connections that have not been accepted are dropped then. Where it fails, the next call tries again.
  void restore();

 private:
  UniqueFd socket_;
  Poller& poller_;
  std::string path_;  // empty: it has none
};

}  // namespace ballot::runner
