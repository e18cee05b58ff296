// What commands say of jobs while the node that leads them is dead, and no other leads them yet.
#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "library/history/ledger_wire.hpp"
#include "storage/ledger.hpp"
#include "unit/app/answering_node.hpp"
#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::contains;
using testing::Ran;

/// A node whose daemon has a job that node host-2 leads, which is silent, and says nothing of any ledger.
struct NodeOfASilentLeader : ::testing::Test {
  NodeOfASilentLeader() {
    storage::Ledger({.path = node.ledger()}, {.now = [] { return io::read_clocks().wall; }})
        .record(testing::run_row(Status::succeeded));
  }
  static void answer(const io::Message& asked, const io::Reply& reply) {
    const std::string what = asked.text("do").value_or("");
    const io::Message job =
        io::Message().set("job", "nightly").set("group", "default").set("leader", "host-2").set("state", "active");
    if (what == "job") return reply.finish(job);
    if (what == "jobs") return reply.finish(io::Message().set("jobs", std::vector{job}));
    if (what != "nodes") return reply.fail({Errc::invalid, "it is older"});
    io::Message leader = io::Message().set("node", "host-2").set("state", "silent");
    reply.finish(io::Message().set("nodes", std::vector{leader.set("last_heard", "2025-03-09T08:00:00.000Z")}));
  }

  AnsweringNode node{"[job.nightly]\ncommand = [\"/bin/true\"]\n", answer};
};

TEST_F(NodeOfASilentLeader, JobsMarkItAndThatIsAll) {
  const Ran jobs = node.asked({"jobs"});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_TRUE(contains(jobs.out, "host-2 (silent)")) << jobs.out;
  EXPECT_FALSE(contains(jobs.err, "silent")) << jobs.err;
}

/// A node that leads its job, in a store that is full.
struct NodeOfAFullStore : ::testing::Test {
  static void answer(const io::Message& asked, const io::Reply& reply) {
    const std::string what = asked.text("do").value_or("");
    const io::Message job =
        io::Message().set("job", "nightly").set("group", "default").set("leader", "host-1").set("state", "active");
    if (what == "jobs") return reply.finish(io::Message().set("jobs", std::vector{job}));
    if (what != "nodes") return reply.fail({Errc::invalid, "it is older"});
    io::Message self = io::Message().set("node", "host-1").set("state", "degraded");
    self.set("reasons", std::vector<std::string>{"ledger: /l: full", "backend: " + std::string(refusal)});
    reply.finish(io::Message().set("nodes", std::vector{self}));
  }

  static constexpr const char* refusal = "the store refuses writes: no space, since 2025-03-09T07:00:02Z";
  AnsweringNode node{"[job.nightly]\ncommand = [\"/bin/true\"]\n", answer};
};

TEST_F(NodeOfAFullStore, JobsSayThatNothingIsStartedAndWhy) {
  const Ran jobs = node.asked({"jobs"});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_TRUE(contains(jobs.out, "active")) << "that is the job's state: " << jobs.out;
  EXPECT_EQ(jobs.err, "ballot jobs: node host-1 starts nothing at present: " + std::string(refusal) + "\n");
  const Ran json = node.asked({"jobs", "--format", "json"});
  EXPECT_TRUE(contains(json.out, R"({"unfit":"host-1","why":")" + std::string(refusal) + "\"}")) << json.out;
}

/// A node of a fleet, of whose job `nightly`, which host-2 leads, the nodes that answer say this.
struct NodeThatAsksTheLeader : ::testing::Test {
  AnsweringNode node_of(std::vector<io::Message> states, std::vector<io::Message> missing) const {
    const auto answer = [=](const io::Message& asked, const io::Reply& reply) {
      if (asked.text("do") != "ledger") return NodeOfASilentLeader::answer(asked, reply);
      io::Message says = io::Message().set("scope", std::string("fleet")).set("missing", missing);
      if (asked.text("ask") == "last_statuses")
        says.set("statuses", std::vector<std::string>{"succeeded"}).set("states", states);
      reply.finish(says.set("rows", std::vector<io::Message>()).set("sequence", std::int64_t{1}));
    };
    return {"[job.nightly]\ncommand = [\"/bin/true\"]\n", answer};
  }
  static io::Message says(const std::string& by, const std::string& state) {
    return io::Message().set("job", "nightly").set("node", by).set("state", state);
  }
};

