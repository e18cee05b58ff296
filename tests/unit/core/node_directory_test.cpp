#include "core/node/node_directory.hpp"

#include <gtest/gtest.h>

namespace ballot::core {
namespace {

using namespace std::chrono_literals;

/// Node n1 in its session s1.
struct DirectoryOfANode : ::testing::Test {
  using Names = std::vector<std::string>;
  NodeDirectory directory{"n1", {"machine", "boot", "/run/n1"}};
  Random random{1};
  const NodeDirectory::Groups groups{{{"a", 17}, {"b", 18}}};

  void SetUp() override { directory.on_opened("s1"); }
  static WallTime wall(Millis t) { return WallTime(1000h + t); }
  static SteadyTime steady(Millis t) { return SteadyTime(t); }
  static Now at(Millis t) { return {wall(t), steady(t)}; }

  StoreClient::RecordOp record(Millis t, const NodeDirectory::Groups& of) {
    return directory.node_record(wall(t), of, random);
  }
  /// Everything is published and answered at once. Returns what was created and what was removed.
  std::pair<Names, Names> publish(Millis t, const NodeDirectory::Groups& of, const std::string& unfit = "") {
    std::pair<Names, Names> done;
    EXPECT_TRUE(directory.begin_publishing(steady(t), unfit));
    const auto recording = record(t, of);
    for (const auto& one : recording.records) done.first.push_back(one.name);
    if (const auto removal = directory.on_published(recording)) {
      done.second = removal->removals;
      EXPECT_FALSE(directory.on_published(*removal));
    }
    return done;
  }
  static Register listed(const NodeRecord& record, const std::string& name) {
    return {name, to_texts(record).at(0), 1};
  }
  static NodeRecord of(const std::string& node, const std::string& session, Millis t = 0ms) {
    return {node, session, "", wall(t), {{"a", 17}}, {"machine", "boot", "/run/" + node}};
  }
};

TEST_F(DirectoryOfANode, PublishesWhatThisNodeIsOnce) {
  ASSERT_TRUE(directory.begin_publishing(steady(5s), "its clock is wrong"));
  const auto recording = record(5s, groups);
  EXPECT_TRUE(recording.of_self);
  EXPECT_TRUE(recording.obsolete.empty());
  ASSERT_EQ(recording.records.size(), 1u);
  EXPECT_TRUE(recording.records[0].name.starts_with("n/n1."));
  EXPECT_EQ(directory.records(), Names{recording.records[0].name});
  const auto read = parse_node_record(recording.records[0].value);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->node, "n1");
  EXPECT_EQ(read->session, "s1");
  EXPECT_EQ(read->unfit, "its clock is wrong");
  EXPECT_EQ(read->at, wall(5s));
  EXPECT_EQ(read->groups, groups.digests);
  EXPECT_EQ(read->runner.socket, "/run/n1");
  EXPECT_EQ(directory.steady_since(), steady(5s));
  EXPECT_FALSE(directory.on_published(recording)) << "there is nothing old";
  EXPECT_FALSE(directory.begin_publishing(steady(6s), "its clock is wrong"));
  EXPECT_EQ(directory.steady_since(), steady(5s));
}

TEST_F(DirectoryOfANode, CreatesWhatIsNewBeforeItRemovesWhatIsOld) {
  const auto [first, none] = publish(1s, groups);
  directory.on_changed();
  ASSERT_TRUE(directory.begin_publishing(steady(9s), ""));
  EXPECT_EQ(directory.steady_since(), steady(9s));
  const auto recording = record(9s, {{{"a", 17}, {"b", 19}}});
  ASSERT_EQ(recording.records.size(), 1u);
  EXPECT_NE(recording.records[0].name, first.at(0));
  EXPECT_TRUE(recording.removals.empty());
  const auto removal = directory.on_published(recording);
  ASSERT_TRUE(removal);
  EXPECT_TRUE(removal->of_self);
  EXPECT_TRUE(removal->records.empty());
  EXPECT_EQ(removal->removals, first);
  EXPECT_EQ(directory.records(), Names{recording.records[0].name});
}

TEST_F(DirectoryOfANode, PublishesAgainWhatHasChangedWhileItWasPublishing) {
  publish(1s, groups);
  directory.on_changed();
  ASSERT_TRUE(directory.begin_publishing(steady(2s), ""));
  const auto recording = record(2s, {{{"a", 20}}});
  directory.on_changed();
  EXPECT_FALSE(directory.begin_publishing(steady(3s), "")) << "records are being created";
  const auto removal = directory.on_published(recording);
  ASSERT_TRUE(removal);
  EXPECT_FALSE(directory.begin_publishing(steady(3s), "")) << "old ones are being removed";
  EXPECT_FALSE(directory.on_published(*removal));
  EXPECT_TRUE(directory.begin_publishing(steady(3s), ""));
}

TEST_F(DirectoryOfANode, PublishesAnotherUnfitnessAlsoWhereItChangedWhileItWasPublishing) {
  ASSERT_TRUE(directory.begin_publishing(steady(1s), ""));
  const auto recording = record(1s, groups);
  EXPECT_FALSE(directory.begin_publishing(steady(2s), "its runner is gone"));
  directory.on_published(recording);
  const auto [created, removed] = publish(3s, groups, "its runner is gone");
  EXPECT_EQ(created.size(), 1u);
  EXPECT_EQ(removed.size(), 1u);
  EXPECT_FALSE(directory.begin_publishing(steady(4s), "its runner is gone"));
  EXPECT_TRUE(directory.begin_publishing(steady(4s), ""));
}

TEST_F(DirectoryOfANode, PublishesWhatIsWrongWithItAndIsHandedGroupsAsBefore) {
  const auto [first, none] = publish(1s, groups);
  directory.set_troubles({"config: 1 error"});
  const auto [created, removed] = publish(60s, groups);
  EXPECT_EQ(created.size(), 1u);
  EXPECT_EQ(removed, first);
  EXPECT_EQ(directory.steady_since(), steady(1s)) << "nobody waits to hand it a group";
  directory.set_troubles({"config: 1 error"});
  EXPECT_FALSE(directory.begin_publishing(steady(61s), "")) << "it has said so";
  directory.set_troubles({});
  EXPECT_EQ(publish(62s, groups).second, created);
}

TEST_F(DirectoryOfANode, KnowsWhatIsWrongWithOthersByTheirNewestRecords) {
  NodeRecord before = of("n2", "s2", 1s), now = of("n2", "s2", 9s);
  before.troubles = {"config: 1 error"};
  now.troubles = {"ledger: the disk is full"};
  for (const auto& records : {std::pair("n/n2.1", "n/n2.2"), std::pair("n/n2.2", "n/n2.1")}) {
    directory.learn(at(10s), {listed(before, records.first), listed(now, records.second)});
    EXPECT_EQ(directory.peers().all().at("s2").troubles, Names{"ledger: the disk is full"});
    directory.learn(at(10s), {listed(now, records.second), listed(before, records.first)});
    EXPECT_EQ(directory.peers().all().at("s2").troubles, Names{"ledger: the disk is full"});
  }
}

TEST_F(DirectoryOfANode, ShortensWhatIsWrongWithItToWhatARecordHolds) {
  NodeRecord record = of("n2", "s2");
  for (int i = 0; i < 100; ++i) record.troubles.push_back("config: " + std::string(5000, 'x') + "\xc3\xa4");
  const auto texts = to_texts(record);
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_LT(texts[0].size(), 4096u);
  const auto read = parse_node_record(texts[0]);
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_FALSE(read->troubles.empty());
  EXPECT_TRUE(read->troubles[0].ends_with("xxx..."));
}

/// Who leaves the elections shows by that it lives.
TEST_F(DirectoryOfANode, PublishesTheSameAgainAndAgainWhileItIsUnfit) {
  const std::string unfit = "its runner does not answer";
  const auto [first, none] = publish(1s, groups, unfit);
  EXPECT_EQ(directory.renew_at(), steady(11s));
  EXPECT_FALSE(directory.begin_publishing(steady(10s), unfit));
  const auto [again, removed] = publish(11s, groups, unfit);
  EXPECT_EQ(again.size(), 1u);
  EXPECT_EQ(removed, first);
  EXPECT_EQ(directory.steady_since(), steady(1s)) << "it says nothing new";
  EXPECT_EQ(publish(15s, groups, "").second, again);
}

TEST_F(DirectoryOfANode, KnowsThatANodeLivesWhichPublishesTheSameAgain) {
  NodeRecord unfit = of("n2", "s2", 1s);
  unfit.unfit = "its runner does not answer";
  directory.learn(at(2s), {listed(unfit, "n/n2.1")});
  EXPECT_FALSE(directory.peers().all().at("s2").alive);
  unfit.at = wall(11s);
  directory.learn(at(12s), {listed(unfit, "n/n2.2")});
  EXPECT_EQ(directory.peers().all().at("s2").alive, steady(12s));
}

TEST_F(DirectoryOfANode, CreatesNothingWhereItSaysTheSameAsBefore) {
  const auto [first, none] = publish(1s, groups);
  directory.on_changed();
  EXPECT_EQ(publish(9s, groups), (std::pair<Names, Names>{}));
  EXPECT_EQ(directory.records(), first);
  EXPECT_FALSE(directory.begin_publishing(steady(9s), "")) << "it is current";
}

TEST_F(DirectoryOfANode, PublishesWhyItMayNotLeadAGroup) {
  const auto recording = record(1s, {{{"a", 17}}, {{"a", "check 'db' is critical"}, {"b", "maintenance"}}});
  ASSERT_EQ(recording.records.size(), 1u);
  const auto read = parse_node_record(recording.records[0].value);
  ASSERT_TRUE(read);
  const std::vector<std::pair<std::string, std::string>> unfit{{"a", "check 'db' is critical"}, {"b", "maintenance"}};
  EXPECT_EQ(read->unfit_groups, unfit);
}

TEST_F(DirectoryOfANode, CreatesOfManyRecordsOnlyThoseAnewThatSaySomethingElse) {
  NodeDirectory::Groups many;
  for (int i = 100; i < 400; ++i) many.digests.emplace_back(std::string(40, 'g') + std::to_string(i), 1);
  const auto [first, none] = publish(1s, many);
  ASSERT_GT(first.size(), 2u);
  many.digests.back().second = 17;
  directory.on_changed();
  const auto [created, removed] = publish(2s, many);
  EXPECT_EQ(created.size(), 1u);
  EXPECT_EQ(removed, Names{first.back()});
  EXPECT_EQ(directory.records().size(), first.size());
}

TEST_F(DirectoryOfANode, HasPublishedNothingAndKnowsNobodyOnceTheSessionIsOver) {
  const auto [first, none] = publish(1s, groups);
  directory.learn(at(2s), {listed(of("n2", "s2"), "n/n2.1")});
  directory.runners_of({"n3"}, "machine", "boot");
  directory.on_changed();
  ASSERT_TRUE(directory.begin_publishing(steady(3s), ""));
  directory.on_lost();
  EXPECT_TRUE(directory.records().empty());
  EXPECT_TRUE(directory.peers().empty());
  EXPECT_FALSE(directory.compare_at());
  directory.on_opened("s9");
  const auto [created, removed] = publish(4s, groups);
  EXPECT_EQ(created.size(), 1u) << "what was under way is never answered";
  EXPECT_TRUE(removed.empty()) << "what is listed shows that they are old";
  directory.learn(at(5s), {listed(of("n3", "s3"), "n/n3.1")});
  EXPECT_TRUE(directory.runners_of({}, "machine", "boot").empty()) << "nor is it asked of runs any more";
}

TEST_F(DirectoryOfANode, FindsItsOwnRecordsOfSessionsBeforeAndKeepsThoseOfThisOne) {
  const auto [mine, none] = publish(1s, groups);
  const Register current = listed(of("n1", "s1"), mine.at(0)), left = listed(of("n1", "s0"), "n/n1.0");
  EXPECT_EQ(directory.learn(at(2s), {left, current, listed(of("n2", "s2"), "n/n2.1"), {"n/n1.9", "?", 1}}),
            Names{"n/n1.0"});
}

TEST_F(DirectoryOfANode, CallsNothingOldWhileItIsNotCurrent) {
  const std::vector<Register> left{listed(of("n1", "s0"), "n/n1.0")};
  EXPECT_TRUE(directory.learn(at(1s), left).empty()) << "outdated";
  ASSERT_TRUE(directory.begin_publishing(steady(1s), ""));
  const auto recording = record(1s, groups);
  EXPECT_TRUE(directory.learn(at(1s), left).empty()) << "publishing";
  directory.on_published(recording);
  EXPECT_EQ(directory.learn(at(1s), left), Names{"n/n1.0"});
}

TEST_F(DirectoryOfANode, CallsOldWhatANodeThatIsGoneLeftADayAgo) {
  publish(1s, groups);
  const std::vector<Register> left{listed(of("n2", "s2"), "n/n2.1")};
  Group settings;
  settings.name = "a";
  EXPECT_TRUE(directory.learn(at(24h), left).empty()) << "it is not known to be gone";
  directory.see(at(24h + 59s), settings, {"a", 1, {}});
  EXPECT_TRUE(directory.learn(at(24h), left).empty()) << "it may have just begun";
  directory.see(at(24h + 60s), settings, {"a", 1, {}});
  EXPECT_TRUE(directory.learn(at(24h - 1ms), left).empty());
  EXPECT_EQ(directory.learn(at(24h), left), Names{"n/n2.1"});
}

TEST_F(DirectoryOfANode, LeavesTheRecordsOfANodeThatIsMissedInOneElectionAndTakesPartInAnother) {
  publish(1s, groups);
  const std::vector<Register> listed_now{listed(of("n2", "s2"), "n/n2.1")};
  Group settings;
  settings.name = "a";
  Candidate candidate;
  candidate.id = "s2";
  directory.learn(at(1s), listed_now);
  directory.hear(at(24h), {"b", 1, {candidate}});
  directory.see(at(24h + 1s), settings, {"a", 1, {}});
  EXPECT_TRUE(directory.learn(at(24h + 1s), listed_now).empty()) << "its operator has evicted it there";
  EXPECT_EQ(directory.learn(at(48h), listed_now), Names{"n/n2.1"}) << "not heard of for a day";
}

TEST_F(DirectoryOfANode, DoesNotTakeANodeForGoneThatIsUnfitForTheElectionInWhichItIsMissed) {
  publish(1s, groups);
  NodeRecord unfit = of("n2", "s2");
  unfit.unfit_groups = {{"a", "check 'db' is critical"}};
  const std::vector<Register> left{listed(unfit, "n/n2.1")};
  Group settings;
  settings.name = "a";
  directory.learn(at(24h), left);
  directory.see(at(25h), settings, {"a", 1, {}});
  EXPECT_TRUE(directory.learn(at(24h), left).empty());
  settings.name = "b";
  directory.see(at(25h), settings, {"b", 1, {}});
  EXPECT_EQ(directory.learn(at(24h), left), Names{"n/n2.1"});
}

TEST_F(DirectoryOfANode, PublishesByWhichUrlOtherNodesAskItAndKnowsTheirs) {
  NodeDirectory asked{"n1", {}, "https://host-1:8780/ballot"};
  asked.on_opened("s1");
  ASSERT_TRUE(asked.begin_publishing(steady(1s), ""));
  const auto recording = asked.node_record(wall(1s), groups, random);
  const auto read = parse_node_record(recording.records.at(0).value);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->api, "https://host-1:8780/ballot");
  NodeRecord before = of("n2", "s2", 1s), now = of("n2", "s3", 2s), older = of("n3", "s4", 3s);
  before.api = "http://10.0.0.2:8780", now.api = "http://10.0.0.2:8781";
  directory.learn(at(3s), {listed(now, "n/n2.2"), listed(before, "n/n2.1"), listed(older, "n/n3.1")});
  const auto known = directory.peers().published();
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[0].node + " " + known[0].api, "n2 http://10.0.0.2:8781");
  EXPECT_EQ(known[0].at, wall(2s));
  EXPECT_EQ(known[1].node + " " + known[1].api, "n3 ") << "a node of before this was published";
}

