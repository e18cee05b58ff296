#include "config/config.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "diagnostics_text.hpp"
#include "fake_backends.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

using namespace std::chrono_literals;

class ConfigTest : public ::testing::Test {
 protected:
  ConfigTest() {
    request_.file = folder_ / "ballot.toml";
    request_.host_name = "host-1";
    request_.plugins = fake_plugins();
  }

  LoadedConfig load(std::string_view text) {
    folder_.write("ballot.toml", text);
    return load_config(request_);
  }

  Config good(std::string_view text) {
    LoadedConfig loaded = load(text);
    EXPECT_EQ(text_of(loaded.diagnostics), "");
    return loaded.config;
  }

  TempFolder folder_;
  ConfigRequest request_;
};

std::string joined(const Config& config, const char* backend, const char* key) {
  std::string text;
  for (const auto& part : std::get<std::vector<std::string>>(config.backends.at(backend).options.at(key))) text += part;
  return text;
}

TEST_F(ConfigTest, AFileThatOthersMayWriteIsNotUsedWhereItMustBeTrusted) {
  const std::string text = "max_running = 7\n";
  folder_.write("ballot.toml", text);
  ASSERT_EQ(::chmod(request_.file.c_str(), 0666), 0);
  EXPECT_EQ(load_config(request_).config.max_running, 7) << "`check FILE` looks at it wherever it lies";
  request_.trust_rule = TrustRule::trusted;
  const LoadedConfig loaded = load_config(request_);
  EXPECT_EQ(loaded.config.max_running, 0);
  ASSERT_EQ(loaded.diagnostics.size(), 1u);
  EXPECT_EQ(loaded.diagnostics[0].message, "the configuration is not used: " + request_.file +
                                               " is writable by others (mode 0666); take that away with chmod go-w");
  ASSERT_EQ(::chmod(request_.file.c_str(), 0644), 0);
  EXPECT_EQ(load_config(request_).config.max_running, 7);
}

TEST_F(ConfigTest, ALinkIsFollowedToAFileThatIsTrusted) {
  folder_.write("real.toml", "max_running = 7\n");
  ASSERT_EQ(::symlink((folder_ / "real.toml").c_str(), request_.file.c_str()), 0);
  request_.trust_rule = TrustRule::trusted;
  EXPECT_EQ(load_config(request_).config.max_running, 7);
  ASSERT_EQ(::chmod((folder_ / "real.toml").c_str(), 0666), 0);
  EXPECT_EQ(load_config(request_).config.max_running, 0);
}

TEST_F(ConfigTest, HasEveryDefaultWithoutAFile) {
  const LoadedConfig loaded = load_config(request_);
  EXPECT_EQ(text_of(loaded.diagnostics), "");
  const Config& config = loaded.config;
  EXPECT_EQ(config.node, "host-1");
  EXPECT_EQ(config.jobs_dir, "/etc/ballot/jobs.d");
  EXPECT_EQ(config.plugin_dir, "/usr/lib/ballot/plugins");
  EXPECT_EQ(config.state_dir, "/var/lib/ballot");
  EXPECT_EQ(config.run_dir, "/run/ballot");
  EXPECT_EQ(config.timezone, "UTC");
  EXPECT_EQ(config.max_running, 0);
  EXPECT_EQ(config.coordination.backend, "local");
  EXPECT_EQ(config.coordination.name_space, "ballot");
  EXPECT_EQ(config.coordination.session_timeout, std::nullopt);
  EXPECT_EQ(config.coordination.on_outage, OnOutage::step_down);
  EXPECT_EQ(config.on_stop, (OnStop{OnStop::Kind::wait, 30s}));
  EXPECT_EQ(config.history.path, "/var/lib/ballot/history.db");
  EXPECT_EQ(config.history.keep, 90 * 24h);
  EXPECT_EQ(config.history.keep_runs_per_job, 0);
  EXPECT_EQ(config.history.max_size, 0);
  EXPECT_EQ(config.log.level, Level::info);
  EXPECT_EQ(config.log.format, LogFormat::human);
  EXPECT_EQ(config.control_socket, "/run/ballot/ballot.sock");
  EXPECT_TRUE(config.backends.at("local").options.empty());
  EXPECT_TRUE(config.groups.empty());
  EXPECT_EQ(default_config_file, "/etc/ballot/ballot.toml");
}

TEST_F(ConfigTest, MissesAFileThatWasAskedFor) {
  request_.file_rule = FileRule::must_exist;
  EXPECT_EQ(text_of(load_config(request_).diagnostics), request_.file + ":1:1: error: no such file\n");
}

