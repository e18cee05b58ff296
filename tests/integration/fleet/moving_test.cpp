// A namespace that moves from one store to another while its jobs are due each second: from one host to a fleet on the
// store that BALLOT_TEST_STORE names (`local`: to another folder), and back. The checker judges over the move what the
// processes reported and what the ledgers of all nodes say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "base/wall_text.hpp"
#include "storage/database.hpp"
#include "support/process/fleet.hpp"
#include "support/process/process_facts.hpp"
#include "support/servers/store_place.hpp"

namespace ballot::testing {
namespace {

using std::chrono::seconds;

constexpr Millis timeout{3000};
constexpr const char* every_second = "schedule = \"* * * * * *\"\n";

std::string store_name() {
  const char* const name = std::getenv("BALLOT_TEST_STORE");
  return name ? name : "local";
}

/// What ballot.toml says of a store that nobody has used.
std::string local_store(const std::string& path) {
  return "[coordination]\nsession_timeout = \"" + format_duration(timeout) + "\"\n[local]\npath = \"" + path + "\"\n";
}
std::string other_store(const TempFolder& folder) {
  return store_name() == "local" ? local_store(folder / "other") : StorePlace(store_name()).config(timeout);
}

class Moving : public ::testing::Test {
 protected:
  Moving() {
    const std::string brief = fleet.oracle.command({"--for", "50ms"});
    fleet.job("all", every_second + brief + "misfire = \"all\"\n");
    fleet.job("latest", every_second + brief);
    fleet.job("held", every_second + brief);
  }
  ~Moving() override {
    if (HasFailure()) std::cout << fleet.logs();
  }

  std::string file(const std::string& name = "move.txt") const { return folder / name; }

  void move(const std::string& from, const std::string& to, const std::string& store) {
    const Ran exported = fleet[from].ballot({"store", "export", file(), "--to", "the other store"});
    ASSERT_EQ(exported.code, 0) << exported.err;
    EXPECT_NE(exported.err.find("held"), std::string::npos) << exported.err;
    fleet[to].move_to(store);
    const Ran imported = fleet[to].ballot({"store", "import", file(), "--old-store-is-gone"});
    ASSERT_EQ(imported.code, 0) << imported.err;
    const Ran checked = fleet[to].ballot({"store", "check", file()});
    EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  }

  bool runs_on_time(const std::string& job) {
    const WallTime now = Instant::now().wall;
    return fleet.oracle.wait_until([&](const Reports& all) {
      return std::any_of(all.begin(), all.end(), [&](const Report& report) {
        return report.job == job && report.trigger == Trigger::schedule && report.slot > now;
      });
    });
  }

  /// Twice, so that what is old enough to be judged is there.
  void judge() {
    EXPECT_TRUE(runs_on_time("all"));
    EXPECT_TRUE(runs_on_time("all"));
    Evidence evidence = fleet.evidence();
    std::erase_if(evidence.ledgers, [this](const NodeLedger& ledger) {  // of a node that a test has not started
      return !std::filesystem::exists(fleet[ledger.node].history);
    });
    EXPECT_EQ(check(evidence), Findings{});
    EXPECT_EQ(fleet.oracle.unread(), std::vector<std::string>{});
    expect_growing(evidence);
  }

  /// A fence or an epoch that is given out after the move is higher than any before.
  static void expect_growing(const Evidence& evidence) {
    std::map<std::string, std::map<WallTime, std::uint64_t>> fences, epochs;  // by job, by group
    for (const NodeLedger& ledger : evidence.ledgers) {
      for (const Row& row : ledger.rows)
        if (row.fence > 0) fences[row.job][row.slot] = row.fence;
      for (const TermRow& term : ledger.terms) epochs[term.group][term.elected_at] = term.epoch;
    }
    for (const auto* all : {&fences, &epochs})
      for (const auto& [name, by_time] : *all) {
        std::uint64_t before = 0;
        for (const auto& [at, count] : by_time) {
          EXPECT_GT(count, before) << name << " at " << format_millis(at);
          before = count;
        }
      }
  }

