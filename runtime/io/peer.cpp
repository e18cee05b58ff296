#include "io/peer.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace ballot::io {
namespace {

/// The supplementary groups. None on a kernel that does not tell them.
std::vector<gid_t> more_groups(int socket) {
  std::vector<gid_t> groups(64);
  while (true) {
    auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) == 0) {
      groups.resize(bytes / sizeof(gid_t));
      return groups;
    }
    if (errno != ERANGE || bytes / sizeof(gid_t) <= groups.size()) return {};
    groups.resize(bytes / sizeof(gid_t));
  }
}

}  // namespace

bool Peer::is_in(gid_t group) const { return std::find(groups.begin(), groups.end(), group) != groups.end(); }

Peer peer_of(int socket) {
  ucred known{};
  socklen_t size = sizeof known;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &known, &size) != 0) return {};
  Peer peer{known.uid, more_groups(socket)};
  if (!peer.is_in(known.gid)) peer.groups.push_back(known.gid);
  return peer;
}

}  // namespace ballot::io