TEST_F(ConfigTest, ReportsAFileThatIsThereAndCannotBeRead) {
  std::filesystem::create_directory(request_.file);
  EXPECT_TRUE(has_errors(load_config(request_).diagnostics));
}

TEST_F(ConfigTest, ReadsEveryKey) {
  const Config config = good(R"(
    node = "db-1.example.org"
    jobs_dir = "/j"
    plugin_dir = "/p"
    state_dir = "/s"
    run_dir = "/r"
    timezone = "Europe/Paris"
    [coordination]
    backend = "far"
    namespace = "prod"
    session_timeout = "8s"
    on_outage = "step_down"
    [runner]
    on_stop = "wait 1m"
    [history]
    path = "/h.db"
    keep = "1w"
    keep_runs_per_job = 7
    max_size = "1GiB"
    [log]
    level = "debug"
    format = "json"
    [control]
    socket = "/c.sock"
    [far]
    servers = ["a", "b:2181"]
    auth_file = "/f"
    [near]
    node_check = false
    replicas = 3
    [group.empty]
  )");
  EXPECT_EQ(config.node, "db-1.example.org");
  EXPECT_EQ(config.jobs_dir, "/j");
  EXPECT_EQ(config.plugin_dir, "/p");
  EXPECT_EQ(config.state_dir, "/s");
  EXPECT_EQ(config.run_dir, "/r");
  EXPECT_EQ(config.timezone, "Europe/Paris");
  EXPECT_EQ(config.coordination.backend, "far");
  EXPECT_EQ(config.coordination.name_space, "prod");
  EXPECT_EQ(config.coordination.session_timeout, Millis(8s));
  EXPECT_EQ(config.on_stop, (OnStop{OnStop::Kind::wait, 1min}));
  EXPECT_EQ(config.history.path, "/h.db");
  EXPECT_EQ(config.history.keep, 7 * 24h);
  EXPECT_EQ(config.history.keep_runs_per_job, 7);
  EXPECT_EQ(config.history.max_size, 1 << 30);
  EXPECT_EQ(config.log.level, Level::debug);
  EXPECT_EQ(config.log.format, LogFormat::json);
  EXPECT_EQ(config.control_socket, "/c.sock");
  EXPECT_EQ(config.backends.at("far").options,
            (Options{{"servers", std::vector<std::string>{"a", "b:2181"}}, {"auth_file", std::string("/f")}}));
  EXPECT_EQ(config.backends.at("near").options, (Options{{"node_check", false}, {"replicas", std::int64_t{3}}}));
  ASSERT_EQ(config.groups.size(), 1u);
  EXPECT_EQ(config.groups[0].group.name, "empty");
}

TEST_F(ConfigTest, DerivesPathsFromTheFolders) {
  const Config config = good("state_dir = \"/s\"\nrun_dir = \"/r\"\n");
  EXPECT_EQ(config.history.path, "/s/history.db");
  EXPECT_EQ(config.control_socket, "/r/ballot.sock");
}

TEST_F(ConfigTest, ReadsWhatAStopDoes) {
  EXPECT_EQ(good("[runner]\non_stop = \"leave\"\n").on_stop.kind, OnStop::Kind::leave);
  EXPECT_EQ(good("[runner]\non_stop = \"kill\"\n").on_stop.kind, OnStop::Kind::kill);
}

TEST_F(ConfigTest, ReadsALimitOfTheNode) {
  EXPECT_EQ(good("max_running = 5\n").max_running, 5);
  EXPECT_EQ(good("").max_running, 0);
}

TEST_F(ConfigTest, ReadsWhatToDoInAnOutage) {
  EXPECT_EQ(good("[coordination]\non_outage = \"hold\"\n").coordination.on_outage, OnOutage::hold);
}

TEST_F(ConfigTest, WantsANamespaceForANetworkedBackend) {
  const LoadedConfig loaded = load("[coordination]\nbackend = \"far\"\n");
  EXPECT_EQ(
      text_of(loaded.diagnostics),
      "namespace: error: backend 'far' has no default namespace, so that one installation does not join another's "
      "elections; set namespace in [coordination] of " +
          request_.file + ", or --namespace or BALLOT_NAMESPACE\n");
  request_.namespace_rule = NamespaceRule::has_default;
  EXPECT_EQ(good("[coordination]\nbackend = \"far\"\n").coordination.name_space, "ballot");
}

