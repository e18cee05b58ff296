#include "storage/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ballot::storage {
namespace {

WallTime slot(int minute) { return WallTime(std::chrono::minutes(29'000'000 + minute)); }

RunId numbered_run(int number) {
  RunId id;
  id.bytes[15] = static_cast<std::uint8_t>(number);
  return id;
}

/// Run 1 of slot 0, executed by n1, as some ledger has it.
Account run_in(const std::string& ledger, Status status) {
  Row row;
  row.run = numbered_run(1);
  row.job = "backup";
  row.slot = slot(0);
  row.attempt = 1;
  row.status = status;
  row.node = "n1";
  return {row, ledger};
}

Account evidence(Account account) {
  account.is_evidence = true;
  return account;
}

Account slots_in(const std::string& ledger, int from, int until, Status status, Reason reason) {
  Row row;
  row.job = "backup";
  row.slot = slot(from);
  row.slots = until - from + 1;
  if (until > from) row.slot_until = slot(until);
  row.status = status;
  row.reason = reason;
  row.node = ledger;
  return {row, ledger};
}

using Texts = std::vector<std::string>;

std::string text(const Account& one) {
  const Row& row = one.row;
  std::string text = one.ledger + ": " + row.job + " " +
                     std::to_string((row.slot - slot(0)) / std::chrono::minutes(1)) + " x" + std::to_string(row.slots) +
                     " " + std::string(to_string(row.status));
  if (row.reason != Reason::none) text += " " + std::string(to_string(row.reason));
  return text + (row.attempt > 0 ? " attempt " + std::to_string(row.attempt) : "") +
         (one.is_evidence ? " (evidence)" : "");
}

Texts texts(const std::vector<Account>& accounts) {
  Texts all;
  for (const Account& one : accounts) all.push_back(text(one));
  return all;
}

/// The merged accounts, whatever their order was.
std::vector<Account> merged(std::vector<Account> accounts) {
  std::vector<Account> all = merge(accounts);
  std::reverse(accounts.begin(), accounts.end());
  EXPECT_EQ(texts(merge(accounts)), texts(all)) << "the order of the accounts decides something";
  return all;
}

/// The one of two accounts that counts: its text.
std::string winner(const Account& a, const Account& b) {
  const auto all = merged({a, b});
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? "" : text(all.front());
}

TEST(Merge, TheExecutingNodesRowBeatsEvidenceAndEvidenceBeatsAnotherNodesRow) {
  const Account own = run_in("n1", Status::succeeded), other = run_in("n2", Status::failed);
  const Account outcome = evidence(run_in("n2", Status::timed_out));
  EXPECT_EQ(winner(own, outcome), text(own));
  EXPECT_EQ(winner(outcome, other), text(outcome));
  EXPECT_EQ(winner(own, other), text(own));
}

TEST(Merge, WhoeverKnowsTheEndBeatsLost) {
  for (const Account& knows :
       {run_in("n1", Status::succeeded), run_in("n2", Status::failed), evidence(run_in("n2", Status::succeeded))})
    for (const char* ledger : {"n1", "n3"}) EXPECT_EQ(winner(knows, run_in(ledger, Status::lost)), text(knows));
}

/// A job of a chain is repaired after its run was lost: its leader cannot know whether there was one.
TEST(Merge, LostBeatsHaltedOfARunAsItHadBegun) {
  Account halted = run_in("n3", Status::missed);
  halted.row.reason = Reason::halted;
  halted.row.epoch = 9;
  for (const char* ledger : {"n1", "n2"})
    EXPECT_EQ(winner(halted, run_in(ledger, Status::lost)), text(run_in(ledger, Status::lost)));
}

/// The node that leads writes `lost` of a dead node's run, and closes the run in its register with the same words.
TEST(Merge, EvidenceInTheWordsOfALedgersRowYieldsToThatRow) {
  Account lost = run_in("n2", Status::lost), forgotten = run_in("n3", Status::lost);
  lost.row.reason = Reason::node_died, lost.row.epoch = 3;
  forgotten.row.reason = Reason::forgotten, forgotten.row.epoch = 4;
  const Account outcome = evidence(lost);
  EXPECT_EQ(winner(outcome, lost), text(lost));
  EXPECT_EQ(winner(outcome, forgotten), text(outcome)) << "in other words";
  for (const auto& accounts : {std::vector{lost, outcome, forgotten}, {forgotten, lost, outcome}})
    EXPECT_EQ(texts(merged(accounts)), Texts{text(lost)});
}

TEST(Merge, ARowThatHasEndedBeatsOneThatIsOpen) {
  const Account lost = run_in("n2", Status::lost), running = run_in("n1", Status::running);
  EXPECT_EQ(winner(lost, running), text(lost));
  EXPECT_EQ(winner(running, run_in("n2", Status::claimed)), text(running));
}

TEST(Merge, AStatusOfANewerVersionIsARowLikeAnother) {
  Account newer = run_in("n1", Status::succeeded);
  newer.row.status = *Named<Status>::parse("postponed");
  EXPECT_EQ(winner(newer, run_in("n2", Status::lost)), text(newer));
}

TEST(Merge, OfARunTheLaterTermKnowsMoreAndOfASlotTheFirstTermHasSettledIt) {
  Account one = run_in("n2", Status::lost), two = run_in("n3", Status::lost);
  one.row.epoch = 7, two.row.epoch = 8;
  EXPECT_EQ(winner(one, two), text(two));
  one = slots_in("n2", 1, 1, Status::skipped, Reason::overlap),
  two = slots_in("n3", 1, 1, Status::missed, Reason::misfire);
  one.row.epoch = 7, two.row.epoch = 8;
  EXPECT_EQ(winner(one, two), text(one));
}

TEST(Merge, KeepsAttemptsApartAndTheNewestFirst) {
  Account second = run_in("n2", Status::succeeded);
  second.row.attempt = 2;
  Account newer = run_in("n1", Status::succeeded);
  newer.row.run = numbered_run(2), newer.row.slot = slot(1);
  const auto all = merged({run_in("n1", Status::failed), newer, second});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(text(all[0]), text(newer));
  EXPECT_EQ(text(all[1]), text(second));
  EXPECT_EQ(all[2].row.attempt, 1);
}

TEST(Merge, ACopyOfARangeIsShownOnce) {
  const auto range = [](const std::string& ledger) {
    return slots_in(ledger, 1, 5, Status::missed, Reason::no_leader);
  };
  EXPECT_EQ(merged({range("n1"), range("n2")}).size(), 1u);
}

TEST(Merge, ALongerRangeStandsForItsParts) {
  const Account whole = slots_in("n2", 1, 5, Status::missed, Reason::no_leader);
  const auto all = merged({slots_in("n1", 1, 3, Status::missed, Reason::no_leader), whole,
                           slots_in("n1", 4, 4, Status::missed, Reason::no_leader)});
  EXPECT_EQ(texts(all), Texts{text(whole)});
}

TEST(Merge, ASlotInOtherWordsStandsBesideTheRangeAndIsCountedOnce) {
  const Account whole = slots_in("n2", 1, 5, Status::missed, Reason::no_leader);
  for (const int at : {1, 3, 5}) {
    const Account paused = slots_in("n1", at, at, Status::skipped, Reason::paused);
    auto all = merged({whole, paused});
    ASSERT_EQ(all.size(), 2u) << at;
    std::sort(all.begin(), all.end(), [](const Account& a, const Account& b) { return a.ledger < b.ledger; });
    EXPECT_EQ(text(all[0]), text(paused));
    EXPECT_EQ(all[1].row.slots, 4) << at;
    EXPECT_EQ(all[1].row.reason, Reason::no_leader) << at;
  }
}

TEST(Merge, HaltedYieldsToEveryRowOfItsSlot) {
  const Account halted = slots_in("n2", 0, 0, Status::missed, Reason::halted);
  const Account run = run_in("n1", Status::succeeded), paused = slots_in("n1", 0, 0, Status::skipped, Reason::paused);
  EXPECT_EQ(winner(halted, run), text(run));
  EXPECT_EQ(winner(halted, paused), text(paused));
  const Account range = slots_in("n1", -2, 2, Status::missed, Reason::no_leader);
  EXPECT_EQ(winner(halted, range), text(range));
  const auto all = merged({slots_in("n2", 0, 4, Status::missed, Reason::halted), run});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].row.slots, 4) << "the slot that has a run is not of the halt";
}

