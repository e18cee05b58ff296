// Settings: the table [redis] of ballot.toml, and what it comes to. Pure, but for the file with the password.
//
//   [redis]
//   server = "redis1:6379"                        # default 127.0.0.1:6379
//   auth = "default:/etc/ballot/redis-password"   # a user, and a file with the password on its first line
//   prefix = "ballot"                             # what all keys begin with: PREFIX/NAMESPACE/
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "ballot/options.hpp"

namespace redis {

/// Where a server is, and who asks.
struct Server {
  std::string host;
  int port = 0;
  std::string user, password;  // "": anybody

  std::string text() const { return host + ":" + std::to_string(port); }
};

struct Settings {
  Server server;
  std::string root;  // what all keys begin with
};

extern const ballot::OptionKey table_keys[3];

/// Requires: there is nothing wrong with the options. Errors: the password cannot be read, or by others too.
ballot::Result<Settings> read_settings(const ballot::Options& options, const std::string& name_space);

}  // namespace redis
