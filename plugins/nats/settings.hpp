// Settings: the table [nats] of ballot.toml, read.
#pragma once

#include <string>
#include <vector>

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
std::vector<OptionProblem> table_conflicts(const Options& options) noexcept;
/// Errors: a namespace that no bucket's name can have. Requires: no problems.
Result<Settings> read_settings(const Options& options, const std::string& name_space);

/// Anew with each connection.
Result<Secrets> read_secrets(const Access& access);

}  // namespace ballot::nats
