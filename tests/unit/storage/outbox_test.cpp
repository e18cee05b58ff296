// What a ledger hands on: each change once, in order, in batches; and what retention leaves until it has been handed
// on.
#include "storage/outbox.hpp"

#include "storage/ledger_file.hpp"
#include "storage/retention.hpp"
#include "storage/schema.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

using std::chrono::hours;
using Texts = std::vector<std::string>;

struct OutboxCase : ::testing::Test {
  void write(const std::vector<Record>& records, Marks marks = Marks::kept) {
    LedgerFile(path, Millis(100), marks).write(records, Sync::now);
  }
  static std::string said(const LedgerChange& change) {
    const auto text = [](const auto& what) -> std::string {
      using What = std::decay_t<decltype(what)>;
      if constexpr (std::is_same_v<What, LedgerRow>)
        return "row " + what.row.job + " " + std::string(to_string(what.row.status));
      else if constexpr (std::is_same_v<What, TermRow>)
        return "term " + what.group + " " + std::to_string(what.epoch) + (what.ended_at ? " ended" : "");
      else if constexpr (std::is_same_v<What, KeptDefinition>)
        return "definition " + what.row.job + " " + what.row.digest + " " + std::to_string(what.row.epoch);
      else if constexpr (std::is_same_v<What, PauseRow>)
        return "pause " + what.job + (what.until ? " ended" : "");
      else if constexpr (std::is_same_v<What, RequestRow>)
        return "request " + what.kind + (what.result.empty() ? "" : " " + what.result);
      else
        return "output " + what.output.head + what.output.tail;
    };
    return std::visit(text, change.what);
  }
  LedgerBatch read(std::int64_t after, const Outbox::Bounds& bounds = {}) {
    auto outbox = Outbox::open(path, "host-1");
    auto part = outbox ? outbox->read(after, bounds) : Result<OutboxPart>(outbox.error());
    EXPECT_TRUE(part) << part.error().what;
    return part ? part->batch : LedgerBatch();
  }
  bool goes_on(const LedgerBatch& sent) const {
    return *Outbox::open(path, "host-1")
                ->goes_on_from({sent.ledger, sent.node, sent.opening, sent.newest, sent.last, noon});
  }
  std::unique_ptr<LedgerFile> begin() const { return std::make_unique<LedgerFile>(path, Millis(100), Marks::kept); }
  static void record(LedgerFile& file, std::uint32_t run) { file.write(std::vector<Record>{ran(run)}, Sync::now); }
  void put_copy_back() const {
    for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path + part);
    for (const char* part : {"", "-wal"})
      if (std::filesystem::exists(path + ".copy" + part))
        std::filesystem::copy_file(path + ".copy" + part, path + part);
  }
  static Texts all(const LedgerBatch& batch) {
    Texts texts;
    for (const LedgerChange& change : batch.changes) texts.push_back(said(change));
    return texts;
  }
  static TermRow term(std::uint64_t epoch, bool ended = false) {
    TermRow row{"nightly", "host-1", epoch, noon, std::nullopt, Cause::none};
    if (ended) row.ended_at = noon + hours(1);
    return row;
  }
  static RequestRow request() {
    RequestRow row;
    row.id = run_id(7), row.kind = "trigger", row.job = "backup", row.node = "host-1", row.at = noon;
    return row;
  }
  static PauseRow pause(bool ended = false) {
    PauseRow row{"backup", "nightly", "host-1", noon, std::nullopt, "host-1 uid 0"};
    if (ended) row.until = noon + hours(1);
    return row;
  }

  TempFolder folder;
  const std::string path = folder / "history.db";
};

