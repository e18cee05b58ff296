// Settings: the table [nats] of ballot.toml, read.
#pragma once

#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"

namespace ballot::nats {

/// How to reach the servers, and who we are there. Of the ways to say that, at most one is set.
struct Access {
  std::vector<std::string> servers;  // "HOST:PORT"
  std::string user, password_file;
  std::string token_file;
  std::string credentials_file;  // a JWT and its seed, as `nsc` writes them
  std::string nkey, seed_file;   // a public key and the file with its seed
  std::string ca;                // of TLS: a file, or "system"; "": no TLS
  std::string cert, key;         // files
  /// No server would ask who we are.
  bool is_open() const;
  /// With commas.
  std::string servers_text() const;
};

struct Settings {
  Access access;
  std::string bucket;  // "": see bucket_of()
  int replicas = 0;    // 0: as many as there are servers, up to 3
};

extern const OptionKey table_keys[10];
/// Requires: no problems.
Settings read_settings(const Options& options);
/// More than one way to say who we are, and the like; "": nothing.
std::string conflict_of(const Settings& settings);
/// The bucket of registers: `bucket`, else "ballot-NAMESPACE". Errors: a namespace that no bucket's name can have.
Result<std::string> bucket_of(const Settings& settings, const std::string& name_space);

/// What is read from files, anew with each connection.
struct Secrets {
  std::string password, token;
};
Result<Secrets> read_secrets(const Access& access);

}  // namespace ballot::nats
