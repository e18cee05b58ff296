#include "settings.hpp"

#include <string_view>
#include <utility>

#include "support/options.hpp"
#include "support/secret_file.hpp"

namespace ballot::zookeeper {

namespace {

constexpr const char* default_server = "127.0.0.1:2181";
constexpr const char* default_port = "2181";
constexpr Millis longest_tick{60'000};

/// "digest:USER:FILE".
bool split_auth(const OptionValue& value, std::string& user, std::string& file) {
  const auto* text = std::get_if<std::string>(&value);
  constexpr std::string_view scheme = "digest:";
  if (text == nullptr || text->compare(0, scheme.size(), scheme) != 0) return false;
  const auto colon = text->find(':', scheme.size());
  if (colon == std::string::npos) return false;
  user = text->substr(scheme.size(), colon - scheme.size());
  file = text->substr(colon + 1);
  return !user.empty() && !file.empty() && file[0] == '/';
}

std::string servers_problem(const OptionValue& value) noexcept {
  const std::string problem = support::read_hosts(value, default_port).problem;
  return problem.empty() ? problem : "servers: " + problem;
}

std::string auth_problem(const OptionValue& value) noexcept {
  std::string user, file;
  if (split_auth(value, user, file)) return {};
  return "auth must be \"digest:USER:FILE\", where FILE is the path of a file with the password";
}

std::string tick_problem(const OptionValue& value) noexcept {
  if (support::read_duration(value, longest_tick)) return {};
  return "tick must be the servers' tickTime, up to \"60s\", such as \"2s\" or \"500ms\"";
}

}  // namespace

const OptionKey table_keys[3] = {
    {"servers", servers_problem, OptionType::list, "HOST or HOST:PORT, a list", OptionFlag::listed},
    {"auth", auth_problem, OptionType::text, "digest:USER:FILE"},
    {"tick", tick_problem, OptionType::text, "the servers' tickTime"},
};

Settings read_settings(const Options& options) {
  Settings settings;
  settings.servers = default_server;
  if (const auto found = options.find("servers"); found != options.end()) {
    const support::HostList hosts = support::read_hosts(found->second, default_port);
    settings.servers = hosts.text();
    settings.chroot = hosts.path;
  }
  if (const auto found = options.find("auth"); found != options.end())
    split_auth(found->second, settings.user, settings.password_file);
  if (const auto found = options.find("tick"); found != options.end())
    settings.tick = support::read_duration(found->second, longest_tick).value_or(settings.tick);
  return settings;
}

Result<std::string> credentials_of(const Settings& settings) {
  if (settings.user.empty()) return std::string();
  const auto password = support::read_secret(settings.password_file);
  if (!password)
    return Error{password.error().code == Errc::refused ? Errc::refused : Errc::invalid,
                 "[zookeeper] auth: " + password.error().what + ", where the password of " + settings.user +
                     " is to be the first line"};
  return settings.user + ":" + *password;
}

}  // namespace ballot::zookeeper
