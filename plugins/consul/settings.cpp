#include "settings.hpp"

#include <utility>

#include "support/options.hpp"

namespace ballot::consul {

namespace {

constexpr const char *default_address = "127.0.0.1", *default_port = "8500", *default_tls_port = "8501";
constexpr Millis longest_lock_delay{60'000};

struct Address {
  std::string scheme;  // "" where none is written
  std::string server;
};

Address split_address(const std::string& text) {
  const auto end = text.find("://");
  if (end == std::string::npos) return {"", text};
  return {text.substr(0, end), text.substr(end + 3)};
}

std::string address_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return "address must be the agent's: host, host:port or https://host:port";
  const Address address = split_address(*text);
  if (!address.scheme.empty() && address.scheme != "http" && address.scheme != "https")
    return "address: '" + address.scheme + "' is neither http nor https";
  const support::HostList hosts = support::read_hosts(address.server, default_port);
  if (!hosts.problem.empty()) return "address: " + hosts.problem;
  if (hosts.hosts.size() > 1) return "address: there is one, that of this host's agent";
  return hosts.path.empty() ? "" : "address has no path: say where keys are with prefix";
}

std::string delay_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && (*text == "0" || *text == "0s")) return {};
  return support::read_duration(value, longest_lock_delay) ? "" : "lock_delay must be at most \"60s\", such as \"3s\"";
}

}  // namespace

const OptionKey table_keys[8] = {
    {"address", address_problem, OptionType::text, "this host's agent: [https://]HOST[:PORT]", OptionFlag::listed},
    {"lock_delay", delay_problem, OptionType::text, "how long others wait after a leader was lost"},
    {"prefix", support::prefix_problem, OptionType::text, "the path of all keys"},
    {"tls_ca", support::file_problem, OptionType::text, "the file of who signs the agent's certificate"},
    {"tls_cert", support::file_problem, OptionType::text, "the file of our certificate"},
    {"tls_key", support::file_problem, OptionType::text, "the file of its key"},
    {"tls_server_name", support::text_problem, OptionType::text, "the name in the agent's certificate"},
    {"token_file", support::file_problem, OptionType::text, "a file with the token on its first line"},
};

std::vector<OptionProblem> table_conflicts(const Options& options) noexcept {
  auto problems = support::half_pairs(options, {{"tls_cert", "tls_key"}});
  if (split_address(support::text_at(options, "address")).scheme != "http") return problems;
  for (const char* key : {"tls_ca", "tls_cert", "tls_server_name"})
    if (options.contains(key)) problems.push_back({key, std::string(key) + " is of https://, and address is http://"});
  return problems;
}

Settings read_settings(const Options& options) {
  Settings settings;
  const std::string written = support::text_at(options, "address");
  const Address address = split_address(written.empty() ? default_address : written);
  http::Tls tls{support::text_at(options, "tls_ca"), support::text_at(options, "tls_cert"),
                support::text_at(options, "tls_key"), support::text_at(options, "tls_server_name"), true};
  const bool secure = address.scheme == "https" || !(tls.ca_file + tls.cert_file + tls.server_name).empty();
  if (secure) settings.http.tls = std::move(tls);
  settings.address = support::read_hosts(address.server, secure ? default_tls_port : default_port).text();
  settings.http.servers = {http::endpoint_of(settings.address)};
  settings.http.connections = 6;
  settings.prefix = options.contains("prefix") ? support::text_at(options, "prefix") : "ballot";
  settings.token_file = support::text_at(options, "token_file");
  if (const auto found = options.find("lock_delay"); found != options.end())
    settings.lock_delay = support::read_duration(found->second, longest_lock_delay).value_or(Millis(0));
  return settings;
}

const OptionKey group_keys[4] = {
    {"key", support::text_problem, OptionType::text, "a key that says who leads, for others"},
    {"primary_tag", support::text_problem, OptionType::text, "the tag of the leader's service"},
    {"service", support::text_problem, OptionType::text, "the ID or the name of a service of this host's agent"},
    {"service_checks", support::list_problem, OptionType::list, "IDs of the checks that decide whether it may lead"},
};

std::vector<OptionProblem> group_conflicts(const Options& options) noexcept {
  return support::without(options, {"primary_tag", "service_checks"}, "service");
}

GroupSettings group_settings(const Options& options) {
  GroupSettings settings{.service = support::text_at(options, "service"),
                         .tag = support::text_at(options, "primary_tag"),
                         .key = support::text_at(options, "key")};
  if (const auto found = options.find("service_checks"); found != options.end())
    settings.checks = std::get<std::vector<std::string>>(found->second);
  return settings;
}

}  // namespace ballot::consul
