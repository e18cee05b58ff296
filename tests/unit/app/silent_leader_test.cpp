// What commands say of jobs while the node that leads them is dead, and no other leads them yet.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "io/clocks.hpp"
#include "io/control_server.hpp"
#include "io/main_loop.hpp"
#include "storage/ledger.hpp"
#include "support/temp_folder.hpp"
#include "unit/app/ballot_program.hpp"
#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::contains;
using testing::Ran;

/// A node whose daemon has a job that node host-2 leads, which is silent, and says nothing of any ledger.
struct NodeOfASilentLeader : ::testing::Test {
  NodeOfASilentLeader() {
    std::filesystem::create_directory(folder / "jobs.d");
    folder.write("jobs.d/a.toml", "[job.nightly]\ncommand = [\"/bin/true\"]\n");
    config = folder.write("ballot.toml", "node = \"host-1\"\njobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" +
                                             folder.path() + "\"\nrun_dir = \"" + folder.path() + "\"\n");
    storage::Ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }})
        .record(testing::run_row(Status::succeeded));
    auto made = io::ControlServer::listen(
        loop.context(), folder / "ballot.sock", roles,
        [this](const io::Question& question, const io::Reply& reply) { answer(question.message, reply); });
    if (made) server = *std::move(made);
    thread = std::thread([this] { loop.run(); });
  }
  ~NodeOfASilentLeader() override {
    loop.post([this] { server.reset(), loop.stop(); });
    thread.join();
  }
  static void answer(const io::Message& asked, const io::Reply& reply) {
    const std::string what = asked.text("do").value_or("");
    const io::Message job =
        io::Message().set("job", "nightly").set("group", "default").set("leader", "host-2").set("state", "active");
    if (what == "job") return reply.finish(job);
    if (what == "jobs") return reply.finish(io::Message().set("jobs", std::vector{job}));
    if (what != "nodes") return reply.fail({Errc::invalid, "it is older"});
    io::Message node = io::Message().set("node", "host-2").set("state", "silent");
    reply.finish(io::Message().set("nodes", std::vector{node.set("last_heard", "2025-03-09T08:00:00.000Z")}));
  }
  Ran asked(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--config", config});
    return testing::ballot(std::move(arguments));
  }

  TempFolder folder;
  std::string config;
  io::Roles roles;
  io::MainLoop loop;
  std::unique_ptr<io::ControlServer> server;
  std::thread thread;
};

TEST_F(NodeOfASilentLeader, JobsSayAsOfWhenTheirStatusIs) {
  const Ran jobs = asked({"jobs"});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_TRUE(contains(jobs.out, "host-2 (silent)")) << jobs.out;
  EXPECT_TRUE(contains(jobs.err,
                       "node host-2 does not renew its session: what is shown of the jobs that it leads is as of "
                       "2025-03-09T08:00:00.000Z, until another node leads them\n"))
      << jobs.err;
}

TEST_F(NodeOfASilentLeader, WhySaysThatALaterRunMayNotBeKnownYet) {
  Ran why = asked({"why", "nightly"});
  std::replace(why.out.begin(), why.out.end(), '\n', ' ');
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_TRUE(contains(why.out,
                       "Node host-2, which leads the group, does not renew its session: what the store shows of the "
                       "job is as of 2025-03-09T08:00:00.000Z"))
      << why.out;
  const Ran before = asked({"why", "nightly", "--at", "2025-03-09T07:00:00Z"});
  EXPECT_FALSE(contains(before.out, "host-2")) << "a slot that a ledger has: " << before.out;
}

}  // namespace
}  // namespace ballot::app