  const TempFolder folder;
  const std::string shared = local_store(folder / "shared");
  Fleet fleet{{"n1", "n2", "n3"}, timeout, [this](const std::string&) { return shared; }};
};

TEST_F(Moving, FromOneHostToAFleetRunsNoSlotTwiceAndLosesNone) {
  fleet.start_alone("n1");
  ASSERT_EQ(fleet["n1"].ballot({"pause", "held", "--reason", "for the move"}).code, 0);
  ASSERT_TRUE(runs_on_time("all"));
  fleet.fault();
  const std::string target = other_store(folder);
  move("n1", "n2", target);
  EXPECT_TRUE(fleet["n1"].wait_for("was moved to the other store"));
  const Ran status = fleet["n1"].ballot({"status"});
  EXPECT_NE(status.out.find("was moved to the other store"), std::string::npos) << status.out;
  EXPECT_EQ(fleet["n1"].stop(), 0);
  fleet["n1"].start();
  EXPECT_TRUE(fleet["n1"].wait_for("was moved to the other store"));
  EXPECT_EQ(fleet["n1"].wait(), 78);

  fleet["n1"].move_to(target);
  fleet["n3"].move_to(target);
  for (const char* const node : {"n2", "n3", "n1"}) fleet[node].start();
  ASSERT_TRUE(runs_on_time("all"));
  ASSERT_TRUE(runs_on_time("latest"));
  fleet.healed();
  const Ran shown = fleet["n2"].ballot({"show", "held"});
  EXPECT_NE(shown.out.find("for the move"), std::string::npos) << shown.out;
  for (const Report& report : fleet.oracle.reports("held")) EXPECT_EQ(report.node, "n1") << "it is paused still";
  ASSERT_EQ(fleet["n3"].ballot({"resume", "held"}).code, 0);
  EXPECT_TRUE(runs_on_time("held"));
  const Ran audited = fleet["n1"].ballot({"audit"});
  EXPECT_EQ(audited.code, 0) << audited.out << audited.err;
  judge();
}

TEST_F(Moving, FromAFleetToOneHostRunsNoSlotTwiceAndLosesNone) {
  const std::string source = other_store(folder);
  for (const char* const node : {"n1", "n2", "n3"}) fleet[node].move_to(source);
  fleet.start();
  ASSERT_TRUE(runs_on_time("all"));
  fleet.fault();
  ASSERT_EQ(fleet["n3"].stop(), 0);
  move("n1", "n3", shared);
  for (const char* const node : {"n1", "n2"}) EXPECT_EQ(fleet[node].stop(), 0);
  fleet["n3"].start();
  ASSERT_TRUE(runs_on_time("all"));
  ASSERT_TRUE(runs_on_time("latest"));
  fleet.healed();
  judge();
}

TEST_F(Moving, IsRefusedIntoANamespaceThatIsNotEmpty) {
  fleet.start_alone("n1");
  ASSERT_TRUE(runs_on_time("all"));
  const std::string target = other_store(folder);
  fleet["n2"].move_to(target);
  fleet["n2"].start();
  ASSERT_TRUE(fleet["n2"].wait_for("leads"));
  ASSERT_EQ(fleet["n1"].ballot({"store", "export", file()}).code, 0);
  const Ran imported = fleet["n2"].ballot({"store", "import", file(), "--old-store-is-gone"});
  EXPECT_EQ(imported.code, 1);
  EXPECT_NE(imported.err.find("not empty"), std::string::npos) << imported.err;
  const Ran back = fleet["n1"].ballot({"store", "import", file(), "--old-store-is-gone"});
  EXPECT_EQ(back.code, 1);
  EXPECT_NE(back.err.find("was moved to another store"), std::string::npos) << back.err;
}

TEST_F(Moving, IsGivenUpByReopenAndTheDaemonGoesOn) {
  fleet.start_alone("n1");
  ASSERT_TRUE(runs_on_time("all"));
  fleet.fault();
  ASSERT_EQ(fleet["n1"].ballot({"store", "export", file()}).code, 0);
  const Ran asked = fleet["n1"].ballot({"store", "reopen"});
  EXPECT_EQ(asked.code, 1) << asked.err;
  const Ran reopened = fleet["n1"].ballot({"store", "reopen", "--force"});
  ASSERT_EQ(reopened.code, 0) << reopened.err;
  ASSERT_TRUE(runs_on_time("latest"));
  fleet.healed();
  EXPECT_EQ(fleet["n1"].ballot({"store", "reopen", "--force"}).code, 3);
  judge();
}

/// Whoever asks for something there learns where it went, at once.
TEST_F(Moving, SaysOfEachJobThatItWasMovedAndRefusesRequests) {
  fleet.start_alone("n1");
  ASSERT_TRUE(runs_on_time("all"));
  ASSERT_EQ(fleet["n1"].ballot({"store", "export", file(), "--to", "the other store"}).code, 0);
  ASSERT_TRUE(fleet["n1"].wait_for("was moved to the other store"));
  const auto said = [&](const std::vector<std::string>& command) { return fleet["n1"].ballot(command); };
  EXPECT_NE(said({"jobs", "all"}).out.find("moved"), std::string::npos) << said({"jobs", "all"}).out;
  EXPECT_NE(said({"show", "all"}).out.find("state       moved: this namespace was moved to the other store"),
            std::string::npos)
      << said({"show", "all"}).out;
  std::string why;
  EXPECT_TRUE(wait_until([&] {  // of a slot that was due here no more
    why = said({"why", "all"}).out;
    std::replace(why.begin(), why.end(), '\n', ' ');
    return why.find("moved to the other store") != std::string::npos;
  })) << why;
  EXPECT_EQ(why.find("repair"), std::string::npos) << why;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"trigger", "all"}, {"pause", "all"}, {"resume", "held"}, {"repair", "all"}}) {
    const Ran refused = said(command);
    EXPECT_EQ(refused.code, 1) << command[0];
    EXPECT_NE(refused.err.find("this namespace was moved to the other store"), std::string::npos) << refused.err;
  }
}

