// What a command says of a name that the daemon refuses: the nearest one that the job files have.
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "io/control_server.hpp"
#include "io/main_loop.hpp"
#include "support/temp_folder.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::contains;
using testing::Ran;

/// A node whose daemon refuses whatever it is asked to do.
struct RefusingNode : ::testing::Test {
  RefusingNode() {
    std::filesystem::create_directory(folder / "jobs.d");
    folder.write("jobs.d/a.toml",
                 "[job.nightly]\ngroup = \"reports\"\nschedule = \"0 7 * * *\"\ncommand = [\"/bin/true\"]\n");
    config = folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" + folder.path() +
                                             "\"\nrun_dir = \"" + folder.path() + "\"\n");
    auto made = io::ControlServer::listen(loop.context(), folder / "ballot.sock", roles,
                                          [](const io::Question& question, const io::Reply& reply) {
                                            if (question.message.text("do") == "instances")
                                              return reply.finish(io::Message().set("each", false));
                                            reply.fail({Errc::not_found, "nothing is called so"});
                                          });
    if (made) server = *std::move(made);
    thread = std::thread([this] { loop.run(); });
  }
  ~RefusingNode() override {
    loop.post([this] { server.reset(), loop.stop(); });
    thread.join();
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

TEST_F(RefusingNode, EachRequestOfAMistypedJobNamesTheNearest) {
  for (const char* const command : {"trigger", "pause", "resume", "kill", "repair"}) {
    const Ran ran = asked({command, "nightyl"});
    EXPECT_EQ(ran.code, 3) << command << ran.err;
    EXPECT_TRUE(contains(ran.err, "nothing is called so; did you mean 'nightly'?\n")) << command << ran.err;
  }
  const Ran group = asked({"pause", "--group", "report"});
  EXPECT_TRUE(contains(group.err, "; did you mean 'reports'?\n")) << group.err;
}

TEST_F(RefusingNode, WhatIsRefusedOfAJobThatThereIsNamesNoOther) {
  const Ran ran = asked({"kill", "nightly"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(contains(ran.err, "nothing is called so\n")) << ran.err;
}

}  // namespace
}  // namespace ballot::app
