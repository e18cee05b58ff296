// ThreadedBackend over a driver that does what each test says.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "support/clock.hpp"
#include "support/make_backend.hpp"
#include "support/options.hpp"
#include "support/threaded_backend.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

/// What has been posted, in order.
class Posted final : public Host {
 public:
  void post(BackendEvent event) noexcept override {
    const std::lock_guard hold(mutex_);
    events_.push_back(std::move(event));
    more_.notify_all();
  }
  void log(Level, std::string_view) noexcept override {}

  /// The first of its kind; none within five seconds.
  template <class T>
  std::optional<BackendEvent> wait_for() {
    std::unique_lock hold(mutex_);
    std::optional<BackendEvent> found;
    more_.wait_for(hold, 5s, [&] {
      for (const BackendEvent& event : events_)
        if (std::holds_alternative<T>(event.what)) return found = event, true;
      return false;
    });
    return found;
  }
  std::size_t count() {
    const std::lock_guard hold(mutex_);
    return events_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<BackendEvent> events_;
};

/// Shared with the test, as the driver lives on a thread.
struct Script {
  Millis timeout{10'000};
  bool observer = false;
  Millis block{0};  // each carry_out()
  std::atomic<int> carried{0}, batches{0}, dropped{0}, closes{0};
  std::atomic<bool> closes_late{false}, gone{false};
};

class ScriptedDriver final : public SessionDriver {
 public:
  ScriptedDriver(Outlet& outlet, std::shared_ptr<Script> script) : outlet_(outlet), script_(std::move(script)) {}
  ~ScriptedDriver() override { script_->gone = true; }

  void configure(std::map<std::string, Options> groups) override { groups_ = std::move(groups); }
  void open(const SessionRequest&, SteadyTime asked) override {
    const auto from = script_->observer ? std::nullopt : std::optional(asked);
    std::string id = "1";
    for (const auto& [group, options] : groups_) id += " " + group + " " + std::get<std::string>(options.at("service"));
    outlet_.opened({script_->timeout, Capability::fenced, id}, from);
  }
  void carry_out(std::vector<Call> calls) override {
    std::this_thread::sleep_for(script_->block);
    ++script_->batches;
    for (const Call& call : calls) {
      ++script_->carried;
      if (auto answer = refusal(call, StoreResult::done, {})) outlet_.post(std::move(*answer));
    }
  }
  void close(bool) override {
    ++script_->closes;
    if (!script_->closes_late) outlet_.closed({Cause::shutdown, {}});
  }
  void expire() override { outlet_.closed({Cause::expired, {}}); }
  void drop() noexcept override { ++script_->dropped; }
  void receive(bool) override {}
  void advance() override {}
  std::optional<SteadyTime> due() const override { return std::nullopt; }

 private:
  Outlet& outlet_;
  const std::shared_ptr<Script> script_;
  std::map<std::string, Options> groups_;
};

class TheThreadedBackend : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> make() {
    return std::make_unique<ThreadedBackend>(
        host, "ballot-test", [this](Outlet& outlet) { return std::make_unique<ScriptedDriver>(outlet, script); });
  }
  static SessionRequest request(std::uint64_t generation) {
    SessionRequest made;
    made.generation = generation;
    return made;
  }

  Posted host;
  const std::shared_ptr<Script> script = std::make_shared<Script>();
};

TEST_F(TheThreadedBackend, HandsOnTheTablesOfGroupsAlsoWhileNoSessionIsOpen) {
  const auto backend = make();
  backend->configure({{"db", {{"service", "mysql"}}}});
  backend->open(request(1));
  const auto opened = host.wait_for<backend::SessionOpened>();
  ASSERT_TRUE(opened);
  EXPECT_EQ(std::get<backend::SessionOpened>(opened->what).id, "1 db mysql");
}

TEST_F(TheThreadedBackend, StampsWhatIsPostedWithTheGenerationOfItsSession) {
  const auto backend = make();
  backend->open(request(7));
  backend->read(3, {"j/a"});
  const auto read = host.wait_for<backend::ReadDone>();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->generation, 7u);
  EXPECT_EQ(std::get<backend::ReadDone>(read->what).request, 3u);
  backend->close(false);
  ASSERT_TRUE(host.wait_for<backend::SessionClosed>());
  backend->open(request(8));
  backend->list(4, "j");
  while (script->carried < 2) std::this_thread::yield();
  const auto opened = host.wait_for<backend::SessionOpened>();
  EXPECT_EQ(opened->generation, 7u);
}

TEST_F(TheThreadedBackend, DropsTheCallsOfASessionThatIsOver) {
  auto backend = make();
  backend->open(request(1));
  backend->close(false);
  backend->read(1, {});
  backend->renew(2);
  ASSERT_TRUE(host.wait_for<backend::SessionClosed>());
  backend.reset();
  EXPECT_EQ(script->carried, 0);
  EXPECT_EQ(host.count(), 2u) << "opened and closed";
}