TEST_F(ConfigTest, TakesTheTableOfSomebodyElsesPlugin) {
  const std::string text = "[coordination]\nbackend = \"raft\"\nnamespace = \"n\"\n[raft]\npeers = [\"a\"]\n";
  EXPECT_EQ(good(text).backends.at("raft").options.size(), 1u);
  EXPECT_TRUE(has_errors(load("[raft]\npeers = [\"a\"]\n").diagnostics));
  request_.overrides.backend = "raft";
  request_.overrides.name_space = "n";
  EXPECT_EQ(good("[raft]\npeers = [\"a\"]\n").backends.at("raft").options.size(), 1u);
}

TEST_F(ConfigTest, PointsToAPluginsProblem) {
  const Config config = good("[far]\nauth = \"x\"\n\n  servers = [\"a\"]\n[near]\n");
  EXPECT_EQ(option_diagnostic(config, "far", {"servers", "no port"}).text(),
            request_.file + ":4:13: error: [far] no port");
  EXPECT_EQ(option_diagnostic(config, "far", {"missing", "none"}).text(), request_.file + ":1:1: error: [far] none");
  EXPECT_EQ(option_diagnostic(config, "near", {"servers", "none"}).text(), request_.file + ":5:1: error: [near] none");
  EXPECT_EQ(option_diagnostic(config, "raft", {"endpoints", "none"}).text(),
            request_.file + ":1:1: error: [raft] none");
}

TEST_F(ConfigTest, PointsToTheFlagOfAPluginsProblem) {
  request_.overrides.options["far"]["servers"] = std::string("b");
  EXPECT_EQ(option_diagnostic(good("[far]\nservers = [\"a\"]\n"), "far", {"servers", "no port"}).text(),
            "the flag or variable for [far] servers: error: [far] no port");
}

const std::string on_far = "[coordination]\nbackend = \"far\"\nnamespace = \"n\"\n";

TEST_F(ConfigTest, ChecksTheKeysOfTheBackendThatIsUsed) {
  request_.plugin_rule = PluginRule::used;
  EXPECT_EQ(text_of(load(on_far + "[far]\nservers = 1\nserver = [\"a\"]\n").diagnostics),
            request_.file + ":5:11: error: [far] must be a list\n" + request_.file +
                ":6:10: error: [far] unknown key 'server'; allowed: servers, auth_file\n");
  good(on_far + "[near]\nanything = 1\n");
  request_.plugin_rule = PluginRule::none;
  good(on_far + "[far]\nservers = 1\n");
}

TEST_F(ConfigTest, FindsKeysThatDoNotGoTogetherWhereTheyStand) {
  request_.plugin_rule = PluginRule::used;
  EXPECT_EQ(text_of(load(on_far + "[far]\n auth_file = \"x\"\n").diagnostics),
            request_.file + ":5:14: error: [far] auth_file is of servers: set them too\n");
  EXPECT_EQ(text_of(load(on_far + "[far]\nauth_file = 1\n").diagnostics),
            request_.file + ":5:13: error: [far] must be a text\n");
  EXPECT_EQ(text_of(load(on_far + "[group.g.far]\nservice = \"none\"\n").diagnostics),
            request_.file + ":5:11: error: [group.g.far] there is no service none\n");
}

TEST_F(ConfigTest, FindsAnOutageThatTheBackendCannotHold) {
  request_.plugin_rule = PluginRule::used;
  EXPECT_EQ(text_of(load(on_far + "on_outage = \"hold\"\n").diagnostics),
            request_.file + ":4:13: error: on_outage = \"hold\" is not kept by far: remove it\n");
  good(on_far + "on_outage = \"step_down\"\n");
}

TEST_F(ConfigTest, ChecksTheKeysOfAllBackendsWhereThatIsAskedFor) {
  request_.plugin_rule = PluginRule::all;
  EXPECT_EQ(text_of(load("[coordination]\nbackend = \"near\"\n[far]\nservers = 1\n[near]\nx = 1\n").diagnostics),
            request_.file + ":4:11: error: [far] must be a list\n" + request_.file +
                ":6:5: error: [near] unknown key 'x'; allowed: none\n");
}

