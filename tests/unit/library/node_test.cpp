// Nodes in the process of somebody else: several at once, and nothing of them left behind.
#include "library/node.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>

#include "config/identities.hpp"
#include "library/job_folder.hpp"
#include "storage/reader.hpp"
#include "support/process/process_facts.hpp"
#include "support/temp_folder.hpp"
#include "unit/library/traces.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;
using testing::descriptors;
using testing::entries;
using testing::signal_handlers;
using testing::wait_until;

/// A node on the embedded backend, with a folder of its own and a job that is due each second.
class Host {
 public:
  explicit Host(std::string name_space, std::string backend = "local")
      : node_(settings(std::move(name_space), std::move(backend)),
              [this](Level level, std::string_view text, const LogFields&) { note(level, text); }),
        jobs_(node_, {folder / "jobs.d", {}}, [](Level, std::string_view, const LogFields&) {}) {}
  ~Host() {
    if (thread_.joinable()) thread_.join();
  }

  Result<void> start() {
    if (auto started = node_.start(Resume::allowed); !started) return started;
    jobs_.open();
    thread_ = std::thread([this] {
      const auto ran = node_.run();
      refusal_ = ran ? "" : ran.error().what;
    });
    return {};
  }
  void stop() {
    node_.loop().post([this] { node_.stop({config::OnStop::Kind::wait, 5s}); });
  }
  /// Why run() returned; "": it was stopped.
  std::string join() { return thread_.join(), refusal_; }

  bool has_run() const { return has_run_; }
  std::string runner_socket() const { return folder / "runner.sock"; }
  std::vector<Row> rows() const {
    auto reader = storage::Reader::open(folder / "history.db");
    const auto row = reader ? reader->last("tick") : Result<std::optional<Row>>(std::nullopt);
    return row && *row ? std::vector{**row} : std::vector<Row>();
  }
  std::string trouble() const {
    const std::lock_guard hold(mutex_);
    return trouble_;
  }

  const TempFolder folder;

 private:
  NodeSettings settings(std::string name_space, std::string backend) const {
    std::filesystem::create_directory(folder / "jobs.d");
    folder.write("jobs.d/tick.toml", "[job.tick]\nschedule = \"* * * * * *\"\ncommand = [\"/bin/true\"]\n");
    NodeSettings settings;
    settings.plugin_dir = BALLOT_PLUGIN_DIR;
    settings.backend = std::move(backend);
    settings.engine.node = "n1";
    settings.engine.identity = **config::Identities().user(::geteuid());
    settings.engine.backend.name_space = std::move(name_space);
    settings.engine.backend.state_dir = folder.path();
    settings.engine.runner = {runner_socket(), BALLOT_RUNNER};
    settings.ledger.path = folder / "history.db";
    return settings;
  }

  void note(Level level, std::string_view text) {
    if (text.find("succeeded") != std::string_view::npos) has_run_ = true;
    const std::lock_guard hold(mutex_);
    if (level >= Level::warn) trouble_.append(text).append("\n");
  }

  mutable std::mutex mutex_;
  std::string trouble_;
  std::atomic<bool> has_run_ = false;
  std::string refusal_;
  Node node_;
  JobFolder jobs_;
  std::thread thread_;
};

/// Runs two at once until each has run a slot, stops them, and says where their runners listened.
std::vector<std::string> run_two() {
  Host one("one"), other("other");
  EXPECT_TRUE(one.start());
  EXPECT_TRUE(other.start());
  EXPECT_TRUE(wait_until([&] { return one.has_run() && other.has_run(); })) << one.trouble() << other.trouble();
  one.stop();
  EXPECT_EQ(one.join(), "");
  other.stop();
  EXPECT_EQ(other.join(), "");
  for (const Host* host : {&one, &other}) {
    const auto rows = host->rows();
    EXPECT_EQ(rows.size(), 1U);
    if (rows.empty()) continue;
    EXPECT_EQ(rows[0].status, Status::succeeded);
    EXPECT_EQ(rows[0].node, "n1") << "the same name in both: they share no namespace";
  }
  return {one.runner_socket(), other.runner_socket()};
}

TEST(Node, OfWhichThereAreTwoLeavesNothingBehind) {
  run_two();  // what is loaded once for good: the plugin, the system's zones and users
  const auto umask_before = ::umask(022);
  ::umask(umask_before);
  const auto descriptors_before = descriptors();
  const auto threads_before = entries("/proc/self/task");
  const auto handlers_before = signal_handlers();
  for (const std::string& socket : run_two())
    EXPECT_TRUE(wait_until([&] { return testing::listener_at(socket) == -1; })) << "its runner goes with it";
  EXPECT_EQ(descriptors(), descriptors_before);
  EXPECT_TRUE(wait_until([&] { return entries("/proc/self/task") == threads_before; })) << "a thread is left";
  EXPECT_EQ(signal_handlers(), handlers_before);
  EXPECT_EQ(::umask(umask_before), umask_before);
  EXPECT_TRUE(testing::children_of(::getpid()).empty()) << "a child is left";
}

TEST(Node, OfANameThatAnotherOneBearsEndsAndSaysSo) {
  Host first("same"), second("same");
  std::filesystem::create_directory_symlink(first.folder / "local", second.folder / "local");
  ASSERT_TRUE(first.start());
  EXPECT_TRUE(wait_until([&] { return first.has_run(); })) << first.trouble();
  ASSERT_TRUE(second.start());
  EXPECT_NE(second.join().find("n1"), std::string::npos);
  first.stop();
  EXPECT_EQ(first.join(), "") << "the first one is not concerned";
}

TEST(Node, WhosePluginIsMissingDoesNotStart) {
  Host host("none", "of_nobody");
  const auto started = host.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::not_found);
}

}  // namespace
}  // namespace ballot::library
