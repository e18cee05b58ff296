#include <gtest/gtest.h>

#include "core/core.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// A node whose renewals fail or not, as `failing` says; counts what it says of them.
struct Renewals : ::testing::Test {
  Core core{[] {
    CoreSettings settings;
    settings.node = "a";
    settings.boot_id = "boot";
    return settings;
  }()};
  Millis time{1h};
  bool failing = false, refuses_sessions = false;
  int failures_told = 0, recoveries_told = 0, renewals = 0;

  void step(const Event& event) {
    const Now now{WallTime(time + 1000h), SteadyTime(time)};
    for (const Action& action : core.step(now, event)) {
      if (const auto* open = std::get_if<OpenSession>(&action))
        step(refuses_sessions
                 ? BackendEvent{open->generation, backend::SessionClosed{Cause::unreachable, "no space", true}}
                 : BackendEvent{open->generation, backend::SessionOpened{60s, Capability::fenced, "s"}});
      if (std::holds_alternative<CloseSession>(action))
        step(BackendEvent{core.session().generation(), backend::SessionClosed{Cause::shutdown, ""}});
      if (const auto* renew = std::get_if<Renew>(&action)) asked_.push_back(renew->request);
      if (const auto* notice = std::get_if<Notice>(&action)) {
        failures_told += notice->text.starts_with("renewal failed") ? 1 : 0;
        recoveries_told += notice->text == "the session is renewed again" ? 1 : 0;
      }
    }
  }
  void run_for(Millis span) {
    for (const Millis end = time + span; time < end; time += 100ms) {
      step(Tick{});
      for (const RequestId request : std::exchange(asked_, {})) {
        ++renewals;
        const StoreResult outcome = failing ? StoreResult::failed : StoreResult::done;
        const std::string text = failing ? "no space" : "";
        step(BackendEvent{core.session().generation(), backend::Renewed{request, outcome, text}});
      }
    }
  }
  void SetUp() override {
    step(Load{});
    step(Inventory{});
  }

 private:
  std::vector<RequestId> asked_;
};

TEST_F(Renewals, ThatFailAgainAndAgainAreToldOnceAndSoIsTheirEnd) {
  run_for(30s);
  ASSERT_GT(renewals, 0);
  failing = true;
  const int before = renewals;
  run_for(20s);
  EXPECT_GT(renewals - before, 5) << "it is tried again all the while";
  EXPECT_EQ(failures_told, 1);
  failing = false;
  run_for(30s);
  EXPECT_EQ(recoveries_told, 1);
  failing = true;
  run_for(20s);
  EXPECT_EQ(failures_told, 2) << "another failure";
}

TEST_F(Renewals, ThatTheStoreRefusesStandAsRefusedWritesUntilOneIsDone) {
  run_for(30s);
  EXPECT_FALSE(core.refused_writes());
  failing = true;
  run_for(20s);
  ASSERT_TRUE(core.refused_writes());
  EXPECT_EQ(core.refused_writes()->text, "no space");
  EXPECT_TRUE(core.session().refuses_writes());
  failing = false;
  run_for(20s);
  EXPECT_FALSE(core.refused_writes());
  EXPECT_FALSE(core.session().refuses_writes());
}

/// Of a node that has had none.
struct FirstSession : Renewals {
  void SetUp() override {
    refuses_sessions = true;
    Renewals::SetUp();
  }
};

TEST_F(FirstSession, ThatTheStoreRefusesIsARefusedWriteUntilOneIsOpen) {
  run_for(1min);
  EXPECT_FALSE(core.session().is_open());
  EXPECT_TRUE(core.session().refuses_writes());
  ASSERT_TRUE(core.refused_writes());
  EXPECT_EQ(core.refused_writes()->text, "no space");
  refuses_sessions = false;
  run_for(20s);
  EXPECT_TRUE(core.session().is_open());
  EXPECT_FALSE(core.session().refuses_writes());
  EXPECT_FALSE(core.refused_writes());
}

TEST_F(Renewals, ThatFailForLongAreToldOnceAMinute) {
  failing = true;
  run_for(5min);  // sessions end and are opened anew meanwhile
  EXPECT_GE(failures_told, 4);
  EXPECT_LE(failures_told, 6);
}

}  // namespace
}  // namespace ballot::core
