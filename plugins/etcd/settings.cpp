#include "settings.hpp"

#include <string_view>

#include "support/options.hpp"
#include "support/secret_file.hpp"

namespace ballot::etcd {

namespace {

constexpr const char *default_server = "127.0.0.1:2379", *default_port = "2379", *default_prefix = "ballot";
constexpr const char* system_authorities = "system";

/// "USER:FILE".
bool split_auth(const OptionValue& value, std::string& user, std::string& file) {
  const auto* text = std::get_if<std::string>(&value);
  const auto colon = text == nullptr ? std::string::npos : text->find(':');
  if (colon == std::string::npos) return false;
  user = text->substr(0, colon);
  file = text->substr(colon + 1);
  return !user.empty() && !file.empty() && file[0] == '/';
}

/// Parts as of a namespace, with slashes between.
bool is_prefix(const std::string& text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('/', begin), text.size());
    if (!support::is_path_part(text.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

std::string servers_problem(const OptionValue& value) noexcept {
  const support::HostList hosts = support::read_hosts(value, default_port);
  if (!hosts.problem.empty()) return "servers: " + hosts.problem;
  return hosts.path.empty() ? "" : "servers: there is no path in a server's address: set prefix";
}

std::string prefix_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && is_prefix(*text)) return {};
  return "prefix must be what all keys begin with, such as \"ballot\" or \"team/ballot\"";
}

std::string auth_problem(const OptionValue& value) noexcept {
  std::string user, file;
  if (split_auth(value, user, file)) return {};
  return "auth must be \"USER:FILE\", where FILE is the path of a file with the password";
}

std::string file_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && !text->empty() && (*text)[0] == '/' ? "" : "must be the path of a PEM file";
}

std::string ca_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && *text == system_authorities) return {};
  const std::string problem = file_problem(value);
  return problem.empty() ? problem : "ca " + problem + ", or \"system\" for the authorities that this system trusts";
}

std::string cert_problem(const OptionValue& value) noexcept {
  const std::string problem = file_problem(value);
  return problem.empty() ? problem : "cert " + problem;
}

std::string key_problem(const OptionValue& value) noexcept {
  const std::string problem = file_problem(value);
  return problem.empty() ? problem : "key " + problem;
}

std::string text_of(const Options& options, const char* name) {
  const auto found = options.find(name);
  const auto* text = found == options.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

}  // namespace

const OptionKey table_keys[6] = {
    {"servers", servers_problem, OptionType::list, "HOST or HOST:PORT, a list", OptionFlag::listed},
    {"prefix", prefix_problem, OptionType::text, "what all keys begin with"},
    {"auth", auth_problem, OptionType::text, "USER:FILE"},
    {"ca", ca_problem, OptionType::text, "authorities of the servers' certificates"},
    {"cert", cert_problem, OptionType::text, "certificate of this client"},
    {"key", key_problem, OptionType::text, "key of the certificate"},
};

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
  settings.prefix = options.contains("prefix") ? text_of(options, "prefix") : default_prefix;
  if (const auto found = options.find("auth"); found != options.end())
    split_auth(found->second, settings.user, settings.password_file);
  const std::string ca = text_of(options, "ca"), cert = text_of(options, "cert");
  if (ca.empty() && cert.empty()) return settings;
  settings.tls = http::Tls{.ca_file = ca == system_authorities ? "" : ca, .cert_file = cert};
  settings.tls->key_file = text_of(options, "key");
  return settings;
}

Result<std::string> password_of(const Settings& settings) {
  const auto error_of = [](const Error& error, const std::string& what) {
    return Error{error.code == Errc::refused ? Errc::refused : Errc::invalid, "[etcd] " + what};
  };
  if (settings.tls && settings.tls->cert_file.empty() != settings.tls->key_file.empty())
    return Error{Errc::invalid, "[etcd] cert and key: there must be both, or none"};
  if (settings.tls && !settings.tls->key_file.empty())
    if (const auto key = support::read_secret(settings.tls->key_file); !key)
      return error_of(key.error(), "key: " + key.error().what);
  if (settings.user.empty()) return std::string();
  auto password = support::read_secret(settings.password_file);
  if (!password)
    return error_of(password.error(), "auth: " + password.error().what + ", where the password of " + settings.user +
                                          " is to be the first line");
  return password;
}

}  // namespace ballot::etcd