TEST_F(NodeThatAsksTheLeader, HasTheStateThatItSays) {
  const AnsweringNode active = node_of({says("host-2", "active")}, {});
  EXPECT_TRUE(contains(active.asked({"jobs", "--format", "csv"}).out, ",succeeded,active,,,,,,,\n"));
  EXPECT_TRUE(contains(active.asked({"show", "nightly", "--format", "json"}).out, R"("state":"active")"));
  io::Message pause = io::Message().set("of", "job").set("by", "host-1 uid 0").set("reason", "disks");
  pause.set("until", std::int64_t{1'795'680'000'000});
  const AnsweringNode paused = node_of({says("host-2", "paused").set("pauses", std::vector{pause})}, {});
  EXPECT_TRUE(contains(paused.asked({"jobs", "--format", "csv"}).out,
                       ",succeeded,paused,2026-11-26T08:00:00.000Z,disks,,,,,\n"));
  EXPECT_TRUE(contains(paused.asked({"show", "nightly"}).out,
                       "state       paused, by host-1 uid 0, until 2026-11-26T08:00:00"));
  EXPECT_TRUE(contains(
      paused.asked({"jobs", "--format", "json"}).out,
      R"("paused_until":"2026-11-26T08:00:00.000Z","pause_reason":"disks","overdue_since":null,"slow":null,"after":[],"backfill_begun":null,"backfill_left":null})"));
}

TEST_F(NodeThatAsksTheLeader, KnowsNoStateOfOneThatIsSilent) {
  const AnsweringNode node = node_of({}, {io::Message().set("node", "host-2").set("why", "it is silent")});
  EXPECT_TRUE(contains(node.asked({"jobs", "--format", "csv"}).out, ",succeeded,,,,,,,,\n"));
  const Ran json = node.asked({"jobs", "--format", "json"});
  EXPECT_TRUE(contains(json.out, R"("state":null)") || !contains(json.out, R"("state")")) << json.out;
  EXPECT_TRUE(contains(node.asked({"show", "nightly", "--format", "json"}).out, R"("state":null)"));
  const Ran text = node.asked({"show", "nightly"});
  EXPECT_TRUE(contains(text.out, "state       not known: host-2, which leads it, has not answered")) << text.out;
}

TEST_F(NodeThatAsksTheLeader, HasWhatTheStoreShowsOfOneThatIsSilent) {
  const AnsweringNode node = node_of({says("", "halted").set("evidence", true).set("trouble", "it is unreadable")},
                                     {io::Message().set("node", "host-2").set("why", "it is silent")});
  EXPECT_TRUE(contains(node.asked({"jobs", "--format", "csv"}).out, ",succeeded,halted,,,,,,,\n"));
  const Ran text = node.asked({"show", "nightly"});
  EXPECT_TRUE(contains(text.out, "state       halted: it is unreadable")) << text.out;
}

/// A node of a fleet that has runs of host-2, which is silent, by the store's register alone.
struct NodeThatKnowsRunsByTheStore : ::testing::Test {
  static void answer(const io::Message& asked, const io::Reply& reply) {
    if (asked.text("do") != "ledger") return NodeOfASilentLeader::answer(asked, reply);
    const io::Message silent = io::Message().set("node", "host-2").set("why", "it is silent");
    io::Message says = io::Message().set("scope", std::string("fleet")).set("missing", std::vector{silent});
    std::vector<io::Message> rows;
    for (const char* job : {"a", "b", "c", "d", "e", "f", "nightly"}) rows.push_back(run_by_the_store(job));
    const bool are_asked = asked.text("ask") == "history";
    reply.finish(says.set("rows", are_asked ? rows : std::vector<io::Message>()).set("sequence", std::int64_t{1}));
  }
  /// The register has when it was started, and that it ended.
  static io::Message run_by_the_store(const std::string& job) {
    Row row = testing::run_row(Status::succeeded);
    row.job = job;
    row.node = "host-2";
    row.slot = row.started_at.emplace(io::read_clocks().wall - std::chrono::hours(1));
    return library::to_message(row).set("evidence", true);
  }

  AnsweringNode node{"[job.nightly]\ncommand = [\"/bin/true\"]\n", answer};
};

TEST_F(NodeThatKnowsRunsByTheStore, SlowNamesTheJobsWhoseRunsItDoesNotCompare) {
  const Ran slow = node.asked({"slow"});
  EXPECT_EQ(slow.code, 0) << slow.err;
  EXPECT_TRUE(contains(slow.err,
                       "ballot slow: runs of a, b, c, d, e and 2 more are not compared: only a node that does not "
                       "answer knows how long they took\n"))
      << slow.err;
  EXPECT_FALSE(contains(slow.out, "host-2")) << slow.out;
}

