#include "settings.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "jetstream/api.hpp"
#include "jetstream/nkey.hpp"
#include "support/secret_file.hpp"

namespace ballot::nats {

using namespace support;

namespace {

constexpr const char *default_port = "4222", *default_server = "127.0.0.1:4222";
constexpr std::size_t longest_bucket = 200;

/// "nats://HOST" and "tls://HOST" are what NATS's own tools want; here they say the same as "HOST".
HostList hosts_of(OptionValue value) {
  const auto cut = [](std::string& text) {
    for (const std::string_view scheme : {"nats://", "tls://"})
      if (text.starts_with(scheme)) text.erase(0, scheme.size());
  };
  if (auto* text = std::get_if<std::string>(&value)) cut(*text);
  if (auto* list = std::get_if<std::vector<std::string>>(&value))
    for (std::string& one : *list) cut(one);
  return read_hosts(value, default_port);
}

/// TLS is asked for, where only `ca` brings it.
bool says_tls(const Options& options) {
  const auto found = options.find("servers");
  if (found == options.end()) return false;
  const auto says = [](const std::string& text) { return text.find("tls://") != std::string::npos; };
  if (const auto* text = std::get_if<std::string>(&found->second)) return says(*text);
  const auto* list = std::get_if<std::vector<std::string>>(&found->second);
  return list != nullptr && std::any_of(list->begin(), list->end(), says);
}

std::string servers_problem(const OptionValue& value) noexcept {
  const HostList hosts = hosts_of(value);
  if (!hosts.problem.empty()) return "servers: " + hosts.problem;
  return hosts.path.empty() ? "" : "servers: '" + hosts.path + "': a server of NATS has no path";
}

bool is_bucket(const std::string& name) {
  return !name.empty() && name.size() <= longest_bucket && name.find_first_not_of(plain_letters) == std::string::npos;
}

std::string bucket_problem(const OptionValue& value) noexcept {
  const auto* name = std::get_if<std::string>(&value);
  return name != nullptr && is_bucket(*name) ? "" : "bucket must be the name of a bucket, of [A-Za-z0-9_-]";
}

/// 0: it is none.
int replicas_of(const OptionValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto* digit = std::get_if<std::string>(&value);
  const std::int64_t replicas = number ? *number : digit && digit->size() == 1 ? (*digit)[0] - '0' : 0;
  return replicas >= 1 && replicas <= 5 ? static_cast<int>(replicas) : 0;
}

std::string replicas_problem(const OptionValue& value) noexcept {
  return replicas_of(value) > 0 ? "" : "replicas must be 1 to 5";
}

std::string user_problem(const OptionValue& value) noexcept {
  if (!read_named_file(value).name.empty()) return {};
  return "user must be \"NAME:FILE\", where FILE is the path of a file with the password";
}

std::string nkey_problem(const OptionValue& value) noexcept {
  if (read_named_file(value).name.starts_with('U')) return {};
  return "nkey must be \"KEY:FILE\", where KEY is the public key, U..., and FILE the path of a file with its seed";
}

std::string ca_problem(const OptionValue& value) noexcept {
  return is_file(value) || value == OptionValue("system") ? "" : "ca must be the path of a file, or \"system\"";
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

std::vector<OptionProblem> table_conflicts(const Options& options) noexcept {
  auto problems = rivals(options, {"user", "token", "credentials", "nkey"}, "each say who the daemon is");
  for (OptionProblem& problem : half_pairs(options, {{"cert", "key"}})) problems.push_back(std::move(problem));
  for (OptionProblem& problem : without(options, {"cert"}, "ca")) problems.push_back(std::move(problem));
  if (says_tls(options) && !options.contains("ca"))
    problems.push_back({"servers", "servers: tls:// is spoken where ca is set: set it to a file, or to \"system\""});
  return problems;
}

Result<Settings> read_settings(const Options& options, const std::string& name_space) {
  const auto servers = options.find("servers"), replicas = options.find("replicas");
  const Access access{hosts_of(servers == options.end() ? OptionValue(default_server) : servers->second),
                      named_file_at(options, "user"),
                      text_at(options, "token"),
                      text_at(options, "credentials"),
                      named_file_at(options, "nkey"),
                      text_at(options, "ca"),
                      text_at(options, "cert"),
                      text_at(options, "key")};
  const std::string bucket = options.contains("bucket") ? text_at(options, "bucket") : "ballot-" + name_space;
  if (!is_bucket(bucket))
    return Error{Errc::invalid, "no bucket can be called '" + bucket + "': set [nats] bucket, of [A-Za-z0-9_-]"};
  return Settings{access, bucket, replicas == options.end() ? 0 : replicas_of(replicas->second)};
}

/// A seed or a JWT that cannot be used is said before a server is asked. TLS reads `key` itself, and `cert`.
Result<Secrets> read_secrets(const Access& access) {
  const auto password = secret_of("nats", "user", access.user.file);
  if (!password) return password.error();
  const auto token = secret_of("nats", "token", access.token_file);
  if (!token) return token.error();
  if (const auto key = secret_text_of("nats", "key", access.key); !key) return key.error();
  Secrets secrets{*password, *token};
  for (const auto& [key, file] :
       {std::pair("credentials", access.credentials_file), std::pair("nkey", access.nkey.file)}) {
    const auto text = secret_text_of("nats", key, file);
    if (!text) return text.error();
    if (text->empty()) continue;
    const auto invalid = [&, name = key, path = file](const std::string& why) {
      return Error{Errc::invalid, "[nats] " + std::string(name) + ": " + path + ": " + why};
    };
    const Credentials found = parse_credentials(*text);
    if (file == access.credentials_file && found.jwt.empty()) return invalid("there is no JWT in it");
    if (const std::string problem = problem_of_seed(found.seed); !problem.empty()) return invalid(problem);
    secrets.jwt = file == access.credentials_file ? found.jwt : "";
    secrets.seed = found.seed;
  }
  return secrets;
}

}  // namespace ballot::nats
