// Config: `ballot.toml` with what flags and environment put over it, and every default filled in.
//
// Knows nothing of what the backends' tables mean: their plugins say which keys there are, and what is wrong with a
// value. Reads one file; asks for no host name or clock, and for variables only by `lookup`. Threads: plain values.
//
//   const auto overrides = flags.over(read_environment(getenv, diagnostics));
//   const LoadedConfig loaded = load_config({.file = "/etc/ballot/ballot.toml", .overrides = overrides, .host_name =
//   host}); if (has_errors(loaded.diagnostics)) return 78;
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/log.hpp"
#include "ballot/plugin.hpp"
#include "base/http_settings.hpp"
#include "config/backends.hpp"
#include "config/diagnostics.hpp"
#include "config/group.hpp"
#include "config/overrides.hpp"

namespace ballot::config {

inline constexpr std::string_view default_config_file = "/etc/ballot/ballot.toml";

enum class OnOutage { step_down, hold };

struct Coordination {
  std::string backend = "local";
  Position backend_position{0, 0};        // of its value in the file, where that says it
  std::string name_space;                 // never "" but where that is an error
  std::optional<Millis> session_timeout;  // none: the backend's own
  OnOutage on_outage = OnOutage::step_down;
  Position outage_position{0, 0};  // as backend_position
  bool allow_open_store = false;   // of `serve`: a store that asks nobody who he is will do
};

/// What a clean stop does with running children.
struct OnStop {
  enum class Kind { leave, kill, wait };
  Kind kind = Kind::wait;
  Millis wait = std::chrono::seconds(30);  // for Kind::wait
  bool operator==(const OnStop&) const = default;
};

struct History {
  std::string path;  // state_dir/history.db
  Millis keep = std::chrono::hours(24 * 90);
  int keep_runs_per_job = 0;  // 0: all within keep
  std::int64_t max_size = 0;  // bytes; 0: no limit
};

/// How this node asks the others, and where history goes that outlives nodes.
struct FleetKeys {
  std::string history;  // the plugin that keeps it; "": there is none
  Position history_position{0, 0};
  std::string token_file;  // "": no token is shown
};

struct LogSettings {
  Level level = Level::info;
  LogFormat format = LogFormat::human;
};

/// Groups whose users have a role at the daemon: by name, "" for nobody.
struct ControlGroups {
  std::optional<std::string> operators;  // none: the default one
  std::string viewers;
};

struct Config {
  std::string file;
  std::string node;  // the host's name
  std::string jobs_dir = "/etc/ballot/jobs.d";
  std::string plugin_dir;
  std::string state_dir = "/var/lib/ballot";
  std::string run_dir = "/run/ballot";
  std::string timezone = "UTC";
  int max_running = 0;  // of this node; 0: no limit
  Coordination coordination;
  OnStop on_stop;
  History history;
  LogSettings log;
  std::string control_socket;  // run_dir/ballot.sock
  ControlGroups control_groups;
  HttpSettings http;
  FleetKeys fleet;
  std::map<std::string, BackendTable> backends;  // those with a table, and the one that is used
  Backends known;                                // installed, or named as the one that is used
  std::vector<PlacedGroup> groups;
};

enum class FileRule { may_be_missing, must_exist };

/// Whether the networked backends have a default namespace: `run` and `election` do ("ballot"), `serve` asks for one.
enum class NamespaceRule { must_be_set, has_default };

/// Whether the file must be one that nobody but root and this user can have written: it names programs to be run.
enum class TrustRule { anybodys, trusted };

/// Whose plugins are loaded, for what they know of their keys, variables and defaults: nobody's, as what is wanted has
/// nothing to do with a store; that of the backend which is used; or all, and one that is missing is a warning. That
/// the one which is used is missing is an error.
enum class PluginRule { none, used, all };

/// What findings call that which beats the file.
struct SettingNames {
  std::string node = "--node";
  std::string backend = "--backend or BALLOT_BACKEND";
  std::string name_space = "--namespace or BALLOT_NAMESPACE";
  std::string option = "the flag or variable for";  // [BACKEND] KEY follows
};

struct ConfigRequest {
  std::string file = std::string(default_config_file);
  FileRule file_rule = FileRule::may_be_missing;
  NamespaceRule namespace_rule = NamespaceRule::must_be_set;
  TrustRule trust_rule = TrustRule::anybodys;
  PluginRule plugin_rule = PluginRule::none;
  Plugins plugins;
  Overrides overrides;
  std::function<const char*(const char* name)> lookup = [](const char*) { return nullptr; };  // getenv, or like it
  std::string host_name;
  std::string plugin_dir = "/usr/lib/ballot/plugins";  // the default, which differs in the build tree
  std::string state_dir = "/var/lib/ballot";           // the default, which differs for programs of users
  SettingNames names = {};
  std::optional<std::string> control_socket = {};  // counts before the file's and the default; "": there is none
};

struct LoadedConfig {
  Config config;  // of use only without errors
  Diagnostics diagnostics;
};

/// Reads the file and everything that follows from it. Precedence: flag, environment, file, default.
LoadedConfig load_config(const ConfigRequest& request);

/// What the plugin of `backend` says of its table, at its line.
Diagnostic option_diagnostic(const Config& config, std::string_view backend, const OptionProblem& problem,
                             const SettingNames& names = {});

/// g of docs/semantics: the longest time that a run can be given between TERM and KILL when leadership is lost, for
/// the session timeout asked for, or the backend's own where none is; none where that is not known.
std::optional<Millis> longest_kill_grace(const Config& config);

}  // namespace ballot::config