/// A node of whose jobs runs have grown slow; since when its daemon could not read.
struct NodeOfAJobThatHasGrownSlow : ::testing::Test {
  static void answer(const io::Message& asked, const io::Reply& reply) {
    if (asked.text("do") != "ledger") return NodeOfASilentLeader::answer(asked, reply);
    io::Message says = io::Message().set("scope", std::string("node")).set("missing", std::vector<io::Message>());
    if (asked.text("ask") == "usual_times") {
      library::UsualTime usual{library::UsualTime::Basis::week, Millis(1000), 40};
      if (asked.texts("jobs") != std::vector<std::string>{"nightly"}) return reply.fail({Errc::invalid, "of nightly"});
      usual.unread = {io::read_clocks().wall - std::chrono::hours(9), "the disk is slow"};
      return reply.finish(says.set("times", std::vector{library::to_message(usual)}));
    }
    std::vector<io::Message> rows;
    Row row = testing::run_row(Status::succeeded);
    row.slot = row.started_at.emplace(io::read_clocks().wall - std::chrono::hours(1));
    row.duration = Millis(60'000);
    if (asked.text("ask") == "history") rows.push_back(library::to_message(row));
    reply.finish(says.set("rows", std::move(rows)).set("sequence", std::int64_t{1}));
  }

  AnsweringNode node{"[job.nightly]\ncommand = [\"/bin/true\"]\n", answer};
};

TEST_F(NodeOfAJobThatHasGrownSlow, SlowNamesTheJobsWhoseFirstSlowRunCouldNotBeRead) {
  const Ran slow = node.asked({"slow"});
  EXPECT_EQ(slow.code, 0) << slow.err;
  EXPECT_TRUE(contains(slow.err,
                       "ballot slow: since when the runs of nightly are slow could not be read: they are held against "
                       "runs that are known to be older\n"))
      << slow.err;
}

/// A node of a job that runs on each; of host-2, which is gone, its daemon knows when it was last heard of.
struct NodeOfAnInstanceThatIsAway : ::testing::Test {
  static void answer(const io::Message& asked, const io::Reply& reply) {
    const std::string what = asked.text("do").value_or("");
    if (what == "job") return reply.fail({Errc::not_found, "the daemon has no job " + asked.text("job").value_or("")});
    if (what == "jobs") return reply.finish(io::Message().set("jobs", std::vector<io::Message>()));
    if (what != "nodes") return reply.fail({Errc::invalid, "it is older"});
    io::Message node = io::Message().set("node", "host-2").set("state", "gone");
    node.set("last_heard", "2025-03-09T08:00:00.000Z").set("reasons", std::vector<std::string>{"it has no session"});
    const io::Message living = io::Message().set("node", "host-3").set("state", "up");
    reply.finish(io::Message().set("nodes", std::vector{node, living}));
  }

  AnsweringNode node{
      "[job.trim]\nrun_on = \"each\"\ncommand = [\"/bin/true\"]\nschedule = \"0 3 * * *\"\ntimezone = "
      "\"Europe/Paris\"\n",
      answer};
};

constexpr const char* away = "node host-2 has not answered (last heard of at 2025-03-09T08:00:00Z): it has no session";

TEST_F(NodeOfAnInstanceThatIsAway, JobsSayWhatIsKnownOfItHere) {
  const Ran jobs = node.asked({"jobs", "trim@host-2", "--format", "csv"});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_TRUE(contains(jobs.out, "trim@host-2,default@host-2,,20")) << jobs.out;
  EXPECT_TRUE(contains(jobs.err, away)) << jobs.err;
}

TEST_F(NodeOfAnInstanceThatIsAway, ShowsItsDefinitionAndSlotsAndThatItsStateIsNotKnown) {
  const Ran show = node.asked({"show", "trim@host-2"});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_TRUE(contains(show.out, "job         trim@host-2")) << show.out;
  EXPECT_TRUE(contains(show.out, "state       not known: " + std::string(away))) << show.out;
  EXPECT_TRUE(contains(show.out, "T03:00:00")) << show.out;
  EXPECT_TRUE(contains(show.out, "[job.trim]")) << show.out;
  EXPECT_TRUE(contains(show.err, away)) << show.err;
  const Ran json = node.asked({"show", "trim@host-2", "--format", "json"});
  EXPECT_TRUE(contains(json.out, R"("missing":[{"node":"host-2","last_heard":"2025-03-09T08:00:00.000Z")")) << json.out;
}

TEST_F(NodeOfAnInstanceThatIsAway, OfANodeThatAnswersThatNodeIsToBeAsked) {
  for (const char* command : {"jobs", "show"}) {
    const Ran ran = node.asked({command, "trim@host-3"});
    EXPECT_EQ(ran.code, 3) << ran.out;
    EXPECT_TRUE(contains(ran.err, "trim@host-3 is the instance of node host-3: ask there")) << ran.err;
  }
}

TEST_F(NodeOfAnInstanceThatIsAway, OfANodeThatThereIsNotItIsSaidSo) {
  for (const char* command : {"jobs", "show"}) {
    const Ran ran = node.asked({command, "trim@host-4"});
    EXPECT_EQ(ran.code, 3) << ran.out;
    EXPECT_TRUE(contains(ran.err, "no node host-4 is in the fleet that this node knows, so nobody runs trim@host-4"))
        << ran.err;
    EXPECT_FALSE(contains(ran.err, "ask there")) << ran.err;
  }
}

/// A node whose daemon says what is to come, of a fleet of which a node is gone.
struct NodeThatKnowsWhatIsNext : ::testing::Test {
  static void answer(const io::Message& asked, const io::Reply& reply) {
    if (asked.text("do") != "next") return reply.fail({Errc::invalid, "it is older"});
    io::Message slot = io::Message().set("slot", "2025-03-09T07:00:00Z").set("job", "nightly").set("group", "default");
    io::Message waits = io::Message().set("job", "again").set("group", "default").set("run_id", testing::run.text());
    waits.set("slot", "2025-03-09T06:00:00Z").set("attempt", std::int64_t{2});
    waits.set("starts_at", "2025-03-09T06:10:00.000Z");
    io::Message gone = io::Message().set("node", "host-2").set("state", "gone").set("why", "it has no session");
    gone.set("last_heard", "2025-03-09T06:00:00.000Z").set("heard_by", "election");
    gone.set("becomes", "Nobody else runs its instances");
    io::Message of_gone = io::Message().set("slot", "2025-03-09T07:00:01Z").set("job", "trim@host-2");
    of_gone.set("group", "default@host-2").set("node", "host-2").set("node_state", "gone");
    reply.send(io::Message().set("slots", std::vector{slot.set("node", "host-1"), of_gone}));
    io::Message last = io::Message().set("slots", std::vector<io::Message>()).set("left_out", false);
    last.set("attempts", std::vector{waits}).set("missing", std::vector{gone});
    const io::Message unfit = io::Message().set("node", "host-3").set("why", "its runner does not answer");
    last.set("unfit", std::vector{unfit});
    reply.finish(last.set("unknown", std::vector<std::string>{"ev"}).set("states_are_known", false));
  }

