#include "config/config_file.hpp"

#include "base/duration.hpp"
#include "config/backend_table.hpp"
#include "config/document.hpp"
#include "config/group_keys.hpp"
#include "config/http_keys.hpp"
#include "config/key_table.hpp"
#include "schedule/plan.hpp"

namespace ballot::config {
namespace {

constexpr std::int64_t largest_count = 1'000'000;
constexpr std::size_t longest_group_name = 64;
constexpr Millis one_second = std::chrono::seconds(1);

void read_node(const Value& value, Config& config) {
  const auto text = value.string();
  if (!text) return;
  if (!is_node_name(*text))
    return value.error(
        "must be a name of 1 to 64 letters, digits, '_', '-' and '.' that begins with a letter or digit, not " +
        in_quotes(*text));
  config.node = *text;
}

void read_timezone(const Value& value, Config& config) {
  const auto text = value.string();
  if (!text) return;
  schedule::PlanSpec nothing;
  nothing.timezone = *text;
  const auto made = schedule::Plan::make(nothing);
  if (const auto* const errors = std::get_if<std::vector<schedule::PlanError>>(&made))
    return value.findings().error(value.position(), "timezone: " + errors->front().text);
  config.timezone = *text;
}

void read_on_stop(const Value& value, Config& config) {
  const auto text = value.string();
  if (!text) return;
  constexpr std::string_view wait = "wait ";
  const auto time = text->starts_with(wait) ? parse_duration(text->substr(wait.size())) : std::nullopt;
  if (*text == "leave")
    config.on_stop = {OnStop::Kind::leave, Millis(0)};
  else if (*text == "kill")
    config.on_stop = {OnStop::Kind::kill, Millis(0)};
  else if (time && *time <= longest_duration)
    config.on_stop = {OnStop::Kind::wait, *time};
  else
    value.error("must be \"leave\", \"kill\" or \"wait DURATION\" such as \"wait 30s\", not " + in_quotes(*text));
}

void read_backend(const Value& value, Coordination& to) {
  as_name<&Coordination::backend>(value, to);
  to.backend_position = value.position();
}

void read_outage(const Value& value, Coordination& to) {
  as_word<&Coordination::on_outage>(value, to);
  to.outage_position = value.position();
}

constexpr Key<Coordination> coordination_keys[] = {
    plain_row<Coordination>("allow_open_store", as_boolean<&Coordination::allow_open_store>),
    plain_row<Coordination>("backend", read_backend),
    plain_row<Coordination>("namespace", as_name<&Coordination::name_space>),
    plain_row<Coordination>("on_outage", read_outage),
    plain_row<Coordination>("session_timeout",
                            as_duration<&Coordination::session_timeout, shortest_session_timeout / Millis(1),
                                        longest_session_timeout / Millis(1)>),
};
constexpr Key<Config> runner_keys[] = {plain_row<Config>("on_stop", read_on_stop)};
constexpr Key<History> history_keys[] = {
    plain_row<History>("keep", as_duration<&History::keep, one_second / Millis(1)>),
    plain_row<History>("keep_runs_per_job", as_integer<&History::keep_runs_per_job, 0, largest_count>),
    plain_row<History>("max_size", as_size<&History::max_size, 0, unlimited>),
    plain_row<History>("path", as_path<&History::path>),
};
void read_history_plugin(const Value& value, FleetKeys& fleet) {
  const auto name = value.string();
  if (!name) return;
  if (!name->empty() && !is_name(*name))
    return value.error("is not a valid name of a plugin, such as \"postgresql\": " + in_quotes(*name));
  fleet.history = *name;
  fleet.history_position = value.position();
}
constexpr Key<FleetKeys> fleet_keys[] = {
    plain_row<FleetKeys>("history", read_history_plugin),
    plain_row<FleetKeys>("token_file", as_path<&FleetKeys::token_file>),
};
constexpr Key<LogSettings> log_keys[] = {
    plain_row<LogSettings>("format", as_word<&LogSettings::format>),
    plain_row<LogSettings>("level", as_word<&LogSettings::level>),
};
/// "": no group.
template <auto Member>
void as_group(const Value& value, Config& config) {
  const auto read = value.string();
  if (!read) return;
  const bool is_name = read->find_first_of(" \t:,/") == std::string::npos && read->size() <= longest_group_name;
  if (!is_name) return value.error("must be the name of one group of this machine, or \"\", not " + in_quotes(*read));
  config.control_groups.*Member = *read;
}

constexpr Key<Config> control_keys[] = {
    plain_row<Config>("operators", as_group<&ControlGroups::operators>),
    plain_row<Config>("socket", as_path<&Config::control_socket>),
    plain_row<Config>("viewers", as_group<&ControlGroups::viewers>),
};
static_assert(is_sorted(coordination_keys) && is_sorted(history_keys) && is_sorted(log_keys) &&
              is_sorted(control_keys));

template <const auto& keys, auto Member>
void as_section(const Value& value, Config& config) {
  if (const toml::table* const table = value.table()) read_table(*table, keys, config.*Member, value.findings());
}

template <const auto& keys>
void as_flat_section(const Value& value, Config& config) {
  if (const toml::table* const table = value.table()) read_table(*table, keys, config, value.findings());
}

constexpr Key<Config> config_keys[] = {
    plain_row<Config>("control", as_flat_section<control_keys>),
    plain_row<Config>("coordination", as_section<coordination_keys, &Config::coordination>),
    plain_row<Config>("fleet", as_section<fleet_keys, &Config::fleet>),
    plain_row<Config>("group",
                      [](const Value& value, Config& config) { read_groups(value, config.known, config.groups); }),
    plain_row<Config>("history", as_section<history_keys, &Config::history>),
    plain_row<Config>("http", [](const Value& value, Config& config) { read_http(value, config.http); }),
    plain_row<Config>("jobs_dir", as_path<&Config::jobs_dir>),
    plain_row<Config>("log", as_section<log_keys, &Config::log>),
    row<Config, &Config::max_running>("max_running", as_integer<&Config::max_running, 0, largest_count>),
    plain_row<Config>("node", read_node),
    plain_row<Config>("plugin_dir", as_path<&Config::plugin_dir>),
    plain_row<Config>("run_dir", as_path<&Config::run_dir>),
    plain_row<Config>("runner", as_flat_section<runner_keys>),
    plain_row<Config>("state_dir", as_path<&Config::state_dir>),
    plain_row<Config>("timezone", read_timezone),
};
static_assert(is_sorted(config_keys));

/// A text of the document, where it has one there.
std::string text_in(const toml::table& document, const char* table, const char* key) {
  const auto node = table == nullptr ? document[key] : document[table][key];
  return node.value<std::string>().value_or("");
}

bool is_key(std::string_view name) { return find_key(name, std::span<const Key<Config>>(config_keys)) != nullptr; }

/// A name that is neither a key's nor a backend's.
void unknown_key(const toml::key& key, const toml::node& node, const Config& config, Findings& findings) {
  std::vector<std::string_view> known;
  for (const Key<Config>& each : config_keys) known.push_back(each.name);
  for (const auto& [name, plugin] : config.known) known.push_back(name);
  std::string text = "unknown key " + in_quotes(key.str()) + suggestion(key.str(), known);
  if (node.is_table()) text += "; nor is a backend of that name installed in plugin_dir";
  findings.error(position_of(key.source()), text);
}

}  // namespace

void read_config_file(std::string_view text, const FindBackends& find_backends, Config& config, Findings& findings) {
  const auto document = parse_toml(text, findings);
  if (!document) return;
  config.known =
      find_backends(text_in(*document, nullptr, "plugin_dir"), text_in(*document, "coordination", "backend"));
  for (auto&& [key, node] : *document) {
    if (is_key(key.str()))
      read_entry(key, node, std::span<const Key<Config>>(config_keys), config, findings);
    else if (config.known.contains(key.str()))
      read_backend_table(Value(key.str(), node, findings), config.backends[std::string(key.str())]);
    else
      unknown_key(key, node, config, findings);
  }
}

}  // namespace ballot::config
