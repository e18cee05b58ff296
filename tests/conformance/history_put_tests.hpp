// Of the conformance suite of histories: what is put is there, once, whole or not at all.
#pragma once

#include "conformance/history_fixture.hpp"

namespace ballot::conformance {

TEST_P(HistoryConformance, ALedgerThatIsNotKnownBeginsAtNothing) {
  const LedgerLine line = value(sender_->line_of(ledger(1), "host-1"));
  EXPECT_EQ(line.ledger, ledger(1));
  EXPECT_EQ(line.node, "host-1");
  EXPECT_EQ(line.change, 0);
  EXPECT_TRUE(value(reader_->ledgers()).empty()) << "nothing was put yet";
}

TEST_P(HistoryConformance, WhatIsPutIsThereWithItsLine) {
  put(1, "host-1", {LedgerRow{history_run(1), 1}, LedgerRow{history_slot(2), 2}});
  EXPECT_EQ(line(1), 2);
  const auto lines = value(reader_->ledgers());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].ledger, ledger(1));
  EXPECT_EQ(lines[0].change, 2);
  EXPECT_EQ(lines[0].opening, history_id(77));
  EXPECT_EQ(lines[0].newest, 7);
  EXPECT_NE(lines[0].stored_at, WallTime{});
  EXPECT_EQ(all_said(all_rows()),
            (Texts{said(KeptRow{history_slot(2), "host-1", 2, 2}), said(KeptRow{history_run(1), "host-1", 1, 1})}));
}

TEST_P(HistoryConformance, ABatchThatDoesNotFollowIsAConflictAndLeavesNothingBehind) {
  put(1, "host-1", {LedgerRow{history_run(1), 1}});
  for (const std::int64_t after : {0, 2}) {
    LedgerBatch batch = next_batch(1, "host-1", {LedgerRow{history_run(2), 2}, LedgerRow{history_run(3), 3}});
    batch.after = after;
    const auto done = sender_->put(batch);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::conflict) << done.error().what;
  }
  EXPECT_EQ(line(1), 1);
  EXPECT_EQ(all_rows().size(), 1u);
  put(1, "host-1", {LedgerRow{history_run(2), 2}});
  EXPECT_EQ(all_rows().size(), 2u) << "the object is fit for the next call";
}

