// Another session under this node's name; and the answers to what was written together.
#include <gtest/gtest.h>

#include "support/name_rival.hpp"
#include "support/write_batch.hpp"

namespace ballot::support {
namespace {

using Verdict = NameRival::Verdict;

class ARival : public ::testing::Test {
 protected:
  ARival() {
    self.node = "a@g";
    self.pid = 7;
    self.boot_id = "boot";
    self.machine_id = "machine";
  }
  static MemberRecord of(const std::string& session, int pid) {
    MemberRecord record;
    record.session = session;
    record.host = "host";
    record.boot_id = "boot";
    record.machine_id = "machine";
    record.pid = pid;
    return record;
  }

  SessionRequest self;
};

TEST_F(ARival, ThatIsDeadIsWaitedForAsLongAsItsSessionIsOpen) {
  NameRival rival(self, "");
  EXPECT_EQ(rival.see(of("1f", 8), 3), Verdict::arrived);
  EXPECT_EQ(rival.see(of("1f", 8), 4), Verdict::waits) << "a renewal may have been on its way when it died";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(rival.see(of("1f", 8), 4), Verdict::waits);
  EXPECT_EQ(rival.see(of("2e", 9), 4), Verdict::arrived) << "another one";
  EXPECT_EQ(rival.waiting_text(of("1f", 8)),
            "an older session of node a is still open (pid 8 on host): waiting for the store to end it");
}

TEST_F(ARival, ThatRenewsItselfTwiceLives) {
  NameRival rival(self, "");
  rival.see(of("1f", 8), 1);
  rival.see(of("1f", 8), 2);
  EXPECT_EQ(rival.see(of("1f", 8), 3), Verdict::lives);
}

TEST_F(ARival, OfThisProcessIsNotInTheWay) {
  NameRival rival(self, "");
  rival.see(of("1f", 7), 1);
  rival.see(of("1f", 7), 2);
  EXPECT_EQ(rival.see(of("1f", 7), 3), Verdict::waits);
}

TEST_F(ARival, ThatThisNodeLeftBehindIsToBeEnded) {
  NameRival rival(self, "1f");
  EXPECT_EQ(rival.see(of("1f", 8), 1), Verdict::arrived) << "it may be about to go";
  EXPECT_EQ(rival.see(of("1f", 8), 1), Verdict::left_behind);
}

TEST(AWriteBatch, IsPostedWhenItsLastAnswerHasCome) {
  std::vector<Event> posted;
  const auto post = [&](Event event) { posted.push_back(std::move(event)); };
  WriteBatch batch(3, 2, post);
  batch.answer(1, {StoreResult::done, 5, {}});
  EXPECT_TRUE(posted.empty());
  batch.answer(0, {StoreResult::conflict, 0, {}});
  ASSERT_EQ(posted.size(), 1u);
  const auto& wrote = std::get<backend::Wrote>(posted[0]);
  EXPECT_EQ(wrote.request, 3u);
  EXPECT_EQ(wrote.answers.at(0).outcome, StoreResult::conflict);
  EXPECT_EQ(wrote.answers.at(1).version, 5u);
  WriteBatch(4, 0, post);
  EXPECT_EQ(posted.size(), 2u) << "of nothing, at once";
}

TEST(Batching, SendsWhatComesAloneAtOnceAndGathersTheRest) {
  Batching batching(50);
  EXPECT_FALSE(batching.ready(0, true));
  EXPECT_TRUE(batching.ready(1));
  const auto first = batching.counted([](int) {});
  EXPECT_TRUE(batching.ready(1));
  const auto second = batching.counted([](int) {});
  EXPECT_FALSE(batching.ready(49)) << "two are under way";
  EXPECT_TRUE(batching.ready(50));
  EXPECT_TRUE(batching.ready(1, true)) << "there will be no later one";
  first(1);
  EXPECT_TRUE(batching.ready(1));
  second(2);
}

}  // namespace
}  // namespace ballot::support