TEST_F(ConfigTest, RefusesABackendThatIsNotInstalled) {
  const std::string far =
      "plugin_dir = \"/empty\"\n[coordination]\nbackend = \"far\"\nnamespace = \"n\"\n[far]\nservers = 1\n";
  for (const PluginRule rule : {PluginRule::used, PluginRule::all}) {
    request_.plugin_rule = rule;
    EXPECT_EQ(text_of(load(far).diagnostics),
              request_.file + ":3:11: error: backend 'far' cannot be used: there is no plugin 'far' in /empty\n");
  }
  const std::string slip = text_of(load("[coordination]\nbackend = \"faar\"\nnamespace = \"n\"\n").diagnostics);
  EXPECT_TRUE(slip.starts_with(request_.file + ":2:11: error: backend 'faar' cannot be used: ")) << slip;
  EXPECT_NE(slip.find("did you mean 'far'?"), std::string::npos) << slip;
  request_.overrides.backend = "faar";
  const std::string flag = text_of(load("").diagnostics);
  EXPECT_NE(flag.find("--backend or BALLOT_BACKEND: error: backend 'faar'"), std::string::npos) << flag;
  request_.overrides.backend.reset();
  request_.plugin_rule = PluginRule::none;
  good(far);
}

TEST_F(ConfigTest, RefusesATableOfNobody) {
  const std::string text = text_of(load("plugin_dir = \"/empty\"\n[near]\n").diagnostics);
  EXPECT_TRUE(text.starts_with(request_.file + ":2:2: error: unknown key 'near'")) << text;
  EXPECT_TRUE(text.ends_with("; nor is a backend of that name installed in plugin_dir\n")) << text;
}

