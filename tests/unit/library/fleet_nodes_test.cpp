// How the nodes of a fleet are shown, whatever the store and the nodes say of them.
#include "library/fleet_nodes.hpp"
#include "library/drift_text.hpp"
#include "library/refusal_text.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "library/remembered_peers.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

const WallTime now = *parse_wall("2026-11-26T07:00:00Z");

Candidate candidate(const std::string& node, Millis heard_ago, bool leads = false) {
  Candidate one;
  one.id = "s-" + node;
  one.node = node;
  one.host = node + ".example.org";
  one.version = "0.1.0";
  one.timeout = 10s;
  one.last_seen = now - heard_ago;
  one.leads = leads;
  return one;
}

/// Three nodes, of which n1 is asked; n2 leads `nightly` and `reports`.
struct Fleet : ::testing::Test {
  Fleet() {
    status.schedules = true;
    status.session = NodeStatus::Session::open;
    facts.elections = {{"nightly", 3, {candidate("n2", 1s, true), candidate("n1", 0s), candidate("n3", 1s)}},
                       {"reports", 1, {candidate("n2", 2s, true), candidate("n3", 1s)}}};
    facts.peers = {{"n2", "s-n2", "", now - 10min, true, false}, {"n3", "s-n3", "", now - 10min, true, false}};
  }
  FleetNode node(const std::string& name) const {
    for (FleetNode& one : fleet_nodes(facts))
      if (one.node == name) return std::move(one);
    return {};
  }
  std::string worst() const { return worst_state(fleet_nodes(facts)); }

  NodeStatus status;
  FleetFacts facts{now, "n1", status, {}, {}, {}};
};

TEST_F(Fleet, IsHealthyWhileAllAreHeardOf) {
  ASSERT_EQ(fleet_nodes(facts).size(), 3U);
  EXPECT_EQ(node("n1").state, "healthy");
  EXPECT_EQ(node("n2").state, "up");
  EXPECT_EQ(node("n2").leads, (Texts{"nightly", "reports"}));
  EXPECT_EQ(node("n2").last_heard, now - 1s) << "the last time, of all groups";
  EXPECT_EQ(node("n2").session_until, now + 9s) << "unless it is renewed";
  EXPECT_EQ(node("n2").version, "0.1.0");
  EXPECT_EQ(worst(), "healthy");
}

TEST_F(Fleet, ShowsALeaderThatDoesNotRenewItsSession) {
  for (Election& election : facts.elections) election.candidates[0].last_seen = now - 6s;
  EXPECT_EQ(node("n2").state, "silent");
  EXPECT_EQ(node("n2").leads, (Texts{"nightly", "reports"}));
  EXPECT_EQ(worst(), "degraded");
}

TEST_F(Fleet, ShowsANodeThatHasNoSessionAnyMoreAndWhenItWasHeardOf) {
  for (Election& election : facts.elections) election.candidates.erase(election.candidates.begin());
  EXPECT_EQ(node("n2").state, "gone");
  EXPECT_EQ(node("n2").last_heard, now - 10min);
  EXPECT_EQ(node("n2").leads, Texts{});
  EXPECT_EQ(worst(), "degraded");
  facts.peers[0].at = now - 5s;
  EXPECT_EQ(node("n2").state, "starting") << "it has just published what it is";
  EXPECT_EQ(worst(), "healthy");
  facts.peers[0].is_missed = true;
  EXPECT_EQ(node("n2").state, "gone");
}

/// What a node publishes may be months old when it dies.
TEST_F(Fleet, ShowsOfANodeThatIsGoneWhenItWasLastKnownToBeAlive) {
  const SteadyTime steady{1h};
  note_alive(facts.alive, facts.elections, facts.peers, now, steady);
  for (Election& election : facts.elections) election.candidates.erase(election.candidates.begin());
  facts.now = now + 30s;
  note_alive(facts.alive, facts.elections, facts.peers, facts.now, steady + 30s);
  EXPECT_EQ(node("n2").state, "gone");
  EXPECT_EQ(node("n2").last_heard, now - 1s) << "as the store said it the last time";
  EXPECT_EQ(node("n2").reasons, Texts{"it has no session: it is down, or cut off from the store"});
  facts.peers[0].alive = steady + 20s;
  note_alive(facts.alive, facts.elections, facts.peers, facts.now, steady + 30s);
  EXPECT_EQ(node("n2").last_heard, now + 20s) << "the daemon itself has observed it later";
  facts.peers.erase(facts.peers.begin());
  note_alive(facts.alive, facts.elections, facts.peers, facts.now, steady + 30s);
  EXPECT_EQ(facts.alive.count("s-n2"), 0U) << "it has left in a clean way";
}