/// The old store knows where its copy is, and is not used beside it.
TEST_F(Moving, OfACopyThatWasImportedIsNeitherImportedTwiceNorGivenUp) {
  fleet.start_alone("n1");
  ASSERT_TRUE(runs_on_time("all"));
  fleet.fault();
  ASSERT_EQ(fleet["n1"].ballot({"store", "export", file()}).code, 0);
  const std::string old = fleet["n1"].folder.write("old.toml", text_of(fleet["n1"].folder / "ballot.toml"));
  const std::vector<std::string> import{"store", "import", file(), "--from", old};
  const std::string target = other_store(folder);
  fleet["n2"].move_to(target);
  fleet["n3"].move_to(local_store(folder / "third"));
#ifdef BALLOT_FAILPOINTS
  for (const char* const point : {"store.import.begun", "store.import.claimed"}) {
    const Ran killed = fleet["n2"].ballot(import, {"BALLOT_FAILPOINTS=" + std::string(point) + "=kill@1"});
    EXPECT_EQ(killed.code, 128 + SIGKILL) << killed.err;
  }
#endif
  Ran imported = fleet["n2"].ballot(import);
  if (imported.code == 69) imported = fleet["n2"].ballot(import);  // while it waited for the session of the killed one
  ASSERT_EQ(imported.code, 0) << imported.err;
  const Ran second = fleet["n3"].ballot(import);
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("was imported before, into backend"), std::string::npos) << second.err;
  const Ran reopened = fleet["n1"].ballot({"store", "reopen", "--force"});
  EXPECT_EQ(reopened.code, 1);
  EXPECT_NE(reopened.err.find("its copy was imported into backend"), std::string::npos) << reopened.err;
  fleet["n2"].start();
  ASSERT_TRUE(runs_on_time("all"));
  fleet.healed();
  judge();  // ends all daemons

  ASSERT_EQ(fleet["n1"].ballot({"store", "reopen", "--force", "--import-undone"}).code, 0);
  const Ran late = fleet["n3"].ballot(import);
  EXPECT_EQ(late.code, 1);
  EXPECT_NE(late.err.find("not marked as moved by this copy"), std::string::npos) << late.err;
  ASSERT_EQ(fleet["n1"].ballot({"store", "export", file("again.txt")}).code, 0);
  const Ran anew = fleet["n3"].ballot({"store", "import", file("again.txt"), "--from", old});
  EXPECT_EQ(anew.code, 0) << "what was refused has left it empty: " << anew.err;
}