TEST_P(HistoryConformance, ABatchOfALedgerThatIsNotKnownIsAConflict) {
  const auto done = sender_->put({ledger(9), "host-9", history_id(77), 1, 0, 1, {{1, LedgerRow{history_run(1), 1}}}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::conflict) << done.error().what;
  EXPECT_TRUE(all_rows().empty());
}

TEST_P(HistoryConformance, ABatchOfNothingTellsThatItsNodeIsThere) {
  put(1, "host-1", {LedgerRow{history_run(1), 1}});
  const WallTime before = value(reader_->ledgers()).at(0).stored_at;
  LedgerLine after;
  for (int tries = 0; tries < 10'000 && after.stored_at <= before; ++tries) {  // until its clock has gone on
    put(1, "host-1", {});
    after = value(reader_->ledgers()).at(0);
  }
  EXPECT_GT(after.stored_at, before);
  EXPECT_EQ(after.change, 1);
}

TEST_P(HistoryConformance, NumbersMayBeLeftOut) {
  value(sender_->line_of(ledger(1), "host-1"));
  EXPECT_TRUE(sender_->put({ledger(1), "host-1", history_id(77), 60, 0, 40, {{17, LedgerRow{history_run(1), 1}}}}));
  EXPECT_TRUE(sender_->put({ledger(1), "host-1", history_id(77), 60, 40, 50, {}}));
  EXPECT_EQ(line(1), 50);
  EXPECT_EQ(all_rows().at(0).change, 17);
}

/// As where the answer was lost: the same batch, by another object.
TEST_P(HistoryConformance, WhatIsPutAgainIsAConflictAndChangesNothing) {
  const LedgerBatch batch = next_batch(1, "host-1", {LedgerRow{history_run(1), 1}});
  ASSERT_TRUE(sender_->put(batch));
  const auto other = store_->make(HistoryUse::send);
  EXPECT_EQ(other->put(batch).error().code, Errc::conflict);
  EXPECT_EQ(value(other->line_of(ledger(1), "host-1")).change, 1);
  EXPECT_EQ(all_rows().size(), 1u);
}

TEST_P(HistoryConformance, WhatIsPutFromAnOlderNumberReplacesNothingNewer) {
  Row open = history_run(1);
  open.status = Status::running;
  const LedgerBatch first = next_batch(1, "host-1", {LedgerRow{open, 1}, LedgerRow{history_run(2), 2}});
  ASSERT_TRUE(sender_->put(first));
  changes_[1] = first.last;
  const LedgerBatch second = next_batch(1, "host-1", {LedgerRow{history_run(1), 1}});
  ASSERT_TRUE(sender_->put(second));
  const Texts whole = all_said(all_rows());
  if (!store_->set_line(ledger(1), 0)) GTEST_SKIP() << GetParam().name << " cannot set a line back";
  EXPECT_TRUE(sender_->put(first));
  EXPECT_EQ(all_said(all_rows()), whole);
  EXPECT_TRUE(sender_->put(second));
  EXPECT_EQ(all_said(all_rows()), whole);
  EXPECT_EQ(line(1), second.last);
}

TEST_P(HistoryConformance, OfOneThingTheLastChangeIsKept) {
  Row open = history_run(1);
  open.status = Status::running;
  open.ended_at.reset();
  put(1, "host-1", {LedgerRow{open, 1}});
  put(1, "host-1", {LedgerRow{history_run(1), 1}});
  EXPECT_EQ(all_said(all_rows()), Texts{said(KeptRow{history_run(1), "host-1", 1, 2})});
  Row other = history_slot(2);
  other.reason = Reason::halted;
  put(1, "host-1", {LedgerRow{other, 2}, LedgerRow{history_slot(2), 2}});
  EXPECT_EQ(all_said(rows({.limit = 1})), Texts{said(KeptRow{history_slot(2), "host-1", 2, 4})}) << "in one batch";
}

TEST_P(HistoryConformance, TwoLedgersOfOneAttemptAreTwoRows) {
  Row lost = history_run(1);
  lost.status = Status::lost;
  lost.reason = Reason::node_died;
  put(1, "host-1", {LedgerRow{history_run(1), 1}});
  put(2, "host-2", {LedgerRow{lost, 1}});
  EXPECT_EQ(all_said(all_rows()),
            (Texts{said(KeptRow{history_run(1), "host-1", 1, 1}), said(KeptRow{lost, "host-2", 1, 1})}));
}

/// With what no version knows yet, and all that a row can have.
TEST_P(HistoryConformance, WordsOfNewerVersionsAreKept) {
  Row row = history_run(1);
  row.status = *Named<Status>::make(77, "deferred");
  row.reason = *Named<Reason>::make(4711, "solar_flare");
  Row unnumbered = history_run(2);
  unnumbered.status = *Named<Status>::parse("postponed");
  Row wordless = history_run(3);
  wordless.status = Named<Status>(static_cast<Status>(99));
  put(1, "host-1", {LedgerRow{row, 1}, LedgerRow{unnumbered, 2}, LedgerRow{wordless, 3}});
  EXPECT_EQ(all_said(all_rows()),
            (Texts{said(KeptRow{wordless, "host-1", 3, 3}), said(KeptRow{unnumbered, "host-1", 2, 2}),
                   said(KeptRow{row, "host-1", 1, 1})}));
  EXPECT_EQ(rows({.statuses = {static_cast<Status>(77)}}).size(), 1u);
}

TEST_P(HistoryConformance, AllThatARowHasIsKept) {
  Row row = history_run(1);
  row.slot_until = row.slot + 1h;
  row.slots = 60;
  row.trigger = Trigger::manual;
  row.attempt = 3;
  row.status = Status::killed;
  row.reason = Reason::operator_;
  row.exit_code.reset();
  row.signal = 9;
  row.epoch = std::uint64_t{1} << 40;
  row.fence = std::uint64_t{1} << 41;
  row.output_bytes = std::int64_t{1} << 42;
  row.leftover = Leftover::unkillable;
  row.job =
      "n\xc3\xa4"
      "chtlich@host-1";
  put(1, "host-1", {LedgerRow{row, std::int64_t{1} << 43}});
  EXPECT_EQ(all_said(all_rows()), Texts{said(KeptRow{row, "host-1", std::int64_t{1} << 43, 1})});
}

TEST_P(HistoryConformance, ABatchOfAThousandIsPut) {
  std::vector<What> things;
  for (int i = 1; i <= 1'000; ++i) things.push_back(LedgerRow{history_run(i, "job-" + std::to_string(i)), i});
  put(1, "host-1", things);
  EXPECT_EQ(all_rows().size(), 1'000u);
  EXPECT_EQ(line(1), 1'000);
}

TEST_P(HistoryConformance, ACallEndsWhenItIsToldTo) {
  put(1, "host-1", {LedgerRow{history_run(1), 1}});
  all_rows();
  if (!store_->freeze()) GTEST_SKIP() << GetParam().name << " cannot be made silent";
  for (History* const history : {sender_.get(), reader_.get()}) {
    const auto end = std::chrono::steady_clock::now() + 300ms;
    history->set_goes_on([end] { return std::chrono::steady_clock::now() < end; });
  }
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(reader_->rows({}).error().code, Errc::unavailable);
  EXPECT_FALSE(sender_->put(next_batch(1, "host-1", {LedgerRow{history_run(2), 2}})));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 3s);
  store_->thaw();
  for (History* const history : {sender_.get(), reader_.get()}) history->set_goes_on({});
  EXPECT_LE(1, line(1)) << "whether it was done is not known";
  EXPECT_GE(2, line(1));
  EXPECT_FALSE(all_rows().empty());
}

TEST_P(HistoryConformance, AnObjectGoesOnWhenItsStoreIsBack) {
  put(1, "host-1", {LedgerRow{history_run(1), 1}});
  all_rows();
  if (!store_->restart()) GTEST_SKIP() << GetParam().name << " cannot be started again";
  const auto last = [&] { return sender_->line_of(ledger(1), "host-1"); };
  auto found = last();
  if (!found) {
    EXPECT_EQ(found.error().code, Errc::unavailable) << found.error().what;
    found = last();  // the connection was lost, and is made again
  }
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->change, 1);
  put(1, "host-1", {LedgerRow{history_run(2, "another-job"), 2}});
  const bool is_read = reader_->rows({}) || reader_->rows({});
  EXPECT_TRUE(is_read);
  EXPECT_EQ(all_rows().size(), 2u);
}

TEST_P(HistoryConformance, WhoMigratesAgainFindsNothingToDo) {
  put(1, "host-1", {LedgerRow{history_run(1), 1}});
  EXPECT_TRUE(value(store_->make(HistoryUse::migrate)->migrate()).empty());
  EXPECT_EQ(all_rows().size(), 1u);
}

}  // namespace ballot::conformance