TEST_F(OutboxCase, HandsOnEverythingInTheOrderInWhichItWasRecorded) {
  write({ran(1), OutputRecord{run_id(1), 1, {"hello", "", 5}}, term(3), full_definition(), pause(), request(),
         missed(noon + hours(1))});
  const LedgerBatch batch = read(0);
  EXPECT_EQ(all(batch), (Texts{"row backup succeeded", "output hello", "term nightly 3", "definition backup d1 7",
                               "pause backup", "request trigger", "row backup missed"}));
  EXPECT_EQ(batch.node, "host-1");
  EXPECT_NE(batch.ledger, RunId{});
  EXPECT_EQ(batch.ledger, read(batch.last).ledger) << "of the same file";
  EXPECT_TRUE(read(batch.last).changes.empty());
}

TEST_F(OutboxCase, HandsOnAgainWhatHasChangedSinceAndThatOnly) {
  write({ran(1), term(3), pause(), request()});
  const std::int64_t before = read(0).last;
  Row late = ran(1);
  late.status = Status::failed;
  write({late, term(3, true), pause(true), AnswerRow{run_id(7), "done", "", noon}});
  EXPECT_EQ(all(read(before)),
            (Texts{"row backup failed", "term nightly 3 ended", "pause backup ended", "request trigger done"}));
  EXPECT_EQ(read(0).changes.size(), 4u) << "of each thing the last state alone";
}

TEST_F(OutboxCase, HandsOnADefinitionThatATermGoesOnByUnderItsOwnKey) {
  DefinitionRow row = full_definition();
  write({row});
  const auto first = std::get<KeptDefinition>(read(0).changes.at(0).what);
  row.basis = Basis::taken_over;
  row.before = row.epoch;
  row.epoch += 2;
  const std::int64_t before = read(0).last;
  write({row});
  const LedgerBatch batch = read(before);
  ASSERT_EQ(all(batch), Texts{"definition backup d1 9"});
  const auto renewed = std::get<KeptDefinition>(batch.changes[0].what);
  EXPECT_EQ(renewed.written, first.written);
  EXPECT_GT(renewed.renewed, first.renewed);
  EXPECT_EQ(renewed.first_epoch, 7u);
}

