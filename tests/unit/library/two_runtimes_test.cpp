// Two runtimes with two backends in one process, with functions and commands: thousands of runs, and nothing is left.
// BALLOT_RUNS=N: so many of each kind in each runtime; else 250.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "ballot/runtime.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/etcd_server.hpp"
#include "support/temp_folder.hpp"
#include "unit/library/traces.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;
using testing::wait_until;

constexpr int jobs_of_a_kind = 40;  // each due each second

int wanted() {
  const char* const runs = std::getenv("BALLOT_RUNS");
  return runs ? std::atoi(runs) : 250;
}

class Host {
 public:
  explicit Host(const std::string& backend, Options options) : runtime_(settings(backend, std::move(options))) {
    runtime_.on_run_ended([this](const Row& row) {
      // On a busy machine the run of the second before may go on still.
      if (row.status != Status::succeeded && row.reason != Reason::overlap) ++others_;
      ++(row.job.starts_with("f") ? functions_ : commands_);
    });
  }

  void start() {
    const auto work = [this](const RunFacts&, std::stop_token) { return ++calls_, JobResult::success("done"); };
    for (int i = 0; i < jobs_of_a_kind; ++i) {
      const std::string number = std::to_string(i);
      ASSERT_TRUE(runtime_.add({.name = "f" + number, .schedule = {"* * * * * *"}, .function = work}));
      ASSERT_TRUE(runtime_.add({.name = "c" + number, .schedule = {"* * * * * *"}, .command = {"/bin/true"}}));
    }
    const auto started = runtime_.start();
    ASSERT_TRUE(started) << started.error().what;
  }
  bool has_run(int runs) const { return functions_ >= runs && commands_ >= runs; }
  std::string state() const {
    return std::to_string(functions_) + " functions, " + std::to_string(commands_) + " commands";
  }

  void stop(int runs) {
    const auto begun = std::chrono::steady_clock::now();
    const auto stopped = runtime_.stop({.wait = 5s, .bound = 20s});
    EXPECT_TRUE(stopped) << stopped.error().what;
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 20s);
    EXPECT_EQ(others_, 0) << "runs that did not succeed";
    const auto rows = runtime_.history({.statuses = {Status::succeeded}, .limit = std::nullopt});
    ASSERT_TRUE(rows) << rows.error().what;
    const auto of_functions = std::count_if(rows->begin(), rows->end(), [](auto& row) { return row.job[0] == 'f'; });
    EXPECT_EQ(of_functions, calls_) << "each call has its row, and each row its call";
    EXPECT_GE(static_cast<int>(rows->size()), 2 * runs);
  }

 private:
  RuntimeSettings settings(const std::string& backend, Options options) {
    RuntimeSettings settings;
    settings.node = "n1";
    settings.backend = backend;
    settings.name_space = "two";
    settings.allow_open_store = true;
    settings.options = std::move(options);
    settings.state_dir = folder_ / "state";
    settings.plugin_dir = BALLOT_PLUGIN_DIR;
    settings.program_dir = BALLOT_PROGRAM_DIR;
    return settings;
  }

  const TempFolder folder_;
  std::atomic<int> functions_ = 0, commands_ = 0, others_ = 0, calls_ = 0;
  Runtime runtime_;
};

void run_both(testing::EtcdCluster& store, int runs) {
  Host local("local", {});
  Host etcd("etcd", {{"servers", std::vector<std::string>{store[0].address()}}});
  local.start();
  etcd.start();
  EXPECT_TRUE(wait_until([&] { return local.has_run(runs) && etcd.has_run(runs); }, 300s))
      << local.state() << "; " << etcd.state();
  local.stop(runs);
  etcd.stop(runs);
}

TEST(TwoRuntimes, OfTwoBackendsRunFunctionsAndCommandsAndLeaveNothing) {
  testing::EtcdCluster store(1);
  run_both(store, 1);  // what is loaded once for good
  const auto descriptors = testing::descriptors();
  const auto threads = testing::entries("/proc/self/task");
  const auto handlers = testing::signal_handlers();
  run_both(store, wanted());
  EXPECT_EQ(testing::descriptors(), descriptors);
  EXPECT_TRUE(wait_until([&] { return testing::entries("/proc/self/task") == threads; })) << "a thread is left";
  EXPECT_EQ(testing::signal_handlers(), handlers);
}

}  // namespace
}  // namespace ballot
