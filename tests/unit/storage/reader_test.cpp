#include "storage/reader.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/database.hpp"
#include "storage/ledger_file.hpp"
#include "storage_test_support.hpp"

namespace ballot::storage {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class ReaderTest : public ::testing::Test {
 protected:
  void write(const std::vector<Record>& records) { file_->write(records, Sync::later); }
  Reader reader() {
    auto opened = Reader::open(path_);
    if (!opened) throw std::runtime_error(opened.error().what);
    return std::move(*opened);
  }

  TempFolder folder_;
  std::string path_ = folder_ / "history.db";
  std::unique_ptr<LedgerFile> file_ = std::make_unique<LedgerFile>(path_, Millis(100));
};

std::vector<std::string> slots(const std::vector<Row>& rows) {
  std::vector<std::string> result;
  for (const Row& row : rows)
    result.push_back(row.job + "+" + std::to_string((row.slot - noon).count()) + "#" + std::to_string(row.attempt));
  return result;
}

TEST_F(ReaderTest, WaitsForNothingThatLiesInPlaceOfTheLedger) {
  for (const char* name : {"other.db", "other.db-wal", "other.db-shm", "other.db-journal"}) {
    std::filesystem::copy_file(path_, folder_ / "other.db");
    std::filesystem::remove(folder_ / name);
    ASSERT_EQ(::mkfifo((folder_ / name).c_str(), 0600), 0);
    const auto opened = Reader::open(folder_ / "other.db");
    ASSERT_FALSE(opened) << name;
    EXPECT_NE(opened.error().what.find(std::string(name) + " is no regular file: move it away"), std::string::npos)
        << opened.error().what;
    std::filesystem::remove(folder_ / name);
    std::filesystem::remove(folder_ / "other.db");
  }
}

TEST_F(ReaderTest, ListsBySlotThenAttemptNewestFirst) {
  Row again = ran(1);
  again.attempt = 2;
  write({ran(1), ran(2, noon + Millis(9)), again, missed(noon + Millis(3)), ran(3, noon - Millis(1), "other")});
  Reader reader = this->reader();
  EXPECT_EQ(slots(rows_of(reader)),
            (std::vector<std::string>{"backup+9#1", "backup+3#0", "backup+0#2", "backup+0#1", "other+-1#1"}));
}

TEST_F(ReaderTest, FiltersByEachFieldAndByAllOfThem) {
  Row failed = ran(2, noon + Millis(2));
  failed.status = Status::failed;
  failed.reason = Reason::oom;
  Row elsewhere = ran(3, noon + Millis(3), "report");
  elsewhere.group = "daily";
  elsewhere.node = "host-2";
  write({ran(1, noon + Millis(1)), failed, elsewhere, missed(noon + Millis(4))});
  Reader reader = this->reader();
  const auto found = [&](Filter filter) {
    std::vector<std::int64_t> after_noon;
    for (const Row& row : rows_of(reader, std::move(filter))) after_noon.push_back((row.slot - noon).count());
    return after_noon;
  };
  using Slots = std::vector<std::int64_t>;
  EXPECT_EQ(found({.jobs = {"report"}}), (Slots{3}));
  EXPECT_EQ(found({.jobs = {"report", "backup"}}), (Slots{4, 3, 2, 1}));
  EXPECT_EQ(found({.groups = {"daily"}}), (Slots{3}));
  EXPECT_EQ(found({.nodes = {"host-1"}}), (Slots{4, 2, 1}));
  EXPECT_EQ(found({.statuses = {Status::failed, Status::missed}}), (Slots{4, 2}));
  EXPECT_EQ(found({.reasons = {Reason::oom}}), (Slots{2}));
  EXPECT_EQ(found({.reasons = {Reason::none, Reason::oom}}), (Slots{3, 2, 1}));
  EXPECT_EQ(found({.run = run_id(2)}), (Slots{2}));
  EXPECT_EQ(found({.since = noon + Millis(2), .until = noon + Millis(4)}), (Slots{3, 2}));
  EXPECT_EQ(found({.jobs = {"backup"},
                   .groups = {"nightly"},
                   .nodes = {"host-1"},
                   .statuses = {Status::failed},
                   .reasons = {Reason::oom},
                   .run = run_id(2),
                   .since = noon,
                   .until = noon + Millis(3)}),
            (Slots{2}));
  EXPECT_EQ(found({.jobs = {"backup"}, .groups = {"daily"}}), (Slots{}));
  EXPECT_EQ(found({.jobs = {"never-heard-of"}}), (Slots{}));
  EXPECT_EQ(found({.limit = 2}), (Slots{4, 3}));
  EXPECT_EQ(found({.limit = 0}), (Slots{}));
}

TEST_F(ReaderTest, GivesPagesThatAddUpToTheWhole) {
  std::vector<Record> records;
  for (std::uint32_t i = 0; i < 300; ++i)
    records.emplace_back(ran(i, noon + Millis(i / 7), "job-" + std::to_string(i % 3)));
  write(records);
  Reader reader = this->reader();
  for (const Filter& of : {Filter{}, Filter{.jobs = {"job-1"}}, Filter{.statuses = {Status::succeeded}}}) {
    Filter all = of, page = of;
    all.limit = std::nullopt;
    page.limit = 37;
    std::vector<RunId> expected, paged;
    for (const Row& row : rows_of(reader, all)) expected.push_back(*row.run);
    for (bool more = true; more;) {
      const auto next = reader.history(page, [&](const Row& row) { return paged.push_back(*row.run), true; });
      ASSERT_TRUE(next) << next.error().what;
      more = next->has_value();
      page.after = *next;
    }
    EXPECT_EQ(paged, expected);
  }
}

TEST_F(ReaderTest, GivesTheNewestRowsOfEachOfManyJobs) {
  std::vector<Record> records;
  for (std::uint32_t i = 0; i < 60; ++i) {
    Row row = ran(i + 1, noon + minutes(i));
    row.job = i % 2 ? "odd" : "even";
    records.emplace_back(row);
  }
  records.emplace_back(missed(noon + hours(2), Reason::no_leader, "even"));
  write(records);
  Reader ledger = reader();
  std::vector<Row> rows;
  ASSERT_TRUE(ledger.newest({.jobs = {"odd", "nobody's", "even"}, .until = noon + hours(3), .limit = 2},
                            [&](const Row& row, const Position&) { return rows.push_back(row), true; }));
  const auto at = [](int minute) { return "+" + std::to_string(Millis(minutes(minute)).count()) + "#1"; };
  EXPECT_EQ(slots(rows),
            (std::vector<std::string>{"odd" + at(59), "odd" + at(57),
                                      "even+7200000#" + std::to_string(rows.at(2).attempt), "even" + at(58)}));
  rows.clear();
  ASSERT_TRUE(ledger.newest({.jobs = {"odd", "even"}, .statuses = {Status::succeeded}, .limit = 1},
                            [&](const Row& row, const Position&) { return rows.push_back(row), false; }));
  EXPECT_EQ(slots(rows), std::vector<std::string>{"odd" + at(59)}) << "until the visitor has enough";
}

TEST_F(ReaderTest, StreamsALongHistoryWithoutHoldingUpCheckpoints) {
  std::vector<Record> records;
  for (std::uint32_t i = 0; i < 3500; ++i) records.emplace_back(ran(i, noon + Millis(i)));
  write(records);
  Reader reader = this->reader();
  int visited = 0, blocked = 0;
  const auto end = reader.history({.limit = std::nullopt}, [&](const Row&) {
    if (++visited % 500 == 0) blocked += static_cast<int>(file_->database().number("PRAGMA wal_checkpoint(TRUNCATE)"));
    return true;
  });
  ASSERT_TRUE(end);
  EXPECT_EQ(visited, 3500);
  EXPECT_EQ(blocked, 0);
}

TEST_F(ReaderTest, StopsWhenTheVisitorHasEnoughAndGoesOnFromThere) {
  for (std::uint32_t i = 0; i < 5; ++i) write({ran(i, noon + Millis(i))});
  Reader reader = this->reader();
  int visited = 0;
  const auto next = reader.history({}, [&](const Row&) { return ++visited < 2; });
  ASSERT_TRUE(next && *next);
  EXPECT_EQ(visited, 2);
  EXPECT_EQ(rows_of(reader, {.after = *next}).size(), 3u);
}

TEST_F(ReaderTest, TellsWhatWasWrittenOrReplacedSince) {
  write({ran(1), ran(2, noon + Millis(1))});
  Reader reader = this->reader();
  std::int64_t since = *reader.sequence();
  std::vector<std::string> seen;
  const auto follow = [&](const Filter& filter) {
    seen.clear();
    const auto next = reader.changes(filter, since, [&](const Row& row) {
      seen.push_back(row.job + " " + std::string(to_string(row.status)));
      return true;
    });
    ASSERT_TRUE(next) << next.error().what;
    since = *next;
  };
  follow({});
  EXPECT_TRUE(seen.empty());
  Row killed = ran(1);
  killed.status = Status::killed;
  write({killed, ran(3, noon, "other")});
  follow({});
  EXPECT_EQ(seen, (std::vector<std::string>{"backup killed", "other succeeded"}));
  follow({});
  EXPECT_TRUE(seen.empty());
  write({ran(1), ran(4, noon, "other"), ran(5, noon - Millis(1), "other")});
  follow({.jobs = {"other"}, .since = noon});
  EXPECT_EQ(seen, (std::vector<std::string>{"other succeeded"}));
  follow({});
  EXPECT_TRUE(seen.empty());
}

TEST_F(ReaderTest, NumbersChangesOnAfterARestart) {
  write({ran(1)});
  const std::int64_t before = *reader().sequence();
  file_ = std::make_unique<LedgerFile>(path_, Millis(100));
  write({ran(1)});
  EXPECT_GT(*reader().sequence(), before);
}

TEST_F(ReaderTest, FindsWhatBecameOfASlot) {
  Row again = ran(1);
  again.attempt = 2;
  Row range = missed(noon + minutes(1), Reason::misfire);
  range.slots = 120;
  range.slot_until = noon + minutes(120);
  write({ran(1), again, range, ran(2, noon + hours(3)), missed(noon + minutes(5), Reason::stale, "other")});
  Reader reader = this->reader();
  const auto at = [&](WallTime slot) { return slots(*reader.at("backup", slot)); };
  EXPECT_EQ(at(noon), (std::vector<std::string>{"backup+0#2", "backup+0#1"}));
  EXPECT_EQ(at(noon + minutes(1)), (std::vector<std::string>{"backup+60000#0"}));
  EXPECT_EQ(at(noon + minutes(77)), (std::vector<std::string>{"backup+60000#0"}));
  EXPECT_EQ(at(noon + minutes(120)), (std::vector<std::string>{"backup+60000#0"}));
  EXPECT_TRUE(at(noon + minutes(121)).empty());
  EXPECT_TRUE(reader.at("nobody", noon)->empty());
}

TEST_F(ReaderTest, FindsTheLastRowOfAJobAndTheOpenOnes) {
  Row running = ran(3, noon + hours(1), "other"), queued = ran(4, noon + hours(2), "other");
  running.status = Status::running;
  queued.status = Status::queued;
  write({ran(1), ran(2, noon - hours(1)), running, queued});
  Reader reader = this->reader();
  EXPECT_EQ((*reader.last("backup"))->run, run_id(1));
  EXPECT_EQ((*reader.last("other"))->run, run_id(4));
  EXPECT_FALSE(reader.last("nobody")->has_value());
  EXPECT_EQ(slots(*reader.open_rows()), (std::vector<std::string>{"other+7200000#1", "other+3600000#1"}));
}

TEST_F(ReaderTest, SaysThatAJobRunsWhileARunGoesOnWhateverWasSkippedMeanwhile) {
  Row running = ran(1), claimed = ran(2, noon, "other");
  running.status = Status::running;
  claimed.status = Status::claimed;
  Row skipped = ran(3, noon + hours(1));
  skipped.run.reset();
  skipped.attempt = 0;
  skipped.status = Status::skipped;
  skipped.reason = Reason::overlap;
  write({running, claimed, skipped});
  const auto words = reader().last_words({"backup", "other", "nobody"});
  ASSERT_TRUE(words);
  EXPECT_EQ(*words, (LastWords{{"running", ""}, {"claimed", ""}, {"", ""}}));
}

TEST_F(ReaderTest, TheLastOfAJobIsNoTriggerThatWasRefused) {
  Row refused = ran(3, noon + hours(1)), of_other = ran(4, noon, "other");
  for (Row* const row : {&refused, &of_other}) row->trigger = Trigger::manual, row->status = Status::skipped;
  refused.reason = of_other.reason = Reason::overlap;
  Row overlapped = refused;
  overlapped.slot = noon - hours(1), overlapped.run = run_id(5), overlapped.trigger = Trigger::schedule;
  write({ran(1), refused, of_other, overlapped});
  EXPECT_EQ(*reader().last_words({"backup", "other"}), (LastWords{{"succeeded", ""}, {"", ""}}));
  EXPECT_EQ((*reader().last("backup"))->run, run_id(1));
  EXPECT_EQ(*reader().last("other"), std::nullopt);
  overlapped.slot = noon + hours(2), overlapped.run = run_id(6);
  write({overlapped});
  EXPECT_EQ(*reader().last_words({"backup"}), (LastWords{{"skipped", "overlap"}})) << "that slot was to run";
}

TEST_F(ReaderTest, FindsARunByTheEndOfItsId) {
  Row again = ran(0x12345678);
  again.attempt = 2;
  write({ran(0x12345678), again, ran(0xff345678), ran(0x00ABCDEF)});
  Reader reader = this->reader();
  EXPECT_EQ(*reader.find_run("345678"), (std::vector{run_id(0x12345678), run_id(0xff345678)}));
  EXPECT_EQ(*reader.find_run("2345678"), std::vector{run_id(0x12345678)});
  EXPECT_EQ(*reader.find_run("12345678"), std::vector{run_id(0x12345678)});
  EXPECT_EQ(*reader.find_run("abcdef"), std::vector{run_id(0xabcdef)});
  EXPECT_EQ(*reader.find_run("00aBCdef"), std::vector{run_id(0xabcdef)});
  EXPECT_EQ(*reader.find_run(run_id(0xff345678).text()), std::vector{run_id(0xff345678)});
  EXPECT_TRUE(reader.find_run("999999")->empty());
  for (const char* wrong : {"", "45678", "xyz12345", "0x345678", "0000000000000000000000000000000000000001"}) {
    const auto found = reader.find_run(wrong);
    ASSERT_FALSE(found) << wrong;
    EXPECT_EQ(found.error().code, Errc::invalid);
  }
}

TEST_F(ReaderTest, ListsAtMostTenCandidates) {
  for (std::uint32_t i = 0; i < 30; ++i) write({ran(i << 24 | 0x345678)});
  EXPECT_EQ(reader().find_run("345678")->size(), 10u);
}

TEST_F(ReaderTest, GivesTheOutputOfAnAttempt) {
  Row again = ran(1), silent = ran(2);
  again.attempt = 2;
  write({ran(1), OutputRecord{run_id(1), 1, {"first", "", 5}}, again,
         OutputRecord{run_id(1), 2, {std::string("he\0ad\n", 6), "\xff tail", 1'000'000}}, silent,
         OutputRecord{run_id(2), 1, {}}});
  Reader reader = this->reader();
  EXPECT_EQ(reader.output(run_id(1), 1)->head, "first");
  const auto last = reader.output(run_id(1));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->head, std::string("he\0ad\n", 6));
  EXPECT_EQ(last->tail, "\xff tail");
  EXPECT_EQ(last->total_bytes, 1'000'000);
  EXPECT_EQ(reader.output(run_id(2))->total_bytes, 0);
  EXPECT_EQ(reader.output(run_id(1), 3).error().code, Errc::not_found);
  EXPECT_EQ(reader.output(run_id(9)).error().code, Errc::not_found);
}