TEST_F(Fleet, NamesThoseThatDoNotAnswerAndWhatWaitsForThem) {
  EXPECT_TRUE(shown_missing(fleet_nodes(facts)).empty());
  for (Election& election : facts.elections) election.candidates[0].last_seen = now - 6s;
  const auto missing = shown_missing(fleet_nodes(facts));
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(io::encode(missing.front()),
            R"({"heard_by":"election","last_heard":"2026-11-26T06:59:54.000Z","leads":["nightly","reports"],)"
            R"("node":"n2","state":"silent","why":"its session is not renewed; when it is over, the groups that the )"
            R"(node leads are led by others"})");
}

TEST_F(Fleet, SaysOfANodeWhatItPublishesToBeWrongWithIt) {
  facts.peers[0].troubles = {"config: 1 error in the job files", "ledger: the disk is full"};
  EXPECT_EQ(node("n2").state, "degraded");
  EXPECT_EQ(node("n2").reasons, (Texts{"config: 1 error in the job files", "ledger: the disk is full"}));
  EXPECT_EQ(why_unfit(node("n2")), "") << "it leads as before";
  EXPECT_EQ(worst(), "degraded");
}

TEST_F(Fleet, SaysOfANodeWhoseWritesTheStoreRefusesThatItStartsNothing) {
  const std::string refusal = refusal_text({now, "there is no space"});
  EXPECT_EQ(refusal, "the store refuses writes: there is no space, since 2026-11-26T07:00:00Z");
  facts.peers[0].troubles = {"config: 1 error in the job files", "backend: " + refusal};
  EXPECT_EQ(node("n2").state, "degraded");
  EXPECT_EQ(why_unfit(node("n2")), refusal);
}

/// Before its session is missed.
TEST_F(Fleet, SaysThatANodeWhoseSessionIsRenewedDoesNotAnswer) {
  facts.answers.unanswered = {{"n2", now - 2s}};
  EXPECT_EQ(node("n2").state, "degraded");
  ASSERT_EQ(node("n2").reasons.size(), 1U);
  EXPECT_EQ(node("n2").reasons[0].find("it has not answered a question of n1 by 2026-11-26T06:59:58Z: its daemon"), 0U)
      << node("n2").reasons[0];
}

TEST_F(Fleet, SaysThatANodeDoesNotTakeTheQuestionsOfTheOneThatIsAsked) {
  facts.answers.refused = {{"n2", "no token was shown"}};
  EXPECT_EQ(node("n2").state, "degraded");
  EXPECT_EQ(node("n2").reasons, Texts{"fleet: n1 cannot ask it: no token was shown"});
  EXPECT_EQ(worst(), "degraded");
}

/// Whoever asks for history is told the same.
TEST_F(Fleet, WasHeardOfWhenANodeAnsweredLastWhereThatIsNewer) {
  facts.answers.answered = {{"n2", now - 500ms}, {"n3", now - 1min}};
  EXPECT_EQ(node("n2").last_heard, now - 500ms);
  EXPECT_EQ(node("n2").heard_by, "answer");
  EXPECT_EQ(node("n3").last_heard, now - 1s);
  EXPECT_EQ(node("n3").heard_by, "election");
  for (Election& election : facts.elections) election.candidates.erase(election.candidates.begin());
  EXPECT_EQ(node("n2").state, "gone");
  EXPECT_EQ(node("n2").last_heard, now - 500ms);
  EXPECT_EQ(node("n2").reasons.size(), 1U) << "more is known than its record";
  facts.answers.answered.clear();
  EXPECT_EQ(node("n2").heard_by, "record");
}

