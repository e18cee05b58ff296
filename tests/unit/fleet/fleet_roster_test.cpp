#include "library/history/fleet_roster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "library/history/roster_file.hpp"
#include "support/temp_folder.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

FleetRoster::Now at(Millis time) { return {WallTime(1000h) + time, SteadyTime(time)}; }

std::vector<std::string> texts(const FleetRoster& roster, Millis time) {
  std::vector<std::string> all;
  for (const FleetPeer& peer : roster.peers(at(time), "m"))
    all.push_back(peer.node + " " + peer.url + (peer.silent.empty() ? "" : " (" + peer.silent + ")"));
  return all;
}

using Texts = std::vector<std::string>;

TEST(FleetRoster, NodesThatPublishAreAskedUnlessTheyHaveNoApi) {
  FleetRoster roster;
  roster.see({{"b", "http://b:8780", at(0ms).wall}, {"c", "", at(0ms).wall}}, at(1s));
  const auto peers = roster.peers(at(1s), "m");
  ASSERT_EQ(peers.size(), 2u);
  EXPECT_EQ(peers[0].url, "http://b:8780");
  EXPECT_TRUE(peers[0].silent.empty());
  EXPECT_NE(peers[1].silent.find("no address of an API"), std::string::npos);
}

TEST(FleetRoster, ANodeOfAnotherMachineWhoseAddressIsThisOneIsNotAsked) {
  const auto silent = [](const std::string& url, const std::string& machine) {
    FleetRoster roster;
    core::Peers::Published published{"b", url, at(0ms).wall};
    published.machine = machine;
    roster.see({published}, at(1s));
    return !roster.peers(at(1s), "m").at(0).silent.empty();
  };
  for (const char* url : {"http://127.0.0.1:8780", "https://[::1]:8780/ballot", "http://localhost:8780"}) {
    EXPECT_TRUE(silent(url, "other")) << url;
    EXPECT_FALSE(silent(url, "m")) << url << ", of this machine";
    EXPECT_FALSE(silent(url, "")) << url << ", of a machine that is not known";
  }
  EXPECT_FALSE(silent("https://host-2:8780", "other"));
}

TEST(FleetRoster, ANodeThatPublishesNoMoreIsNamedForADay) {
  FleetRoster roster;
  roster.see({{"b", "http://b:8780", at(0ms).wall}}, at(1s));
  roster.see({}, at(2s));
  EXPECT_EQ(texts(roster, 3s), Texts{"b http://b:8780"}) << "a session that begins has not read all records yet";
  roster.see({}, at(7s));
  ASSERT_EQ(roster.peers(at(7s), "m").size(), 1u);
  EXPECT_NE(roster.peers(at(7s), "m").front().silent.find("gone from the store"), std::string::npos)
      << "it is not asked";
  roster.see({}, at(24h + 2s));
  EXPECT_EQ(texts(roster, 24h + 2s).size(), 1u);
  roster.see({}, at(24h + 3s));
  EXPECT_TRUE(roster.peers(at(24h + 3s), "m").empty());
}

TEST(FleetRoster, ANodeWasLastHeardOfWhenItAnsweredOrWasSeenAndElseWhenItPublished) {
  FleetRoster roster;
  const auto heard = [&](Millis time) {
    const FleetPeer peer = roster.peers(at(time), "m").at(0);
    return peer.heard_by + " " + std::to_string((*peer.last_heard - at(0ms).wall).count());
  };
  const core::Peers::Published published{"b", "http://b:8780", at(-2h).wall};
  roster.see({published}, at(1s));
  EXPECT_EQ(heard(1s), "record -7200000");
  core::Peers::Published alive = published;
  alive.alive = SteadyTime(4s);
  roster.see({alive}, at(5s));
  EXPECT_EQ(heard(5s), "election 4000");
  roster.on_answer("b", at(6s));
  roster.see({alive}, at(7s));
  EXPECT_EQ(heard(7s), "answer 6000") << "it was written long before";
  alive.alive = SteadyTime(9s);
  roster.see({alive}, at(9s));
  EXPECT_EQ(heard(9s), "election 9000");
}

const Error late{Errc::timeout, "it hangs"};

TEST(FleetRoster, ANodeThatRefusesQuestionsIsKnownUntilItAnswersOneOrPublishesAnew) {
  FleetRoster roster;
  roster.see({{"b", "http://b:8780", at(0ms).wall}}, at(1s));
  const auto refuse = [&](Millis when) {
    const Error refused{Errc::refused, "no token was shown"};
    roster.note("b", refused, refused, at(when));
    return roster.answers().refused;
  };
  EXPECT_EQ(refuse(2s), (decltype(Answers::refused){{"b", "no token was shown"}}));
  EXPECT_EQ(texts(roster, 2s), Texts{"b http://b:8780"}) << "it is asked again";
  roster.on_answer("b", at(3s));
  EXPECT_TRUE(roster.answers().refused.empty());
  refuse(4s);
  roster.see({{"b", "http://b:8780", at(5s).wall}}, at(6s));
  EXPECT_TRUE(roster.answers().refused.empty());
}

