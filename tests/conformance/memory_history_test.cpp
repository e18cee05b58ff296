// The conformance suite on the history in memory, which tests of who sends use.
#include "support/memory_history.hpp"
#include "conformance/history_fixture.hpp"

namespace ballot::conformance {
namespace {

class MemoryStore : public HistoryStore {
 public:
  std::unique_ptr<History> make(HistoryUse) override { return std::make_unique<testing::MemoryHistory>(store_); }
  bool set_line(const RunId& ledger, std::int64_t change) override {
    auto state = store_->save();
    state.ledgers[ledger].change = change;
    store_->restore(std::move(state));
    return true;
  }

 private:
  const std::shared_ptr<testing::MemoryHistoryStore> store_ = std::make_shared<testing::MemoryHistoryStore>();
};

const HistoryUnderTest memory{"memory", [] { return std::make_unique<MemoryStore>(); }};

INSTANTIATE_TEST_SUITE_P(Memory, HistoryConformance, ::testing::Values(memory), history_name_of);
INSTANTIATE_TEST_SUITE_P(Memory, HistoryReading, ::testing::Values(memory), history_name_of);

/// What the store does when it is told to.
struct MemoryHistoryFaults : ::testing::Test {
  Result<PutResult> put(std::int64_t after, int number) {
    return history.put(
        {ledger, "host-1", {}, after + 1, after, after + 1, {{after + 1, LedgerRow{history_run(number), number}}}});
  }
  std::size_t rows() { return history.rows({})->size(); }
  std::int64_t line() { return history.line_of(ledger, "host-1")->change; }

  const RunId ledger = history_id(1);
  const std::shared_ptr<testing::MemoryHistoryStore> store = std::make_shared<testing::MemoryHistoryStore>();
  testing::MemoryHistory history{store};
};

using Effect = testing::MemoryHistoryStore::Effect;

TEST_F(MemoryHistoryFaults, ACallFailsBeforeOrAfterItTookEffect) {
  EXPECT_EQ(line(), 0);
  store->fail_next(Effect::none);
  EXPECT_EQ(put(0, 1).error().code, Errc::unavailable);
  EXPECT_EQ(line(), 0);
  store->fail_next(Effect::kept, 1, {Errc::timeout, "late"});
  EXPECT_EQ(put(0, 1).error().code, Errc::timeout);
  EXPECT_EQ(line(), 1);
  EXPECT_EQ(put(0, 1).error().code, Errc::conflict);
  store->refuse(Error{Errc::refused, "newer"});
  EXPECT_EQ(history.rows({}).error().code, Errc::refused);
  store->refuse({});
  EXPECT_EQ(rows(), 1u);
}

TEST_F(MemoryHistoryFaults, ItForgetsWhatItTookLast) {
  EXPECT_EQ(line(), 0);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(put(i, i + 1));
  ASSERT_TRUE(put(4, 4));
  store->forget_last(2);
  EXPECT_EQ(line(), 3);
  EXPECT_EQ(rows(), 3u);
  const auto copy = store->save();
  ASSERT_TRUE(put(3, 9));
  store->restore(copy);
  EXPECT_EQ(line(), 3);
  EXPECT_EQ(rows(), 3u);
  store->forget_last(9);
  EXPECT_EQ(line(), 0);
  EXPECT_EQ(rows(), 0u);
}

TEST_F(MemoryHistoryFaults, WhatIsTooOldIsCountedAndLeftOut) {
  EXPECT_EQ(line(), 0);
  ASSERT_TRUE(put(0, 1));
  store->keep_from(history_noon() + std::chrono::seconds(5));
  EXPECT_EQ(rows(), 0u);
  EXPECT_EQ(put(1, 2)->too_old, 1);
  EXPECT_EQ(put(2, 6)->too_old, 0);
  EXPECT_EQ(rows(), 1u);
  EXPECT_EQ(line(), 3);
}

}  // namespace
}  // namespace ballot::conformance
