#include <gtest/gtest.h>

#include "core/core.hpp"

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// A node whose lists of registers fail at once, as `failing` says.
struct FailingLists : ::testing::Test {
  Core core{[] {
    CoreSettings settings;
    settings.node = "a";
    settings.boot_id = "boot";
    return settings;
  }()};
  Millis time{1h};
  bool failing = false;
  int lists = 0;
  std::vector<Reply> replies;

  void step(const Event& event) {
    const Now now{WallTime(time + 1000h), SteadyTime(time)};
    for (const Action& action : core.step(now, event)) {
      if (const auto* open = std::get_if<OpenSession>(&action))
        step(BackendEvent{open->generation, backend::SessionOpened{60s, Capability::fenced, "s"}});
      if (const auto* list = std::get_if<List>(&action)) asked_.push_back(*list);
      if (const auto* read = std::get_if<Read>(&action))  // which store it is: unreadable
        answer(backend::ReadDone{read->request, StoreResult::done, {{read->names.front(), "", 1}}, {}});
      if (const auto* renew = std::get_if<Renew>(&action))
        answer(backend::Renewed{renew->request, StoreResult::done, ""});
      if (const auto* reply = std::get_if<Reply>(&action)) replies.push_back(*reply);
    }
  }
  /// Ticks each 10 ms, after which what was asked is answered.
  void run_for(Millis span) {
    for (const Millis end = time + span; time < end; time += 10ms) {
      step(Tick{});
      for (const List& list : std::exchange(asked_, {})) {
        const bool fails = failing && list.prefix == "j/";
        lists += fails ? 1 : 0;
        answer(backend::ReadDone{list.request, fails ? StoreResult::unknown : StoreResult::done, {}, {}});
      }
    }
  }
  void SetUp() override {
    step(Load{});
    step(Inventory{});
    run_for(1s);
  }

 private:
  template <class T>
  void answer(T what) {
    step(BackendEvent{core.session().generation(), std::move(what)});
  }

  std::vector<List> asked_;
};

TEST_F(FailingLists, AreAskedForAgainAfterAPauseWhereAKillNamesARunByItsLastDigits) {
  failing = true;
  Request request;
  request.kind = Request::Kind::kill;
  request.id = RunId{{1}};
  step(Ask{7, request, "abcdef"});
  run_for(10s);
  EXPECT_GE(lists, 20);
  EXPECT_LE(lists, 60);
  EXPECT_TRUE(replies.empty());
  failing = false;
  run_for(1s);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].text, "no open run ends with abcdef; see `ballot history`");
}

}  // namespace
}  // namespace ballot::core