TEST(FleetRoster, ANodeThatDidNotAnswerInTimeIsAskedByNoQuestionUntilItHasAnsweredAProbe) {
  FleetRoster roster;
  roster.see({{"b", "http://b:8780", at(0ms).wall}}, at(1s));
  EXPECT_FALSE(roster.next_probe());
  roster.on_timeout("b", "it hangs", at(2s));
  EXPECT_EQ(texts(roster, 2s), Texts{"b http://b:8780 (it hangs)"});
  EXPECT_EQ(texts(roster, 2h), Texts{"b http://b:8780 (it hangs)"});
  EXPECT_EQ(roster.answers().unanswered, (AnswerTimes{{"b", at(2s).wall}}));
  roster.note_probe("b", std::string("{}"), at(7s));
  EXPECT_EQ(texts(roster, 7s), Texts{"b http://b:8780"});
  EXPECT_TRUE(roster.answers().unanswered.empty());
  EXPECT_EQ(roster.answers().answered, (AnswerTimes{{"b", at(7s).wall}}));
  EXPECT_FALSE(roster.next_probe());
}

TEST(FleetRoster, ANodeThatIsSilentIsProbedLessAndLessOften) {
  FleetRoster roster;
  roster.see({{"b", "http://b:8780", at(0ms).wall}}, at(1s));
  roster.on_timeout("b", "it hangs", at(0s));
  roster.on_timeout("b", "it hangs", at(4s));  // a question that was asked at the same time
  Millis now(0);
  for (const Millis pause : {5'000ms, 10'000ms, 20'000ms, 40'000ms, 40'000ms}) {
    now += pause;
    EXPECT_EQ(roster.next_probe(), at(now).steady);
    EXPECT_TRUE(roster.due_probes(at(now - 1ms)).empty());
    ASSERT_EQ(roster.due_probes(at(now)).size(), 1u) << now.count();
    EXPECT_EQ(roster.due_probes(at(now))[0].url, "http://b:8780");
    roster.note_probe("b", late, at(now));
  }
  roster.note_probe("b", Error{Errc::unavailable, "the connection is refused"}, at(now));
  EXPECT_EQ(texts(roster, now), Texts{"b http://b:8780"}) << "who is refused at once waits for nothing";
  roster.on_timeout("b", "it hangs", at(now));
  EXPECT_EQ(roster.next_probe(), at(now + 5s).steady) << "it had been back";
}

TEST(FleetRoster, ANodeThatWasSilentIsAskedAgainOnceItPublishesAnewAndNotProbedOnceItHasLeft) {
  FleetRoster roster;
  roster.see({{"b", "http://b:8780", at(0ms).wall}}, at(1s));
  roster.on_timeout("b", "it hangs", at(2s));
  FleetRoster left = roster;
  roster.see({{"b", "http://b:8780", at(0ms).wall}}, at(3s));
  EXPECT_EQ(texts(roster, 3s), Texts{"b http://b:8780 (it hangs)"});
  roster.see({{"b", "http://b:8780", at(3s).wall}}, at(4s));
  EXPECT_EQ(texts(roster, 4s), Texts{"b http://b:8780"}) << "its daemon has begun anew";
  left.see({}, at(3s));
  EXPECT_FALSE(left.next_probe());
}

TEST(FleetRoster, OnlyANodeWhoseTimeWasOverIsSilent) {
  const auto peers_after = [](const Result<std::string>& body, const Result<io::Message>& answer) {
    FleetRoster roster;
    roster.see({{"b", "http://b:8780", at(0ms).wall}}, at(1s));
    roster.note("b", body, answer, at(2s));
    return texts(roster, 3s);
  };
  const Error called_off{Errc::unavailable, "called off"};
  EXPECT_EQ(peers_after(called_off, called_off), Texts{"b http://b:8780"}) << "one asker has hung up";
  EXPECT_EQ(peers_after(std::string("{...}"), late), Texts{"b http://b:8780"}) << "it answers that it took too long";
  EXPECT_EQ(peers_after(late, late), Texts{"b http://b:8780 (it hangs)"});
}

TEST(FleetRoster, ANodeThatPublishesAgainIsAskedAgain) {
  FleetRoster roster;
  roster.see({{"b", "http://b:8780", at(0ms).wall}}, at(1s));
  roster.see({}, at(2s));
  roster.see({{"b", "http://b:8780", at(20s).wall}}, at(20s));
  EXPECT_EQ(texts(roster, 40s), Texts{"b http://b:8780"});
}

TEST(FleetRoster, KnowsAThousandNodesAndNamesTheRestAsOne) {
  const auto nodes = [](const std::string& prefix, int count) {
    std::vector<core::Peers::Published> published;
    for (int i = 0; i < count; ++i) published.push_back({prefix + std::to_string(i), "http://b:8780", at(0ms).wall});
    return published;
  };
  FleetRoster roster;
  roster.see(nodes("old-", 900), at(1s));
  roster.see(nodes("new-", 900), at(2s));
  EXPECT_EQ(roster.peers(at(2s), "m").size(), 1000u) << "those that have left make room";
  const auto is_new = [](const FleetPeer& peer) { return peer.node.starts_with("new-"); };
  const auto peers = roster.peers(at(2s), "m");
  EXPECT_EQ(std::count_if(peers.begin(), peers.end(), is_new), 900);
  roster.see(nodes("new-", 1003), at(3s));
  ASSERT_EQ(roster.peers(at(3s), "m").size(), 1001u);
  EXPECT_EQ(roster.peers(at(3s), "m").back().node, "3 more nodes");
  EXPECT_FALSE(roster.peers(at(3s), "m").back().silent.empty());
}

TEST(FleetRoster, ANodeWasHeardOfWhenItPublishedOrAnswered) {
  FleetRoster roster;
  roster.see({{"b", "http://b:8780", at(1s).wall}}, at(2s));
  EXPECT_EQ(roster.peers(at(2s), "m").front().last_heard, at(1s).wall);
  roster.on_answer("b", at(9s));
  roster.see({{"b", "http://b:8780", at(1s).wall}}, at(10s));
  EXPECT_EQ(roster.peers(at(10s), "m").front().last_heard, at(9s).wall);
}

/// A node that left while no daemon was there, and one that the daemon before saw leave.
TEST(FleetRoster, TheNextDaemonNamesNodesThatHaveLeftForADay) {
  FleetRoster before;
  before.see({{"b", "http://b:8780", at(0ms).wall}, {"c", "http://c:8780", at(0ms).wall}}, at(1s));
  before.on_answer("c", at(2s));
  before.see({{"b", "http://b:8780", at(0ms).wall}}, at(3s));
  FleetRoster next;
  next.recall(before.known());
  next.see({}, at(1h));
  const Texts named = texts(next, 1h + 6s);
  ASSERT_EQ(named.size(), 2U);
  for (const std::string& one : named)
    EXPECT_NE(one.find("its record is gone from the store"), std::string::npos) << one;
  EXPECT_EQ(next.peers(at(1h), "m").back().last_heard, at(2s).wall);
  next.see({}, at(24h + 4s));
  EXPECT_EQ(texts(next, 24h + 4s).size(), 1U) << "c left a day ago";
  next.see({}, at(25h + 1s));
  EXPECT_EQ(texts(next, 25h + 1s), Texts());
}

TEST(FleetRoster, ANodeOfTheDaemonBeforeThatStillPublishesIsAsked) {
  FleetRoster before;
  before.see({{"b", "http://b:8780", at(0ms).wall}}, at(1s));
  before.see({}, at(2s));
  FleetRoster next;
  next.recall(before.known());
  next.see({{"b", "http://b:8781", at(0ms).wall}}, at(1h));
  EXPECT_EQ(texts(next, 2h), Texts{"b http://b:8781"});
}

TEST(FleetRoster, ChangesWithTheNodesThatThereAreAndTheirAddresses) {
  FleetRoster roster;
  roster.see({{"b", "http://b:8780", at(0ms).wall}}, at(1s));
  const auto first = roster.changes();
  EXPECT_GT(first, 0U);
  roster.see({{"b", "http://b:8780", at(2s).wall}}, at(3s));
  EXPECT_EQ(roster.changes(), first) << "it has only published anew";
  roster.see({{"b", "http://b:8781", at(4s).wall}}, at(5s));
  const auto moved = roster.changes();
  EXPECT_GT(moved, first);
  roster.see({}, at(6s));
  EXPECT_GT(roster.changes(), moved);
}

TEST(RosterFile, HasAllThatTheNextDaemonIsToKnowAndIsItsUsersAlone) {
  const TempFolder folder;
  const std::string path = folder / "nodes";
  EXPECT_EQ(read_roster(path).error().code, Errc::not_found);
  FleetRoster roster;
  core::Peers::Published published{"b", "http://b:8780", at(0ms).wall};
  published.machine = "of b";
  roster.see({published, {"c", "", at(1s).wall}}, at(1s));
  roster.on_answer("b", at(2s));
  roster.see({{"c", "", at(1s).wall}}, at(3s));
  ASSERT_TRUE(write_roster(path, roster.known()));
  const auto read = read_roster(path);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, roster.known());
  std::filesystem::permissions(path, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  EXPECT_EQ(read_roster(path).error().code, Errc::refused);
  folder.write("nodes", "garbage");
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(read_roster(path).error().code, Errc::corrupt);
  EXPECT_EQ(write_roster(folder / "none/nodes", roster.known()).error().code, Errc::io);
}

}  // namespace
}  // namespace ballot::library
