#include "config/config.hpp"

#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/trust.hpp"
#include "config/config_file.hpp"
#include "config/group_keys.hpp"
#include "config/names.hpp"
#include "config/text_file.hpp"

namespace ballot::config {
namespace {

constexpr std::string_view default_namespace = "ballot";

/// The plugin of the backend that is used, where it is loaded.
const PluginInfo* plugin_of(const Config& config) {
  const auto known = config.known.find(config.coordination.backend);
  return known == config.known.end() ? nullptr : known->second;
}

/// Builds a Config in the order of precedence, weakest first.
class Loader {
 public:
  explicit Loader(const ConfigRequest& request) : request_(request), overrides_(request.overrides) {
    config_.file = request.file;
    config_.plugin_dir = request.plugin_dir;
    config_.state_dir = request.state_dir;
  }

  LoadedConfig load() {
    read_file();
    override_values();
    override_options();
    load_plugins();
    fill_in();
    check();
    check_tables();
    sort(diagnostics_);
    return {std::move(config_), std::move(diagnostics_)};
  }

 private:
  void read_file() {
    config_.known = find_backends("", "");
    std::string text;
    const auto info = read_text_file(request_.file, text);
    Findings findings(request_.file, diagnostics_);
    if (const auto fault = info ? distrusted() : std::nullopt)
      findings.error({}, "the configuration is not used: " + *fault);
    else if (info)
      read_config_file(
          text, [this](const auto& folder, const auto& backend) { return find_backends(folder, backend); }, config_,
          findings);
    else if (info.error().code != Errc::not_found || request_.file_rule == FileRule::must_exist)
      findings.error({}, info.error().what);
  }

  /// All that are installed, and the one that the file names or that is used: it need not be installed here.
  Backends find_backends(const std::string& folder, const std::string& written) const {
    Backends known;
    const std::string& place = folder.empty() ? config_.plugin_dir : folder;
    for (const std::string& name : request_.plugins.names(overrides_.plugin_dir.value_or(place)))
      known.emplace(name, nullptr);
    known.emplace(written.empty() ? config_.coordination.backend : written, nullptr);
    if (overrides_.backend) known.emplace(*overrides_.backend, nullptr);
    return known;
  }

  std::optional<std::string> distrusted() const {
    if (request_.trust_rule == TrustRule::anybodys) return std::nullopt;
    return distrust_file(request_.file, ::geteuid());
  }

  void override_values() {
    put(overrides_.jobs_dir, config_.jobs_dir);
    put(overrides_.plugin_dir, config_.plugin_dir);
    put(overrides_.state_dir, config_.state_dir);
    put(overrides_.run_dir, config_.run_dir);
    put(overrides_.node, config_.node);
    put(overrides_.backend, config_.coordination.backend);
    put(overrides_.name_space, config_.coordination.name_space);
    put(overrides_.log_level, config_.log.level);
    put(overrides_.log_format, config_.log.format);
    if (overrides_.session_timeout) config_.coordination.session_timeout = overrides_.session_timeout;
  }

  template <class T>
  static void put(const std::optional<T>& value, T& target) {
    if (value) target = *value;
  }

  void override_options() {
    for (const auto& [backend, options] : overrides_.options)
      for (const auto& [key, value] : options) override_option(config_.backends[backend], key, value);
  }

  static void override_option(BackendTable& table, const std::string& key, const OptionValue& value) {
    table.options.insert_or_assign(key, value);
    table.positions.insert_or_assign(key, Position{0, 0});
  }

  void load_plugins() {
    if (!config_.fleet.history.empty()) config_.known.emplace(config_.fleet.history, nullptr);
    for (auto& [name, plugin] : config_.known) {
      const bool is_backend = name == config_.coordination.backend, is_history = name == config_.fleet.history;
      const bool is_used = is_backend || is_history;
      if (request_.plugin_rule == PluginRule::none || (request_.plugin_rule == PluginRule::used && !is_used)) continue;
      if (const auto loaded = request_.plugins.load(config_.plugin_dir, name)) {
        plugin = *loaded;
        read_variables(name, *plugin);
        check_kind(name, *plugin);
      } else if (is_backend) {
        refuse_backend(loaded.error());
      } else if (is_history) {
        refuse_history(loaded.error().what);
      } else if (config_.backends.contains(name)) {
        warn_unchecked(name, loaded.error());
      }
    }
  }

