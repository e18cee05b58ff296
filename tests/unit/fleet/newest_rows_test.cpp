// The newest rows of many jobs of a fleet, and what is made of them: strips and usual times.
#include <random>

#include "base/wall_text.hpp"
#include "unit/fleet/fleet_of_three.hpp"

namespace ballot::library {
namespace {

TEST_F(Fleet3, TheNewestRowsOfManyJobsTakeOneQuestionOfEachNode) {
  std::mt19937 random(5);
  std::map<std::string, std::vector<storage::Record>> records;
  const Texts nodes{"host-1", "host-2", "host-3"}, jobs{"a", "b", "c", "d", "none"};
  for (std::uint32_t i = 0; i < 200; ++i) {
    Row row = on(nodes[random() % 3], ran(i + 1, noon + Millis(i)));
    row.job = jobs[random() % 4];
    records[row.node].emplace_back(row);
    if (random() % 5 == 0) records[nodes[random() % 3]].emplace_back(with(row, Status::lost, Reason::node_died));
  }
  for (const auto& [node, all] : records) write(node, all);
  const storage::Filter filter{.jobs = jobs, .statuses = {Status::succeeded}, .limit = 8};
  std::map<std::string, Texts> newest;
  asked.clear();
  ASSERT_TRUE(fleet()->newest_rows(
      filter, [&](const Row& row, const storage::Position&) { return newest[row.job].push_back(said(row)), true; }));
  EXPECT_LE(asked["host-2"], 2) << "one of them for what the store shows";
  EXPECT_EQ(newest.size(), 4u);
  for (const auto& [job, rows] : newest) {
    Texts all = history(*fleet(), {.jobs = {job}, .statuses = {Status::succeeded}, .limit = std::nullopt});
    EXPECT_EQ(rows, Texts(all.begin(), all.begin() + 8)) << job;
  }
  lie("host-3", "newest_rows", Error{Errc::invalid, "it is older"});
  const auto with_older = fleet();
  std::map<std::string, Texts> of_older;
  ASSERT_TRUE(with_older->newest_rows(
      filter, [&](const Row& row, const storage::Position&) { return of_older[row.job].push_back(said(row)), true; }));
  EXPECT_EQ(of_older, newest) << "a node of the release before is asked for one job after the other";
  EXPECT_EQ(missing(*with_older), Texts{});
  silent = {"host-2"};
  asked.clear();
  const auto with_silent = fleet();
  ASSERT_TRUE(with_silent->newest_rows(filter, [](const Row&, const storage::Position&) { return true; }));
  EXPECT_EQ(asked["host-2"], 1);
}

TEST_F(Fleet3, StripsOfManyJobsTakeFewQuestionsAndAreThoseOfOneAfterTheOther) {
  std::mt19937 random(6);
  std::map<std::string, std::vector<storage::Record>> records;
  const Texts nodes{"host-1", "host-2", "host-3"};
  Texts jobs{"none"};
  for (std::uint32_t i = 0; i < 28; ++i) jobs.push_back("job-" + std::to_string(i));
  std::uint32_t number = 0;
  for (std::uint32_t i = 0; i < 28; ++i)
    for (int slot = 0; slot < static_cast<int>(i); ++slot) {
      const std::string& node = nodes[random() % 3];
      Row row = on(node, ran(++number, noon + std::chrono::minutes(slot)));
      row.job = jobs[i + 1];
      const int attempts = i % 3 == 0 ? 1 + static_cast<int>(random() % 4) : 1;
      for (row.attempt = 1; row.attempt <= attempts; ++row.attempt) {
        row.status = row.attempt < attempts ? Status::failed : Status::succeeded;
        records[node].emplace_back(row);
        if (random() % 3 == 0) records[nodes[random() % 3]].emplace_back(with(row, Status::lost, Reason::node_died));
      }
      if (random() % 7 != 0) continue;
      Row skipped = missed(noon + std::chrono::minutes(100 + slot), Reason::stale);
      skipped.job = row.job;
      for (const std::string& one : nodes) records[one].emplace_back(skipped);
    }
  for (const auto& [node, all] : records) write(node, all);
  constexpr std::int64_t most = 8;
  asked.clear();
  io::Message question;
  question.set("ask", std::string("strips")).set("form", std::string("shown")).set("last", most);
  const auto answer = answer_shown(*fleet(), question.set("jobs", jobs).set("defined", jobs), noon);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_LE(asked["host-2"], 5);
  const auto strips = answer->objects("strips");
  ASSERT_EQ(strips.size(), jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::vector<std::pair<std::string, std::string>> shown, expected;
    for (const io::Message& row : strips[i].objects("rows"))
      shown.emplace_back(row.text("slot").value_or(""), row.text("run_id").value_or(""));
    std::optional<WallTime> last;
    ASSERT_TRUE(fleet()->history({.jobs = {jobs[i]}, .limit = 2 * most}, [&](const Row& row) {
      if (row.slot != last) expected.emplace_back(format_slot(row.slot), row.run ? row.run->text() : "");
      last = row.slot;
      return std::ssize(expected) < most;
    }));
    EXPECT_EQ(shown, expected) << jobs[i];
  }
}

TEST_F(Fleet3, UsualTimesOfManyJobsTakeFewQuestionsAndAreThoseOfOneAfterTheOther) {
  std::map<std::string, std::vector<storage::Record>> records;
  Texts jobs;
  for (std::uint32_t i = 0; i < 47; ++i) {
    jobs.push_back("job-" + std::to_string(i));
    for (std::uint32_t k = 0; k < 10; ++k) {
      Row row = on("host-" + std::to_string(1 + (i + k) % 3),
                   ran(100 * i + k + 1, noon - (i % 2 ? k : 24 * k) * std::chrono::hours(1)));
      row.job = jobs.back();
      row.duration = Millis(1000 * (1 + (i * 7 + k * 3) % 11));
      records[row.node].emplace_back(row);
    }
  }
  for (const auto& [node, all] : records) write(node, all);
  asked.clear();
  const auto times = fleet()->usual_times(jobs, noon);
  ASSERT_TRUE(times);
  EXPECT_LE(asked["host-3"], 8);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::vector<Row> rows;
    ASSERT_TRUE(fleet()->history({.jobs = {jobs[i]}}, [&](const Row& row) { return rows.push_back(row), true; }));
    const UsualTime one = usual_of(rows, noon, {});
    EXPECT_EQ(times->at(i).basis, i % 2 ? UsualTime::Basis::recent : UsualTime::Basis::week) << jobs[i];
    EXPECT_EQ(times->at(i).takes, one.takes) << jobs[i];
  }
}

TEST_F(Fleet3, TheFirstSlowRunOfThousandsTakesTwentyMoreQuestionsAtMost) {
  constexpr std::chrono::seconds step(5), slow_for(3 * 3600 + 35);
  std::vector<storage::Record> of_host_2;
  for (std::uint32_t i = 1; i <= 6 * 720; ++i)
    for (const char* job : {"grown", "steady"}) {
      Row row = on("host-2", ran(2 * i + (*job == 'g'), noon - i * step));
      row.job = job;
      row.duration = *job == 'g' && i * step <= slow_for ? Millis(9000) : Millis(1000);
      of_host_2.emplace_back(row);
    }
  write("host-2", of_host_2);
  asked.clear();
  const auto steady = fleet()->usual_times({"steady"}, noon);
  ASSERT_TRUE(steady);
  EXPECT_EQ(steady->front().slower_since, std::nullopt);
  const int without = asked["host-3"];
  asked.clear();
  const auto grown = fleet()->usual_times({"grown"}, noon);
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->front().slower_since, noon - slow_for);
  EXPECT_LE(asked["host-3"], without + 20);
}