TEST_F(DirectoryOfANode, KnowsWhenANodeWasLastSeenInAnElectionWhateverItPublishesAfter) {
  Group settings;
  settings.name = "a";
  Candidate candidate;
  candidate.id = "s2";
  directory.learn(at(1s), {listed(of("n2", "s2", 1s), "n/n2.1")});
  EXPECT_EQ(directory.peers().published().at(0).alive, std::nullopt);
  directory.see(at(2s), settings, {"a", 1, {candidate}});
  directory.see(at(40s), settings, {"a", 1, {}});
  EXPECT_EQ(directory.peers().published().at(0).alive, steady(2s)) << "it is gone since";
  candidate.last_seen = wall(5s);
  directory.see(at(14s), settings, {"a", 1, {candidate}});
  EXPECT_EQ(directory.peers().published().at(0).alive, steady(5s)) << "its session is not over, and was not renewed";
  candidate.last_seen = wall(2s);
  directory.see(at(15s), settings, {"a", 1, {candidate}});
  EXPECT_EQ(directory.peers().published().at(0).alive, steady(5s)) << "as far as it was known";
  NodeRecord unfit = of("n2", "s2", 3s);
  unfit.unfit = "its disk is full";
  directory.learn(at(41s), {listed(unfit, "n/n2.2")});
  EXPECT_EQ(directory.peers().published().at(0).alive, steady(5s));
}

