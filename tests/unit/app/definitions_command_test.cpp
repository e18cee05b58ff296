// ballot history --definitions: which definitions of jobs began, of a node without a daemon.
#include <gtest/gtest.h>

#include <filesystem>

#include "io/clocks.hpp"
#include "storage/ledger.hpp"
#include "unit/app/ballot_program.hpp"
#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::contains;
using testing::Ran;
using testing::slot;

/// Its files define one job.
struct NodeWithDefinitions : ::testing::Test {
  NodeWithDefinitions() {
    std::filesystem::create_directory(folder / "jobs.d");
    folder.write("jobs.d/a.toml", "[job.nightly]\nschedule = \"0 7 * * *\"\ncommand = [\"/bin/true\"]\n");
    config = folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" + folder.path() +
                                             "\"\nrun_dir = \"" + folder.path() + "\"\n");
  }
  Ran asked(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--config", config});
    return ballot(arguments);
  }

  TempFolder folder;
  std::string config;
};

TEST_F(NodeWithDefinitions, PrintsThemWithWhatIsOtherThanBefore) {
  const std::string shown = asked({"show", "nightly", "--format", "json"}).out;
  const std::string digest = shown.substr(shown.find("\"digest\":\"") + 10, 32);
  {
    storage::Ledger ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }});
    DefinitionRow row;
    row.job = "nightly", row.group = "default", row.node = "host-1", row.from = slot, row.epoch = 1;
    row.basis = Basis::created, row.digest = "d1", row.schedule = {"0 6 * * *"};
    ledger.record(row);
    row.from += std::chrono::hours(1), row.basis = Basis::defined, row.digest = digest, row.schedule = {"0 7 * * *"};
    row.retries = 2;
    ledger.record(row);
    row.job = "gone", row.from += std::chrono::hours(1), row.basis = Basis::created, row.digest = "g";
    ledger.record(row);
    row.from += std::chrono::hours(1), row.basis = Basis::defined, row.digest = "", row.schedule = {};
    ledger.record(row);
  }
  const std::string file = folder / "jobs.d/a.toml";
  EXPECT_EQ(asked({"history", "--definitions", "--job", "nightly"}).out,
            "AT                    JOB      CHANGE   WHAT                                                              "
            "                                              NODES   "
            "FILE\n"
            "2025-03-09T08:00:00Z  nightly  changed  schedule: 0 6 * * * -> 0 7 * * *, retries: 0 -> 2, and perhaps "
            "other keys, of which the ledger keeps no values  host-1  " +
                file + ":1\n" +
                "2025-03-09T07:00:00Z  nightly  added    schedule: 0 6 * * *                                           "
                "                                                  host-1  "
                "-\n");
  EXPECT_EQ(asked({"history", "--definitions", "--job", "nightly", "--limit", "1", "--format", "json"}).out,
            "[\n{\"at\":\"2025-03-09T08:00:00.000Z\",\"job\":\"nightly\",\"group\":\"default\",\"change\":\"changed\","
            "\"text\":\"schedule: 0 6 * * * -> 0 7 * * *, retries: 0 -> 2, and perhaps other keys, of which the ledger "
            "keeps no values\",\"nodes\":\"host-1\",\"digest\":\"" +
                digest + "\",\"digest_before\":\"d1\",\"file\":\"" + file + "\",\"line\":1}\n]\n");
  const Ran gone = asked({"history", "--definitions", "--job", "gone", "--format", "csv"});
  EXPECT_TRUE(contains(gone.out, ",removed,no file defines it,")) << gone.out << gone.err;
  EXPECT_EQ(asked({"history", "--definitions", "--job", "nobody"}).code, 3);
  EXPECT_TRUE(contains(asked({"history", "--definitions", "--failed"}).err, "--definitions goes without --failed"));
  EXPECT_TRUE(contains(asked({"history", "--definitions", "--run", "123456"}).err, "--definitions goes without --run"));
  EXPECT_EQ(asked({"history", "--definitions", "--requests"}).code, 2);
}

}  // namespace
}  // namespace ballot::app