/// Which cannot read the rows that the first slow run is looked for in.
struct WithoutFirstSlow : FleetLedger {
  using FleetLedger::FleetLedger;
  Result<void> newest_rows(storage::Filter filter, const VisitPlacedRow& visit) override {
    if (filter.limit == 100) return Error{Errc::timeout, "the disk is slow"};
    return FleetLedger::newest_rows(std::move(filter), visit);
  }
};

TEST_F(Fleet3, UsualTimesAreKnownWhereTheFirstSlowRunOfOneJobCannotBeRead) {
  std::vector<storage::Record> records;
  for (std::uint32_t i = 1; i <= 300; ++i)
    for (const char* job : {"grown", "steady"}) {
      Row row = on("host-1", ran(2 * i + (*job == 'g'), noon - i * std::chrono::minutes(1)));
      row.job = job;
      row.duration = *job == 'g' && i <= 200 ? Millis(9000) : Millis(1000);
      records.emplace_back(row);
    }
  write("host-1", records);
  WithoutFirstSlow ledger("host-1", *FileLedger::open(place("host-1")), FleetNow{}, AskOthers{});
  const auto times = ledger.usual_times({"steady", "grown"}, noon);
  ASSERT_TRUE(times) << times.error().what;
  for (const UsualTime& one : *times) EXPECT_EQ(one.takes, Millis(1000));
  EXPECT_FALSE(times->front().unread);
  const UsualTime grown = usual_time_from(to_message(times->back()));
  EXPECT_EQ(grown.slower_since, std::nullopt);
  ASSERT_TRUE(grown.unread);
  EXPECT_EQ(grown.unread->why, "the disk is slow");
  EXPECT_LT(grown.until(noon), noon - std::chrono::minutes(200)) << "what is known to be from before it grew slow";
  io::Message asked;
  asked.set("ask", "usual").set("jobs", Texts{"grown"}).set("form", "shown");
  const auto answer = answer_shown(ledger, asked, noon);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->objects("usual").front().text("slower_since_failure"), "the disk is slow");
}

}  // namespace
}  // namespace ballot::library