  void check_kind(const std::string& name, const PluginInfo& plugin) {
    const std::string_view kind = plugin.kind;
    const std::string text = "the plugin " + in_quotes(name) + " is a " + std::string(kind) + ", and not a ";
    if (name == config_.coordination.backend && kind != backend_kind)
      refuse_backend({Errc::invalid, text + backend_kind});
    if (name == config_.fleet.history && kind != history_kind) refuse_history(text + history_kind);
  }

  void refuse_history(const std::string& why) {
    Findings(request_.file, diagnostics_)
        .error(config_.fleet.history_position,
               "history " + in_quotes(config_.fleet.history) + " cannot be used: " + why);
  }

  /// A variable beats the file, and a flag beats the variable.
  void read_variables(const std::string& backend, const PluginInfo& plugin) {
    for (const OptionKey& key : plugin.traits.keys) {
      const char* const text = request_.lookup(variable_of(backend, key.name).c_str());
      const auto flags = overrides_.options.find(backend);
      const bool has_flag = flags != overrides_.options.end() && flags->second.contains(key.name);
      if (text == nullptr || *text == '\0' || has_flag) continue;
      override_option(config_.backends[backend], key.name, parse_option(key, text));
    }
  }

  void refuse_backend(const Error& why) {
    const std::string& name = config_.coordination.backend;
    const std::vector<std::string> installed = request_.plugins.names(config_.plugin_dir);
    const std::vector<std::string_view> known(installed.begin(), installed.end());
    const bool is_installed = std::find(known.begin(), known.end(), name) != known.end();
    const std::string text = "backend " + in_quotes(name) + " cannot be used: " + why.what +
                             (is_installed || known.empty() ? "" : suggestion(name, known));
    if (overrides_.backend) return error(request_.names.backend, text);
    const Position at = config_.coordination.backend_position;
    Findings(request_.file, diagnostics_).error(at.line == 0 ? Position{} : at, text);
  }

  void warn_unchecked(const std::string& backend, const Error& why) {
    Findings(request_.file, diagnostics_)
        .warning(config_.backends.at(backend).position,
                 "the keys of backend " + in_quotes(backend) + " are not checked: " + why.what);
  }

  void check_tables() {
    for (const auto& [name, table] : config_.backends) {
      const auto known = config_.known.find(name);
      if (known == config_.known.end() || known->second == nullptr) continue;
      for (const OptionProblem& problem : check_table(table.options, known->second->traits))
        diagnostics_.push_back(option_diagnostic(config_, name, problem, request_.names));
    }
    check_group_tables(config_.known, config_.groups, Findings(request_.file, diagnostics_));
    Programs programs;
    check_group_hooks(config_.groups, ::geteuid(), programs, Findings(request_.file, diagnostics_));
    check_outage();
  }

  void check_outage() {
    const PluginInfo* const plugin = plugin_of(config_);
    if (config_.coordination.on_outage != OnOutage::hold || plugin == nullptr || plugin->traits.no_hold == nullptr)
      return;
    Findings(request_.file, diagnostics_)
        .error(config_.coordination.outage_position, "on_outage = \"hold\" " + std::string(plugin->traits.no_hold));
  }

  void fill_in() {
    if (config_.node.empty()) config_.node = request_.host_name;
    if (config_.history.path.empty()) config_.history.path = config_.state_dir + "/history.db";
    if (config_.control_socket.empty()) config_.control_socket = config_.run_dir + "/ballot.sock";
    if (request_.control_socket) config_.control_socket = *request_.control_socket;
    config_.backends.try_emplace(config_.coordination.backend);
    if (!config_.fleet.history.empty()) config_.backends.try_emplace(config_.fleet.history);
    if (is_of_one_host() && config_.coordination.name_space.empty())
      config_.coordination.name_space = default_namespace;
  }