/// Whatever the bounds are, the batches one after the other are all there is, once.
TEST_F(OutboxCase, GoesOnFromBatchToBatchWithoutLossOrRepetition) {
  std::vector<Record> records;
  for (int i = 1; i <= 26; ++i) {
    records.push_back(ran(i, noon + Millis(i)));
    if (i <= 20 && i % 3 == 0) records.push_back(term(static_cast<std::uint64_t>(i)));
    if (i <= 20 && i % 4 == 0) records.push_back(OutputRecord{run_id(i), 1, {std::string(100, 'x'), "", 100}});
  }
  write(records);
  const Texts whole = all(read(0));
  EXPECT_EQ(whole.size(), records.size());
  for (const Outbox::Bounds& bounds :
       {Outbox::Bounds{1, 1}, Outbox::Bounds{3, 1'000}, Outbox::Bounds{7, 150}, Outbox::Bounds{100, 150}}) {
    Texts texts;
    LedgerBatch batch;
    for (std::int64_t after = 0, last = read(0).last; after < last; after = batch.last) {
      batch = read(after, bounds);
      ASSERT_GT(batch.last, after);
      ASSERT_LE(std::ssize(batch.changes), bounds.changes);
      for (const std::string& text : all(batch)) texts.push_back(text);
    }
    EXPECT_EQ(texts, whole) << bounds.changes;
  }
}

TEST_F(OutboxCase, OfALedgerThatKeptNoMarksAllIsMarkedWhenItBeginsTo) {
  write({ran(1), term(3), OutputRecord{run_id(1), 1, {"hello", "", 5}}}, Marks::none);
  EXPECT_EQ(Outbox::open(path, "host-1")->read(0).error().code, Errc::unavailable);
  write({});
  EXPECT_EQ(all(read(0)), (Texts{"row backup succeeded", "term nightly 3", "output hello"}));
  const std::int64_t before = read(0).last;
  write({term(4)}, Marks::none);  // it keeps none for a while, as a ballot that knows no marks does
  write({});
  EXPECT_EQ(all(read(before)), (Texts{"term nightly 3", "term nightly 4", "output hello"}))
      << "what was recorded meanwhile cannot be told from the rest";
}

TEST_F(OutboxCase, ALedgerThatIsBegunAnewIsAnother) {
  write({ran(1)});
  const RunId first = read(0).ledger;
  for (const char* part : {"", "-wal", "-shm"}) std::filesystem::remove(path + part);
  write({ran(1)});
  EXPECT_NE(read(0).ledger, first);
}

TEST_F(OutboxCase, ACopyThatIsPutBackDoesNotGoOnFromWhatTheLedgerHandedOnMeanwhile) {
  auto file = begin();
  record(*file, 1);
  const LedgerBatch before = read(0);
  const auto close = [&] { file->fold(), file.reset(); };
  close();
  std::filesystem::copy_file(path, path + ".copy");
  file = begin();
  record(*file, 2);
  const LedgerBatch meanwhile = read(0);
  EXPECT_TRUE(goes_on(before));
  EXPECT_TRUE(goes_on(meanwhile));
  close();
  put_copy_back();
  file = begin();
  for (std::uint32_t run = 3; run < 9; ++run) record(*file, run);
  EXPECT_TRUE(goes_on(before));
  EXPECT_FALSE(goes_on(meanwhile));
  ASSERT_TRUE(renew_identity(path, Millis(100)));
  EXPECT_NE(read(0).ledger, before.ledger);
  EXPECT_EQ(read(0).changes.size(), 7u) << "all is to be handed on again";
}

TEST_F(OutboxCase, ACopyThatIsPutBackDoesNotGoOnFromWhatItsOwnOpeningHandedOnAfterIt) {
  auto file = begin();
  record(*file, 1);
  for (const char* part : {"", "-wal"}) std::filesystem::copy_file(path + part, path + ".copy" + part);
  const LedgerBatch before = read(0);
  record(*file, 2);
  const LedgerBatch meanwhile = read(0);
  EXPECT_TRUE(goes_on(meanwhile));
  file.reset();
  put_copy_back();
  file = begin();
  for (std::uint32_t run = 3; run < 9; ++run) record(*file, run);
  EXPECT_EQ(meanwhile.opening, before.opening);
  EXPECT_FALSE(goes_on(meanwhile));
}

TEST_F(OutboxCase, RetentionLeavesWhatHasNotBeenHandedOn) {
  write({ran(1), term(3, true), pause(true), request()});
  const std::int64_t sent = read(0).last;
  write({ran(2, noon + Millis(1)), term(4, true)});
  LedgerFile file(path, Millis(100), Marks::kept);
  Retention retention(file, {.keep = hours(24)});
  while (retention.slice(noon + hours(1000), sent)) continue;
  EXPECT_EQ(all(read(0)), (Texts{"row backup succeeded", "term nightly 4 ended"}));
  EXPECT_EQ(file.database().number("SELECT count(*) FROM mark"), 1) << "marks go with what they are of";
  while (retention.slice(noon + hours(1000))) continue;
  EXPECT_EQ(all(read(0)), Texts());
  EXPECT_EQ(retention.unsent_dropped(), 0);
}

TEST_F(OutboxCase, RetentionByTheSizeGoesBeforeAndIsCounted) {
  std::vector<Record> records;
  for (int i = 1; i <= 2000; ++i) records.push_back(ran(i, noon + Millis(i)));
  write(records);
  LedgerFile file(path, Millis(100), Marks::kept);
  Retention retention(file, {.keep = hours(24), .max_size = 1});
  while (retention.slice(noon, 500)) continue;
  EXPECT_GT(retention.unsent_dropped(), 0);
  EXPECT_LE(retention.unsent_dropped(), 1501);
}

}  // namespace
}  // namespace ballot::storage
