// What ballot history shows of pauses: the slots of one in a row of the table, and among what people asked.
#include <gtest/gtest.h>

#include <filesystem>

#include "io/clocks.hpp"
#include "library/history/request_wire.hpp"
#include "storage/ledger.hpp"
#include "unit/app/answering_node.hpp"
#include "unit/app/ballot_program.hpp"
#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::ballot;
using testing::Ran;
using testing::slot;
using testing::slot_row;

TEST(PausedRows, OfOnePauseAreOneRowWithAllItsSlotsWhateverTheLimit) {
  std::vector<Row> rows;
  for (int i = 0; i < 9; ++i) {
    Row other = slot_row(slot + std::chrono::minutes(i), Status::missed, Reason::no_leader);
    other.job = "new";
    rows.push_back(other);
    rows.push_back(slot_row(slot + std::chrono::minutes(i), Status::skipped, Reason::paused));
  }
  const TempFolder folder;
  std::filesystem::create_directory(folder / "jobs.d");
  folder.write("jobs.d/a.toml", "[job.nightly]\ncommand = [\"/bin/true\"]\n");
  const std::string config =
      folder.write("ballot.toml", "jobs_dir = \"" + folder / "jobs.d" + "\"\nstate_dir = \"" + folder.path() +
                                      "\"\nrun_dir = \"" + folder.path() + "\"\n");
  {
    storage::Ledger ledger({.path = folder / "history.db"}, {.now = [] { return io::read_clocks().wall; }});
    for (const Row& row : rows) ledger.record(row);
  }
  for (const char* limit : {"1", "3", "5", "50"}) {
    const Ran ran = ballot({"history", "--limit", limit, "--status", "skipped,missed", "--config", config});
    std::string squeezed;
    for (const char c : ran.out)
      if (c != ' ' || (!squeezed.empty() && squeezed.back() != ' ')) squeezed += c;
    EXPECT_NE(squeezed.find("nightly skipped - 2025-03-09T07:00:00Z paused - - 0 - 9\n"), std::string::npos)
        << limit << squeezed;
  }
}

/// The resume may be one of a node that does not answer.
TEST(PausedRows, OfWhatPeopleAskedAreSaidToBePerhapsOverWhereANodeIsMissing) {
  const auto hint_of = [](const std::vector<std::string>& kinds, bool is_missing) {
    std::vector<io::Message> requests, missing;
    for (const std::string& kind : kinds) {
      RequestRow one;
      one.id = testing::run, one.kind = kind, one.job = "nightly", one.node = "host-1", one.result = "done";
      one.at = slot, one.by = "host-1 uid 0";
      requests.push_back(library::to_message(one));
    }
    if (is_missing) missing = {io::Message().set("node", "host-2").set("why", "it is silent")};
    const AnsweringNode node("[job.nightly]\ncommand = [\"/bin/true\"]\n",
                             [=](const io::Message& asked, const io::Reply& reply) {
                               if (asked.text("do") != "ledger") return reply.fail({Errc::invalid, "it is older"});
                               io::Message says = io::Message().set("scope", "fleet").set("missing", missing);
                               reply.finish(says.set("requests", requests).set("sequence", std::int64_t{1}));
                             });
    const Ran ran = node.asked({"history", "--requests"});
    EXPECT_TRUE(testing::contains(ran.out, "pause")) << ran.out << ran.err;
    return testing::contains(ran.err, "a pause that is shown as the last word may be over");
  };
  EXPECT_TRUE(hint_of({"pause"}, true));
  EXPECT_FALSE(hint_of({"pause"}, false));
  EXPECT_FALSE(hint_of({"resume", "pause"}, true)) << "it is shown";
}

}  // namespace
}  // namespace ballot::app