TEST_F(TheThreadedBackend, ClosesASessionThatTheLoopDoesNotRenew) {
  script->timeout = 100ms;
  const SteadyTime began = boot_now();
  const auto backend = make();
  backend->open(request(1));
  for (RequestId i = 1; i <= 5; ++i) {
    std::this_thread::sleep_for(40ms);
    backend->renew(i);
  }
  const auto closed = host.wait_for<backend::SessionClosed>();
  ASSERT_TRUE(closed);
  EXPECT_EQ(std::get<backend::SessionClosed>(closed->what).cause, Cause::expired);
  EXPECT_GE(boot_now() - began, 100ms);
}

TEST_F(TheThreadedBackend, ClosesNoObserver) {
  script->timeout = 20ms;
  script->observer = true;
  const auto backend = make();
  backend->open(request(1));
  ASSERT_TRUE(host.wait_for<backend::SessionOpened>());
  std::this_thread::sleep_for(100ms);
  backend->renew(1);
  EXPECT_TRUE(host.wait_for<backend::Renewed>());
}

TEST_F(TheThreadedBackend, CarriesOutWhatWasAskedBeforeItGoesAndPostsNothingOfTheEnd) {
  auto backend = make();
  backend->open(request(1));
  for (RequestId i = 1; i <= 100; ++i) backend->read(i, {});
  backend.reset();
  EXPECT_EQ(script->carried, 100);
  EXPECT_EQ(script->closes, 1);
  EXPECT_EQ(script->dropped, 0);
  EXPECT_EQ(host.count(), 101u) << "the opening and the answers";
  EXPECT_TRUE(script->gone);
}

TEST_F(TheThreadedBackend, DropsASessionThatDoesNotCloseInTime) {
  script->closes_late = true;
  auto backend = make();
  backend->open(request(1));
  ASSERT_TRUE(host.wait_for<backend::SessionOpened>());
  backend.reset();
  EXPECT_EQ(script->dropped, 1);
}

TEST_F(TheThreadedBackend, LeavesAThreadBehindThatDoesNotAnswer) {
  script->block = 1500ms;
  auto backend = make();
  backend->open(request(1));
  backend->read(1, {});
  const SteadyTime began = boot_now();
  backend.reset();
  EXPECT_LT(boot_now() - began, 1400ms);
  EXPECT_FALSE(script->gone);
  const std::size_t posted = host.count();
  while (!script->gone) std::this_thread::sleep_for(5ms);
  EXPECT_EQ(host.count(), posted) << "it posts nothing any more";
}

std::string no_problem(const OptionValue&) noexcept { return {}; }

constexpr OptionKey keys[] = {{"path", no_problem}, {"tick", no_problem}};

std::vector<OptionProblem> conflicts(const Options& options) noexcept {
  return rivals(options, {"path", "tick"}, "exclude each other");
}

Result<MakeDriver> prepare(Host&, const BackendSettings& settings) {
  if (settings.state_dir == "throw") throw std::runtime_error("no threads left");
  if (settings.state_dir == "refuse") return Error{Errc::refused, "the store is open"};
  return MakeDriver(
      [](Outlet& outlet) { return std::make_unique<ScriptedDriver>(outlet, std::make_shared<Script>()); });
}

/// "" where it is made.
std::string problem_of(const BackendSettings& settings) {
  const BackendTraits traits{.keys = keys, .conflicts = conflicts, .no_hold = "is not kept: remove it"};
  const BackendKind kind{"test", "ballot-test", traits, prepare};
  Posted host;
  Error error;
  const std::unique_ptr<Backend> made(make_backend(kind, host, settings, error));
  EXPECT_EQ(made == nullptr, !error.what.empty());
  return error.what;
}

TEST(MakingABackend, RefusesWhatNoPluginCanWorkWith) {
  EXPECT_EQ(problem_of({"ns", "", false, {{"path", std::string("x")}}}), "");
  EXPECT_EQ(problem_of({"ns", "", false, {{"paht", std::string("x")}}}),
            "[test] unknown key 'paht'; allowed: path, tick");
  EXPECT_EQ(problem_of({"ns", "", false, {{"path", std::string("x")}, {"tick", std::string("x")}}}),
            "[test] path and tick exclude each other: keep one of them");
  for (const char* name : {"", "..", "a/b", "-a", "a b"})
    EXPECT_NE(problem_of({name, "", false, {}}).find("cannot be a part of a path"), std::string::npos) << name;
  EXPECT_EQ(problem_of({"ns", "", true, {}}), "on_outage = \"hold\" is not kept: remove it");
  EXPECT_EQ(problem_of({"ns", "refuse", false, {}}), "the store is open");
  EXPECT_EQ(problem_of({"ns", "throw", false, {}}), "the backend test cannot start: no threads left");
}

}  // namespace
}  // namespace ballot::support
