#include "app/options/options.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <iostream>

#include "app/options/backend_flags.hpp"
#include "app/options/places.hpp"
#include "app/options/time_words.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "config/names.hpp"
#include "io/clocks.hpp"
#include "io/plugin_loader.hpp"

namespace ballot::app {
namespace {

using Texts = std::vector<std::string>;

/// A flag that config has a reader for; what it finds wrong is the answer.
template <class T>
void add_read(CLI::App& command, const std::string& flag, const std::string& help, std::optional<T>& to,
              std::optional<T> (*read)(std::string_view, std::string_view, config::Diagnostics&)) {
  add_value(command, flag, help, [&to, read](const std::string& text) {
    config::Diagnostics findings;
    to = read(text, "", findings);
    return findings.empty() ? std::string() : findings.front().message;
  });
}

void add_text(CLI::App& command, const std::string& flag, const std::string& help, std::optional<std::string>& to) {
  add_value(command, flag, help, [&to](const std::string& text) {
    to = text;
    return text.empty() ? "needs a value" : std::string();
  });
}

}  // namespace

void add_config_options(CLI::App& command, ConfigOptions& to) {
  add_text(command, "--config FILE", "the configuration, " + std::string(config::default_config_file), to.file);
  add_read(command, "--log-level LEVEL", "trace, debug, info, warn, error or fatal", to.flags.log_level,
           config::parse_log_level);
  add_read(command, "--log-format FORMAT", "human, json or raw (logfmt)", to.flags.log_format,
           config::parse_log_format);
  add_switch(command, "--debug", "the same as --log-level debug", [&to] { to.flags.log_level = Level::debug; });
}

void add_daemon_options(CLI::App& command, config::Overrides& to) {
  add_text(command, "--jobs-dir DIR", "where the job files lie", to.jobs_dir);
  add_text(command, "--plugin-dir DIR", "where the backends' plugins lie", to.plugin_dir);
  add_text(command, "--run-dir DIR", "sockets and what a reboot may clear", to.run_dir);
  add_text(command, "--node NAME", "this node's name; default: the host's", to.node);
}

void add_coordination_options(CLI::App& command, ConfigOptions& to, const Words& words) {
  add_text(command, "--backend NAME", "its plugin (" + installed_backends(words) + ")", to.flags.backend);
  add_text(command, "--state-dir DIR", "what must survive a reboot", to.flags.state_dir);
  add_text(command, "--namespace NAME", "what shares nothing with others of its backend", to.flags.name_space);
  add_read(command, "--session-timeout DURATION", "how long leadership survives silence, as 6s",
           to.flags.session_timeout, config::parse_session_timeout);
  add_backend_flags(command, words, to.flags.options);
}

void add_format_option(CLI::App& command, Format& to) {
  add_value(command, "--format FORMAT", "table, json or csv", [&to](const std::string& text) {
    return take(parse_word(text, parse_format, {"table", "json", "csv"}), to);
  });
}

void add_text_or_json_option(CLI::App& command, bool& json) {
  add_value(command, "--format FORMAT", "text or json", [&json](const std::string& text) {
    json = text == "json";
    return json || text == "text" ? std::string() : unknown_word(text, {"text", "json"}).what;
  });
}

Result<std::int64_t> parse_number(const std::string& text, std::int64_t least) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least)
    return Error{Errc::invalid,
                 "must be a whole number of at least " + std::to_string(least) + ", not " + config::in_quotes(text)};
  return value;
}

Error unknown_word(const std::string& text, const std::vector<std::string_view>& known) {
  return {Errc::invalid, "no value " + config::in_quotes(text) + config::suggestion(text, known)};
}

Result<WallTime> parse_time(const std::string& text) {
  const WallTime now = io::read_clocks().wall;
  if (const auto time = parse_wall(text)) return *time;
  constexpr std::string_view ago = " ago";
  if (const auto span = parse_duration(text.ends_with(ago) ? text.substr(0, text.size() - ago.size()) : text))
    return now - *span;
  if (const auto time = parse_time_words(text, now)) return *time;
  return Error{Errc::invalid,
               "must be a time such as 2025-03-09T07:00:00Z, 2025-03-09, 22:30 or yesterday (in UTC), "
               "or how long ago, such as 2h, not " +
                   config::in_quotes(text)};
}

Result<void> require_span(const std::optional<WallTime>& since, const std::optional<WallTime>& until) {
  if (!since || !until || *until >= *since) return {};
  return Error{Errc::invalid, "--until " + format_slot(*until) + " is before --since " + format_slot(*since)};
}

namespace {

config::ConfigRequest request_of(const ConfigOptions& options, config::Diagnostics& from_environment) {
  const auto lookup = [](const char* name) { return std::getenv(name); };
  config::ConfigRequest request;
  request.trust_rule = config::TrustRule::trusted;
  request.host_name = io::host_name();
  request.plugin_dir = plugin_dir();
  request.plugins = {plugin_names, load_plugin};
  request.lookup = lookup;
  request.overrides = options.flags.over(config::read_environment(lookup, from_environment));
  const char* variable = lookup("BALLOT_CONFIG");
  const bool named = variable != nullptr && *variable != '\0';
  if (options.file || named) {
    request.file = options.file ? *options.file : std::string(variable);
    request.file_rule = config::FileRule::must_exist;
  }
  return request;
}

config::LoadedConfig load(const config::ConfigRequest& request, const config::Diagnostics& from_environment) {
  config::LoadedConfig loaded = config::load_config(request);
  loaded.diagnostics.insert(loaded.diagnostics.begin(), from_environment.begin(), from_environment.end());
  return loaded;
}

std::optional<config::Config> load(const ConfigOptions& options, config::NamespaceRule namespaces,
                                   config::PluginRule plugins) {
  config::Diagnostics from_environment;
  config::ConfigRequest request = request_of(options, from_environment);
  request.namespace_rule = namespaces;
  const bool is_users = plugins == config::PluginRule::used && namespaces == config::NamespaceRule::has_default;
  if (is_users) request.state_dir = state_dir_of_user(::geteuid(), request.lookup);
  request.plugin_rule = plugins;
  config::LoadedConfig loaded = load(request, from_environment);
  if (!has_errors(loaded.diagnostics)) return std::move(loaded.config);
  for (const config::Diagnostic& finding : loaded.diagnostics)
    if (finding.severity == config::Severity::error) std::cerr << finding.text() << '\n';
  return std::nullopt;
}

}  // namespace

config::LoadedConfig check_config(const ConfigOptions& options, config::TrustRule trust) {
  config::Diagnostics from_environment;
  config::ConfigRequest request = request_of(options, from_environment);
  request.trust_rule = trust;
  request.plugin_rule = config::PluginRule::all;
  return load(request, from_environment);
}

std::optional<config::Config> load_config(const ConfigOptions& options) {
  return load(options, config::NamespaceRule::has_default, config::PluginRule::none);
}

std::optional<config::Config> load_backend_config(const ConfigOptions& options, config::NamespaceRule rule) {
  return load(options, rule, config::PluginRule::used);
}

std::optional<config::Config> load_backend_file(const ConfigOptions& options) {
  config::Diagnostics ignored;
  config::ConfigRequest request = request_of(options, ignored);
  request.overrides = {};
  request.lookup = [](const char*) { return nullptr; };
  request.namespace_rule = config::NamespaceRule::has_default;
  request.plugin_rule = config::PluginRule::used;
  config::LoadedConfig loaded = config::load_config(request);
  if (has_errors(loaded.diagnostics)) return std::nullopt;
  return std::move(loaded.config);
}

}  // namespace ballot::app
