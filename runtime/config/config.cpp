#include "config/config.hpp"

#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/trust.hpp"
#include "config/config_file.hpp"
#include "config/names.hpp"
#include "config/text_file.hpp"

namespace ballot::config {
namespace {

constexpr std::string_view default_namespace = "ballot";

/// What each backend asks for where nothing is set.
Millis default_session_timeout(const std::string& backend) {
  return std::chrono::seconds(backend == "zookeeper" ? 10 : 5);
}

/// Builds a Config in the order of precedence, weakest first.
class Loader {
 public:
  explicit Loader(const ConfigRequest& request) : request_(request), overrides_(request.overrides) {
    config_.file = request.file;
    config_.plugin_dir = request.plugin_dir;
  }

  LoadedConfig load() {
    read_file();
    override_values();
    override_options();
    fill_in();
    check();
    sort(diagnostics_);
    return {std::move(config_), std::move(diagnostics_)};
  }

 private:
  void read_file() {
    std::string text;
    const auto info = read_text_file(AT_FDCWD, request_.file, Links::follow, text);
    Findings findings(request_.file, diagnostics_);
    if (const auto fault = info ? distrusted() : std::nullopt)
      findings.error({}, "the configuration is not used: " + *fault);
    else if (info)
      read_config_file(text, overrides_.backend.value_or(""), config_, findings);
    else if (info.error().code != Errc::not_found || request_.file_rule == FileRule::must_exist)
      findings.error({}, info.error().what);
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
    put_option("zookeeper", "servers", overrides_.zookeeper_servers);
    put_option("nats", "servers", overrides_.nats_servers);
    put_option("etcd", "endpoints", overrides_.etcd_endpoints);
    put_option("consul", "address", overrides_.consul_address);
  }

  template <class T>
  void put_option(const char* backend, const char* key, const std::optional<T>& value) {
    if (!value) return;
    BackendTable& table = config_.backends[backend];
    table.options.insert_or_assign(key, OptionValue(*value));
    table.positions.insert_or_assign(key, Position{0, 0});
  }

  void fill_in() {
    if (config_.node.empty()) config_.node = request_.host_name;
    if (config_.history.path.empty()) config_.history.path = config_.state_dir + "/history.db";
    if (config_.control_socket.empty()) config_.control_socket = config_.run_dir + "/ballot.sock";
    BackendTable& used = config_.backends[config_.coordination.backend];
    if (!is_local()) return;
    used.options.try_emplace("path", config_.state_dir + "/local");
    if (config_.coordination.name_space.empty()) config_.coordination.name_space = default_namespace;
  }

  void check() {
    check_node();
    if (overrides_.backend && !is_name(*overrides_.backend))
      error("--backend or BALLOT_BACKEND",
            in_quotes(*overrides_.backend) + " is no name of a backend, such as \"local\"");
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
      error("--node", in_quotes(config_.node) + " is no name of a node" + std::string(rule));
    else
      error("node", "the host's name, " + in_quotes(config_.node) + ", is no name of a node" + std::string(rule) +
                        "; set node in " + config_.file + ", or --node");
  }

  void check_namespace() {
    std::string& name_space = config_.coordination.name_space;
    if (overrides_.name_space && !is_name(*overrides_.name_space))
      return error("--namespace or BALLOT_NAMESPACE",
                   in_quotes(*overrides_.name_space) +
                       " is no name: 1 to 64 letters, digits, '_' and '-', beginning with a letter or digit");
    if (!name_space.empty()) return;
    if (request_.namespace_rule == NamespaceRule::has_default)
      name_space = default_namespace;
    else
      error("namespace", "backend " + in_quotes(config_.coordination.backend) +
                             " has no default namespace, so that one installation does not join another's elections; "
                             "set namespace in [coordination] of " +
                             config_.file + ", or --namespace, or BALLOT_NAMESPACE");
  }

  bool is_local() const { return config_.coordination.backend == "local"; }

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

Diagnostic option_diagnostic(const Config& config, std::string_view backend, const OptionProblem& problem) {
  Diagnostic diagnostic{Severity::error, config.file, 1, 1, '[' + std::string(backend) + "] " + problem.text};
  const auto table = config.backends.find(std::string(backend));
  if (table == config.backends.end()) return diagnostic;
  const auto found = table->second.positions.find(problem.key);
  const Position at = found != table->second.positions.end() ? found->second : table->second.position;
  diagnostic.line = at.line;
  diagnostic.column = at.column;
  if (at.line == 0) diagnostic.file = "the flag or variable for [" + std::string(backend) + "] " + problem.key;
  return diagnostic;
}

Millis longest_kill_grace(const Config& config) {
  const Millis timeout =
      config.coordination.session_timeout.value_or(default_session_timeout(config.coordination.backend));
  const Millis margin = std::max<Millis>(timeout / 10, std::chrono::milliseconds(500));
  return std::max(Millis(0), timeout - margin - timeout / 3 - timeout / 6);
}

}  // namespace ballot::config
