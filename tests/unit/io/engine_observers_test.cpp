// Those who ask the engine for elections of a store that does not answer.
#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>

#include "io/engine.hpp"
#include "support/temp_folder.hpp"
#include "unit/io/loop_until.hpp"

namespace ballot::io {
namespace {

using testing::run_until;
using namespace std::chrono_literals;

/// Opens a session, and answers observe() only where it was told to.
class HungStore final : public Backend {
 public:
  explicit HungStore(Host& host) : host_(host) { latest = this; }
  ~HungStore() override { latest = nullptr; }

  static inline HungStore* latest = nullptr;
  std::vector<RequestId> observed;

  void answer(RequestId request, std::vector<Election> elections) {
    host_.post({generation_, backend::Observed{request, StoreResult::done, std::move(elections), ""}});
  }

  void open(const SessionRequest& request) noexcept override {
    generation_ = request.generation;
    host_.post({generation_, backend::SessionOpened{.timeout = 60s, .id = "1"}});
  }
  void observe(RequestId request, const std::string&) noexcept override { observed.push_back(request); }
  void renew(RequestId) noexcept override {}
  void campaign(const std::string&) noexcept override {}
  void resign(const std::string&) noexcept override {}
  void write(RequestId, std::vector<RegisterWrite>) noexcept override {}
  void read(RequestId, std::vector<std::string>) noexcept override {}
  void create(RequestId, std::vector<Record>) noexcept override {}
  void remove(RequestId, std::vector<std::string>) noexcept override {}
  void watch(const std::string&) noexcept override {}
  void evict(RequestId, const std::string&) noexcept override {}
  void list(RequestId request, std::string) noexcept override {
    host_.post({generation_, backend::ReadDone{request, StoreResult::done, {}, ""}});
  }
  void close(bool) noexcept override {}

 private:
  Host& host_;
  std::uint64_t generation_ = 0;
};

const PluginInfo hung_plugin{
    plugin_abi,
    sizeof(PluginInfo),
    plugin_toolchain,
    "backend",
    "hung",
    "0",
    {},
    [](Host& host, const BackendSettings&, Error&) noexcept -> Backend* { return new HungStore(host); }};

struct NoLedger final : LedgerSink {
  void record(Row) override {}
  void record_if_absent(Row) override {}
  void record(DefinitionRow, std::shared_ptr<const Job>) override {}
  void record(KnownRow) override {}
  void record(PauseRow) override {}
  void record(RequestRow) override {}
  void record(AnswerRow) override {}
  void record(TermRow) override {}
  void record(const RunId&, int, Output) override {}
  void flush(std::function<void()> done) override { done(); }
};

struct Observers : ::testing::Test {
  void SetUp() override {
    const auto started = engine.start();
    ASSERT_TRUE(started) << started.error().what;
    engine.load({});
    ASSERT_TRUE(run_until(loop.context(), [this] { return engine.core().session().is_open(); }));
  }

  static EngineSettings settings(const TempFolder& folder) {
    EngineSettings settings;
    settings.node = "n1";
    settings.runner = {folder / "runner.sock", BALLOT_RUNNER};
    return settings;
  }

  const TempFolder folder;
  MainLoop loop;
  NoLedger ledger;
  Engine engine{loop, settings(folder), hung_plugin, ledger, [](Level, std::string_view, const LogFields&) {}};
};

TEST_F(Observers, AreEachAnsweredInTimeThoughOthersKeepAsking) {
  bool answered = false;
  int asked = 1;
  engine.observe(200ms, "", [&](const std::vector<Election>& elections) {
    EXPECT_TRUE(elections.empty());
    answered = true;
  });
  boost::asio::steady_timer again(loop.context());
  std::function<void()> ask_again = [&] {
    if (asked == 100) return;
    ++asked;
    engine.observe(200ms, "", [](const auto&) {});
    again.expires_after(20ms);
    again.async_wait([&](const auto& error) {
      if (!error) ask_again();
    });
  };
  ask_again();
  EXPECT_TRUE(run_until(loop.context(), [&] { return answered || asked == 100; }));
  EXPECT_TRUE(answered) << "after " << asked << " more have asked within two seconds";
}

TEST_F(Observers, WithMorePatienceAreNotGivenUpWithThoseThatHaveLess) {
  std::vector<int> answered;
  engine.observe(1min, "", [&](const auto&) { answered.push_back(1); });
  engine.observe(20ms, "", [&](const auto&) { answered.push_back(2); });
  engine.observe(40ms, "", [&](const auto&) { answered.push_back(3); });
  ASSERT_TRUE(run_until(loop.context(), [&] { return answered.size() >= 2; }));
  EXPECT_EQ(answered, (std::vector{2, 3}));
  HungStore::latest->answer(HungStore::latest->observed.at(0), {{"default", 1, {}}});
  ASSERT_TRUE(run_until(loop.context(), [&] { return answered.size() == 3; }));
  EXPECT_EQ(answered.back(), 1);
}

TEST_F(Observers, MayAskAgainFromTheirAnswer) {
  int answered = 0;
  engine.observe(10ms, "", [&](const auto&) {
    ++answered;
    engine.observe(10ms, "", [&](const auto&) { ++answered; });
  });
  EXPECT_TRUE(run_until(loop.context(), [&] { return answered == 2; }));
}

}  // namespace
}  // namespace ballot::io
