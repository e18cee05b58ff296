// What `ballot store` says where a move is ended, given up, or begun twice: on stores of this machine, which need no
// daemon.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/process/candidate.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {
namespace {

using testing::CandidateProcess;
using testing::contains;
using testing::ElectionFolder;
using testing::is_gone;
using testing::Ran;

struct StoreCommands : ::testing::Test {
  /// A namespace that has been used.
  StoreCommands() { EXPECT_EQ(run(old, {"run", "once", "--group", "g", "--", "/bin/true"}).code, 0); }

  static Ran run(const ElectionFolder& folder, std::vector<std::string> arguments) {
    arguments.insert(std::find(arguments.begin(), arguments.end(), "--"), {"--config", folder.config()});
    return testing::ballot(std::move(arguments));
  }
  Ran export_it() const { return run(old, {"store", "export", file}); }
  Ran import_it(const std::string& from) const { return run(fresh, {"store", "import", file, "--from", from}); }

  const ElectionFolder old, fresh;
  const TempFolder files;
  const std::string file = files / "move.txt";
};

TEST_F(StoreCommands, AnExportThatASignalEndsSaysThatTheDaemonsAreHeld) {
  const CandidateProcess leader(old, {"run", "once", "--group", "g", "--kill-grace", "30s", "--", "/bin/sh", "-c",
                                      "trap '' TERM; echo begun; sleep 60"});
  ASSERT_TRUE(leader.wait_for("begun"));
  CandidateProcess exporting(old, {"store", "export", file});
  ASSERT_TRUE(exporting.wait_for("are held"));
  EXPECT_EQ(exporting.stop(SIGTERM), 143);
  EXPECT_TRUE(contains(exporting.log(),
                       "ballot store export: ended before the namespace was moved; the daemons are "
                       "held: run this command again, or give the move up by `ballot store reopen`"))
      << exporting.log();
  EXPECT_FALSE(std::filesystem::exists(file));
}

/// The new store knows nothing of that term.
TEST_F(StoreCommands, AnExportWaitsForARunThatGoesOnUntilTheDeadlineOfAKilledLeader) {
  const ElectionFolder killed("[coordination]\nsession_timeout = \"3s\"\n");
  CandidateProcess leader(killed, {"run", "once", "--group", "g", "--kill-grace", "30s", "--", "/bin/sh", "-c",
                                   "trap '' TERM; " + killed.saying("while :; do sleep 0.05; done")});
  ASSERT_TRUE(killed.wait_until_said("START"));
  const pid_t child = testing::pid_of(killed.said("START")[0]);
  ASSERT_EQ(leader.stop(SIGKILL), 137);
  ASSERT_FALSE(is_gone(child));
  const Ran exported = run(killed, {"store", "export", file});
  EXPECT_TRUE(is_gone(child));
  EXPECT_EQ(exported.code, 0) << exported.err;
  EXPECT_TRUE(contains(exported.err, "ballot store export: waits until ")) << exported.err;
  const Ran again = run(killed, {"store", "export", files / "again.txt"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_FALSE(contains(again.err, "waits until ")) << "its deadline has passed: " << again.err;
}

TEST_F(StoreCommands, ASecondCommandBesideAnotherSaysThatItIsInTheWay) {
  const CandidateProcess leader(old, {"run", "once", "--group", "g", "--kill-grace", "30s", "--", "/bin/sh", "-c",
                                      "trap '' TERM; echo begun; sleep 60"});
  ASSERT_TRUE(leader.wait_for("begun"));
  const CandidateProcess exporting(old, {"store", "export", file});
  ASSERT_TRUE(exporting.wait_for("are held"));
  const Ran second = run(old, {"store", "reopen"});
  EXPECT_EQ(second.code, 1);
  EXPECT_EQ(second.err,
            "ballot store reopen: another `ballot store` command works on this namespace: run this one again once "
            "that has ended\n");
}

TEST_F(StoreCommands, AnImportAsksTheOldStoreUnlessThatIsSaidToBeGone) {
  ASSERT_EQ(export_it().code, 0);
  const Ran unasked = run(fresh, {"store", "import", file});
  EXPECT_EQ(unasked.code, 2) << unasked.err;
  EXPECT_TRUE(contains(unasked.err, "--from OLD, the old ballot.toml, is missing")) << unasked.err;
  EXPECT_EQ(run(fresh, {"store", "import", file, "--from", old.config(), "--old-store-is-gone"}).code, 2);
  const Ran gone = run(fresh, {"store", "import", file, "--old-store-is-gone"});
  EXPECT_EQ(gone.code, 0) << gone.err;
}

TEST_F(StoreCommands, AnImportMakesNoOldStoreWhereThereIsNone) {
  ASSERT_EQ(export_it().code, 0);
  std::filesystem::remove_all(old.folder / "state");
  const Ran ran = import_it(old.config());
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_TRUE(contains(ran.err, "the old store, backend local, namespace ballot, is not there, or was never used"))
      << ran.err;
  EXPECT_FALSE(std::filesystem::exists(old.folder / "state"));
}

TEST_F(StoreCommands, AnImportIntoTheStoreOfItsCopyIsRefused) {
  ASSERT_EQ(export_it().code, 0);
  const Ran ran = run(old, {"store", "import", file, "--from", old.config()});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_TRUE(contains(ran.err, "--from names the store that the copy is to go into")) << ran.err;
}

TEST_F(StoreCommands, AReopenWithoutATerminalSaysWhatIsKnownOfTheCopy) {
  EXPECT_EQ(run(old, {"store", "reopen"}).code, 3) << "nothing was moved";
  ASSERT_EQ(export_it().code, 0);
  const Ran unknown = run(old, {"store", "reopen"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(contains(unknown.err, "not confirmed: a copy of this namespace was made")) << unknown.err;
  ASSERT_EQ(import_it(old.config()).code, 0);
  const Ran known = run(old, {"store", "reopen"});
  EXPECT_EQ(known.code, 1);
  EXPECT_TRUE(contains(known.err, "its copy was imported into backend local, namespace ballot")) << known.err;
}

}  // namespace
}  // namespace ballot::app