TEST_F(DirectoryOfANode, HandsNothingToANodeThatIsUnfitForTheGroup) {
  publish(1s, groups);
  NodeRecord preferred = of("n2", "s2");
  Group settings;
  settings.name = "a";
  settings.preferred = {"n2"};
  directory.learn(at(1s), {listed(preferred, "n/n2.1")});
  EXPECT_EQ(directory.best(steady(1min), settings, 17, false).node, "n2");
  preferred.unfit_groups = {{"a", "check 'db' is critical"}};
  directory.learn(at(1min), {listed(preferred, "n/n2.2")});
  EXPECT_EQ(directory.best(steady(2min), settings, 17, false).node, "n1");
  EXPECT_EQ(directory.best(steady(2min), settings, 17, false).again, std::nullopt);
}

TEST_F(DirectoryOfANode, ComparesFilesFiveSecondsAfterAnybodyToldSomethingElse) {
  publish(1s, groups);
  EXPECT_EQ(directory.compare_at(), steady(6s)) << "this node did";
  directory.begin_compare();
  EXPECT_FALSE(directory.compare_at());
  directory.learn(at(10s), {listed(of("n2", "s2"), "n/n2.1")});
  EXPECT_EQ(directory.compare_at(), steady(15s));
  directory.learn(at(12s), {});
  EXPECT_EQ(directory.compare_at(), steady(15s)) << "the sooner";
  directory.begin_compare();
  directory.learn(at(13s), {});
  EXPECT_FALSE(directory.compare_at()) << "it is no news";
}

