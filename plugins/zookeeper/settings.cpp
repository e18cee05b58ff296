#include "settings.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "secret_file.hpp"

namespace ballot::zookeeper {

namespace {

constexpr const char* default_server = "127.0.0.1:2181";
constexpr const char* default_port = "2181";

struct Servers {
  std::string list, chroot;
  std::string problem;
};

bool is_port(const std::string& text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

/// "" where it is none.
std::string chroot_problem(const std::string& chroot) {
  for (std::size_t slash = 0; slash != std::string::npos; slash = chroot.find('/', slash + 1)) {
    const std::string part = chroot.substr(slash + 1, chroot.find('/', slash + 1) - slash - 1);
    if (part.empty() || part == "." || part == ".." || part.find_first_of(" \t") != std::string::npos)
      return "'" + chroot + "' is no path: write host:port/folder/folder";
  }
  return {};
}

/// Adds one server, "HOST", "HOST:PORT" or "[IPV6]:PORT".
void add_server(const std::string& text, Servers& servers) {
  const auto bracket = text.rfind(']');
  const auto colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  const std::string host = text.substr(0, has_port ? colon : text.size());
  const std::string port = has_port ? text.substr(colon + 1) : default_port;
  const bool plain = text[0] == '[' ? bracket != std::string::npos : host.find(':') == std::string::npos;
  if (host.empty() || !plain || !is_port(port) || text.find_first_of(" \t\n") != std::string::npos)
    servers.problem = "'" + text + "' is no server: write host or host:port";
  servers.list += (servers.list.empty() ? "" : ",") + host + ":" + port;
}

/// One entry of the list, which may itself be several with commas; a path may stand at its end.
void add_entry(std::string text, Servers& servers) {
  if (const auto slash = text.find('/'); slash != std::string::npos) {
    std::string chroot = text.substr(slash);
    text.resize(slash);
    while (!chroot.empty() && chroot.back() == '/') chroot.pop_back();
    if (!chroot.empty() && !servers.chroot.empty() && chroot != servers.chroot)
      servers.problem = "two paths, '" + servers.chroot + "' and '" + chroot + "': there is one for all servers";
    else if (!chroot.empty() && !chroot_problem(chroot).empty())
      servers.problem = chroot_problem(chroot);
    if (!chroot.empty()) servers.chroot = chroot;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const std::string server = text.substr(begin, end - begin);
    if (server.empty())
      servers.problem = "an empty server: write host or host:port";
    else
      add_server(server, servers);
    begin = end + 1;
  }
}

Servers read_servers(const OptionValue& value) {
  Servers servers;
  if (const auto* text = std::get_if<std::string>(&value))
    add_entry(*text, servers);
  else if (const auto* list = std::get_if<std::vector<std::string>>(&value))
    for (const std::string& entry : *list) add_entry(entry, servers);
  else
    servers.problem = "must be a list of servers, host or host:port";
  if (servers.problem.empty() && servers.list.empty()) servers.problem = "must name a server, host or host:port";
  return servers;
}

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

/// "2s" or "200ms".
std::optional<Millis> read_tick(const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [unit, error] = std::from_chars(text->data(), end, number);
  const std::string_view rest(unit, static_cast<std::size_t>(end - unit));
  if (error != std::errc() || (rest != "ms" && rest != "s")) return std::nullopt;
  if (number <= 0 || number > 60'000) return std::nullopt;
  const Millis tick(rest == "s" ? number * 1000 : number);
  return tick <= Millis(60'000) ? std::optional(tick) : std::nullopt;
}

}  // namespace

std::vector<OptionProblem> check_options(const Options& options) {
  std::vector<OptionProblem> problems;
  std::string user, file;
  for (const auto& [key, value] : options) {
    if (key == "servers") {
      if (auto servers = read_servers(value); !servers.problem.empty())
        problems.push_back({key, "servers: " + servers.problem});
    } else if (key == "auth") {
      if (!split_auth(value, user, file))
        problems.push_back(
            {key, "auth must be \"digest:USER:FILE\", where FILE is the path of a file with the password"});
    } else if (key == "tick") {
      if (!read_tick(value))
        problems.push_back({key, "tick must be the servers' tickTime, up to \"60s\", such as \"2s\" or \"500ms\""});
    } else {
      problems.push_back({key, "unknown key '" + key + "'; allowed: servers, auth, tick"});
    }
  }
  return problems;
}

Settings read_settings(const Options& options) {
  Settings settings;
  settings.servers = default_server;
  if (const auto found = options.find("servers"); found != options.end()) {
    Servers servers = read_servers(found->second);
    settings.servers = std::move(servers.list);
    settings.chroot = std::move(servers.chroot);
  }
  if (const auto found = options.find("auth"); found != options.end())
    split_auth(found->second, settings.user, settings.password_file);
  if (const auto found = options.find("tick"); found != options.end())
    settings.tick = read_tick(found->second).value_or(settings.tick);
  return settings;
}

Result<std::string> credentials_of(const Settings& settings) {
  if (settings.user.empty()) return std::string();
  const auto password = read_secret(settings.password_file);
  if (!password)
    return Error{password.error().code == Errc::refused ? Errc::refused : Errc::invalid,
                 "[zookeeper] auth: " + password.error().what + ", where the password of " + settings.user +
                     " is to be the first line"};
  return settings.user + ":" + *password;
}

}  // namespace ballot::zookeeper
