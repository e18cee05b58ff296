#include "config/overrides.hpp"

#include <gtest/gtest.h>

#include <map>

#include "diagnostics_text.hpp"

namespace ballot::config {
namespace {

using namespace std::chrono_literals;
using Variables = std::map<std::string, std::string>;

Overrides read(const Variables& variables, Diagnostics& diagnostics) {
  return read_environment(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      diagnostics);
}

TEST(Environment, SetsWhatItNames) {
  Diagnostics diagnostics;
  const Overrides out = read({{"BALLOT_JOBS_DIR", "/j"},
                              {"BALLOT_PLUGIN_DIR", "/p"},
                              {"BALLOT_STATE_DIR", "/s"},
                              {"BALLOT_RUN_DIR", "/r"},
                              {"BALLOT_BACKEND", "nats"},
                              {"BALLOT_NAMESPACE", "n"},
                              {"BALLOT_SESSION_TIMEOUT", "7s"},
                              {"BALLOT_LOG_LEVEL", "debug"},
                              {"BALLOT_LOG_FORMAT", "raw"}},
                             diagnostics);
  EXPECT_EQ(text_of(diagnostics), "");
  EXPECT_EQ(out.jobs_dir, "/j");
  EXPECT_EQ(out.plugin_dir, "/p");
  EXPECT_EQ(out.state_dir, "/s");
  EXPECT_EQ(out.run_dir, "/r");
  EXPECT_EQ(out.backend, "nats");
  EXPECT_EQ(out.name_space, "n");
  EXPECT_EQ(out.session_timeout, Millis(7s));
  EXPECT_EQ(out.log_level, Level::debug);
  EXPECT_EQ(out.log_format, LogFormat::raw);
}

TEST(Environment, NamesNoNodeAndNoGroup) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read({{"BALLOT_NODE", "n"}, {"BALLOT_GROUP", "g"}}, diagnostics).node);
}

TEST(Environment, CountsAnEmptyVariableAsNone) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read({{"BALLOT_BACKEND", ""}}, diagnostics).backend);
  EXPECT_TRUE(diagnostics.empty());
}

TEST(Environment, NamesTheVariableThatMakesNoSense) {
  Diagnostics diagnostics;
  read({{"BALLOT_SESSION_TIMEOUT", "5"}, {"BALLOT_LOG_LEVEL", "wran"}, {"BALLOT_LOG_FORMAT", "xml"}}, diagnostics);
  EXPECT_EQ(text_of(diagnostics),
            "BALLOT_SESSION_TIMEOUT: error: must be a duration from 2s to 1d, such as \"6s\", not '5'\n"
            "BALLOT_LOG_LEVEL: error: no value 'wran'; did you mean 'warn'? Known are trace, debug, info, warn, error, "
            "fatal, warning, panic\n"
            "BALLOT_LOG_FORMAT: error: no value 'xml'. Known are human, json, raw\n");
}

TEST(Overrides, OfAFlagBeatThoseOfAVariable) {
  Overrides flags, environment;
  flags.backend = "etcd";
  environment.backend = "nats";
  environment.name_space = "n";
  environment.log_level = Level::debug;
  const Overrides both = flags.over(environment);
  EXPECT_EQ(both.backend, "etcd");
  EXPECT_EQ(both.name_space, "n");
  EXPECT_EQ(both.log_level, Level::debug);
}

TEST(Overrides, OfAListAreSplitAtCommas) {
  EXPECT_EQ(split_list("c,,d,"), (std::vector<std::string>{"c", "d"}));
  EXPECT_TRUE(split_list("").empty());
}

}  // namespace
}  // namespace ballot::config
