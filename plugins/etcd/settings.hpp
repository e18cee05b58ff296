// Settings: the table [etcd] of ballot.toml. Pure but for reading the files that it names.
//
//   const Settings settings = read_settings(options);   // check_table() found nothing wrong
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/options.hpp"
#include "http_client/client.hpp"

namespace ballot::etcd {

struct Settings {
  std::vector<http::Endpoint> servers;
  std::string prefix{};                 // of all keys, without a slash at its end
  std::string user{}, password_file{};  // "" where nobody is to be authenticated
  std::optional<http::Tls> tls{};

  /// No user and no client certificate is set: as far as the settings say, the servers ask nobody for credentials.
  bool is_open() const { return user.empty() && (!tls || tls->cert_file.empty()); }
  std::string servers_text() const;
};

extern const OptionKey table_keys[6];
std::vector<OptionProblem> table_conflicts(const Options& options) noexcept;

Settings read_settings(const Options& options);

/// "" where no user is set. Errors: refused, invalid: the file of the password, or the key's.
Result<std::string> password_of(const Settings& settings);

}  // namespace ballot::etcd
