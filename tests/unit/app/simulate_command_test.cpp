// ballot simulate: what a fleet would be asked, as tables, JSON and a page.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "io/clocks.hpp"
#include "io/message.hpp"
#include "library/history/file_ledger.hpp"
#include "library/shown/ledger_answers.hpp"
#include "storage/ledger.hpp"
#include "unit/app/ballot_program.hpp"
#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;

struct SimulateCommand : ::testing::Test {
  TempFolder folder;
  std::string config, until = "2026-12-04";

  void SetUp() override {
    std::filesystem::create_directory(folder / "jobs.d");
    config = folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" + folder.path() +
                                             "\"\nrun_dir = \"" + folder.path() + "\"\n");
    folder.write("jobs.d/a.toml", job("nightly", "0 2 * * *", "except = [\"off\"]\n") +
                                      job("hourly", "0 * * * *", "group = \"other\"\n") +
                                      job("trim", "30 * * * *", "run_on = \"each\"\n") +
                                      "[calendar.off]\ndates = [\"2026-12-02\"]\n");
  }
  static std::string job(const std::string& name, const std::string& schedule, const std::string& more = "") {
    return "[job." + name + "]\nschedule = \"" + schedule + "\"\ncommand = [\"/bin/true\"]\n" + more;
  }
  Ran simulate(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"simulate", "--from", "2026-12-01",  "--until", until,
                                      "--config", config,   "--log-level", "error"};
    words.insert(words.end(), more.begin(), more.end());
    return ballot(words);
  }
  io::Message json(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--format", "json"});
    const Ran ran = simulate(more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    const auto report = io::decode(ran.out.substr(0, ran.out.find('\n')));
    EXPECT_TRUE(report) << ran.out;
    return report ? *report : io::Message();
  }
  /// Of job hourly, which was slow of late.
  void record_runs() {
    storage::Ledger ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }});
    const WallTime now = std::chrono::floor<std::chrono::hours>(io::read_clocks().wall);
    for (int i = 0; i < 40; ++i) {
      Row row = testing::run_row(Status::succeeded, Reason::none);
      RunId id = *row.run;
      id.bytes[15] = static_cast<std::uint8_t>(i);
      row.run = id;
      row.job = "hourly";
      row.slot = now - std::chrono::hours(3 * i);
      row.duration = std::chrono::minutes(i < 1 ? 60 : i < 8 ? 50 : 20);
      ledger.record(row);
    }
  }
  static io::Message of_job(const io::Message& report, const std::string& name) {
    for (const io::Message& one : report.objects("by_job"))
      if (one.text("job") == name) return one;
    ADD_FAILURE() << "no job " << name;
    return {};
  }
};

