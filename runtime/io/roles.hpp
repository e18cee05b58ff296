// Roles: which role a user has at this daemon. Root and the daemon's own user are admins; two groups name operators and
// viewers. A group that the machine does not have gives nobody a role.
//
// The default group of operators counts for a daemon of root, and for one whose own group it is: a user's own daemon is
// not for the operators of the machine's.
//
// Thread: the one that uses it. resolve() asks the machine's database of groups, and blocks as long as that takes.
//
//   Roles roles({.operators = "ballot", .viewers = "staff"});
//   if (roles.of(peer) < needed) reply.fail(roles.refusal(needed));
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "io/peer.hpp"
#include "io/role.hpp"

namespace ballot::io {

inline constexpr const char* default_operators = "ballot";

/// By name; "": nobody has the role by a group.
struct RoleGroups {
  std::optional<std::string> operators = {};  // none: the default group, where it counts
  std::string viewers = {};
};

/// Which users may open the socket's file. Each request is checked for its role all the same.
struct SocketAccess {
  mode_t mode = 0600;
  gid_t group = static_cast<gid_t>(-1);  // -1: the file keeps the group that it has
};

class Roles {
 public:
  /// Nobody but root and the daemon's user has a role.
  Roles() = default;
  explicit Roles(RoleGroups groups);

  /// Looks the groups up again. The names of those that the machine does not have.
  std::vector<std::string> resolve();

  Role of(const Peer& peer) const;
  /// The error of a request that takes more than the peer's role.
  Error refusal(Role needed) const;
  /// Where both groups have roles, a file's one group cannot say so: everybody may connect then.
  SocketAccess access() const;

 private:
  RoleGroups names_;
  std::optional<gid_t> operators_, viewers_;
};

/// Why a request is refused: the role that it takes, and who has it. `groups`: their names; none: no group has it.
Error missing_role(Role needed, const std::vector<std::string>& groups);

}  // namespace ballot::io
