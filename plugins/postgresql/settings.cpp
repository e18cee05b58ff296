#include "settings.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "support/options.hpp"
#include "support/secret_file.hpp"

namespace ballot::postgresql {

namespace {

using namespace std::chrono_literals;

constexpr const char *default_keep = "400d", *default_keep_output = "30d", *default_timeout = "10s",
                     *default_schema = "ballot";
constexpr Millis shortest_keep = 24h, longest_keep = 24h * 36'500, shortest_timeout = 100ms, longest_timeout = 1h;
constexpr std::size_t longest_schema = 40;

/// "a,b": its parts, at least one.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// The parts of a URL by libpq's names for them; none: it is no URL. libpq's own words repeat it, with what is secret.
std::optional<std::map<std::string, std::string>> parts_of(const std::string& url) {
  if (!url.starts_with("postgresql://") && !url.starts_with("postgres://")) return std::nullopt;
  char* error = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(PQconninfoParse(url.c_str(), &error),
                                                                            PQconninfoFree);
  if (error != nullptr) PQfreemem(error);
  if (!parsed) return std::nullopt;
  std::map<std::string, std::string> parts;
  for (const PQconninfoOption* one = parsed.get(); one->keyword != nullptr; ++one)
    if (one->val != nullptr) parts[one->keyword] = one->val;
  return parts;
}

std::string url_problem_of(const OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  const auto parts = text == nullptr ? std::nullopt : parts_of(*text);
  if (!parts) return " must be a URL of PostgreSQL: postgresql://USER@HOST:PORT/DATABASE";
  for (const char* secret : {"password", "sslpassword"})
    if (parts->contains(secret))
      return " must not have a password in it, as others may read it here: set password_file";
  return {};
}

std::string url_problem(const OptionValue& value) noexcept {
  const std::string problem = url_problem_of(value);
  return problem.empty() ? problem : "url" + problem;
}

std::string read_url_problem(const OptionValue& value) noexcept {
  const std::string problem = url_problem_of(value);
  return problem.empty() ? problem : "read_url" + problem;
}

std::string read_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && (*text == "fleet" || *text == "local") ? "" : "read must be \"fleet\" or \"local\"";
}

std::string schema_problem(const OptionValue& value) noexcept {
  const auto* text = std::get_if<std::string>(&value);
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  const bool is_right = text != nullptr && !text->empty() && text->size() <= longest_schema &&
                        std::all_of(text->begin(), text->end(), is_plain) && (*text)[0] >= 'a' &&
                        !text->starts_with("pg_");
  return is_right ? "" : "schema must be of a-z, 0-9 and _, begin with a letter, and not with pg_";
}

std::optional<Millis> read_span(const OptionValue& value, Millis least, Millis most) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [unit, error] = std::from_chars(text->data(), end, number);
  const std::map<std::string_view, Millis> units{{"ms", 1ms}, {"s", 1s}, {"m", 1min}, {"h", 1h}, {"d", 24h}};
  const auto found = units.find(std::string_view(unit, static_cast<std::size_t>(end - unit)));
  if (error != std::errc() || found == units.end() || number <= 0 || number > most / found->second) return std::nullopt;
  const Millis span = number * found->second;
  return span >= least ? std::optional(span) : std::nullopt;
}

std::string span_problem(const char* key, const OptionValue& value) {
  return read_span(value, shortest_keep, longest_keep)
             ? ""
             : std::string(key) + " must be a duration of a day or more, such as \"400d\"";
}
std::string keep_problem(const OptionValue& value) noexcept { return span_problem("keep", value); }
std::string keep_output_problem(const OptionValue& value) noexcept { return span_problem("keep_output", value); }

std::string timeout_problem(const OptionValue& value) noexcept {
  return read_span(value, shortest_timeout, longest_timeout)
             ? ""
             : "statement_timeout must be a duration from \"100ms\" to \"1h\"";
}

std::string text_or(const Options& options, const char* key, const char* otherwise) {
  return options.contains(key) ? support::text_at(options, key) : otherwise;
}

bool is_this_machine(std::string_view host) {
  return host.empty() || host[0] == '/' || host[0] == '@' || host == "localhost" || host == "::1" ||
         host.starts_with("127.");
}

using Parts = std::map<std::string, std::string>;

std::vector<std::string> listed(const Parts& parts, const char* key) {
  std::vector<std::string> all;
  const auto found = parts.find(key);
  if (found == parts.end()) return all;
  for (std::string_view rest = found->second;;) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    all.emplace_back(rest.substr(0, end));
    if (end == rest.size()) return all;
    rest.remove_prefix(end + 1);
  }
}

/// Every host that the URL names, or may mean; none: the socket of this machine.
bool is_all_here(const Parts& parts) {
  for (const char* key : {"host", "hostaddr"})
    for (const std::string& host : listed(parts, key))
      if (!is_this_machine(host)) return false;
  return true;
}