  void check() {
    check_node();
    if (overrides_.backend && !is_name(*overrides_.backend))
      error(request_.names.backend, in_quotes(*overrides_.backend) + " is not a valid backend name, such as \"local\"");
    check_namespace();
    if (config_.control_socket.size() >= sizeof(sockaddr_un::sun_path))
      error("control.socket", in_quotes(config_.control_socket) + " is too long for a socket: at most " +
                                  std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                                  " bytes; set a shorter socket in [control], or a shorter run_dir");
  }

  void check_node() {
    if (is_node_name(config_.node)) return;
    constexpr std::string_view rule = ": 1 to 64 letters, digits, '_', '-' and '.', beginning with a letter or digit";
    if (overrides_.node)
      error(request_.names.node, in_quotes(config_.node) + " is not a valid node name" + std::string(rule));
    else
      error("node", "the host's name, " + in_quotes(config_.node) + ", is not a valid node name" + std::string(rule) +
                        "; set " + (config_.file.empty() ? "" : "node in " + config_.file + ", or ") +
                        request_.names.node);
  }

  void check_namespace() {
    std::string& name_space = config_.coordination.name_space;
    if (overrides_.name_space && !is_name(*overrides_.name_space))
      return error(
          request_.names.name_space,
          in_quotes(*overrides_.name_space) +
              " is not a valid namespace: 1 to 64 letters, digits, '_' and '-', beginning with a letter or digit");
    if (!name_space.empty()) return;
    if (request_.namespace_rule == NamespaceRule::has_default)
      name_space = default_namespace;
    else
      error(config_.file.empty() ? request_.names.name_space : "namespace",
            "backend " + in_quotes(config_.coordination.backend) +
                " has no default namespace, so that one installation does not join another's elections; "
                "set " +
                (config_.file.empty() ? "" : "namespace in [coordination] of " + config_.file + ", or ") +
                request_.names.name_space);
  }

  /// The backend joins no other host's elections by mistake. Of the default backend that is known without its plugin.
  bool is_of_one_host() const {
    const PluginInfo* const plugin = plugin_of(config_);
    return plugin ? plugin->traits.reach == Reach::host : config_.coordination.backend == Coordination().backend;
  }

  void error(std::string_view source, std::string message) {
    Findings(source, diagnostics_).error({0, 0}, std::move(message));
  }

  const ConfigRequest& request_;
  const Overrides& overrides_;
  Config config_;
  Diagnostics diagnostics_;
};

}  // namespace

LoadedConfig load_config(const ConfigRequest& request) { return Loader(request).load(); }

Diagnostic option_diagnostic(const Config& config, std::string_view backend, const OptionProblem& problem,
                             const SettingNames& names) {
  Diagnostic diagnostic{Severity::error, config.file, 1, 1, '[' + std::string(backend) + "] " + problem.text};
  const auto table = config.backends.find(std::string(backend));
  if (table == config.backends.end()) return diagnostic;
  const Position at = position_of(problem, table->second);
  diagnostic.line = at.line;
  diagnostic.column = at.column;
  if (at.line == 0) diagnostic.file = names.option + " [" + std::string(backend) + "] " + problem.key;
  return diagnostic;
}

std::optional<Millis> longest_kill_grace(const Config& config) {
  const PluginInfo* const plugin = plugin_of(config);
  if (!config.coordination.session_timeout && !plugin) return std::nullopt;
  const Millis timeout =
      config.coordination.session_timeout.value_or(plugin ? plugin->traits.session_timeout : Millis(0));
  const Millis margin = std::max<Millis>(timeout / 10, std::chrono::milliseconds(500));
  return std::max(Millis(0), timeout - margin - timeout / 3 - timeout / 6);
}

}  // namespace ballot::config