/// It is open in the copy, and its daemon, restarted with the new store, reports its end there.
TEST_F(Moving, LeavesARunThatMayFinishToItsDaemonWhichReportsItsEndInTheNewStore) {
  fleet.job("finishes", "on_leadership_lost = \"finish\"\n" + fleet.oracle.command({"--for", "8s"}));
  fleet.start_alone("n1");
  ASSERT_TRUE(runs_on_time("all"));
  ASSERT_EQ(fleet["n1"].ballot({"trigger", "finishes"}).code, 0);
  ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) {
    return std::any_of(all.begin(), all.end(), [](const Report& report) { return report.job == "finishes"; });
  }));
  fleet.fault();
  const std::string target = other_store(folder);
  move("n1", "n2", target);
  EXPECT_NE(text_of(file()).find("\n run "), std::string::npos) << text_of(file());
  EXPECT_EQ(fleet["n1"].stop(), 0);
  fleet["n1"].move_to(target);
  fleet["n1"].start();
  EXPECT_TRUE(fleet["n1"].wait_for("job=finishes")) << fleet["n1"].log;
  EXPECT_TRUE(wait_until([&] {
    const std::vector<Row> rows = fleet["n1"].rows("finishes");
    return rows.size() == 1 && rows[0].status == Status::succeeded;
  }));
  EXPECT_TRUE(wait_until([&] {
    return fleet["n1"].ballot({"show", "finishes"}).out.find("running") == std::string::npos;
  }));
  fleet.healed();
  judge();
}

/// The new store knows nothing of the term that it ends with.
TEST_F(Moving, WaitsForARunThatGoesOnUntilTheDeadlineOfAKilledDaemon) {
  fleet.job("lasting", fleet.oracle.command({"--for", "60s"}));
  fleet.start_alone("n1");
  ASSERT_TRUE(runs_on_time("all"));
  ASSERT_EQ(fleet["n1"].ballot({"trigger", "lasting"}).code, 0);
  ASSERT_TRUE(fleet.oracle.wait_until([](const Reports& all) {
    return std::any_of(all.begin(), all.end(), [](const Report& report) { return report.job == "lasting"; });
  }));
  const pid_t run = fleet.oracle.reports("lasting")[0].pid;
  fleet["n1"].kill();
  ASSERT_NE(state_of(run), '-');
  const std::string target = other_store(folder);
  move("n1", "n2", target);
  EXPECT_EQ(state_of(run), '-') << "it would go on beside the next one";
  fleet["n2"].start();
  ASSERT_TRUE(runs_on_time("all"));
  EXPECT_TRUE(wait_until([&] {
    const std::vector<Row> rows = fleet["n2"].rows("lasting");
    return rows.size() == 1 && rows[0].status == Status::killed;
  }));
  judge();
}

/// Prints how long each step takes.
TEST_F(Moving, OfTenThousandJobsWithPausesAndChainsIsACopyOfEachRegister) {
  constexpr int jobs = 10'000;
  std::string text;
  for (int i = 0; i < jobs; ++i) {
    text += "[job.j" + std::to_string(i) + "]\ngroup = \"g" + std::to_string(i % 100) + "\"\ncommand = [\"true\"]\n";
    text += i % 1000 >= 900 ? "after = [\"j" + std::to_string(i - 100) + "\"]\n" : "schedule = \"0 0 1 1 *\"\n";
  }
  for (const char* const node : {"n1", "n2", "n3"}) fleet[node].file("many", text);
  fleet.start_alone("n1", 101);
  const auto registers = [this] {
    storage::Database stored(folder / "shared/ballot/registers.db", storage::Open::read);
    return stored.number("SELECT count(*) FROM register WHERE name LIKE 'j/%'");
  };
  ASSERT_TRUE(wait_until([&] { return registers() >= jobs; }, seconds(120)));
  for (const char* const group : {"g1", "g2"}) ASSERT_EQ(fleet["n1"].ballot({"pause", "--group", group}).code, 0);
  const auto timed = [&](const std::string& node, const std::vector<std::string>& command) {
    const auto from = std::chrono::steady_clock::now();
    const Ran ran = fleet[node].ballot(command);
    EXPECT_EQ(ran.code, 0) << ran.err;
    const auto took = std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - from);
    std::cout << store_name() << ": " << command[1] << ": " << took.count() << " ms\n" << ran.out;
  };
  const std::string target = other_store(folder);
  timed("n1", {"store", "export", file()});
  fleet["n2"].move_to(target);
  timed("n2", {"store", "import", file(), "--old-store-is-gone"});
  timed("n2", {"store", "check", file()});
  timed("n2", {"store", "export", file("back.txt")});
  fleet["n3"].move_to(local_store(folder / "third"));
  timed("n3", {"store", "import", file("back.txt"), "--old-store-is-gone"});
  timed("n3", {"store", "check", file()});
  EXPECT_EQ(fleet["n1"].stop(), 0);
}

