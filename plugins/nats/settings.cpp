#include "settings.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "support/options.hpp"
#include "support/secret_file.hpp"

namespace ballot::nats {

namespace {

constexpr const char* default_port = "4222";
constexpr const char* default_server = "127.0.0.1:4222";
constexpr std::int64_t most_replicas = 5;
constexpr std::string_view bucket_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
constexpr std::size_t longest_bucket = 200;

/// "nats://HOST" and "tls://HOST" are what NATS's own tools want; here they say the same as "HOST".
OptionValue without_schemes(const OptionValue& value) {
  const auto cut = [](std::string text) {
    for (const std::string_view scheme : {"nats://", "tls://"})
      if (text.compare(0, scheme.size(), scheme) == 0) return text.substr(scheme.size());
    return text;
  };
  if (const auto* text = std::get_if<std::string>(&value)) return cut(*text);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    std::vector<std::string> all;
    for (const std::string& one : *list) all.push_back(cut(one));
    return all;
  }
  return value;
}

std::string servers_problem(const OptionValue& value) noexcept {
  const support::HostList hosts = support::read_hosts(without_schemes(value), default_port);
  if (!hosts.problem.empty()) return "servers: " + hosts.problem;
  return hosts.path.empty() ? "" : "servers: '" + hosts.path + "': a server of NATS has no path";
}

bool is_bucket(const std::string& name) {
  return !name.empty() && name.size() <= longest_bucket && name.find_first_not_of(bucket_letters) == std::string::npos;
}

std::string bucket_problem(const OptionValue& value) noexcept {
  const auto* name = std::get_if<std::string>(&value);
  return name != nullptr && is_bucket(*name) ? "" : "bucket must be the name of a bucket, of [A-Za-z0-9_-]";
}

std::string replicas_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  const bool digit = text != nullptr && text->size() == 1 && (*text)[0] >= '1' && (*text)[0] <= '0' + most_replicas;
  const auto* number = std::get_if<std::int64_t>(&value);
  return digit || (number != nullptr && *number >= 1 && *number <= most_replicas) ? "" : "replicas must be 1 to 5";
}

bool is_file(const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && text->size() > 1 && (*text)[0] == '/';
}

std::string file_problem(const OptionValue& value) noexcept {
  return is_file(value) ? "" : "must be the path of a file, from '/' on";
}

/// "NAME:FILE".
bool split(const OptionValue& value, std::string& name, std::string& file) {
  const auto* text = std::get_if<std::string>(&value);
  const auto colon = text == nullptr ? std::string::npos : text->find(":/");
  if (colon == std::string::npos || colon == 0) return false;
  name = text->substr(0, colon);
  file = text->substr(colon + 1);
  return true;
}

std::string user_problem(const OptionValue& value) noexcept {
  std::string name, file;
  return split(value, name, file) ? ""
                                  : "user must be \"NAME:FILE\", where FILE is the path of a file with the password";
}

std::string nkey_problem(const OptionValue& value) noexcept {
  std::string name, file;
  if (split(value, name, file) && name[0] == 'U') return {};
  return "nkey must be \"KEY:FILE\", where KEY is the public key, U..., and FILE the path of a file with its seed";
}

std::string ca_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  return is_file(value) || (text != nullptr && *text == "system") ? "" : "ca must be the path of a file, or \"system\"";
}

std::string text_at(const Options& options, const char* key) {
  const auto found = options.find(key);
  const auto* text = found == options.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
}

}  // namespace

const OptionKey table_keys[10] = {
    {"servers", servers_problem, OptionType::list, "HOST or HOST:PORT, a list", OptionFlag::listed},
    {"bucket", bucket_problem, OptionType::text, "of registers; NAME-sessions is the sessions'", OptionFlag::listed},
    {"replicas", replicas_problem, OptionType::text, "of the buckets, where they are made"},
    {"user", user_problem, OptionType::text, "NAME:FILE, with the password"},
    {"token", file_problem, OptionType::text, "a file with the token"},
    {"credentials", file_problem, OptionType::text, "a file of credentials, as nsc writes it"},
    {"nkey", nkey_problem, OptionType::text, "KEY:FILE, with the seed"},
    {"ca", ca_problem, OptionType::text, "a file with the authorities of the servers' certificates, or system"},
    {"cert", file_problem, OptionType::text, "a file with our certificate"},
    {"key", file_problem, OptionType::text, "a file with its key"},
};

bool Access::is_open() const {
  return user.empty() && token_file.empty() && credentials_file.empty() && nkey.empty() && cert.empty();
}

std::string Access::servers_text() const {
  std::string all;
  for (const std::string& one : servers) all += (all.empty() ? "" : ",") + one;
  return all;
}

Settings read_settings(const Options& options) {
  Settings settings;
  Access& access = settings.access;
  access.servers = {default_server};
  if (const auto found = options.find("servers"); found != options.end())
    access.servers = support::read_hosts(without_schemes(found->second), default_port).hosts;
  if (const auto found = options.find("user"); found != options.end())
    split(found->second, access.user, access.password_file);
  if (const auto found = options.find("nkey"); found != options.end())
    split(found->second, access.nkey, access.seed_file);
  access.token_file = text_at(options, "token");
  access.credentials_file = text_at(options, "credentials");
  access.ca = text_at(options, "ca");
  access.cert = text_at(options, "cert");
  access.key = text_at(options, "key");
  settings.bucket = text_at(options, "bucket");
  if (const std::string text = text_at(options, "replicas"); !text.empty()) settings.replicas = text[0] - '0';
  if (const auto found = options.find("replicas"); found != options.end())
    if (const auto* number = std::get_if<std::int64_t>(&found->second)) settings.replicas = static_cast<int>(*number);
  return settings;
}

std::string conflict_of(const Settings& settings) {
  const Access& access = settings.access;
  const int ways =
      !access.user.empty() + !access.token_file.empty() + !access.credentials_file.empty() + !access.nkey.empty();
  if (ways > 1) return "user, token, credentials and nkey each say who the daemon is: keep one of them";
  if (access.cert.empty() != access.key.empty()) return "cert and key belong together: set both";
  if (access.ca.empty() && !access.cert.empty()) return "cert is for TLS: set ca too";
  return {};
}

Result<std::string> bucket_of(const Settings& settings, const std::string& name_space) {
  const std::string name = settings.bucket.empty() ? "ballot-" + name_space : settings.bucket;
  if (is_bucket(name)) return name;
  return Error{Errc::invalid, "no bucket can be called '" + name + "': set [nats] bucket, of [A-Za-z0-9_-]"};
}

Result<Secrets> read_secrets(const Access& access) {
  Secrets secrets;
  const auto read = [](const char* what, const std::string& file) -> Result<std::string> {
    if (file.empty()) return std::string();
    auto line = support::read_secret(file);
    if (line) return line;
    return Error{line.error().code == Errc::refused ? Errc::refused : Errc::invalid,
                 "[nats] " + std::string(what) + ": " + line.error().what};
  };
  auto password = read("user", access.password_file);
  if (!password) return password.error();
  auto token = read("token", access.token_file);
  if (!token) return token.error();
  // The library reads these itself, all their lines.
  for (const auto& [what, file] : {std::pair("credentials", access.credentials_file),
                                   std::pair("nkey", access.seed_file), std::pair("key", access.key)})
    if (const auto line = read(what, file); !line) return line.error();
  secrets.password = std::move(*password);
  secrets.token = std::move(*token);
  return secrets;
}

}  // namespace ballot::nats