TEST_F(ConfigTest, ReadsTheVariablesOfTheBackendThatIsUsed) {
  std::map<std::string, std::string> variables = {{"BALLOT_FAR_SERVERS", "a,,b"}, {"BALLOT_FAR_AUTH_FILE", "/v"}};
  request_.lookup = [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  const std::string text = on_far + "[far]\nservers = [\"file\"]\nauth_file = \"/file\"\n";
  EXPECT_EQ(joined(good(text), "far", "servers"), "file") << "no plugin says that there is such a variable";
  request_.plugin_rule = PluginRule::used;
  EXPECT_EQ(joined(good(text), "far", "servers"), "ab");
  EXPECT_EQ(good(text).backends.at("far").options.at("auth_file"), OptionValue(std::string("/v")));
  request_.overrides.options["far"]["servers"] = std::vector<std::string>{"flag"};
  EXPECT_EQ(joined(good(text), "far", "servers"), "flag");
  variables["BALLOT_FAR_AUTH_FILE"] = "";
  EXPECT_EQ(good(text).backends.at("far").options.at("auth_file"), OptionValue(std::string("/file")));
}

TEST_F(ConfigTest, OfABackendOfOneHostNeedsNoNamespace) {
  EXPECT_TRUE(has_errors(load("[coordination]\nbackend = \"near\"\n").diagnostics)) << "its plugin is not asked";
  request_.plugin_rule = PluginRule::used;
  EXPECT_EQ(good("[coordination]\nbackend = \"near\"\n").coordination.name_space, "ballot");
}

TEST_F(ConfigTest, ChecksABackendsTableInAGroup) {
  request_.plugin_rule = PluginRule::used;
  EXPECT_EQ(text_of(load(on_far + "[group.g.far]\nservice = 1\n").diagnostics),
            request_.file + ":5:11: error: [group.g.far] must be a text\n");
  const Config config = load(on_far + "[group.g.far]\nservice = \"x\"\n").config;
  ASSERT_EQ(config.groups.size(), 1u);
  EXPECT_EQ(config.groups[0].group.options.at("far"), (Options{{"service", std::string("x")}}));
}

TEST_F(ConfigTest, RefusesAHostNameThatIsNoNode) {
  request_.host_name = "my host";
  EXPECT_TRUE(
      text_of(load("").diagnostics).starts_with("node: error: the host's name, 'my host', is not a valid node name"));
  EXPECT_EQ(good("node = \"n\"\n").node, "n");
  request_.overrides.node = "a/b";
  EXPECT_TRUE(text_of(load("").diagnostics).starts_with("--node: error: 'a/b' is not a valid node name"));
}

TEST_F(ConfigTest, RefusesNamesFromFlagsThatAreNone) {
  request_.overrides.backend = "../x";
  request_.overrides.name_space = "a/b";
  const std::string text = text_of(load("").diagnostics);
  EXPECT_NE(text.find("--backend or BALLOT_BACKEND: error: '../x'"), std::string::npos) << text;
  EXPECT_NE(text.find("--namespace or BALLOT_NAMESPACE: error: 'a/b'"), std::string::npos) << text;
}

TEST_F(ConfigTest, RefusesASocketThatNoSocketCanHave) {
  const std::string text = text_of(load("run_dir = \"/" + std::string(100, 'x') + "\"\n").diagnostics);
  EXPECT_TRUE(text.starts_with("control.socket: error: ")) << text;
  EXPECT_NE(text.find("at most 107 bytes"), std::string::npos) << text;
}

TEST_F(ConfigTest, KnowsTheLongestKillGrace) {
  EXPECT_EQ(longest_kill_grace(good("")), std::nullopt) << "the backend's own, which is not known";
  EXPECT_EQ(longest_kill_grace(good("[coordination]\nsession_timeout = \"60s\"\n")), Millis(24s));
  EXPECT_EQ(longest_kill_grace(good("[coordination]\nsession_timeout = \"2s\"\n")), Millis(501));
  request_.plugin_rule = PluginRule::used;
  EXPECT_EQ(longest_kill_grace(good("[coordination]\nbackend = \"near\"\n")), Millis(2001));
  EXPECT_EQ(longest_kill_grace(good(on_far)), Millis(4001));
}

/// What one setting is without anything, in the file, in a variable, by a flag.
struct Setting {
  const char* name;
  std::string in_file;
  std::function<void(Overrides&, const std::string&)> set;
  std::function<std::string(const Config&)> get;
};

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {
      {"jobs_dir", "jobs_dir = \"/file\"", [](auto& o, auto& v) { o.jobs_dir = v; },
       [](auto& c) { return c.jobs_dir; }},
      {"plugin_dir", "plugin_dir = \"/file\"", [](auto& o, auto& v) { o.plugin_dir = v; },
       [](auto& c) { return c.plugin_dir; }},
      {"state_dir", "state_dir = \"/file\"", [](auto& o, auto& v) { o.state_dir = v; },
       [](auto& c) { return c.state_dir; }},
      {"run_dir", "run_dir = \"/file\"", [](auto& o, auto& v) { o.run_dir = v; }, [](auto& c) { return c.run_dir; }},
      {"node", "node = \"file\"", [](auto& o, auto& v) { o.node = v.substr(1); }, [](auto& c) { return "/" + c.node; }},
      {"backend", "coordination.backend = \"file\"\ncoordination.namespace = \"n\"",
       [](auto& o, auto& v) { o.backend = v.substr(1), o.name_space = "n"; },
       [](auto& c) { return "/" + c.coordination.backend; }},
      {"namespace", "coordination.namespace = \"file\"", [](auto& o, auto& v) { o.name_space = v.substr(1); },
       [](auto& c) { return "/" + c.coordination.name_space; }},
      {"session_timeout", "coordination.session_timeout = \"4s\"",
       [](auto& o, auto& v) { o.session_timeout = std::chrono::seconds(v.size()); },
       [](auto& c) { return std::string(static_cast<std::size_t>(*c.coordination.session_timeout / 1s), '/'); }},
      {"log_level", "log.level = \"error\"",
       [](auto& o, auto& v) { o.log_level = v == "/flag" ? Level::trace : Level::debug; },
       [](auto& c) { return std::to_string(static_cast<int>(c.log.level)); }},
      {"log_format", "log.format = \"json\"",
       [](auto& o, auto& v) { o.log_format = v == "/flag" ? LogFormat::raw : LogFormat::human; },
       [](auto& c) { return std::to_string(static_cast<int>(c.log.format)); }},
  };
  return all;
}

TEST_F(ConfigTest, PrefersFlagThenVariableThenFile) {
  for (const Setting& setting : settings()) {
    const auto value = [&](const Overrides& overrides, const std::string& text) {
      request_.overrides = overrides;
      return setting.get(good(text));
    };
    const auto said = [&](const char* text) {
      Overrides overrides;
      setting.set(overrides, text);
      return overrides;
    };
    const std::string by_file = value({}, setting.in_file);
    const std::string by_variable = value(said("/variable"), setting.in_file);
    const std::string by_flag = value(said("/flag").over(said("/variable")), setting.in_file);
    EXPECT_EQ(by_variable, value(Overrides{}.over(said("/variable")), "")) << setting.name;
    EXPECT_EQ(by_flag, value(said("/flag"), "")) << setting.name;
    EXPECT_NE(by_file, by_variable) << setting.name;
    EXPECT_NE(by_variable, by_flag) << setting.name;
  }
}

}  // namespace
}  // namespace ballot::config