TEST_F(DirectoryOfANode, ComparesFilesAtOnceWhereAnElectionShowsWhoLives) {
  Group settings;
  settings.name = "a";
  publish(1s, groups);
  directory.learn(at(2s), {listed(of("n2", "s2"), "n/n2.1")});
  Election election{"a", 1, {{}}};
  election.candidates[0].id = "s2";
  directory.see(at(3s), settings, election);
  EXPECT_EQ(directory.compare_at(), steady(3s));
  directory.begin_compare();
  directory.see(at(4s), settings, election);
  EXPECT_FALSE(directory.compare_at()) << "it is no news";
}

TEST_F(DirectoryOfANode, WhoseFilesDifferIsLookedForAgainWhereItWasMissed) {
  constexpr std::uint64_t own = 17, others = 18;
  Group settings;
  settings.name = "a";
  publish(1s, groups);
  NodeRecord differs = of("n2", "s2");
  differs.groups = {{"a", others}};
  directory.learn(at(10s), {listed(differs, "n/n2.1")});
  const auto unsure_from = [&] { return directory.peers().unsure_from(settings, own); };
  directory.see(at(15s), settings, {"a", 1, {}});
  EXPECT_EQ(unsure_from(), SteadyTime{}) << "it has just begun";
  directory.see(at(75s), settings, {"a", 1, {}});
  EXPECT_EQ(unsure_from(), steady(375s)) << "it is gone, or was missed";
  Election election{"a", 1, {{}}};
  election.candidates[0].id = "s2";
  directory.see(at(375s), settings, election);
  EXPECT_EQ(unsure_from(), steady(435s));
  EXPECT_EQ(directory.peers().differing(settings, own), Names{"n2"});
  EXPECT_EQ(directory.peers().unsure_from(settings, others), std::nullopt);
}

