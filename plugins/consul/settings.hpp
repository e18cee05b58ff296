// Settings: the tables [consul] and [group.GROUP.consul] of ballot.toml, read.
//
//   const Settings settings = read_settings(options);   // check_table() found nothing wrong
#pragma once

#include <string>
#include <vector>

#include "ballot/plugin.hpp"
#include "http_client/client.hpp"

namespace ballot::consul {

struct Settings {
  http::Settings http;     // the agent of this host
  std::string address;     // its, for people
  std::string prefix;      // of all keys: "ballot"
  std::string token_file;  // "": none
  Millis lock_delay{0};
};

extern const OptionKey table_keys[8];
std::vector<OptionProblem> table_conflicts(const Options& options) noexcept;
Settings read_settings(const Options& options);

struct GroupSettings {
  std::string service = {};              // its ID or its name; "": none
  std::vector<std::string> checks = {};  // that count; empty: all of the service's
  std::string tag = {};                  // of the leader's service; ""
  std::string key = {};                  // that says who leads, for others; ""
};
extern const OptionKey group_keys[4];
std::vector<OptionProblem> group_conflicts(const Options& options) noexcept;
GroupSettings group_settings(const Options& options);

}  // namespace ballot::consul
