// Every key of ballot.toml with a wrong type, values out of range and a slip of spelling.
#include <gtest/gtest.h>

#include "config/config.hpp"
#include "diagnostics_text.hpp"
#include "fake_backends.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

struct KeyRow {
  std::string table;  // "": the top
  std::string key;
  std::string wrong_type;
  std::vector<std::string> wrong;
};

const KeyRow rows[] = {
    {"", "node", "1", {"\"\"", "\"a/b\"", "\".\"", "\"a\\u0000\""}},
    {"", "jobs_dir", "1", {"\"relative\"", "\"\""}},
    {"", "plugin_dir", "1", {"\"relative\""}},
    {"", "state_dir", "1", {"\"relative\""}},
    {"", "run_dir", "1", {"\"relative\""}},
    {"", "timezone", "1", {"\"Mars/Base\"", "\"\""}},
    {"", "max_running", "\"1\"", {"-1", "1000001"}},
    {"coordination", "backend", "1", {"\"\"", "\"a/b\"", "\"../local\""}},
    {"coordination", "namespace", "1", {"\"\"", "\"a/b\""}},
    {"coordination", "session_timeout", "5", {"\"0s\"", "\"1999ms\"", "\"25h\"", "\"5\""}},
    {"coordination", "allow_open_store", "1", {"\"yes\""}},
    {"coordination", "on_outage", "true", {"\"stepdown\"", "\"\""}},
    {"runner", "on_stop", "30", {"\"wait\"", "\"wait 30\"", "\"wait  30s\"", "\"stop\"", "\"wait 5300w\"", "\"\""}},
    {"history", "path", "1", {"\"h.db\""}},
    {"history", "keep", "90", {"\"0s\"", "\"90\""}},
    {"history", "keep_runs_per_job", "\"1\"", {"-1", "1000001"}},
    {"history", "max_size", "1.5", {"\"1MB\"", "-1"}},
    {"log", "level", "3", {"\"loud\"", "\"\""}},
    {"log", "format", "1", {"\"text\""}},
    {"control", "operators", "1", {"\"two words\"", "\"a:b\""}},
    {"control", "socket", "1", {"\"b.sock\""}},
    {"control", "viewers", "1", {"\"two words\"", "\"/etc/group\""}},
    {"fleet", "token_file", "1", {"\"token\""}},
    {"http",
     "listen",
     "8780",
     {"\"8780\"", "\"host:8780\"", "\"::1:80\"", "\"[::1]\"", "\"127.0.0.1:65536\"", "\"a.sock\""}},
    {"http",
     "advertise",
     "1",
     {"\"host-1\"", "\"https://\"", "\"ftp://h\"", "\"http://u@h\"", "\"http://h:0\"", "\"http://h/\""}},
    {"http", "base_path", "1", {"\"ballot\"", "\"/a/\"", "\"/\"", "\"/a//b\"", "\"/a/../b\"", "\"/a b\""}},
    {"http", "tls_cert", "1", {"\"cert.pem\""}},
    {"http", "tls_key", "1", {"\"key.pem\""}},
    {"http", "tls_client_ca", "1", {"\"ca.pem\""}},
    {"http", "tls_ca", "1", {"\"ca.pem\""}},
    {"http", "tokens", "1", {"\"tokens\""}},
    {"http", "anonymous", "true", {"\"operator\"", "\"\""}},
    {"http", "proxy_user_header", "1", {"\"a b\"", "\"Authorization\"", "\"host\""}},
    {"http", "proxy_groups_header", "1", {"\"a:b\""}},
    {"http", "proxy_roles", "[\"a\"]", {}},
    {"http", "trusted_proxies", "\"10.0.0.1\"", {"[\"proxy\"]", "[\"10.0.0.0/33\"]", "[\"10.0.0.1\", \"\"]"}},
    {"http", "job_metrics", "1", {"\"yes\""}},
};
const char* const tables[] = {"coordination", "runner", "history", "log",  "control",
                              "fleet",        "http",   "far",     "near", "group"};

class ConfigKeys : public ::testing::Test {
 protected:
  Diagnostics load(const KeyRow& row, const std::string& line) {
    folder_.write("b", (row.table.empty() ? "#" : "[" + row.table + "]") + "\n" + line + "\n");
    ConfigRequest request;
    request.file = folder_ / "b";
    request.host_name = "h";
    request.plugins = fake_plugins();
    return load_config(request).diagnostics;
  }

  void expect_one_error(const KeyRow& row, const std::string& line, int column) {
    const Diagnostics found = load(row, line);
    ASSERT_EQ(found.size(), 1u) << line << '\n' << text_of(found);
    EXPECT_EQ(found[0].line, 2) << found[0].text();
    EXPECT_EQ(found[0].column, column) << found[0].text();
    EXPECT_EQ(found[0].severity, Severity::error);
  }

  TempFolder folder_;
};

TEST_F(ConfigKeys, RefuseAWrongTypeOrValueWithOneFindingEach) {
  for (const KeyRow& row : rows) {
    const int column = static_cast<int>(row.key.size()) + 4;
    expect_one_error(row, row.key + " = " + row.wrong_type, column);
    for (const std::string& value : row.wrong) expect_one_error(row, row.key + " = " + value, column);
  }
}

TEST_F(ConfigKeys, AreSuggestedForASlipOfSpelling) {
  for (const KeyRow& row : rows) {
    expect_one_error(row, row.key + "x = 1", 1);
    const std::string text = text_of(load(row, row.key + "x = 1"));
    EXPECT_NE(text.find("unknown key '" + row.key + "x'; did you mean '" + row.key + "'? Known "), std::string::npos)
        << text;
  }
}

TEST_F(ConfigKeys, OfTablesWantTables) {
  const KeyRow top{};
  for (const std::string table : tables) {
    expect_one_error(top, table + " = 1", static_cast<int>(table.size()) + 4);
    const std::string text = text_of(load(top, "[" + table + "x]"));
    EXPECT_NE(text.find(":2:2: error: unknown key '" + table + "x'; did you mean '" + table + "'?"), std::string::npos)
        << text;
  }
}

TEST_F(ConfigKeys, OfBackendsTakeWhatAPluginCanHandle) {
  for (const char* line :
       {"x = 1.5", "x = 2025-01-01", "x = {a = 1}", "x = [1]", "x = [[\"a\"]]", "x = \"a\\u0000\""}) {
    const Diagnostics found = load({"far", "", "", {}}, line);
    ASSERT_EQ(found.size(), 1u) << line << '\n' << text_of(found);
    EXPECT_EQ(found[0].line, 2) << line;
  }
}

TEST_F(ConfigKeys, OfJobsDoNotBelongHere) {
  EXPECT_NE(text_of(load({"job.x", "", "", {}}, "shell = \"true\"")).find(":1:2: error: unknown key 'job'"),
            std::string::npos);
}

}  // namespace
}  // namespace ballot::config