TEST_F(DirectoryOfANode, TellsWhoShouldLeadAGroupInItsPlace) {
  Group settings;
  settings.name = "a";
  settings.preferred = {"n2", "n1"};
  publish(1s, groups);
  directory.learn(at(10s), {listed(of("n2", "s2"), "n/n2.1")});
  EXPECT_EQ(directory.best(steady(10s), settings, 17, false).again, steady(40s));
  EXPECT_EQ(directory.best(steady(40s), settings, 17, false).session, "s2");
  EXPECT_EQ(directory.best(steady(40s), settings, 18, false).session, "") << "its files differ";
  settings.preferred = {"n1", "n2"};
  EXPECT_EQ(directory.best(steady(40s), settings, 17, false).session, "");
}

TEST_F(DirectoryOfANode, AsksTheRunnersOfThisHostOnceEach) {
  directory.learn(at(1s), {listed(of("n2", "s2"), "n/n2.1"), listed(of("n3", "s3"), "n/n3.1")});
  const auto asked = directory.runners_of({"n3", "n2"}, "machine", "boot");
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].first, "n2");
  EXPECT_EQ(asked[0].second.socket, "/run/n2");
  EXPECT_EQ(asked[1].first, "n3");
  EXPECT_TRUE(directory.runners_of({}, "machine", "boot").empty());
  EXPECT_TRUE(directory.runners_of({"n2"}, "machine", "another boot").empty());
  EXPECT_TRUE(directory.runners_of({}, "machine", "boot").empty()) << "it is elsewhere, and not asked later";
}

