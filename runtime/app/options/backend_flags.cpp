#include "app/options/backend_flags.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "app/options/flags.hpp"
#include "app/options/places.hpp"
#include "config/config.hpp"
#include "io/plugin_loader.hpp"

namespace ballot::app {
namespace {

bool asks_for_help(const Words& words) {
  return std::any_of(words.flags.begin(), words.flags.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

/// The value of a flag in words that are not read yet.
std::optional<std::string> value_of(const Words& words, const std::string& flag) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < words.flags.size(); ++i) {
    if (words.flags[i] == flag && i + 1 < words.flags.size()) value = words.flags[i + 1];
    if (words.flags[i].starts_with(flag + "=")) value = words.flags[i].substr(flag.size() + 1);
  }
  return value;
}

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

std::optional<std::string> either(std::optional<std::string> flag, const char* name) {
  return flag ? flag : variable(name);
}

/// Where plugins lie, before the flags are read: they say where more of them are found.
std::string plugin_folder(const Words& words) {
  config::ConfigRequest request;
  request.trust_rule = config::TrustRule::trusted;
  request.plugin_dir = plugin_dir();
  request.overrides.plugin_dir = either(value_of(words, "--plugin-dir"), "BALLOT_PLUGIN_DIR");
  if (const auto file = either(value_of(words, "--config"), "BALLOT_CONFIG")) request.file = *file;
  return config::load_config(request).config.plugin_dir;
}

bool name_flag_of(const Words& words, const std::string& backend) {
  const std::string prefix = config::flag_of(backend, "");
  return std::any_of(words.flags.begin(), words.flags.end(),
                     [&](const std::string& word) { return word.starts_with(prefix); });
}

void add_flag(CLI::App& command, const std::string& backend, const OptionKey& key, Options& to) {
  const std::string flag = config::flag_of(backend, key.name);
  if (key.type == OptionType::text)
    add_value(command, flag + " VALUE", key.help, [&to, &key](const std::string& text) {
      to[key.name] = config::parse_option(key, text);
      return text.empty() ? "needs a value" : std::string();
    });
  else
    add_list(command, flag + " LIST", key.help, [&to, &key](const std::string& text) {
      OptionValue& value = to.try_emplace(key.name, std::vector<std::string>()).first->second;
      std::get<std::vector<std::string>>(value).push_back(text);
      return std::string();
    });
}

}  // namespace

void add_backend_flags(CLI::App& command, const Words& words, std::map<std::string, Options>& to) {
  const bool all = asks_for_help(words);
  const std::string folder = plugin_folder(words);
  for (const std::string& name : plugin_names(folder)) {
    if (!all && !name_flag_of(words, name)) continue;
    const auto plugin = load_plugin(folder, name);
    if (!plugin) continue;  // its flags are unknown; the backend that is used says more of it
    for (const OptionKey& key : (*plugin)->traits.keys)
      if (key.flag == OptionFlag::listed) add_flag(command, name, key, to[name]);
  }
}

std::string installed_backends(const Words& words) {
  std::string names;
  if (!asks_for_help(words)) return names;
  const std::string folder = plugin_folder(words);
  for (const std::string& name : plugin_names(folder))
    if (load_plugin_of(backend_kind, folder, name)) names += (names.empty() ? "" : ", ") + name;
  return names;
}

}  // namespace ballot::app
