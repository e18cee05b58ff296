// Settings: the table [consul] of ballot.toml, read.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"
#include "http/client.hpp"

namespace ballot::consul {

struct Settings {
  http::Settings http;     // the agent of this host
  std::string address;     // its, for people
  std::string prefix;      // of all keys: "ballot"
  std::string token_file;  // "": none
  Millis lock_delay{0};
};

extern const OptionKey table_keys[8];
/// Errors: keys that do not go together. Requires: no problems.
Result<Settings> read_settings(const Options& options);
/// The token, read anew from its file; "" where there is none.
Result<std::string> token_of(const Settings& settings);

}  // namespace ballot::consul