TEST_F(DirectoryOfANode, AsksTheRunnerOfANodeThatHasPublishedNothingOnceItHas) {
  EXPECT_TRUE(directory.runners_of({"n2"}, "machine", "boot").empty());
  directory.learn(at(1s), {listed(of("n3", "s3"), "n/n3.1")});
  EXPECT_TRUE(directory.runners_of({}, "machine", "boot").empty());
  directory.learn(at(2s), {listed(of("n2", "s2"), "n/n2.1")});
  const auto asked = directory.runners_of({}, "machine", "boot");
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].first, "n2");
}

TEST_F(DirectoryOfANode, AsksNoRunnerOfANodeWhoseRunsNobodyWaitsForAnyMore) {
  EXPECT_TRUE(directory.runners_of({"n2", "n3"}, "machine", "boot").empty());
  directory.want_runners_only([](const std::string& node) { return node == "n3"; });
  EXPECT_TRUE(directory.wants_runners());
  directory.learn(at(1s), {listed(of("n2", "s2"), "n/n2.1"), listed(of("n3", "s3"), "n/n3.1")});
  const auto asked = directory.runners_of({}, "machine", "boot");
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].first, "n3");
  EXPECT_FALSE(directory.wants_runners());
}

TEST(NodeRecords, TakeAsManyRecordsAsTheyNeedAndReadBack) {
  core::NodeRecord all{"node.example", "42", "its runner is gone", WallTime(1'767'225'600'000ms), {}};
  for (int i = 0; i < 1000; ++i) all.groups.emplace_back(std::string(60, 'g') + std::to_string(1000 + i), i * 7919);
  for (int i = 0; i < 20; ++i) all.unfit_groups.emplace_back("g" + std::to_string(i), std::string(900, 'w'));
  const auto texts = core::to_texts(all);
  EXPECT_GT(texts.size(), 10u);
  std::vector<std::pair<std::string, std::uint64_t>> groups;
  std::vector<std::pair<std::string, std::string>> unfit_groups;
  for (const std::string& text : texts) {
    EXPECT_LE(text.size(), 8192u);
    const auto part = core::parse_node_record(text);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->node, all.node);
    EXPECT_EQ(part->session, all.session);
    EXPECT_EQ(part->unfit, all.unfit);
    EXPECT_EQ(part->at, all.at);
    groups.insert(groups.end(), part->groups.begin(), part->groups.end());
    unfit_groups.insert(unfit_groups.end(), part->unfit_groups.begin(), part->unfit_groups.end());
  }
  EXPECT_EQ(groups, all.groups);
  EXPECT_EQ(unfit_groups, all.unfit_groups);
}

}  // namespace
}  // namespace ballot::core
