// Job files that change under a daemon whose job is due every second: edited, swapped, broken, replaced by what is no
// file, deleted. What is running ends as it was defined; what is broken is reported; no slot is run twice.
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "integration/daemon/faulty_daemon.hpp"
#include "support/servers/web_client.hpp"

namespace ballot::testing {
namespace {

constexpr Millis longest_timeout{10'000};  // that the tests' server grants

class JobFiles : public ::testing::Test {
 protected:
  std::string tick(const std::string& what) const {
    return "schedule = \"* * * * * *\"\nshell = \"echo " + what + " $BALLOT_SLOT >> " + slots + "\"";
  }
  bool wait_for_line(const std::string& what, std::size_t count = 1) {
    return wait_until([&] {
      daemon.read_log();
      std::size_t seen = 0;
      const std::string text = text_of(slots);
      for (std::size_t at = text.find(what + " "); at != std::string::npos; at = text.find(what + " ", at + 1)) ++seen;
      return seen >= count;
    });
  }
  void expect_no_slot_twice() const {
    std::istringstream text(text_of(slots));
    std::multiset<std::string> seen;
    for (std::string what, slot; text >> what >> slot;) seen.insert(slot);
    for (const std::string& slot : seen) EXPECT_EQ(seen.count(slot), 1u) << slot;
  }
  std::string path(const std::string& name) const { return daemon.folder / ("jobs.d/" + name + ".toml"); }

  FaultyDaemon daemon;
  const std::string slots = daemon.folder / "slots";
};

// S23 local zookeeper
TEST_F(JobFiles, EditedSwappedAndBrokenWhileDueLoseNoSlotAndRunNoneTwice) {
  const std::string socket = daemon.folder / "api.sock";
  daemon.configure("[http]\nlisten = \"" + socket + "\"\n");
  daemon.job("tick", tick("first"));
  daemon.lead();
  ASSERT_TRUE(wait_for_line("first"));
  daemon.job("tick", tick("second"));  // swapped
  ASSERT_TRUE(wait_for_line("second"));
  daemon.folder.write("jobs.d/tick.toml", "[job.tick]\n" + tick("third") + "\n");  // edited in place
  ASSERT_TRUE(wait_for_line("third"));
  daemon.folder.write("jobs.d/tick.toml", "[job.tick]\nschedule = \"* * * * * *\"\nshell = \"unfin");
  ASSERT_TRUE(daemon.wait_for("tick.toml:3:")) << daemon.log;
  ASSERT_TRUE(wait_for_line("third", 3)) << "the last good one stays in force";
  const std::string shown = daemon.ballot({"show", "tick"}).out;
  EXPECT_NE(shown.find("file        " + path("tick") + ":1\nrefused     the file as it is since 20"), std::string::npos)
      << shown;
  EXPECT_NE(shown.find("Z: " + path("tick") + ":3:"), std::string::npos) << shown;
  EXPECT_NE(shown.find(". Its last good version is in force\n"), std::string::npos) << shown;
  const std::string by_api = WebClient(socket).ask("GET /api/v1/jobs/tick").body;
  EXPECT_NE(by_api.find("\"refused\":\"" + path("tick") + ":3:"), std::string::npos) << by_api;
  EXPECT_NE(by_api.find("\"refused_since\":\"20"), std::string::npos) << by_api;
  EXPECT_EQ(daemon.stop(), 0);
  daemon.expect_accounted("tick");
  expect_no_slot_twice();
}

TEST_F(JobFiles, ReplacedByWhatIsNoFileAreReportedAndTheLastGoodOneStays) {
  daemon.job("tick", tick("good"));
  daemon.lead();
  ASSERT_TRUE(wait_for_line("good"));
  const std::string other = daemon.folder / "other";
  const std::function<void()> replacements[] = {[&] { EXPECT_EQ(::mkfifo(other.c_str(), 0644), 0); },
                                                [&] { EXPECT_EQ(::symlink("/nowhere", other.c_str()), 0); },
                                                [&] {
                                                  daemon.folder.write("other", "[job.tick]\n" + tick("others") + "\n");
                                                  ::chmod(other.c_str(), 0666);
                                                },
                                                [&] { daemon.folder.write("other", std::string(2 << 20, '#')); }};
  for (const auto& make : replacements) {
    make();
    std::filesystem::rename(other, path("tick"));
    ASSERT_TRUE(daemon.wait_for("tick.toml:")) << daemon.log;
  }
  ASSERT_TRUE(daemon.wait_for("succeeded", 2)) << daemon.log;
  EXPECT_EQ(text_of(slots).find("others"), std::string::npos);
  EXPECT_EQ(daemon.stop(), 0);
  expect_no_slot_twice();
}

// S23 local zookeeper
TEST_F(JobFiles, DeletedWhileItsJobRunsLetItEndAsItWasDefined) {
  daemon.job("long", "shell = \"read l < " + (daemon.folder / "gate") + "; exit 7\"\nsuccess_codes = [7]");
  ASSERT_EQ(::mkfifo((daemon.folder / "gate").c_str(), 0600), 0);
  daemon.lead();
  daemon.ballot({"trigger", "long"});
  ASSERT_TRUE(daemon.wait_for("started")) << daemon.log;
  daemon.remove("long");
  ASSERT_TRUE(wait_until([&] { return daemon.ballot({"jobs"}).out.find("long") == std::string::npos; }));
  daemon.folder.write("gate", "go\n");
  ASSERT_TRUE(daemon.wait_for("succeeded")) << daemon.log;
  EXPECT_EQ(daemon.rows("long").at(0).exit_code, 7);
}

TEST_F(JobFiles, ThatCannotBeReadForWantOfDescriptorsAreReadLater) {
  daemon.session_timeout(longest_timeout);
  daemon.job("tick", tick("first"));
  daemon.lead();
  ASSERT_TRUE(wait_for_line("first"));
  {
    const Limited none(daemon.pid(), RLIMIT_NOFILE, 3);
    daemon.job("tick", tick("second"));
    ASSERT_TRUE(daemon.wait_for("Too many open files")) << daemon.log;
  }
  EXPECT_TRUE(wait_for_line("second"));
  EXPECT_EQ(daemon.stop(), 0);
  daemon.expect_accounted("tick");
  expect_no_slot_twice();
}

}  // namespace
}  // namespace ballot::testing
