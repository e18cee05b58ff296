// Settings: the table [nats] of ballot.toml, read.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"
#include "jetstream/access.hpp"

namespace ballot::nats {

using namespace jetstream;

struct Settings {
  Access access;
  std::string bucket;  // of registers: what is set, else "ballot-NAMESPACE"
  int replicas = 0;    // 0: as many as there are servers, up to 3
};

extern const OptionKey table_keys[10];
/// Errors: more than one way to say who we are and the like, and a namespace that no bucket's name can have. Requires:
/// no problems.
Result<Settings> read_settings(const Options& options, const std::string& name_space);

/// Anew with each connection.
Result<Secrets> read_secrets(const Access& access);

}  // namespace ballot::nats
