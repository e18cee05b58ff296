// Peer: the process at the other end of a Unix socket, as the kernel knows it: the user and the groups that it had when
// it connected. What it says of itself does not count.
//
//   const Peer peer = peer_of(socket);
#pragma once

#include <sys/types.h>

#include <vector>

namespace ballot::io {

struct Peer {
  uid_t uid = static_cast<uid_t>(-1);  // of nobody
  std::vector<gid_t> groups = {};      // its own and the supplementary ones

  bool is_in(gid_t group) const;
};

/// A socket that is not connected any more has a peer that is nobody.
Peer peer_of(int socket);

}  // namespace ballot::io
