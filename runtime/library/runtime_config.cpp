#include "library/runtime_config.hpp"

#include <sys/un.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/exception_text.hpp"
#include "base/http_settings.hpp"
#include "io/clocks.hpp"
#include "io/plugin_loader.hpp"

namespace ballot::library {
namespace {

constexpr std::string_view options_setting = "options:";
constexpr const char* installed = BALLOT_INSTALLED;  // where the package has programs and, in plugins/, plugins

std::optional<std::string> given(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

config::ConfigRequest request_of(const RuntimeSettings& settings) {
  config::ConfigRequest request;
  request.file = settings.file;
  request.file_rule = settings.file.empty() ? config::FileRule::may_be_missing : config::FileRule::must_exist;
  request.trust_rule = config::TrustRule::trusted;
  request.plugin_rule = config::PluginRule::used;
  request.plugins = {plugin_names, load_plugin};
  request.host_name = io::host_name();
  request.names = {"node", "backend", "name_space", std::string(options_setting)};
  request.plugin_dir = std::string(installed) + "/plugins";
  config::Overrides& over = request.overrides;
  over.node = given(settings.node);
  over.backend = given(settings.backend);
  over.name_space = given(settings.name_space);
  over.session_timeout = settings.session_timeout;
  over.jobs_dir = given(settings.jobs_dir);
  over.plugin_dir = given(settings.plugin_dir);
  over.state_dir = given(settings.state_dir);
  over.run_dir = given(settings.run_dir);
  request.control_socket = settings.control_socket;
  if (settings.file.empty() && !over.run_dir) over.run_dir = settings.state_dir + "/run";
  return request;
}

HttpSettings http_of(const RuntimeHttp& from) {
  HttpSettings http;
  http.listen = from.listen;
  http.advertise = from.advertise;
  http.base_path = from.base_path;
  http.tls_cert = from.tls_cert, http.tls_key = from.tls_key;
  http.tls_client_ca = from.tls_client_ca, http.tls_ca = from.tls_ca;
  http.tokens = from.tokens;
  http.anonymous_viewer = from.anonymous_viewer;
  http.proxy_user_header = from.proxy_user_header, http.proxy_groups_header = from.proxy_groups_header;
  http.proxy_roles = from.proxy_roles;
  http.trusted_proxies = from.trusted_proxies;
  http.job_metrics = from.job_metrics;
  return http;
}

/// By the names of the settings: "http.tls_key needs ...".
std::string fault_of(const RuntimeHttp& http) {
  std::string text;
  for (const HttpProblem& problem : problems_of(http_of(http)))
    text += (text.empty() ? "http." : "; http.") + problem.key + " " + problem.text;
  return text;
}

/// A place in a file, or the setting that it came from, where it did.
std::string text_of(const config::Diagnostic& one) {
  if (one.file.empty()) return one.message;
  if (one.file.starts_with(options_setting))  // its table and key follow there, and again in the message
    return std::string(options_setting) + " " + one.message;
  return one.line > 0 ? one.text() : one.file + ": " + one.message;
}

std::string findings_of(const config::Diagnostics& diagnostics) {
  std::string text;
  for (const config::Diagnostic& one : diagnostics)
    if (one.severity == config::Severity::error) text += (text.empty() ? "" : "; ") + text_of(one);
  return text;
}

/// Hooks of groups are commands. Those of job files are found by whoever reads these.
std::string hook_without_runner(const config::Config& config) {
  for (const config::PlacedGroup& placed : config.groups)
    for (const auto& [key, hook] :
         {std::pair("on_promote", &placed.group.on_promote), std::pair("on_demote", &placed.group.on_demote)})
      if (!hook->empty())
        return config.file + ":" + std::to_string(placed.position.line) + ": [group." + placed.group.name + "] " + key +
               " needs the runner, which commands = false does without";
  return {};
}

/// What a flag's or a file's words would be refused for.
std::string fault_of(const RuntimeSettings& settings) {
  if (settings.file.empty() && settings.state_dir.empty())
    return "state_dir is not set: the ledger and the registers need a folder";
  for (const auto& [name, path] :
       {std::pair("state_dir", settings.state_dir), std::pair("run_dir", settings.run_dir),
        std::pair("jobs_dir", settings.jobs_dir), std::pair("plugin_dir", settings.plugin_dir),
        std::pair("program_dir", settings.program_dir), std::pair("file", settings.file),
        std::pair("control_socket", settings.control_socket), std::pair("handover_program", settings.handover_program),
        std::pair("credentials_dir", settings.credentials_dir), std::pair("http.tls_cert", settings.http.tls_cert),
        std::pair("http.tls_key", settings.http.tls_key), std::pair("http.tls_client_ca", settings.http.tls_client_ca),
        std::pair("http.tls_ca", settings.http.tls_ca), std::pair("http.tokens", settings.http.tokens)})
    if (!path.empty() && !path.starts_with('/'))
      return std::string(name) + " must be an absolute path, not '" + path + "'";
  constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  if (settings.control_socket.size() > longest)
    return "control_socket must have at most " + std::to_string(longest) + " bytes, not '" + settings.control_socket +
           "'";
  if (!settings.handover_program.empty() && !settings.commands)
    return "handover_program needs the runner, which commands = false does without";
  if (settings.function_threads < 1) return "function_threads must be at least 1";
  if (settings.session_timeout && (*settings.session_timeout < config::shortest_session_timeout ||
                                   *settings.session_timeout > config::longest_session_timeout))
    return "session_timeout must be from 2 s to 24 h";
  return fault_of(settings.http);
}

}  // namespace

Result<config::Config> config_of(const RuntimeSettings& settings) {
  if (std::string fault = fault_of(settings); !fault.empty()) return Error{Errc::invalid, std::move(fault)};
  config::ConfigRequest request = request_of(settings);
  if (!settings.options.empty()) {
    const config::LoadedConfig first = config::load_config(request);  // which backend is it?
    request.overrides.options[first.config.coordination.backend] = settings.options;
  }
  config::LoadedConfig loaded = config::load_config(request);
  if (has_errors(loaded.diagnostics)) return Error{Errc::invalid, findings_of(loaded.diagnostics)};
  if (std::string fault = settings.commands ? "" : hook_without_runner(loaded.config); !fault.empty())
    return Error{Errc::invalid, std::move(fault)};
  if (settings.file.empty() && settings.jobs_dir.empty()) loaded.config.jobs_dir.clear();
  if (!settings.http.listen.empty()) loaded.config.http = http_of(settings.http);
  if (settings.allow_open_store) loaded.config.coordination.allow_open_store = true;
  return std::move(loaded.config);
}

/// What the file system throws where the machine has no descriptors is an error of the settings' reading.
Result<config::Config> caught_config_of(const RuntimeSettings& settings) try {
  return config_of(settings);
} catch (const std::exception& thrown) {
  return Error{Errc::io, "cannot read the configuration: " + exception_text(thrown)};
}

RuntimeOrigin origin_of(const RuntimeSettings& settings) {
  RuntimeOrigin origin{caught_config_of(settings), {}, "control_socket"};
  if (!settings.commands) return origin;
  const std::string folder = settings.program_dir.empty() ? installed : settings.program_dir;
  origin.programs = {folder + "/ballot-runner", "/usr/sbin/sendmail", folder + "/ballot-ping"};
  return origin;
}

}  // namespace ballot::library