/// The i-th of several hosts; one port, or none, is that of all.
void choose_host(const Parts& parts, std::size_t number, ConnectionWords& words) {
  for (const char* key : {"host", "hostaddr", "port"}) {
    const std::vector<std::string> all = listed(parts, key);
    if (number < all.size())
      words.emplace_back(key, all[number]);
    else if (all.size() == 1)
      words.emplace_back(key, all[0]);
  }
}

}  // namespace

const OptionKey table_keys[11] = {
    {"url", url_problem, OptionType::text, "postgresql://USER@HOST:PORT/DATABASE"},
    {"password_file", support::file_problem, OptionType::text, "a file with the password of the URLs' users"},
    {"tls_ca", support::file_problem, OptionType::text, "authorities of the servers' certificates"},
    {"read_url", read_url_problem, OptionType::text, "where to read: a replica"},
    {"migrate_user", support::text_problem, OptionType::text, "who makes the tables, at the same URL"},
    {"migrate_password_file", support::file_problem, OptionType::text, "a file with that user's password"},
    {"read", read_problem, OptionType::text, "\"fleet\", or \"local\""},
    {"keep", keep_problem, OptionType::text, "how long rows are kept"},
    {"keep_output", keep_output_problem, OptionType::text, "how long output is kept"},
    {"statement_timeout", timeout_problem, OptionType::text, "by when a statement is given up"},
    {"schema", schema_problem, OptionType::text, "of the tables"},
};

std::vector<OptionProblem> table_conflicts(const Options& options) noexcept {
  if (!options.contains("url"))
    return {{"url", "url is missing: where the database is, as postgresql://USER@HOST:PORT/DATABASE"}};
  return support::without(options, {"migrate_password_file"}, "migrate_user");
}

Settings read_settings(const Options& options, HistoryUse use) {
  Settings settings;
  settings.use = use;
  const std::string url = support::text_at(options, "url");
  settings.url = use == HistoryUse::read ? text_or(options, "read_url", url.c_str()) : url;
  for (const std::string& one : {url, support::text_at(options, "read_url")})
    if (const auto parts = parts_of(one); parts && parts->contains("user")) settings.users.push_back(parts->at("user"));
  const bool is_other_user = use == HistoryUse::migrate && options.contains("migrate_user");
  if (is_other_user) settings.user = support::text_at(options, "migrate_user");
  settings.password_key = is_other_user ? "migrate_password_file" : "password_file";
  settings.password_file = support::text_at(options, settings.password_key.c_str());
  settings.tls_ca = support::text_at(options, "tls_ca");
  settings.schema = text_or(options, "schema", default_schema);
  settings.keep = *read_span(text_or(options, "keep", default_keep), shortest_keep, longest_keep);
  settings.keep_output = *read_span(text_or(options, "keep_output", default_keep_output), shortest_keep, longest_keep);
  settings.statement_timeout =
      *read_span(text_or(options, "statement_timeout", default_timeout), shortest_timeout, longest_timeout);
  return settings;
}

/// What comes before `dbname`, which is the URL, yields to it; what comes after does not.
Result<std::vector<ConnectionWords>> connection_words(const Settings& settings) {
  const auto password = support::secret_of("postgresql", settings.password_key, settings.password_file);
  if (!password) return password.error();
  const Parts parts = parts_of(settings.url).value_or(Parts());
  ConnectionWords words;
  words.emplace_back("sslmode", is_all_here(parts) ? "prefer" : "require");
  words.emplace_back("gssencmode", "disable");  // looking for Kerberos' tickets may block
  words.emplace_back("application_name", "ballot");
  words.emplace_back("dbname", settings.url);
  words.emplace_back("client_encoding", "UTF8");
  if (!settings.user.empty()) words.emplace_back("user", settings.user);
  if (!password->empty()) words.emplace_back("password", *password);
  if (!settings.tls_ca.empty()) {
    words.emplace_back("sslmode", "verify-full");
    words.emplace_back("sslrootcert", settings.tls_ca);
  }
  const std::size_t hosts = std::max({std::size_t{1}, listed(parts, "host").size(), listed(parts, "hostaddr").size()});
  std::vector<ConnectionWords> all(hosts, words);
  if (hosts > 1)
    for (std::size_t i = 0; i < hosts; ++i) choose_host(parts, i, all[i]);
  return all;
}

std::string place_of(const Settings& settings) {
  const Parts parts = parts_of(settings.url).value_or(Parts());
  const auto part = [&](const char* key) { return parts.contains(key) ? parts.at(key) : std::string(); };
  const auto hosts = listed(part("host").empty() ? part("hostaddr") : part("host")), ports = listed(part("port"));
  std::string text = "PostgreSQL at ";
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& port = ports[ports.size() == 1 ? 0 : std::min(i, ports.size() - 1)];  // one may be that of all
    text += (i == 0 ? "" : ", ") + (hosts[i].empty() ? "its socket" : hosts[i]) + (port.empty() ? "" : ":" + port);
  }
  return text;
}

}  // namespace ballot::postgresql
