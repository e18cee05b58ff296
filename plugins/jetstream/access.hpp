// Access: where NATS's servers are, and who we are there.
#pragma once

#include <string>

#include "support/options.hpp"

namespace ballot::jetstream {

/// Of the ways to say who we are, at most one is set.
struct Access {
  support::HostList servers;
  support::NamedFile user;  // and its password
  std::string token_file;
  std::string credentials_file;  // a JWT and its seed, as `nsc` writes them
  support::NamedFile nkey;       // a public key, and its seed
  std::string ca;                // of TLS: a file, or "system"; "": no TLS
  std::string cert, key;         // files

  /// No server would ask who we are.
  bool is_open() const {
    return user.name.empty() && token_file.empty() && credentials_file.empty() && nkey.name.empty() && cert.empty();
  }
};

/// The contents of secret files, read anew for each connection.
struct Secrets {
  std::string password = {}, token = {};
  std::string jwt = {}, seed = {};  // of credentials; of an nkey the seed alone
};

}  // namespace ballot::jetstream