TEST_F(ReaderTest, GivesTheTermsOfAGroupNewestFirst) {
  write({TermRow{"nightly", "host-1", 1, noon, noon + hours(1), Cause::expired},
         TermRow{"nightly", "host-2", 5, noon + hours(1), {}, Cause::none},
         TermRow{"daily", "host-2", 9, noon, {}, Cause::none}});
  const auto terms = reader().terms("nightly");
  ASSERT_TRUE(terms);
  ASSERT_EQ(terms->size(), 2u);
  EXPECT_EQ((*terms)[0].epoch, 5u);
  EXPECT_EQ((*terms)[0].node, "host-2");
  EXPECT_EQ((*terms)[1].cause, Cause::expired);
  EXPECT_EQ((*terms)[1].group, "nightly");
}

TEST_F(ReaderTest, KnowsTheJobsAndGroupsOfItsRows) {
  write({ran(1), TermRow{"only-led", "host-1", 1, noon, {}, Cause::none}});
  Reader reader = this->reader();
  EXPECT_TRUE(*reader.knows_job("backup"));
  EXPECT_FALSE(*reader.knows_job("nightly"));
  EXPECT_FALSE(*reader.knows_job("nobody"));
  EXPECT_TRUE(*reader.knows_group("nightly"));
  EXPECT_TRUE(*reader.knows_group("only-led"));
  EXPECT_FALSE(*reader.knows_group("host-1"));
}

