// A host whose process is killed: its runner has `ballot resign` leave on its behalf, so that others lead long before
// its session would have timed out. The host is this program once more, with one test that is disabled otherwise.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "ballot/runtime.hpp"
#include "support/process/process_facts.hpp"
#include "support/process/run_program.hpp"
#include "support/servers/etcd_server.hpp"
#include "support/temp_folder.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;
using testing::wait_until;

RuntimeSettings settings_of_node(const std::string& node, const std::string& folder, const std::string& server) {
  RuntimeSettings settings;
  settings.node = node;
  settings.backend = "etcd";
  settings.name_space = "handover";
  settings.allow_open_store = true;
  settings.options = {{"servers", std::vector<std::string>{server}}};
  settings.session_timeout = 60s;
  settings.state_dir = folder + "/" + node;
  settings.plugin_dir = BALLOT_PLUGIN_DIR;
  settings.program_dir = BALLOT_PROGRAM_DIR;
  settings.handover_program = BALLOT_PROGRAM;
  return settings;
}

/// Leads a group without jobs, and one with a run that goes on until there is a file `end`.
TEST(HostThatIsKilled, DISABLED_Runs) {
  const std::string folder = std::getenv("BALLOT_HOST_FOLDER");
  Runtime runtime(settings_of_node("n1", folder, std::getenv("BALLOT_HOST_STORE")));
  const std::string waits = "until test -e " + folder + "/end; do sleep 0.02; done";
  ASSERT_TRUE(runtime.add_group("empty"));
  ASSERT_TRUE(runtime.add({.name = "long", .group = "busy", .command = {"/bin/sh", "-c", waits}}));
  const auto started = runtime.start();
  ASSERT_TRUE(started) << started.error().what;
  ASSERT_TRUE(wait_until([&] { return runtime.leadership("empty") && runtime.leadership("busy"); }));
  ASSERT_TRUE(runtime.trigger("long"));
  ASSERT_TRUE(wait_until([&] { return runtime.status()->open_runs == 1; }));
  std::cout << "\nleads" << std::endl;
  while (true) ::pause();
}

TEST(HostThatIsKilled, HandsOverAtOnceButForTheGroupOfARun) {
  testing::EtcdCluster store(1);
  const TempFolder folder;
  const std::string session = folder / "n1/run/session";
  testing::Running host({std::filesystem::read_symlink("/proc/self/exe"), "--gtest_filter=*.DISABLED_Runs",
                         "--gtest_also_run_disabled_tests"},
                        {"BALLOT_HOST_FOLDER=" + folder.path(), "BALLOT_HOST_STORE=" + store[0].address()});
  std::string line = host.line();
  for (int lines = 0; line != "leads" && lines < 20; ++lines) line = host.line();
  ASSERT_EQ(line, "leads");
  Runtime next(settings_of_node("n2", folder.path(), store[0].address()));
  ASSERT_TRUE(next.add_group("empty"));
  ASSERT_TRUE(next.add_group("busy"));
  const auto started = next.start();
  ASSERT_TRUE(started) << started.error().what;
  host.send(SIGKILL);
  host.wait();
  EXPECT_TRUE(wait_until([&] { return next.leadership("empty").has_value(); }));
  EXPECT_FALSE(next.leadership("busy")) << "its run goes on";
  EXPECT_TRUE(std::filesystem::exists(session));
  folder.write("end", "");
  EXPECT_TRUE(wait_until([&] { return next.leadership("busy").has_value(); }));
  EXPECT_TRUE(wait_until([&] { return !std::filesystem::exists(session); }));
  EXPECT_TRUE(next.stop());
}

}  // namespace
}  // namespace ballot