#ifdef BALLOT_FAILPOINTS

TEST_F(Moving, KilledAtEachStepIsGoneOnWithAndNeverTakenForWhole) {
  fleet.start_alone("n1");
  ASSERT_TRUE(runs_on_time("all"));
  fleet.fault();
  const auto killed_at = [](const std::string& point) {
    return std::vector<std::string>{"BALLOT_FAILPOINTS=store." + point + "=kill@1"};
  };
  for (const char* const point :
       {"part.write", "export.held", "export.led", "export.written", "export.halted", "export.marked"}) {
    const Ran ran = fleet["n1"].ballot({"store", "export", file()}, killed_at(point));
    EXPECT_EQ(ran.code, 128 + SIGKILL) << point << ran.err;
    EXPECT_FALSE(std::filesystem::exists(file())) << point;
  }
  const std::size_t before = fleet.oracle.reports().size();
  const Ran exported = fleet["n1"].ballot({"store", "export", file()});
  ASSERT_EQ(exported.code, 0) << exported.err;
  const Ran again = fleet["n1"].ballot({"store", "export", file("second.txt")}, killed_at("export.published"));
  EXPECT_EQ(again.code, 128 + SIGKILL) << again.err;
  EXPECT_EQ(text_of(file()), text_of(file("second.txt"))) << "the same copy once more";

  const std::string target = other_store(folder);
  fleet["n2"].move_to(target);
  for (const char* const point :
       {"import.begun", "import.led", "import.registers", "import.records", "import.opened"}) {
    const Ran ran = fleet["n2"].ballot({"store", "import", file(), "--old-store-is-gone"}, killed_at(point));
    EXPECT_EQ(ran.code, 128 + SIGKILL) << point << ran.err;
    if (fleet["n2"].pid() <= 0) {
      fleet["n2"].start();
      EXPECT_TRUE(fleet["n2"].wait_for("an import into this namespace has not ended")) << point;
    }
  }
  const Ran other = fleet["n2"].ballot({"store", "export", file("third.txt")});
  EXPECT_NE(other.err.find("an import into this namespace has not ended"), std::string::npos) << other.err;
  EXPECT_EQ(fleet.oracle.reports().size(), before) << "nothing is launched while a namespace moves";
  const Ran imported = fleet["n2"].ballot({"store", "import", file(), "--old-store-is-gone"});
  ASSERT_EQ(imported.code, 0) << imported.err;
  ASSERT_TRUE(runs_on_time("all"));
  fleet.healed();
  EXPECT_EQ(fleet["n1"].stop(), 0);
  judge();
}

TEST_F(Moving, LeavesNoFileAndNoMoveWhereTheDiskIsFull) {
  fleet.start_alone("n1");
  const auto full_at = [&](const char* write) {
    const Ran ran = fleet["n1"].ballot({"store", "export", file()},
                                       {"BALLOT_FAILPOINTS=store.part.write=fail(ENOSPC)@" + std::string(write)});
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.err.find("No space left on device"), std::string::npos) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(file()));
    return ran.err;
  };
  EXPECT_EQ(full_at("1").find("held"), std::string::npos) << "that is found out before the daemons are held";
  const Ran nowhere = fleet["n1"].ballot({"store", "export", folder / "none/move.txt"});
  EXPECT_NE(nowhere.code, 0);
  EXPECT_EQ(nowhere.err.find("held"), std::string::npos) << nowhere.err;
  EXPECT_TRUE(runs_on_time("all"));
  EXPECT_NE(full_at("2").find("ballot store reopen"), std::string::npos);
  ASSERT_EQ(fleet["n1"].ballot({"store", "reopen", "--force"}).code, 0);
  EXPECT_TRUE(runs_on_time("all"));
}

#endif

}  // namespace
}  // namespace ballot::testing
