// Users and groups that a job file names.
#include "job_file_text.hpp"

namespace ballot::config {
namespace {

TEST(JobFile, ResolvesUserAndGroups) {
  const JobFile file = read("[job.x]\nshell = \"true\"\nuser = \"nobody\"\ngroups = [\"daemon\"]\n", daemon_of(root));
  ASSERT_EQ(file.definitions.size(), 1u) << text_of(file.diagnostics);
  const auto& identity = file.definitions[0].definition->job.identity;
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->user, "nobody");
  EXPECT_EQ(identity->uid, 65'534u);
  EXPECT_FALSE(identity->home.empty());
  EXPECT_EQ(identity->groups, std::vector<std::uint32_t>{1});
}

TEST(JobFile, GivesAUserItsOwnGroups) {
  const JobFile file = read("[job.x]\nshell = \"true\"\nuser = \"nobody\"\n", daemon_of(root));
  ASSERT_EQ(file.definitions.size(), 1u) << text_of(file.diagnostics);
  const Identity& identity = *file.definitions[0].definition->job.identity;
  EXPECT_EQ(identity.groups, std::vector<std::uint32_t>{identity.gid});
}

TEST(JobFile, LeavesTheDaemonsOwnUserAlone) {
  EXPECT_FALSE(job("shell = \"true\"\nuser = \"root\"", daemon_of(root)).identity);
}

TEST(JobFile, RefusesUsersAndGroupsThatDoNotExist) {
  EXPECT_EQ(findings("[job.x]\nshell = \"true\"\nuser = \"no-such\"\n", daemon_of(root)),
            "x.toml:3:8: error: there is no user 'no-such' on this node\n");
  EXPECT_EQ(findings("[job.x]\nshell = \"true\"\ngroups = [\"no-such\"]\n", daemon_of(root)),
            "x.toml:3:10: error: there is no group 'no-such' on this node\n");
}

TEST(JobFile, WantsRootForAnotherUser) {
  const std::string text = "[job.x]\nshell = \"true\"\nuser = \"nobody\"\n";
  EXPECT_EQ(findings(text, daemon_of(somebody)),
            "x.toml:3:8: error: another user or other groups need a daemon that runs as root\n");
  EXPECT_EQ(findings(text, daemon_of(root), somebody),
            "x.toml:3:8: error: only a file that root owns may name another user or other groups\n");
  EXPECT_EQ(findings("[job.x]\nshell = \"true\"\ngroups = [\"daemon\"]\n", daemon_of(root), somebody),
            "x.toml:3:10: error: only a file that root owns may name another user or other groups\n");
}

TEST(JobFile, NamedByHandMayNameAnyUser) {
  EXPECT_EQ(findings("[job.x]\nshell = \"true\"\nuser = \"nobody\"\n", daemon_of(somebody), std::nullopt), "");
}

}  // namespace
}  // namespace ballot::config
