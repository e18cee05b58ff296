// Which registers a node reads for somebody who asks while another node does not answer, and how many.
#include "library/history/store_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

#include "base/instance.hpp"
#include "support/temp_folder.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

/// A node of many jobs, and of one instance of a job that runs on each node.
struct NodeOfManyJobs : ::testing::Test {
  static constexpr int many = 3'000;

  static schedule::DefinitionPtr definition(std::string name, std::string group) {
    Job job;
    job.name = std::move(name);
    job.group = std::move(group);
    job.command = {"/bin/true"};
    return std::make_shared<schedule::Definition>(job, schedule::Plan(), "digest");
  }
  static NodeSettings settings(const TempFolder& folder) {
    NodeSettings settings;
    settings.plugin_dir = BALLOT_PLUGIN_DIR;
    settings.backend = "local";
    settings.engine.node = "n1";
    settings.engine.backend.name_space = "reader";
    settings.engine.backend.state_dir = folder.path();
    settings.engine.runner = {folder / "runner.sock", BALLOT_RUNNER};
    settings.ledger.path = folder / "history.db";
    return settings;
  }
  /// Whether all instances of that job are paused.
  bool pause_all(const std::string& job) {
    std::promise<bool> paused;
    node.loop().post([&] {
      core::Request request;
      request.kind = core::Request::Kind::pause;
      request.job = job;
      request.by = "n1 uid 0";
      node.ask(
          request, "", 30s, [&](const core::Reply& reply) { paused.set_value(reply.ok); }, nullptr);
    });
    return paused.get_future().get();
  }
  /// What the reader says while the node's loop runs. `before` is called first, beside the loop.
  StoreShows read(const StoreQuestion& asked, const std::function<void()>& before = {}) {
    EXPECT_TRUE(node.start(Resume::allowed));
    std::vector<schedule::DefinitionPtr> jobs{definition("trim@n1", "default@n1")};
    for (int i = 0; i < many; ++i) jobs.push_back(definition("job-" + std::to_string(i), "default"));
    node.define(std::move(jobs), {}, {});
    Result<StoreShows> shown = StoreShows();
    std::thread reading([&] {
      if (before) before();
      const auto until = std::chrono::steady_clock::now() + 1min;  // its session is being opened at first
      do shown = StoreReader(node, "n1").read(asked, 5s, [] { return true; });
      while (!shown && std::chrono::steady_clock::now() < until);
      node.loop().post([this] { node.stop({config::OnStop::Kind::kill, 0ms}); });
    });
    EXPECT_TRUE(node.run());
    reading.join();
    EXPECT_TRUE(shown) << shown.error().what;
    return shown ? *shown : StoreShows();
  }
  static bool has(const StoreShows& shows, const std::string& job) {
    return std::find(shows.jobs.begin(), shows.jobs.end(), job) != shows.jobs.end();
  }

  const TempFolder folder;
  Node node{settings(folder), [](Level, std::string_view, const LogFields&) {}};
};

TEST_F(NodeOfManyJobs, ReadsOfAllTheFirstTwoThousandAndSaysThatThereAreMore) {
  const StoreShows shows = read({.jobs = {}, .known = {}, .silent = {"n2"}});
  EXPECT_EQ(shows.jobs.size(), StoreReader::most_registers);
  EXPECT_TRUE(shows.has_more);
}

TEST_F(NodeOfManyJobs, ReadsNoRegistersOfGroupsThatSomebodyWhoAnswersLeads) {
  const StoreShows shows = read({.jobs = {}, .known = {"default", "default@n1"}, .silent = {"n2"}});
  EXPECT_EQ(shows.jobs, std::vector<std::string>{"trim@n2"}) << "of that nobody who answers knows";
  EXPECT_FALSE(shows.has_more);
}

/// Its node was away when it was asked for, and has no register, or one that does not know of it.
TEST_F(NodeOfManyJobs, ShowsThePauseOfAllInstancesOfOneWhoseNodeHasNotFollowedIt) {
  const StoreShows shows =
      read({.jobs = {"trim@n2"}, .known = {}, .silent = {"n2"}}, [&] { EXPECT_TRUE(pause_all("trim")); });
  ASSERT_EQ(shows.states.size(), 1u);
  const LedState& state = shows.states[0];
  EXPECT_EQ(state.job + " " + state.state + " " + state.paused_by, "trim@n2 paused n1 uid 0");
  EXPECT_TRUE(state.paused_at);
  ASSERT_EQ(state.pauses.size(), 1u);
  EXPECT_EQ(state.pauses[0].by, "n1 uid 0");
  EXPECT_FALSE(state.pauses[0].is_of_group);
}

TEST_F(NodeOfManyJobs, ReadsOfJobsThatAreNamedThoseWhichNobodyWhoAnswersLeads) {
  const StoreShows shows =
      read({.jobs = {"job-7", "trim@n2", "trim@n1", "of-nobody"}, .known = {"default@n1"}, .silent = {"n2"}});
  EXPECT_EQ(shows.jobs.size(), 3U);
  for (const char* job : {"job-7", "trim@n2", "of-nobody"}) EXPECT_TRUE(has(shows, job)) << job;
  EXPECT_FALSE(shows.has_more);
}

}  // namespace
}  // namespace ballot::library