  AnsweringNode node{"[job.nightly]\ncommand = [\"/bin/true\"]\n", answer};
};

/// It asks no store, and no other question.
TEST_F(NodeThatKnowsWhatIsNext, NextPrintsWhatItsDaemonAnswers) {
  const Ran next = node.asked({"next"});
  EXPECT_EQ(next.code, 0) << next.err;
  EXPECT_TRUE(contains(next.out, "2025-03-09T07:00:00Z") && contains(next.out, "nightly")) << next.out;
  EXPECT_TRUE(contains(next.err, "waits for attempt 2, which starts at 2025-03-09T06:10:00Z")) << next.err;
  EXPECT_TRUE(contains(next.err,
                       "node host-2 has not answered (it was last seen in an election at "
                       "2025-03-09T06:00:00Z): it has no session. Nobody else runs its instances"))
      << next.err;
  EXPECT_TRUE(contains(next.err, "ev has an @every")) << next.err;
  EXPECT_TRUE(contains(next.err, "the store does not answer")) << next.err;
  const Ran json = node.asked({"next", "--format", "json"});
  EXPECT_TRUE(contains(json.out, R"("attempt":2,"starts_at":"2025-03-09T06:10:00.000Z")")) << json.out;
  EXPECT_TRUE(contains(json.out, R"("missing":"host-2")")) << json.out;
}

TEST_F(NodeThatKnowsWhatIsNext, NextSaysInEachFormatWhatBecomesOfSlotsOfANodeThatStartsNothing) {
  const Ran table = node.asked({"next"});
  EXPECT_TRUE(contains(table.out, "host-2 (gone)")) << table.out;
  EXPECT_TRUE(contains(table.err, "node host-3 starts nothing at present: its runner does not answer")) << table.err;
  const Ran json = node.asked({"next", "--format", "json"});
  for (const char* said : {R"("job":"nightly","group":"default","node":"host-1","node_state":null)",
                           R"("node":"host-2","node_state":"gone")", R"("becomes":"Nobody else runs its instances")",
                           R"({"unfit":"host-3","why":"its runner does not answer"})"})
    EXPECT_TRUE(contains(json.out, said)) << said << ":\n" << json.out;
  const Ran csv = node.asked({"next", "--format", "csv"});
  EXPECT_TRUE(contains(csv.out, "slot,job,group,node,node_state,after\n")) << csv.out;
  EXPECT_TRUE(contains(csv.out, ",host-1,,\n") && contains(csv.out, ",host-2,gone,\n")) << csv.out;
}

}  // namespace
}  // namespace ballot::app
