#include "settings.hpp"

#include <string_view>

#include "support/options.hpp"
#include "support/secret_file.hpp"

namespace ballot::etcd {

namespace {

constexpr const char *default_server = "127.0.0.1:2379", *default_port = "2379", *default_prefix = "ballot";
constexpr const char* system_authorities = "system";

std::string servers_problem(const OptionValue& value) noexcept {
  const support::HostList hosts = support::read_hosts(value, default_port);
  if (!hosts.problem.empty()) return "servers: " + hosts.problem;
  return hosts.path.empty() ? "" : "servers: there is no path in a server's address: set prefix";
}

std::string auth_problem(const OptionValue& value) noexcept {
  return !support::read_named_file(value).name.empty()
             ? ""
             : "auth must be \"USER:FILE\", where FILE is the path of a file with the password";
}

std::string ca_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && *text == system_authorities) return {};
  const std::string problem = support::file_problem(value);
  return problem.empty() ? problem : problem + ", or \"system\" for the authorities that this system trusts";
}

}  // namespace

const OptionKey table_keys[6] = {
    {"servers", servers_problem, OptionType::list, "HOST or HOST:PORT, a list", OptionFlag::listed},
    {"prefix", support::prefix_problem, OptionType::text, "what all keys begin with"},
    {"auth", auth_problem, OptionType::text, "USER:FILE"},
    {"ca", ca_problem, OptionType::text, "authorities of the servers' certificates"},
    {"cert", support::file_problem, OptionType::text, "certificate of this client"},
    {"key", support::file_problem, OptionType::text, "key of the certificate"},
};

std::vector<OptionProblem> table_conflicts(const Options& options) noexcept {
  return support::half_pairs(options, {{"cert", "key"}});
}

std::string Settings::servers_text() const {
  std::string text;
  for (const http::Endpoint& one : servers) text += (text.empty() ? "" : ",") + http::text_of(one);
  return text;
}

Settings read_settings(const Options& options) {
  Settings settings;
  const auto servers = options.find("servers");
  const support::HostList hosts =
      support::read_hosts(servers == options.end() ? OptionValue(default_server) : servers->second, default_port);
  for (const std::string& host : hosts.hosts) settings.servers.push_back(http::endpoint_of(host));
  settings.prefix = options.contains("prefix") ? support::text_at(options, "prefix") : default_prefix;
  const support::NamedFile auth = support::named_file_at(options, "auth");
  settings.user = auth.name;
  settings.password_file = auth.file;
  const std::string ca = support::text_at(options, "ca"), cert = support::text_at(options, "cert");
  if (ca.empty() && cert.empty()) return settings;
  settings.tls = http::Tls{.ca_file = ca == system_authorities ? "" : ca, .cert_file = cert};
  settings.tls->key_file = support::text_at(options, "key");
  return settings;
}

Result<std::string> password_of(const Settings& settings) {
  if (settings.tls)
    if (auto key = support::secret_of("etcd", "key", settings.tls->key_file); !key) return key;
  auto password = support::secret_of("etcd", "auth", settings.password_file);
  if (password) return password;
  return Error{password.error().code,
               password.error().what + ", where the password of " + settings.user + " is to be the first line"};
}

}  // namespace ballot::etcd
