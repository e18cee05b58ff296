// ballot plan: what other job files would change.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;

struct PlanCommand : ::testing::Test {
  TempFolder folder;
  std::string config;

  void SetUp() override {
    std::filesystem::create_directory(folder / "now");
    std::filesystem::create_directory(folder / "next");
    config = folder.write("ballot.toml", "jobs_dir = \"" + folder / "now" + "\"\n");
    folder.write("now/a.toml", job("backup", "0 2 * * *") + job("old", "0 * * * *"));
  }
  static std::string job(const std::string& name, const std::string& schedule, const std::string& more = "") {
    return "[job." + name + "]\nschedule = \"" + schedule + "\"\ncommand = [\"/bin/true\"]\n" + more;
  }
  Ran plan(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"plan", folder / "next", "--config", config};
    words.insert(words.end(), more.begin(), more.end());
    return ballot(words);
  }
};

TEST_F(PlanCommand, OfFilesThatSayTheSameIsEmptyAndExits0) {
  folder.write("next/one.toml", job("old", "0 * * * *"));
  folder.write("next/two.toml", "# another file, another order\n" + job("backup", "0 2 * * *", "retries = 0\n"));
  const Ran ran = plan({"--format", "csv"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(ran.out, "name,kind,change,slots_appear,slots_vanish,slots_move,first_slot,moves_to,keys,after\n");
}

TEST_F(PlanCommand, NamesWhatIsAddedRemovedAndChangedWithItsSlotsAndExits1) {
  folder.write("next/a.toml", job("backup", "30 3 * * *", "retries = 2\n") + job("weekly", "0 6 * * 1"));
  const Ran ran = plan({"--format", "csv"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_TRUE(contains(ran.out, "\nbackup,job,changed,0,0,7,")) << ran.out;
  EXPECT_TRUE(contains(ran.out, ",\"retries, schedule\",\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\nold,job,removed,0,168,0,")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\nweekly,job,added,1,0,0,")) << ran.out;
}

TEST_F(PlanCommand, SaysWhichSlotIsTheFirstAndWhereItMovesTo) {
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(io::read_clocks().wall + std::chrono::days(3)));
  const auto once = [&](const std::string& time) {
    return time + " " + std::to_string(static_cast<unsigned>(day.day())) + " " +
           std::to_string(static_cast<unsigned>(day.month())) + " *";
  };
  const auto slot = [&](Millis time) { return format_seconds(std::chrono::sys_days(day) + time); };
  using std::chrono::hours;
  folder.write("now/a.toml", job("gone", once("0 1")) + job("later", once("0 2")) + job("off", once("0 3")));
  folder.write("next/a.toml",
               job("fresh", once("0 4")) + job("later", once("30 5")) + job("off", once("0 3"), "enabled = false\n"));
  const Ran ran = plan({"--format", "csv"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(ran.out,
            "name,kind,change,slots_appear,slots_vanish,slots_move,first_slot,moves_to,keys,after\n"
            "fresh,job,added,1,0,0," +
                slot(hours(4)) +
                ",,,\n"
                "gone,job,removed,0,1,0," +
                slot(hours(1)) +
                ",,,\n"
                "later,job,changed,0,0,1," +
                slot(hours(2)) + "," + slot(hours(5) + std::chrono::minutes(30)) +
                ",schedule,\n"
                "off,job,changed,0,1,0," +
                slot(hours(3)) + ",,enabled,\n");
  const Ran table = plan();
  EXPECT_TRUE(contains(table.out, "NAME")) << table.out;
  EXPECT_TRUE(contains(table.out, slot(hours(2)))) << table.out;
}

TEST_F(PlanCommand, ListsAJobThatHasTheSlotsOfAnotherBelowThatOneWhereTheyBecomeOthers) {
  const std::string chain = "[job.load]\nafter = [\"backup\"]\ncommand = [\"/bin/true\"]\n";
  folder.write("now/a.toml", job("backup", "0 2 * * *") + job("old", "0 * * * *") + chain);
  folder.write("next/a.toml", job("backup", "30 3 * * *") + job("old", "0 * * * *") + chain +
                                  "[job.join]\nafter = [\"load\", \"old\"]\ncommand = [\"/bin/true\"]\n");
  const Ran ran = plan({"--format", "csv"});
  EXPECT_TRUE(contains(ran.out, "\njoin,job,added,7,0,0,")) << ran.out;
  EXPECT_TRUE(contains(ran.out, ",,\"load, old\"\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "\nload,job,changed,0,0,7,")) << ran.out;
  EXPECT_TRUE(contains(ran.out, ",,backup\n")) << ran.out << "no key of its own is another one";
  const Ran table = plan();
  EXPECT_TRUE(contains(table.out, "KEYS      AFTER\nbackup    job   changed")) << table.out;
  EXPECT_TRUE(contains(table.out, "\n  load    job   changed")) << table.out;
  EXPECT_TRUE(contains(table.out, "\n    join  job   added")) << table.out;
  EXPECT_TRUE(contains(plan({"--format", "json"}).out, "\"after\":[\"load\",\"old\"]"));
}

TEST_F(PlanCommand, CountsNoSlotsOfADisabledJob) {
  folder.write("next/a.toml", job("backup", "0 2 * * *", "enabled = false\n") + job("old", "0 * * * *"));
  const Ran ran = plan({"--format", "csv"});
  EXPECT_TRUE(contains(ran.out, "\nbackup,job,changed,0,7,0,")) << ran.out;
  EXPECT_TRUE(contains(ran.out, ",enabled,\n")) << ran.out;
}

TEST_F(PlanCommand, NamesAZoneThatChanged) {
  folder.write("next/a.toml", job("backup", "0 2 * * *", "timezone = \"Asia/Tokyo\"\n") + job("old", "0 * * * *"));
  EXPECT_TRUE(contains(plan({"--format", "csv"}).out, ",timezone,\n"));
}

TEST_F(PlanCommand, NamesAGroupThatChanged) {
  folder.write("next/a.toml",
               job("backup", "0 2 * * *") + job("old", "0 * * * *") + "[group.default]\nmax_running = 2\n");
  const Ran ran = plan({"--format", "csv"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(contains(ran.out, "\ndefault,group,added,0,0,0,,,,\n")) << ran.out;
}

TEST_F(PlanCommand, OfABrokenFileSaysWhereAndExits78) {
  folder.write("next/a.toml", job("backup", "0 99 * * *"));
  const Ran ran = plan();
  EXPECT_EQ(ran.code, 78);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(contains(ran.err, folder / "next/a.toml" + ":2:")) << ran.err;
}

TEST_F(PlanCommand, OfAFolderThatIsNotThereExits78) {
  const Ran ran = ballot({"plan", folder / "none", "--config", config});
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.err, "no such folder")) << ran.err;
}

}  // namespace
}  // namespace ballot::app
