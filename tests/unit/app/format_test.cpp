#include "app/print/format.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ballot::app {
namespace {

const WallTime shown_slot = WallTime(std::chrono::seconds(1741503600));  // 2025-03-09T07:00:00Z
const std::vector<Column> columns{{"slot", "SLOT"},          {"job", "JOB"},
                                  {"exit_code", "EXIT"},     {"epoch", ""},
                                  {"started_at", "STARTED"}, {"duration_ms", "DURATION"},
                                  {"reason", "REASON"}};
const std::vector<std::vector<Cell>> rows{
    {SlotTime{shown_slot}, "nightly-backup", std::int64_t{0}, std::int64_t{7}, shown_slot + Millis(12), Millis(61'250),
     Cell()},
    {SlotTime{shown_slot + Millis(5)}, "a,\"b\"\n\x1b", std::int64_t{127}, Cell(), Cell(), Cell(), "exit_code"}};

std::string printed(Layout layout, const std::vector<std::vector<Cell>>& records = rows) {
  std::ostringstream out;
  RecordWriter writer(out, columns, layout);
  for (const auto& record : records) writer.row(record);
  writer.finish();
  return out.str();
}

TEST(Format, TableIsAlignedWithNumbersToTheRight) {
  EXPECT_EQ(printed({Format::table}),
            "SLOT                      JOB             EXIT  STARTED                    DURATION  REASON\n"
            "2025-03-09T07:00:00Z      nightly-backup     0  2025-03-09T07:00:00.012Z  1m1s250ms  -\n"
            "2025-03-09T07:00:00.005Z  a,\"b\"\\n\\u001b    127  -                                 -  exit_code\n");
}

TEST(Format, TableFitsTheTerminal) {
  for (std::size_t width = 20; width < 120; ++width) {
    std::istringstream lines(printed({Format::table, false, width}));
    for (std::string line; std::getline(lines, line);) {
      std::size_t characters = 0;
      for (const char c : line) characters += (c & 0xc0) != 0x80;
      EXPECT_LE(characters, width) << line;
    }
  }
  EXPECT_NE(printed({Format::table, false, 80})
                .find("  night\xE2\x80\xA6"
                      "ckup  "),
            std::string::npos)
      << printed({Format::table, false, 80});
}

TEST(Format, TableThatDoesNotFitLeavesOutItsLastColumns) {
  EXPECT_EQ(printed({Format::table, false, 45}),
            "SLOT IN 2025    JOB             EXIT \xE2\x80\xA6\n"
            "03-09 07:00:00  nightly-backup     0\n"
            "03-09 07:00:00  a,\"b\"\\n\\u001b    127\n");
}

TEST(Format, TableThatDoesNotFitShortensSlotsFirstAndKeepsTheYearWhereThereAreSeveral) {
  const auto shown = [](const std::vector<Cell>& slots) {
    std::ostringstream out;
    RecordWriter writer(out, {{"job", "JOB"}, {"slot", "SLOT"}, {"node", "NODE"}}, {Format::table, false, 32});
    for (const Cell& slot : slots) writer.row({"backup", slot, "n1"});
    writer.finish();
    return out.str();
  };
  const auto year = std::chrono::hours(24 * 365);
  EXPECT_EQ(shown({SlotTime{shown_slot}, Cell()}),
            "JOB     SLOT IN 2025    NODE\nbackup  03-09 07:00:00  n1\nbackup  -               n1\n");
  EXPECT_EQ(shown({LocalSlot{"2025-03-09T08:00:00+01:00"}}),
            "JOB     SLOT IN 2025    NODE\nbackup  03-09 08:00:00  n1\n");
  EXPECT_EQ(shown({SlotTime{shown_slot + Millis(5)}, SlotTime{shown_slot - year}}),
            "JOB     SLOT \xE2\x80\xA6\nbackup  2025-03-09 07:00:00\nbackup  2024-03-09 07:00:00\n");
}

TEST(Format, TableLeavesOutWhatMayGoBeforeWhatStays) {
  std::ostringstream out;
  RecordWriter writer(
      out, {{"job", "JOB"}, {"exit", "EXIT"}, {"node", "NODE", Tint::plain, Room::stays}, {"slots", "SLOTS"}},
      {Format::table, false, 17});
  writer.row({"backup", std::int64_t{1}, "n1", std::int64_t{1}});
  writer.finish();
  EXPECT_EQ(out.str(), "JOB     NODE \xE2\x80\xA6\nbackup  n1\n");
}

TEST(Format, TableGivesUpWhatYieldsThenTheIndentOfATreeAndThenCutsNames) {
  const auto shown = [](std::size_t width) {
    std::ostringstream out;
    RecordWriter writer(out,
                        {{"job", "JOB", Tint::plain, Room::may_go, Shape::tree},
                         {"n", "N"},
                         {"after", "AFTER", Tint::plain, Room::yields}},
                        {Format::table, false, width});
    writer.row({"first-of-the-chain", std::int64_t{1}, NameList()});
    writer.row({"    third-of-the-chain", std::int64_t{3}, NameList{"second-of-the-chain"}});
    writer.finish();
    return out.str();
  };
  EXPECT_EQ(shown(40),
            "JOB                     N  AFTER\n"
            "first-of-the-chain      1  -\n"
            "    third-of-the-chain  3  second-of-th\xE2\x80\xA6\n");
  EXPECT_EQ(shown(28),
            "JOB                     N \xE2\x80\xA6\n"
            "first-of-the-chain      1\n"
            "    third-of-the-chain  3\n");
  EXPECT_EQ(shown(25),
            "JOB                   N \xE2\x80\xA6\n"
            "first-of-the-chain    1\n"
            "  third-of-the-chain  3\n");
  EXPECT_EQ(shown(21),
            "JOB               N \xE2\x80\xA6\n"
            "first-of\xE2\x80\xA6"
            "e-chain  1\n"
            "third-of\xE2\x80\xA6"
            "e-chain  3\n")
      << "names last";
}

TEST(Format, NamesOfTheGreatestLengthThatBeginAlikeStayApartInEightyColumns) {
  std::ostringstream out;
  RecordWriter writer(out, {{"job", "JOB"}, {"state", "STATE"}, {"next_slot", "NEXT SLOT"}, {"group", "GROUP"}},
                      {Format::table, false, 80});
  const std::string same = "nightly-backup-of-the-customer-database-to-offsite-storage";
  for (const char* const part : {"-abc", "-def"})
    writer.row({same + part, "active", SlotTime{shown_slot}, "backups-of-all-customer-databases-to-offsite-storage-b"});
  writer.finish();
  EXPECT_EQ(out.str(),
            "JOB                        STATE   NEXT SLOT IN 2025  GROUP\n"
            "nightly-back\xE2\x80\xA6-storage-abc  active  03-09 07:00:00     backups-of-al\xE2\x80\xA6te-storage-b\n"
            "nightly-back\xE2\x80\xA6-storage-def  active  03-09 07:00:00     backups-of-al\xE2\x80\xA6te-storage-b\n");
}

TEST(Format, TableShortensASlotThatHasAWordBeforeIt) {
  std::ostringstream out;
  RecordWriter writer(out, {{"job", "JOB"}, {"slot", "NEXT SLOT"}}, {Format::table, false, 30});
  writer.row({"backup", LocalSlot{"2025-03-09T08:00:00Z", "until "}});
  writer.row({"trim", SlotTime{shown_slot}});
  writer.finish();
  EXPECT_EQ(out.str(), "JOB     NEXT SLOT IN 2025\nbackup  until 03-09 08:00:00\ntrim    03-09 07:00:00\n");
}

TEST(Format, TableLeavesOutAColumnWithNothingInItFirst) {
  std::ostringstream out;
  RecordWriter writer(out, {{"job", "JOB"}, {"reason", "REASON"}, {"exit", "EXIT"}, {"slots", "SLOTS"}},
                      {Format::table, false, 25});
  writer.row({"backup", Cell(), std::int64_t{1}, std::int64_t{1}});
  writer.row({"backup", Cell(), Cell(), std::int64_t{1}});
  writer.finish();
  EXPECT_EQ(out.str(), "JOB     EXIT  SLOTS \xE2\x80\xA6\nbackup     1      1\nbackup     -      1\n");
}

TEST(Format, TableCutsNoTextOfWhichAPartIsOfNoUse) {
  std::ostringstream out;
  RecordWriter writer(out, {{"run", "RUN"}, {"job", "JOB"}}, {Format::table, false, 24});
  writer.row({Uncut{"0123456789ab"}, "a-job-with-a-long-name"});
  writer.finish();
  EXPECT_EQ(out.str(), "RUN           JOB\n0123456789ab  a-job\xE2\x80\xA6name\n");
}

TEST(Format, TableShowsAStatusInItsColour) {
  std::ostringstream out;
  const Layout layout{Format::table, false, 0, Colors::on};
  RecordWriter writer(out, {{"status", "STATUS", Tint::by_word}, {"job", "JOB"}}, layout);
  writer.row({"failed: exit_code", "failed"});
  writer.row({"strange", "a"});
  writer.finish();
  EXPECT_EQ(out.str(),
            "\x1b[1mSTATUS\x1b[0m             \x1b[1mJOB\x1b[0m\n"
            "\x1b[31mfailed: exit_code\x1b[0m  failed\n"
            "strange            a\n");
}

TEST(Format, TableWithoutRowsIsItsHeading) {
  EXPECT_EQ(printed({Format::table}, {}), "SLOT  JOB  EXIT  STARTED  DURATION  REASON\n");
}

TEST(Format, JsonIsOneArray) {
  EXPECT_EQ(printed({Format::json}),
            "[\n"
            "{\"slot\":\"2025-03-09T07:00:00Z\",\"job\":\"nightly-backup\",\"exit_code\":0,\"epoch\":7,"
            "\"started_at\":\"2025-03-09T07:00:00.012Z\",\"duration_ms\":61250,\"reason\":null},\n"
            "{\"slot\":\"2025-03-09T07:00:00.005Z\",\"job\":\"a,\\\"b\\\"\\n\\u001b\",\"exit_code\":127,\"epoch\":null,"
            "\"started_at\":null,\"duration_ms\":null,\"reason\":\"exit_code\"}\n"
            "]\n");
  EXPECT_EQ(printed({Format::json}, {}), "[]\n");
}

TEST(Format, JsonThatFollowsIsAnObjectALine) {
  EXPECT_EQ(printed({Format::json, true}, {rows[0]}),
            "{\"slot\":\"2025-03-09T07:00:00Z\",\"job\":\"nightly-backup\",\"exit_code\":0,\"epoch\":7,"
            "\"started_at\":\"2025-03-09T07:00:00.012Z\",\"duration_ms\":61250,\"reason\":null}\n");
  EXPECT_EQ(printed({Format::json, true}, {}), "");
}

TEST(Format, CsvHasAHeaderAndTheQuotesOfRfc4180) {
  EXPECT_EQ(printed({Format::csv}),
            "slot,job,exit_code,epoch,started_at,duration_ms,reason\n"
            "2025-03-09T07:00:00Z,nightly-backup,0,7,2025-03-09T07:00:00.012Z,61250,\n"
            "2025-03-09T07:00:00.005Z,\"a,\"\"b\"\"\n\x1b\",127,,,,exit_code\n");
}

TEST(Format, StreamsJsonAndCsvRowByRow) {
  for (const Format format : {Format::json, Format::csv}) {
    std::ostringstream out;
    RecordWriter writer(out, columns, {format});
    const std::size_t before = out.str().size();
    writer.row(rows[0]);
    EXPECT_GT(out.str().size(), before + 50);
  }
}

TEST(Format, TableThatIsFlushedGoesOnBelow) {
  std::ostringstream out;
  RecordWriter writer(out, {{"job", "JOB"}, {"slots", "SLOTS"}}, {Format::table});
  writer.row({"nightly", std::int64_t{1}});
  writer.flush();
  writer.row({"x", std::int64_t{12}});
  writer.finish();
  EXPECT_EQ(out.str(), "JOB      SLOTS\nnightly      1\nx           12\n");
}

TEST(Format, CellsOfWhatMayBeAbsent) {
  EXPECT_TRUE(std::holds_alternative<std::monostate>(word("")));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(number(0)));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(std::optional<WallTime>())));
  EXPECT_EQ(std::get<std::int64_t>(number(3)), 3);
}

TEST(Format, KnowsItsNames) {
  EXPECT_EQ(parse_format("csv"), Format::csv);
  EXPECT_FALSE(parse_format("yaml"));
}

}  // namespace
}  // namespace ballot::app
