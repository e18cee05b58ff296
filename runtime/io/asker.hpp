// Asker: who asks a daemon for something, whichever way the question came: a user on the control socket, or the holder
// of a token of the API.
//
// Plain values.
//
//   const Asker root{Role::admin, "uid 0", "uid 0", true};
#pragma once

#include <string>

#include "io/role.hpp"

namespace ballot::io {

struct Asker {
  Role role = Role::none;
  std::string key;   // who shares places with whom: "uid 1000", "token ci"
  std::string name;  // as rows and log lines name the asker: "uid 1000", "token ci from 192.0.2.7"
  /// Root or the daemon's own user: may have more under way at once than others.
  bool is_own = false;
  /// Has shown who it is. One that has not is as many askers as it likes, by as many addresses.
  bool is_known = true;
};

}  // namespace ballot::io
