// What of a job and its launch becomes what of a Start: each field of it.
#include "io/run_start.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace ballot::io {
namespace {

using namespace std::chrono_literals;

const RunOwner owner{"n1", {"daemon", "/home/daemon", 1, 1, {1}}, ""};

/// Nothing in it is a Start's default.
struct AStart : ::testing::Test {
  AStart() {
    details.working_dir = "/srv";
    details.umask = 027;
    details.nice = 7;
    details.no_new_privs = true;
    details.limits = {.open_files = 77};
    details.standard_input = "input";
    details.output_limit = 4711;
    details.kill_signal = 2;
    job.name = "job";
    job.command = {"/bin/true", "x"};
    job.log_output = true;
    job.kill_grace = 3s;
    job.deadline = 5s;
    job.identity = std::make_shared<const Identity>(Identity{"somebody", "/home/somebody", 1000, 1001, {1001, 1002}});
    launch.id.run.bytes[0] = 9;
    launch.id.attempt = 2;
    launch.group = "group";
    launch.epoch = 8;
    launch.terminate = false;
    launch.launch_not_after = SteadyTime(6s);
  }
  runner::Start made() {
    job.details = Defaulted<JobDetails>(JobDetails(details));
    launch.definition =
        std::make_shared<schedule::Definition>(Job(job), std::get<schedule::Plan>(schedule::Plan::make({})), "digest");
    auto start = run_start(launch, owner, WallTime{});
    EXPECT_TRUE(start);
    return start ? *start : runner::Start{};
  }

  JobDetails details;
  Job job;
  core::Launch launch;
};

/// A field that is added to Start does not compile here before it is named, and expected, too.
TEST_F(AStart, HasEachOfItsFieldsFromTheJobOrItsLaunch) {
  const auto [id, name, argv, environment, working_dir, set_identity, uid, gid, groups, umask, nice, no_new_privs,
              limits, standard_input, output_limit, stream_output, launch_not_after, kill_signal, kill_grace, deadline,
              term_key, terminate] = made();
  EXPECT_EQ(id, launch.id);
  EXPECT_EQ(name, "job");
  EXPECT_EQ(argv, job.command);
  EXPECT_TRUE(std::find(environment.begin(), environment.end(), "BALLOT_JOB=job") != environment.end());
  EXPECT_EQ(working_dir, "/srv");
  EXPECT_TRUE(set_identity);
  EXPECT_EQ(uid, 1000u);
  EXPECT_EQ(gid, 1001u);
  EXPECT_EQ(groups, (std::vector<std::uint32_t>{1001, 1002}));
  EXPECT_EQ(umask, 027u);
  EXPECT_EQ(nice, 7);
  EXPECT_TRUE(no_new_privs);
  EXPECT_EQ(limits, details.limits);
  EXPECT_EQ(standard_input, "input");
  EXPECT_EQ(output_limit, 4711);
  EXPECT_TRUE(stream_output);
  EXPECT_EQ(launch_not_after, SteadyTime(6s));
  EXPECT_EQ(kill_signal, 2);
  EXPECT_EQ(kill_grace, Millis(3s));
  EXPECT_EQ(deadline, std::optional<Millis>(5s));
  EXPECT_EQ(term_key, core::term_key("group", 8));
  EXPECT_FALSE(terminate);
}

TEST_F(AStart, SaysByItsEnvironmentAloneWhatBecomesOfProcessesThatAreLeft) {
  const auto leaves = [&] {
    const auto environment = made().environment;
    return std::count(environment.begin(), environment.end(), runner::leaves_background);
  };
  EXPECT_EQ(leaves(), 0);
  details.background = Background::leave;
  EXPECT_EQ(leaves(), 1);
}

TEST_F(AStart, KeepsNothingOfAnOutputThatIsDiscarded) {
  job.output = OutputKeep::discard;
  EXPECT_EQ(made().output_limit, 0);
}

TEST_F(AStart, OfAJobWithoutAUserIsTheDaemons) {
  job.identity = nullptr;
  details.working_dir.clear();
  const runner::Start start = made();
  EXPECT_FALSE(start.set_identity);
  EXPECT_EQ(start.working_dir, "/home/daemon");
}

}  // namespace
}  // namespace ballot::io