TEST_F(SimulateCommand, RefusesARunTimeOfNoJobAndALimitThatIsNone) {
  const Ran unknown = simulate({"--run-time", "nightyl=40m"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.err, "ballot simulate: --run-time: no job 'nightyl' is simulated\n");
  EXPECT_EQ(simulate({"--run-time", "trim=1m,hourly=2m"}).code, 0) << "of all instances";
  const Ran large = simulate({"--max-running", "4294967297"});
  EXPECT_EQ(large.code, 2);
  EXPECT_TRUE(contains(large.err, "--max-running: must be at most 1000000")) << large.err;
}

TEST_F(SimulateCommand, CountsWhatThePlanAndItsCalendarsHave) {
  const auto report = json({"--nodes", "2"});
  EXPECT_EQ(report.integer("slots"), 3 + 72 + 2 * 72);
  EXPECT_EQ(report.integer("starts"), 2 + 72 + 2 * 72);
  EXPECT_EQ(of_job(report, "nightly").integer("starts"), 2) << "but for the day that its calendar leaves out";
  EXPECT_EQ(of_job(report, "trim@host-2").integer("starts"), 72) << "each node has its own";
  EXPECT_EQ(report.objects("nodes").size(), 2u);
  EXPECT_EQ(report.objects("hours").size(), 72u);
  EXPECT_EQ(report.objects("losses").size(), 0u);
}

TEST_F(SimulateCommand, ShowsWhatALostNodeWouldDo) {
  until = "2026-12-02T02:00:00Z";
  const auto report = json({"--nodes", "one,two", "--fault", "lose:one@2026-12-02T00:00:00Z/30m"});
  const io::Message loss = report.objects("losses").at(0);
  EXPECT_EQ(loss.text("node"), "one");
  EXPECT_EQ(loss.text("back_at"), "2026-12-02T00:30:00Z");
  const Ran table = simulate({"--nodes", "one,two", "--fault", "lose:one@2026-12-02T00:00:00Z/30m"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(contains(table.out, "\nnode one is lost at 2026-12-02T00:00:00Z, and back at 2026-12-02T00:30:00Z: "))
      << table.out;
}

TEST_F(SimulateCommand, ItsTableFitsInto80Columns) {
  const Ran ran = simulate(
      {"--nodes", "3", "--max-running", "1", "--run-time", "40m", "--fault", "lose:host-2@2026-12-02T00:00:00Z"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "MAX_RUNNING")) << ran.out;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("node ") && !line.starts_with("files ") && !line.starts_with("history "))
      EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(SimulateCommand, ItsPageNeedsNoOtherFileAndTakesNoNameForMarkup) {
  std::filesystem::rename(folder / "jobs.d", folder / "<jobs> & \"more\"");
  const Ran ran = simulate({folder / "<jobs> & \"more\"", "--format", "html", "--nodes", "2"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("<!doctype html>")) << ran.out.substr(0, 200);
  EXPECT_TRUE(contains(ran.out, "&lt;jobs&gt; &amp; &quot;more&quot;"));
  EXPECT_FALSE(contains(ran.out, "<jobs>"));
  for (const char* const outside : {"http:", "https:", "src=", "href=", "url(", "<script", "@import"})
    EXPECT_FALSE(contains(ran.out, outside)) << outside;
  EXPECT_TRUE(contains(ran.out, "prefers-color-scheme:dark"));
  EXPECT_LT(ran.out.size(), 32u * 1024);
}

TEST_F(SimulateCommand, RunsTakeAsLongAsTheLedgerSaysIsUsual) {
  record_runs();
  const auto report = json();
  EXPECT_EQ(of_job(report, "hourly").integer("takes_ms"), 20 * 60'000);
  EXPECT_EQ(of_job(report, "nightly").integer("takes_ms"), std::nullopt);
  EXPECT_EQ(report.text("no_history"), std::nullopt);
  EXPECT_EQ(of_job(json({"--run-time", "hourly=5m"}), "hourly").integer("takes_ms"), 5 * 60'000);
  const auto without = json({"--no-history"});
  EXPECT_EQ(of_job(without, "hourly").integer("takes_ms"), std::nullopt);
  EXPECT_EQ(without.text("no_history"), "--no-history");
}

TEST_F(SimulateCommand, TakesForUsualWhatSlowAndTheApiTakeForUsualOfTheSameRows) {
  record_runs();
  EXPECT_EQ(of_job(json(), "hourly").integer("takes_ms"), 20 * 60'000);
  const Ran slow = ballot({"slow", "hourly", "--format", "csv", "--config", config, "--log-level", "error"});
  EXPECT_EQ(slow.code, 0) << slow.err;
  EXPECT_TRUE(contains(slow.out, ",succeeded,3600000,1200000,1200000,")) << slow.out;
  EXPECT_EQ(std::count(slow.out.begin(), slow.out.end(), '\n'), 9) << slow.out;
  const auto ledger = library::FileLedger::open({folder / "history.db", "", "host-1", std::chrono::hours(1'000'000)});
  ASSERT_TRUE(ledger);
  io::Message asked;
  asked.set("form", "shown").set("ask", "usual").set("jobs", std::vector<std::string>{"hourly"});
  const auto api = library::answer_shown(**ledger, asked, io::read_clocks().wall);
  ASSERT_TRUE(api) << api.error().what;
  EXPECT_EQ(api->objects("usual").at(0).integer("usual_ms"), 20 * 60'000);
}

TEST_F(SimulateCommand, SaysWhatIsWrongWithAFlagAndWhatToWrite) {
  const auto refused = [this](const std::vector<std::string>& more, const std::string& part) {
    const Ran ran = simulate(more);
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_TRUE(contains(ran.err, part)) << ran.err;
  };
  refused({"--fault", "kill:host-1@2026-12-02"}, "must be lose:NODE@TIME");
  refused({"--fault", "lose:@2026-12-02"}, "must be lose:NODE@TIME");
  refused({"--fault", "lose:host-1@2026-12-02/long"}, "must be a duration");
  refused({"--nodes", "0"}, "from 1 to 100");
  refused({"--nodes", "a,a"}, "named twice");
  refused({"--nodes", "a b"}, "not a valid node name");
  refused({"--run-time", "hourly=soon"}, "must be a duration");
  refused({"--nodes", "2", "--fault", "lose:host-3@2026-12-02"}, "there are host-1, host-2");
  refused({"--nodes", "2", "--fault", "lose:host-1@2026-12-05"}, "not within the span");
}

TEST_F(SimulateCommand, OfFilesWithErrorsNothingIsSimulated) {
  folder.write("jobs.d/b.toml", "[job.broken]\nschedule = \"0 25 * * *\"\ncommand = [\"/bin/true\"]\n");
  const Ran ran = simulate();
  EXPECT_EQ(ran.code, 78);
  EXPECT_TRUE(contains(ran.err, "b.toml:2:")) << ran.err;
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace ballot::app