TEST_F(Fleet, WasHeardOfAtTheSameTimeHoweverOftenTheClocksAreRead) {
  const SteadyTime steady{1h};
  facts.peers[0].alive = steady - 5s;
  note_alive(facts.alive, {}, facts.peers, now, steady);
  note_alive(facts.alive, {}, facts.peers, now + 7s + 1ms, steady + 7s);
  EXPECT_EQ(facts.alive.at("s-n2"), now - 5s);
}

TEST_F(Fleet, SaysWhereItKnowsNoMoreOfANodeThatIsGoneThanItsRecord) {
  for (Election& election : facts.elections) election.candidates.erase(election.candidates.begin());
  EXPECT_EQ(node("n2").last_heard, now - 10min);
  ASSERT_EQ(node("n2").reasons.size(), 2U);
  EXPECT_EQ(node("n2").reasons.back(),
            "last heard of: when it published its record, as far as n1 knows; it may have lived longer");
}

TEST_F(Fleet, ShowsANodeThatIsBackByItsNewSession) {
  facts.peers.push_back({"n2", "s-old", "", now - 20min, true, true});
  facts.peers.insert(facts.peers.begin(), {"n2", "s-older", "", now - 30min, true, true});
  EXPECT_EQ(node("n2").state, "up");
}

TEST_F(Fleet, NamesTheOddOneByMajorityAndTheJobAsFarAsItIsKnown) {
  facts.drifts = {{"nightly", {"n3"}, {"n3"}, {"backup"}}};
  EXPECT_EQ(node("n2").state, "up");
  EXPECT_EQ(node("n3").state, "degraded");
  EXPECT_EQ(node("n3").reasons,
            Texts{"drift: group nightly: its job files differ from most nodes' (as far as is known: backup)"});
  facts.drifts = {{"nightly", {}, {"n2", "n3"}, {}}};
  EXPECT_EQ(node("n2").reasons, Texts{"drift: group nightly: its job files differ from those of n1"}) << "no majority";
  facts.drifts = {{"nightly", {"n1"}, {"n2", "n3"}, {}}};
  EXPECT_EQ(node("n2").state, "up") << "it is this node that differs from the two others";
}

/// Nodes n1 and n2 have the same files, n3 has others: each is shown alike, whichever of them is asked.
TEST_F(Fleet, ShowsTheSameNodeAsTheOddOneWhoeverIsAsked) {
  facts.drifts = {{"nightly", {"n3"}, {"n3"}, {}, {"n2"}}};
  status.degraded = {"drift: group nightly: the job files of n3 differ from most nodes'"};
  EXPECT_EQ(node("n1").state, "healthy");
  EXPECT_EQ(node("n1").reasons, Texts{});
  EXPECT_EQ(node("n2").state, "up");
  EXPECT_EQ(node("n3").state, "degraded");
  EXPECT_EQ(worst(), "degraded");
  status.degraded.push_back("ledger: the disk is full");
  EXPECT_EQ(node("n1").state, "degraded");
  EXPECT_EQ(node("n1").reasons, Texts{"ledger: the disk is full"});
  facts.drifts = {{"nightly", {"n1"}, {"n2", "n3"}, {}, {}}};
  status.degraded = {"drift: group nightly: this node's job files differ from most nodes'"};
  EXPECT_EQ(node("n1").state, "degraded") << "it is the odd one";
  EXPECT_EQ(node("n3").state, "up");
}

TEST_F(Fleet, SaysInTheStatusOfANodeWhichNodeDiffers) {
  const core::DriftView of_n3{"nightly", {"n3"}, {"n3"}, {"backup"}, {"n2"}}, own{"nightly", {"n1"}, {"n2", "n3"}, {}};
  EXPECT_EQ(drift_of_status(of_n3, "n1"),
            "drift: group nightly: the job files of n3 differ from most nodes' (as far as is known: backup)");
  EXPECT_EQ(drift_of_status(own, "n1"), "drift: group nightly: this node's job files differ from most nodes'");
  EXPECT_EQ(drift_of_status({"nightly", {}, {"n2", "n3"}, {}}, "n1"),
            "drift: group nightly: this node's job files differ from those of n2, n3");
}

