// Triggers of the library that say more than a job: variables, which a function has among its facts, and alone.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "ballot/runtime.hpp"
#include "support/temp_folder.hpp"

namespace ballot {
namespace {

using namespace std::chrono_literals;

class Triggers : public ::testing::Test {
 protected:
  RuntimeSettings of_one_node() const {
    RuntimeSettings settings;
    settings.node = "n1";
    settings.state_dir = folder_ / "state";
    settings.plugin_dir = BALLOT_PLUGIN_DIR;
    settings.program_dir = BALLOT_PROGRAM_DIR;
    settings.commands = false;
    return settings;
  }
  /// What its runs were begun for, with DAY.
  JobFunction noting(const std::string& job) {
    return [this, job](const RunFacts& run, std::stop_token) {
      const auto day = run.env.find("DAY");
      const std::lock_guard lock(mutex_);
      begun_.push_back(job + " " + std::string(to_string(run.trigger)) + " " +
                       (day == run.env.end() ? "-" : day->second));
      changed_.notify_all();
      return JobResult::success();
    };
  }
  bool wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 30s, [&] { return begun_.size() >= count; });
  }

  const TempFolder folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> begun_;
};

TEST_F(Triggers, GiveAFunctionTheVariablesThatItsJobAllows) {
  Runtime runtime(of_one_node());
  ASSERT_TRUE(runtime.add({.name = "load", .function = noting("load"), .keys = "trigger_env = [\"DAY\"]"}));
  ASSERT_TRUE(runtime.add({.name = "report", .function = noting("report"), .keys = "after = [\"load\"]"}));
  ASSERT_TRUE(runtime.start());
  const TriggerWith alone{.env = {{"DAY", "2026-01-01\n"}}, .alone = true};
  const auto run = runtime.trigger("load", alone);
  ASSERT_TRUE(run) << run.error().what;
  ASSERT_TRUE(wait_for(1));
  const auto other = runtime.trigger("load", TriggerWith{.env = {{"PATH", "/tmp"}}});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::invalid);
  EXPECT_NE(other.error().what.find("may not set PATH"), std::string::npos) << other.error().what;
  EXPECT_EQ(runtime.trigger("load", TriggerWith{.env = {{"LD_PRELOAD", "x"}}}).error().code, Errc::invalid);
  ASSERT_TRUE(runtime.trigger("load"));
  ASSERT_TRUE(wait_for(3));
  EXPECT_EQ(begun_, (std::vector<std::string>{"load manual 2026-01-01\n", "load manual -", "report chain -"}));
  const auto rows = runtime.history({.run = *run});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->at(0).env, "DAY=2026-01-01%0A");
  EXPECT_TRUE(runtime.stop());
}

}  // namespace
}  // namespace ballot
