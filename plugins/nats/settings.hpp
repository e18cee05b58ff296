// Settings: the table [nats] of ballot.toml, read.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"
#include "support/options.hpp"

namespace ballot::nats {

/// How to reach the servers, and who we are there. Of the ways to say that, at most one is set.
struct Access {
  support::HostList servers;
  support::NamedFile user;  // and its password
  std::string token_file;
  std::string credentials_file;  // a JWT and its seed, as `nsc` writes them
  support::NamedFile nkey;       // a public key, and its seed
  std::string ca;                // of TLS: a file, or "system"; "": no TLS
  std::string cert, key;         // files
  /// No server would ask who we are.
  bool is_open() const;
};

struct Settings {
  Access access;
  std::string bucket;  // of registers: what is set, else "ballot-NAMESPACE"
  int replicas = 0;    // 0: as many as there are servers, up to 3
};

extern const OptionKey table_keys[10];
/// Errors: more than one way to say who we are and the like, and a namespace that no bucket's name can have. Requires:
/// no problems.
Result<Settings> read_settings(const Options& options, const std::string& name_space);

/// What is read from files, anew with each connection.
struct Secrets {
  std::string password, token;
};
Result<Secrets> read_secrets(const Access& access);

}  // namespace ballot::nats