TEST(Merge, EvidenceThatASlotWasClaimedYieldsToTheRun) {
  Account claimed = evidence(slots_in("n2", 0, 0, Status::claimed, Reason::none));
  claimed.row.node = "n1";
  const Account run = run_in("n1", Status::running);
  EXPECT_EQ(winner(claimed, run), text(run));
  EXPECT_EQ(merged({claimed}).size(), 1u);
}

TEST(Merge, ALostRunEndedWhenSomebodyFoundOutFirst) {
  Row row = slots_in("host-2", 0, 0, Status::lost, Reason::node_died).row;
  row.run = numbered_run(1);
  row.attempt = 1;
  const auto found_out = [&](const std::string& ledger, int second) {
    row.ended_at = slot(0) + std::chrono::seconds(second);
    return Account{row, ledger};
  };
  EXPECT_EQ(merged({found_out("host-2", 90), found_out("host-1", 30)}).front().ledger, "host-1")
      << "its own node knows no better: it was dead";
  EXPECT_EQ(merged({found_out("host-2", 30), found_out("host-1", 90)}).front().ledger, "host-2");
}

TEST(Merge, ALostRunHadStartedWhenAnyAccountOfTheAttemptSays) {
  Account found_out = run_in("n2", Status::lost), own = run_in("n1", Status::lost), second = own;
  found_out.row.ended_at = slot(1), own.row.ended_at = slot(9);
  own.row.started_at = slot(0) + Millis(7);
  second.row.attempt = 2, second.row.ended_at = slot(9);
  const auto all = merged({found_out, own, second});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].row.started_at, std::nullopt) << "of another attempt nothing is known";
  EXPECT_EQ(all[1].ledger, "n2");
  EXPECT_EQ(all[1].row.started_at, own.row.started_at);
  EXPECT_EQ(all[1].row.ended_at, found_out.row.ended_at);
  Account running = run_in("n1", Status::running);
  running.row.started_at = slot(0) + Millis(9);
  EXPECT_EQ(merged({running, found_out}).front().row.started_at, running.row.started_at);
  EXPECT_EQ(merged({running, own, found_out}).front().row.started_at, own.row.started_at);
  Account missed = run_in("n1", Status::missed);
  EXPECT_EQ(merged({running, missed}).front().row.started_at, std::nullopt) << "its row says that it did not start";
}

TEST(Merge, OfManyRangesTakesNoLongerThanOfAsManySlots) {
  std::vector<Account> accounts;
  constexpr int count = 50'000;
  for (int i = 0; i < count; ++i) {
    Row row = missed(noon + Millis(10'000 * i));
    row.slot_until = row.slot + Millis(1000);
    row.slots = 2;
    accounts.push_back({row, "host-2"});
  }
  EXPECT_EQ(merge(std::move(accounts)).size(), std::size_t{count}) << "in a quarter of a second, not in minutes";
}

TEST(Merge, AnotherJobsSlotsAreItsOwn) {
  Account other = slots_in("n1", 3, 3, Status::missed, Reason::no_leader);
  other.row.job = "report";
  EXPECT_EQ(merged({slots_in("n2", 1, 5, Status::missed, Reason::no_leader), other}).size(), 2u);
}

}  // namespace
}  // namespace ballot::storage