TEST_F(ReaderTest, SaysThatThereIsNoLedger) {
  const auto none = Reader::open(folder_ / "none.db");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::not_found);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
}

TEST_F(ReaderTest, SeesRowsBesideALivingWriter) {
  Reader reader = this->reader();
  write({ran(1)});
  EXPECT_EQ(rows_of(reader).size(), 1u);
  write({ran(2)});
  EXPECT_EQ(rows_of(reader).size(), 2u);
}

TEST(ReaderOfAnother, ReadsWhatAKilledWriterLeft) {
  const TempFolder folder;
  const std::string path = folder / "history.db";
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Watch watch;
    Ledger ledger(quick(path), watch.hooks());
    for (std::uint32_t i = 0; i < 700; ++i) ledger.record(ran(i));
    ledger.flush([&] { (void)!::write(ends[1], "x", 1); });
    while (true) ::pause();
  }
  char said = 0;
  ASSERT_EQ(::read(ends[0], &said, 1), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(std::filesystem::exists(path + "-wal"));
  EXPECT_EQ(rows_in(path).size(), 700u);
  {
    Watch watch;
    Ledger ledger(quick(path), watch.hooks());
    ledger.record(ran(700));
    flush(ledger);
    EXPECT_TRUE(watch.alarms().empty());
  }
  EXPECT_EQ(rows_in(path).size(), 701u);
}

TEST_F(ReaderTest, ReadsForAUserWhoMayOnlyRead) {
  write({ran(1), ran(2)});
  file_->fold();
  file_.reset();
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0555), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
    ::_exit(static_cast<int>(rows_in(path_).size()));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(folder_.path().c_str(), 0755);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST_F(ReaderTest, TellsALedgerThatIsNotThereFromOneThatThisUserMayNotReach) {
  EXPECT_EQ(Reader::open(folder_ / "other.db").error().code, Errc::not_found);
  ASSERT_EQ(::chmod(folder_.path().c_str(), ::getuid() == 0 ? 0700 : 0), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
    const auto opened = Reader::open(path_);
    ::_exit(opened ? 1 : opened.error().code == Errc::denied ? 0 : 2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(folder_.path().c_str(), 0755);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ballot::storage
