// The steps by which a ledger is handed on: what follows which answer, how long is waited, and what is said of it.
#include "storage/history_sender.hpp"

#include <gtest/gtest.h>

namespace ballot::storage {
namespace {

using Do = HistorySender::Do;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Error away{Errc::unavailable, "nobody answers"}, conflict{Errc::conflict, "it is elsewhere"};

RunId ledger_id(std::uint8_t number) {
  RunId id{};
  id.bytes[15] = number;
  return id;
}

class HistorySenderSteps : public ::testing::Test {
 protected:
  void expect(Do what) { EXPECT_EQ(sender.next(now).what, what); }
  void rest_until(SteadyTime at) {
    const auto step = sender.next(now);
    EXPECT_EQ(step.what, Do::rest);
    EXPECT_EQ(step.until - SteadyTime(), at - SteadyTime());
  }
  void asked(std::int64_t change, const std::string& node = "host-1", bool goes_on = true, std::uint8_t opening = 7) {
    expect(Do::ask);
    sender.asked(LedgerLine{ledger_id(1), node, ledger_id(opening), change, change, {}}, goes_on, now);
  }
  void read(std::int64_t last, std::int64_t newest, std::uint8_t ledger = 1) {
    const auto step = sender.next(now);
    EXPECT_EQ(step.what, Do::read);
    sender.read(
        OutboxPart{{ledger_id(ledger), "host-1", ledger_id(8), newest, step.after, last, {}}, last >= newest, newest},
        now);
  }
  void put(const Result<PutResult>& result = PutResult{}) {
    expect(Do::put);
    sender.put(result, now);
  }
  /// All that there is was sent, up to 10.
  void settle() { asked(10), read(10, 10), put(); }

  HistorySender sender{"host-1"};
  SteadyTime now = SteadyTime(std::chrono::hours(1));
};

TEST_F(HistorySenderSteps, GoOnFromTheNumberThatTheHistoryHas) {
  asked(40);
  EXPECT_EQ(sender.next(now).after, 40);
  read(57, 90), put();
  EXPECT_EQ(sender.sent(), 57);
  EXPECT_EQ(sender.next(now).after, 57);
  read(90, 90), put();
  EXPECT_EQ(sender.sent(), 90);
}

TEST_F(HistorySenderSteps, RestUntilSomethingIsRecordedOrTheHistoryIsToHearOfTheLedger) {
  settle();
  rest_until(now + seconds(5));
  now += seconds(1);
  sender.recorded(now);
  rest_until(now + milliseconds(100));
  now += milliseconds(100);
  read(11, 11), put();
  rest_until(now + seconds(5));
  now += seconds(5);
  read(11, 11);
  expect(Do::put);
}

TEST_F(HistorySenderSteps, AskAgainAfterWhateverFailsEachTimeLater) {
  for (const int wait : {1, 2, 4, 8, 10, 10}) {
    expect(Do::ask);
    sender.asked(away, false, now);
    rest_until(now + seconds(wait));
    sender.recorded(now);
    expect(Do::rest);
    now += seconds(wait);
  }
  settle();
  now += seconds(5);
  read(12, 12), put(away);
  rest_until(now + seconds(1));
}

TEST_F(HistorySenderSteps, AskWhereABatchOfUnknownFateHasEnded) {
  asked(10), read(20, 20), put(Error{Errc::timeout, "no answer"});
  now += seconds(1);
  asked(20), read(20, 20);
  EXPECT_EQ(sender.sent(), 20);
}

TEST_F(HistorySenderSteps, AskAtOnceAfterAConflict) {
  asked(10), read(20, 20), put(conflict);
  asked(20);
}

TEST_F(HistorySenderSteps, SendAgainWhatAHistoryThatWasPutBackHasForgotten) {
  settle();
  now += seconds(5);
  read(10, 10), put(conflict), asked(4);
  EXPECT_EQ(sender.sent(), 4);
  EXPECT_EQ(sender.next(now).after, 4);
}

TEST_F(HistorySenderSteps, RenewALedgerThatIsAnOlderCopyOfItself) {
  asked(50, "host-1", false);
  expect(Do::renew);
  sender.renewed({}, now);
  EXPECT_EQ(sender.renewals(), 1);
  EXPECT_EQ(sender.sent(), 0);
  asked(0), read(30, 30), put();
}

TEST_F(HistorySenderSteps, AskOfALedgerThatEndsBeforeTheHistorysNumber) {
  asked(50), read(30, 30);
  expect(Do::ask);
}

TEST_F(HistorySenderSteps, RenewALedgerOfWhichTheHistoryHasMoreByThisOpeningThanItHasSent) {
  asked(10), read(20, 20), put(Error{Errc::timeout, "no answer"});
  now += seconds(1);
  asked(20, "host-1", true, 8), read(21, 21), put(conflict);
  asked(30, "host-1", true, 8);
  expect(Do::renew);
}

TEST_F(HistorySenderSteps, RenewALedgerThatIsACopyOfAnotherNodes) {
  asked(50, "host-2");
  expect(Do::renew);
}

TEST_F(HistorySenderSteps, RenewALedgerWhoseCopyIsHandedOnBySomebodyElse) {
  for (int i = 0; i < 2; ++i) asked(10), read(20, 20), put(conflict);
  asked(10), read(20, 20), put(conflict);
  expect(Do::renew);
}

TEST_F(HistorySenderSteps, WaitWhereANewIdentityHasNotHelped) {
  asked(50, "host-2"), expect(Do::renew), sender.renewed({}, now);
  asked(50, "host-2");
  rest_until(now + seconds(1));
}

TEST_F(HistorySenderSteps, AskOfTheLedgerThatWasBegunAnew) {
  settle();
  sender.recorded(now);
  now += milliseconds(100);
  read(3, 3, 2);
  expect(Do::ask);
}

TEST_F(HistorySenderSteps, AreTroubleOnceTheyHaveFailedForTenSeconds) {
  settle();
  now += seconds(5);
  const SteadyTime since = now;
  read(12, 12), put(away);
  EXPECT_EQ(sender.trouble(now), nullptr);
  for (; now < since + seconds(10); now += seconds(1))
    if (sender.next(now).what == Do::ask) sender.asked(Error{Errc::denied, "no such user"}, false, now);
  ASSERT_NE(sender.trouble(now), nullptr);
  EXPECT_EQ(sender.trouble(now)->why.what, "no such user");
  EXPECT_EQ(sender.trouble(now)->since - SteadyTime(), since - SteadyTime());
  now += seconds(60);
  asked(10), read(12, 12), put();
  EXPECT_EQ(sender.trouble(now), nullptr);
}

TEST_F(HistorySenderSteps, KnowSinceWhenSomethingIsUnsent) {
  settle();
  EXPECT_FALSE(sender.unsent_since());
  const SteadyTime first = now;
  sender.recorded(now);
  now += milliseconds(100);
  read(15, 30);
  now += seconds(1);
  sender.recorded(now);
  put();
  ASSERT_TRUE(sender.unsent_since());
  EXPECT_EQ(*sender.unsent_since() - SteadyTime(), first - SteadyTime());
  read(31, 31), put();
  EXPECT_FALSE(sender.unsent_since());
}

TEST_F(HistorySenderSteps, CountWhatTheHistoryKeepsNoMore) {
  asked(10), read(20, 20), put(PutResult{3});
  EXPECT_EQ(sender.too_old(), 3);
}

}  // namespace
}  // namespace ballot::storage
