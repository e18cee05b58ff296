// Settings: the table [zookeeper] of ballot.toml, read.
#pragma once

#include <string>

#include "ballot/error.hpp"
#include "ballot/plugin.hpp"

namespace ballot::zookeeper {

struct Settings {
  std::string servers;  // "HOST:PORT,HOST:PORT"
  std::string chroot;   // "/ballot/production", or ""
  std::string user;     // of digest authentication; "" for none
  std::string password_file;
  Millis tick{2000};  // the servers' tickTime
};

extern const OptionKey table_keys[3];
/// Requires: no problems.
Settings read_settings(const Options& options);
/// What digest authentication takes, read anew from its file; "" where there is no user.
Result<std::string> credentials_of(const Settings& settings);

}  // namespace ballot::zookeeper