TEST_F(Fleet, ShowsAllAsDegradedWhereNoVersionOfTheFilesIsMostNodes) {
  facts.drifts = {{"nightly", {}, {"n3"}, {}, {"n2"}}};
  status.degraded = {"drift: group nightly: this node's job files differ from those of n3"};
  EXPECT_EQ(node("n1").state, "degraded");
  EXPECT_EQ(node("n2").reasons, Texts{"drift: group nightly: its job files differ from those of n3"});
  EXPECT_EQ(node("n3").reasons, Texts{"drift: group nightly: its job files differ from those of n1"});
}

TEST_F(Fleet, SaysWhatANodePublishesAgainstItself) {
  facts.peers[1].unfit = "clock_skew";
  EXPECT_EQ(node("n3").state, "degraded");
  EXPECT_EQ(node("n3").reasons, Texts{"unfit: clock_skew"});
}

/// Who is unfit leaves the elections, and publishes again and again that it lives.
TEST_F(Fleet, ShowsAnUnfitNodeThatTakesPartInNoElectionAsLongAsItPublishes) {
  const SteadyTime steady{1h};
  for (Election& election : facts.elections) election.candidates.pop_back();
  facts.peers[1].unfit = "its runner does not answer";
  for (const Millis published : {5s, 20s, 600s})
    for (const bool is_missed : {false, true}) {
      facts.peers[1].at = now - published;
      facts.peers[1].alive = steady - 2s;
      facts.peers[1].is_missed = is_missed;
      note_alive(facts.alive, facts.elections, facts.peers, now, steady);
      EXPECT_EQ(node("n3").state, "degraded");
      EXPECT_EQ(node("n3").reasons, Texts{"unfit: its runner does not answer"});
      EXPECT_EQ(worst(), "degraded");
    }
  facts.now = now + 50s;
  EXPECT_EQ(node("n3").state, "gone") << "it has died meanwhile";
}

TEST_F(Fleet, IsNotKnownWhereTheStoreDoesNotAnswer) {
  facts.elections.clear();
  EXPECT_EQ(node("n2").state, "unknown");
  EXPECT_EQ(node("n2").reasons, Texts{"the store does not answer"});
  EXPECT_EQ(worst(), "degraded");
  status.store_is_silent = true;
  status.store_heard = now - 20s;
  EXPECT_EQ(node("n2").reasons, Texts{"the store does not answer, since 2026-11-26T06:59:40Z"});
  status.schedules = false;
  EXPECT_EQ(worst(), "not scheduling") << "of this node it is known";
}

/// Without a session the core knows of no other node.
TEST_F(Fleet, IsShownInAnOutageAsItWasKnownLast) {
  RememberedPeers remembered;
  {
    std::vector<std::string> texts{"node-with-a-long-name-2", "session-with-a-long-name-2"};
    remembered.see({{texts[0], texts[1], "", now - 10min, true, false}}, true);
  }
  note_alive(facts.alive, {{"nightly", 3, {candidate("n2", 1s)}}}, facts.peers, now, SteadyTime{1h});
  remembered.see({}, false);
  ASSERT_EQ(remembered.peers().size(), 1U);
  EXPECT_EQ(remembered.peers()[0].node, "node-with-a-long-name-2");
  remembered.see(facts.peers, true);
  remembered.see({}, false);
  facts.elections.clear();
  facts.peers = remembered.peers();
  note_alive(facts.alive, {}, facts.peers, now + 30s, SteadyTime{1h + 30s});
  EXPECT_EQ(node("n2").state, "unknown");
  EXPECT_EQ(node("n2").last_heard, now - 1s);
  EXPECT_EQ(node("n2").heard_by, "election");
  EXPECT_EQ(node("n3").state, "unknown");
  remembered.see({}, true);
  EXPECT_TRUE(remembered.peers().empty()) << "they have withdrawn what they published";
}

TEST_F(Fleet, IsShownInPublicForm) {
  const io::Message message = shown(fleet_nodes(facts));
  ASSERT_EQ(message.objects("nodes").size(), 3U);
  EXPECT_EQ(message.objects("nodes")[1].text("last_heard"), "2026-11-26T06:59:59.000Z");
  EXPECT_EQ(message.objects("nodes")[1].texts("leads"), (Texts{"nightly", "reports"}));
  EXPECT_EQ(message.text("state"), "healthy");
}

}  // namespace
}  // namespace ballot::library
