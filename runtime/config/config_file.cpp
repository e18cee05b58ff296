#include "config/config_file.hpp"

#include "base/duration.hpp"
#include "config/document.hpp"
#include "config/group_keys.hpp"
#include "config/key_table.hpp"
#include "config/no_effect.hpp"
#include "schedule/plan.hpp"

namespace ballot::config {
namespace {

constexpr std::int64_t largest_count = 1'000'000;
constexpr Millis one_second = std::chrono::seconds(1);

/// Puts the value into `option` as a plugin gets it. False, and a finding, where there is no such type.
bool take_option(const Value& value, OptionValue& option) {
  const toml::node& node = value.node();
  if (const auto* const flag = node.as_boolean()) return option = flag->get(), true;
  if (const auto* const number = node.as_integer()) return option = std::int64_t{number->get()}, true;
  if (node.is_array()) {
    auto texts = value.strings();
    if (texts) option = std::move(*texts);
    return texts.has_value();
  }
  if (!node.is_string()) {
    value.error("must be a string, an integer, true or false, or a list of strings");
    return false;
  }
  const auto text = value.string();
  if (text) option = std::string(*text);
  return text.has_value();
}

void read_backend(const Value& value, Config& config) {
  const toml::table* const table = value.table();
  if (table == nullptr) return;
  BackendTable& backend = config.backends[std::string(value.key())];
  backend.position = value.position();
  for (auto&& [key, node] : *table) {
    const Value entry(key.str(), node, value.findings());
    OptionValue option;
    if (!take_option(entry, option)) continue;
    backend.options.insert_or_assign(std::string(key.str()), std::move(option));
    backend.positions.insert_or_assign(std::string(key.str()), entry.position());
  }
}

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

constexpr Key<Coordination> coordination_keys[] = {
    plain_row<Coordination>("allow_open_store", as_boolean<&Coordination::allow_open_store>),
    plain_row<Coordination>("backend", as_name<&Coordination::backend>),
    plain_row<Coordination>("namespace", as_name<&Coordination::name_space>),
    row<Coordination, &Coordination::on_outage>("on_outage", as_word<&Coordination::on_outage>),
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
constexpr Key<LogSettings> log_keys[] = {
    plain_row<LogSettings>("format", as_word<&LogSettings::format>),
    plain_row<LogSettings>("level", as_word<&LogSettings::level>),
};
constexpr Key<Config> control_keys[] = {plain_row<Config>("socket", as_path<&Config::control_socket>)};
static_assert(is_sorted(coordination_keys) && is_sorted(history_keys) && is_sorted(log_keys));

template <const auto& keys, auto Member>
void as_section(const Value& value, Config& config) {
  if (const toml::table* const table = value.table()) read_table(*table, keys, config.*Member, value.findings());
}

template <const auto& keys>
void as_flat_section(const Value& value, Config& config) {
  if (const toml::table* const table = value.table()) read_table(*table, keys, config, value.findings());
}

constexpr Key<Config> config_keys[] = {
    plain_row<Config>("consul", read_backend),
    plain_row<Config>("control", as_flat_section<control_keys>),
    plain_row<Config>("coordination", as_section<coordination_keys, &Config::coordination>),
    plain_row<Config>("etcd", read_backend),
    plain_row<Config>("group", [](const Value& value, Config& config) { read_groups(value, config.groups); }),
    plain_row<Config>("history", as_section<history_keys, &Config::history>),
    plain_row<Config>("jobs_dir", as_path<&Config::jobs_dir>),
    plain_row<Config>("local", read_backend),
    plain_row<Config>("log", as_section<log_keys, &Config::log>),
    row<Config, &Config::max_running>("max_running", as_integer<&Config::max_running, 0, largest_count>),
    plain_row<Config>("nats", read_backend),
    plain_row<Config>("node", read_node),
    plain_row<Config>("plugin_dir", as_path<&Config::plugin_dir>),
    plain_row<Config>("run_dir", as_path<&Config::run_dir>),
    plain_row<Config>("runner", as_flat_section<runner_keys>),
    plain_row<Config>("state_dir", as_path<&Config::state_dir>),
    plain_row<Config>("timezone", read_timezone),
    plain_row<Config>("zookeeper", read_backend),
};
static_assert(is_sorted(config_keys));

/// Known to be there: the table of a backend that is somebody else's plugin.
bool is_table_of(std::string_view backend, const toml::key& key) {
  return key.str() == backend && find_key(key.str(), std::span<const Key<Config>>(config_keys)) == nullptr;
}

}  // namespace

void read_config_file(std::string_view text, const std::string& backend, Config& config, Findings& findings) {
  const auto document = parse_toml(text, findings);
  if (!document) return;
  const auto written = (*document)["coordination"]["backend"].value<std::string>();
  const std::string used = backend.empty() ? written.value_or("") : backend;
  for (auto&& [key, node] : *document) {
    if (is_table_of(used, key))
      read_backend(Value(key.str(), node, findings), config);
    else
      read_entry(key, node, std::span<const Key<Config>>(config_keys), config, findings);
  }
}

}  // namespace ballot::config
