// [group.NAME] in a job file.
#include "fake_backends.hpp"
#include "job_file_text.hpp"

namespace ballot::config {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

JobSettings with_far() {
  JobSettings settings;
  settings.backends = {{"far", &far_plugin}, {"broken", nullptr}};
  return settings;
}

TEST(Group, TakesATableWhosePluginIsNotLoadedAsItStands) {
  const JobFile file = read("[group.g.broken]\nx = 1\n", with_far());
  ASSERT_EQ(file.groups.size(), 1u) << text_of(file.diagnostics);
  EXPECT_EQ(file.groups[0].group.options.at("broken"), (Options{{"x", std::int64_t{1}}}));
}

TEST(Group, IsReadFromAJobFile) {
  const JobFile file = read(R"([group.db]
    candidates = ["db-*"]
    preferred = ["db-1.example.org"]
    max_running = 2
    on_promote = ["/p"]
    on_demote = ["/d"]
    hook_timeout = "5s"
    state_file = "/run/leader"
    [group.db.far]
    service = "db"
  )",
                            with_far());
  ASSERT_EQ(file.groups.size(), 1u) << text_of(file.diagnostics);
  Group expected;
  expected.name = "db";
  expected.candidates = {"db-*"};
  expected.preferred = {"db-1.example.org"};
  expected.max_running = 2;
  expected.on_promote = {"/p"};
  expected.on_demote = {"/d"};
  expected.hook_timeout = 5s;
  expected.state_file = "/run/leader";
  expected.options["far"] = {{"service", std::string("db")}};
  EXPECT_EQ(file.groups[0].group, expected);
  EXPECT_EQ(text_of(file.diagnostics), "");
}

TEST(Group, MayBeEmpty) {
  const JobFile file = read("[group.db]\n[group.web]\nmax_running = 0\nhook_timeout = \"30s\"\n");
  EXPECT_EQ(file.groups.size(), 2u);
  EXPECT_EQ(text_of(file.diagnostics), "");
}

TEST(Group, RefusesWrongTypesRangesAndNamesWithOneFindingEach) {
  for (const char* line : {"candidates = \"a\"",
                           "candidates = [1]",
                           "candidates = [\"\"]",
                           "preferred = 1",
                           "preferred = [\"a b\"]",
                           "max_running = -1",
                           "max_running = \"1\"",
                           "on_promote = \"/p\"",
                           "on_demote = [1]",
                           "hook_timeout = 1",
                           "hook_timeout = \"0s\"",
                           "state_file = 1",
                           "state_file = \"relative\"",
                           "far = 1",
                           "far.service = 1",
                           "far.service = 1.5",
                           "candidate = []",
                           "max_runing = 1",
                           "state_fil = \"/x\"",
                           "far.servce = \"x\"",
                           "raft.service = \"x\""}) {
    const JobFile file = read("[group.g]\n"s + line + "\n", with_far());
    ASSERT_EQ(file.diagnostics.size(), 1u) << line << '\n' << text_of(file.diagnostics);
    EXPECT_EQ(file.diagnostics[0].severity, Severity::error) << line;
    EXPECT_EQ(file.diagnostics[0].line, 2) << line;
  }
}

}  // namespace
}  // namespace ballot::config
