// The flags that commands share, and what they are read into. A wrong value is a usage error that names the allowed
// ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.hpp"
#include "app/options/flags.hpp"
#include "app/print/format.hpp"
#include "ballot/error.hpp"
#include "ballot/time.hpp"
#include "config/config.hpp"

namespace ballot::app {

/// What every command takes: --config --log-level --log-format --debug; and, for some, more of `flags`.
struct ConfigOptions {
  std::optional<std::string> file;  // none: $BALLOT_CONFIG, else the default, which may be missing
  config::Overrides flags;
};

void add_config_options(CLI::App& command, ConfigOptions& to);

/// serve's: --jobs-dir --plugin-dir --run-dir --node.
void add_daemon_options(CLI::App& command, config::Overrides& to);

/// --backend --state-dir --namespace --session-timeout, and the flags of the backends that `words` name; where help is
/// asked for, those of all that are installed. After add_config_options().
void add_coordination_options(CLI::App& command, ConfigOptions& to, const Words& words);

/// --format, of those commands that list.
void add_format_option(CLI::App& command, Format& to);

/// --format text or json, of those that print about one thing.
void add_text_or_json_option(CLI::App& command, bool& json);

/// What is wrong, or "" and `to` is set.
template <class T, class To>
std::string take(Result<T> value, To& to) {
  if (!value) return value.error().what;
  to = *std::move(value);
  return {};
}

/// A whole number of at least `least`.
Result<std::int64_t> parse_number(const std::string& text, std::int64_t least);

Error unknown_word(const std::string& text, const std::vector<std::string_view>& known);

/// A word, by a parsing function of it and the words that it knows.
template <class T>
Result<T> parse_word(const std::string& text, std::optional<T> (*parse)(std::string_view),
                     const std::vector<std::string_view>& known) {
  if (const auto value = parse(text)) return *value;
  return unknown_word(text, known);
}
/// RFC 3339, a duration: so long ago, or words as app/options/time_words.hpp has them.
Result<WallTime> parse_time(const std::string& text);
/// Of --since and --until. invalid: it ends before it begins.
Result<void> require_span(const std::optional<WallTime>& since, const std::optional<WallTime>& until);

/// The configuration, or every error of it on stderr and nothing. Its file must be trusted: it names programs.
std::optional<config::Config> load_config(const ConfigOptions& options);

/// The same, of what talks to the store: with what the backend's plugin knows of its keys and variables.
std::optional<config::Config> load_backend_config(const ConfigOptions& options,
                                                  config::NamespaceRule rule = config::NamespaceRule::has_default);

/// As its file says alone, whatever flags and variables do; none where that says what cannot be.
std::optional<config::Config> load_backend_file(const ConfigOptions& options);

/// Everything that is wrong with it too, for `ballot check`: with what all plugins know.
config::LoadedConfig check_config(const ConfigOptions& options, config::TrustRule trust);

}  // namespace ballot::app
