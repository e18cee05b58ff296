// `ballot audit` over a ledger that two groups' jobs are in: what its flags leave out.
#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "storage/ledger.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;

/// Two jobs that are due each minute, in groups of their own; each lacks two of six slots.
struct AuditCommand : ::testing::Test {
  AuditCommand() {
    std::filesystem::create_directory(folder / "jobs.d");
    config = folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" + folder.path() +
                                             "\"\nrun_dir = \"" + folder.path() + "\"\n");
    storage::Ledger ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }});
    for (const char* job : {"backup", "report"}) {
      DefinitionRow definition;
      definition.job = job;
      definition.group = std::string(job) + "s";
      definition.node = "n1";
      definition.from = first - std::chrono::minutes(1);
      definition.epoch = 1;
      definition.basis = Basis::created;
      definition.digest = "d";
      definition.schedule = {"* * * * *"};
      ledger.record(definition);
      for (const int minute : {0, 2, 3, 5}) {
        Row row;
        row.job = job;
        row.group = definition.group;
        row.node = "n1";
        row.epoch = 1;
        row.slot = first + std::chrono::minutes(minute);
        row.reason = Reason::misfire;
        ledger.record(row);
      }
    }
  }
  Ran audit(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "audit");
    arguments.insert(arguments.end(), {"--config", config});
    return ballot(std::move(arguments));
  }
  std::string time(int minute) const { return format_slot(first + std::chrono::minutes(minute)); }

  TempFolder folder;
  std::string config;
  const WallTime first = std::chrono::floor<std::chrono::hours>(io::read_clocks().wall) - std::chrono::hours(2);
};

TEST_F(AuditCommand, FindsWhatEachJobLacks) {
  const Ran all = audit({});
  EXPECT_EQ(all.code, 1) << all.out << all.err;
  EXPECT_TRUE(contains(all.out, "4 findings")) << all.out;
}

TEST_F(AuditCommand, OfAGroupIsOfItsJobsOnly) {
  const Ran one = audit({"--group", "reports"});
  EXPECT_EQ(one.code, 1) << one.err;
  EXPECT_TRUE(contains(one.out, "2 findings")) << one.out;
  EXPECT_TRUE(contains(one.out, "job report, " + time(1))) << one.out;
  EXPECT_FALSE(contains(one.out, "job backup")) << one.out;
  EXPECT_TRUE(contains(audit({"--group", "reports", "--job", "backup"}).out, "0 findings"));
}

TEST_F(AuditCommand, SinceATimeLeavesOutEarlierSlots) {
  const Ran late = audit({"--job", "backup", "--since", time(2)});
  EXPECT_EQ(late.code, 1) << late.err;
  EXPECT_TRUE(contains(late.out, "1 finding\n")) << late.out;
  EXPECT_TRUE(contains(late.out, "job backup, " + time(4))) << late.out;
  EXPECT_EQ(audit({"--job", "backup", "--since", time(5)}).code, 0);
  EXPECT_EQ(audit({"--job", "backup", "--until", time(1)}).code, 0);
}

TEST_F(AuditCommand, PrintsEveryFieldAsJson) {
  const Ran one = audit({"--job", "backup", "--until", time(2), "--format", "json"});
  EXPECT_EQ(one.code, 1) << one.err;
  std::string text = one.out;
  std::erase_if(text, [](char letter) { return letter == '\n' || letter == ' '; });
  EXPECT_TRUE(
      contains(text, R"({"totals":[{"status":"missed","reason":"misfire","count":1}],"undefined":[],"departed":[],)"
                     R"("finding_count":1,"findings":[{"kind":"missing","job":"backup","slot":")" +
                         time(1) + "\""))
      << one.out;
  for (const char* key : {"\"slot_until\":null", "\"slots\":1", "\"text\":\"isdueandhasnorow\"", "\"rows\":["})
    EXPECT_TRUE(contains(text, key)) << key << one.out;
}

/// A slot of each second minute is missing: findings that are not next to each other.
TEST_F(AuditCommand, PrintsTheFirstThousandFindingsAndCountsAll) {
  constexpr int minutes = 2300;
  {
    storage::Ledger ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }});
    DefinitionRow definition;
    definition.job = definition.group = "many";
    definition.node = "n1";
    definition.from = first - std::chrono::minutes(minutes + 1);
    definition.epoch = 1;
    definition.basis = Basis::created;
    definition.digest = "d";
    definition.schedule = {"* * * * *"};
    ledger.record(definition);
    for (int minute = 0; minute <= minutes; minute += 2) {
      Row row;
      row.job = row.group = "many";
      row.node = "n1";
      row.epoch = 1;
      row.slot = first - std::chrono::minutes(minutes - minute);
      row.reason = Reason::misfire;
      ledger.record(row);
    }
  }
  const std::string found = std::to_string(minutes / 2);
  const Ran table = audit({"--job", "many"});
  EXPECT_TRUE(contains(table.out, "\nand 150 more\n\n" + found + " findings\n")) << table.out.substr(0, 500);
  const Ran json = audit({"--job", "many", "--format", "json"});
  EXPECT_TRUE(contains(json.out, found)) << json.out.substr(0, 500);
  std::size_t listed = 0;
  for (std::size_t at = 0; (at = json.out.find("\"kind\"", at)) != std::string::npos; ++at) ++listed;
  EXPECT_EQ(listed, 1000u);
}

TEST_F(AuditCommand, OfATimeThatIsNoneIsRefused) { EXPECT_NE(audit({"--since", "noon"}).code, 0); }

}  // namespace
}  // namespace ballot::app
