// A ledger that is handed on while everything fails that can: its node is killed between any two steps and loses what
// its disk did not have; its file is put back; the history fails calls before and after they took effect, forgets
// batches, goes back to an older copy of itself. Afterwards the history has all of the ledger, once, as it is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <random>

#include "storage/history_sender.hpp"
#include "support/memory_history.hpp"
#include "unit/storage/storage_test_support.hpp"

namespace ballot::storage {
namespace {

using Do = HistorySender::Do;
using testing::MemoryHistory;
using testing::MemoryHistoryState;
using testing::MemoryHistoryStore;

/// A ledger's rows with the changes that recorded them last, and what of it a loss of power leaves.
class ModelLedger {
 public:
  struct File {
    RunId identity;
    std::int64_t change = 0;
    std::vector<std::pair<RunId, std::int64_t>> opened;          // and the change at which
    std::map<std::uint32_t, std::pair<std::int64_t, Row>> rows;  // by the run's number
  };

  void record(std::uint32_t run, Status status) {
    Row row = ran(run, noon + Millis(run));
    row.status = status;
    row.output_bytes = file.change;  // so that each change is told from the others
    file.rows[run] = {++file.change, row};
  }
  void open(const RunId& token) { file.opened.emplace_back(token, ++file.change); }
  /// As Outbox::goes_on_from().
  bool goes_on_from(const LedgerLine& line) const {
    if (line.newest == 0) return true;
    const auto& all = file.opened;
    const auto own = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == line.opening; });
    if (own == all.end()) return false;
    return line.newest <= (std::next(own) == all.end() ? file.change : std::next(own)->second - 1);
  }
  void sync() { disk = file; }
  void lose_power() { file = disk; }
  OutboxPart read(std::int64_t after, std::int64_t most) const {
    std::map<std::int64_t, std::uint32_t> changes;
    for (const auto& [run, one] : file.rows)
      if (one.first > after) changes[one.first] = run;
    LedgerBatch batch{file.identity, "host-1", file.opened.back().first, file.change, after, after, {}};
    for (const auto& [change, run] : changes) {
      if (std::ssize(batch.changes) == most) break;
      batch.changes.push_back({change, LedgerRow{file.rows.at(run).second, run}});
    }
    if (!batch.changes.empty()) batch.last = batch.changes.back().number;
    const bool is_all = batch.changes.size() == changes.size();
    return {std::move(batch), is_all, file.change};
  }

  File file, disk;
};

class HandingOn {
 public:
  explicit HandingOn(unsigned seed) : random_(seed) { ledger_.file.identity = run_id(1), start(), ledger_.sync(); }

  void run() {
    for (int turn = 0; turn < 300; ++turn) {
      disturb();
      if (one_of(2)) record();
      step();
      now_ += Millis(random_() % 400);
    }
    is_quiet_ = true;
    store_->refuse(std::nullopt);
    store_->fail_next(MemoryHistoryStore::Effect::none, 0);
    for (const SteadyTime end = now_ + std::chrono::minutes(3); now_ < end; now_ += Millis(250)) step();
  }

  void expect_all() {
    MemoryHistory history(store_);
    const auto kept = history.changes(ledger_.file.identity, 0, 100'000);
    ASSERT_TRUE(kept) << kept.error().what;
    std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> has, should;
    for (const LedgerChange& change : kept->changes) {
      const Row& row = std::get<LedgerRow>(change.what).row;
      has[row.run->bytes[15] + 256u * row.run->bytes[14]] = {change.number, row.output_bytes};
    }
    for (const auto& [run, one] : ledger_.file.rows) should[run] = {one.first, one.second.output_bytes};
    EXPECT_EQ(has, should);
    EXPECT_EQ(kept->changes.size(), should.size()) << "each row once";
    EXPECT_FALSE(sender_->unsent_since()) << "it says that it has caught up";
  }

 private:
  bool one_of(unsigned many) { return random_() % many == 0; }

  bool is_killed(unsigned many) { return !is_quiet_ && one_of(many); }

  void record() {
    const auto run = static_cast<std::uint32_t>(random_() % 200 + 2);
    ledger_.record(run, one_of(2) ? Status::running : Status::succeeded);
    sender_->recorded(now_);
  }

  void disturb() {
    if (one_of(15)) start();
    if (one_of(40)) ledger_.lose_power(), start();
    if (one_of(12))
      store_->fail_next(one_of(2) ? MemoryHistoryStore::Effect::none : MemoryHistoryStore::Effect::kept, 1);
    if (one_of(50)) store_->forget_last(random_() % 4);
    if (one_of(60)) saved_ = store_->save();
    if (one_of(90) && saved_) store_->restore(*saved_);
    if (one_of(40)) store_->refuse(Error{Errc::unavailable, "away"});
    if (one_of(5)) store_->refuse(std::nullopt);
    if (one_of(60)) copy_ = ledger_.file;
    if (one_of(120) && copy_) ledger_.file = *copy_, ledger_.sync(), start();
  }

  void start() {
    ledger_.open(run_id(2'000'000 + ++openings_));
    sender_ = std::make_unique<HistorySender>("host-1");
    sender_->recorded(now_);
  }

  /// With a kill before and after each of them.
  void step() {
    const auto next = sender_->next(now_);
    if (is_killed(30)) return start();
    switch (next.what) {
      case Do::ask: {
        const auto line = history_.line_of(ledger_.file.identity, "host-1");
        sender_->asked(line, line && ledger_.goes_on_from(*line), now_);
        break;
      }
      case Do::read: {
        const OutboxPart part = ledger_.read(next.after, 7);
        batch_ = part.batch;
        sender_->read(part, now_);
        break;
      }
      case Do::put: {
        ledger_.sync();
        const auto result = history_.put(batch_);
        if (is_killed(20)) return start();
        sender_->put(result, now_);
        break;
      }
      case Do::renew:
        ledger_.file.identity = run_id(1'000'000 + static_cast<std::uint32_t>(random_() % 900'000));
        ledger_.sync();
        if (is_killed(4)) return start();
        sender_->renewed({}, now_);
        break;
      case Do::rest: break;
    }
  }

  std::mt19937 random_;
  bool is_quiet_ = false;
  std::uint32_t openings_ = 0;
  ModelLedger ledger_;
  std::shared_ptr<MemoryHistoryStore> store_ = std::make_shared<MemoryHistoryStore>([] { return noon; });
  MemoryHistory history_{store_};
  SteadyTime now_ = SteadyTime(std::chrono::hours(1));
  std::unique_ptr<HistorySender> sender_ = std::make_unique<HistorySender>("host-1");
  LedgerBatch batch_;
  std::optional<MemoryHistoryState> saved_;
  std::optional<ModelLedger::File> copy_;
};

/// BALLOT_SEEDS: another number of them.
TEST(HandingOnALedger, LosesNothingAndRepeatsNothingWhateverFails) {
  const char* const asked = std::getenv("BALLOT_SEEDS");
  const auto seeds = static_cast<unsigned>(asked ? std::stoul(asked) : 300);
  for (unsigned seed = 0; seed < seeds; ++seed) {
    HandingOn one(seed);
    one.run();
    one.expect_all();
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace ballot::storage
