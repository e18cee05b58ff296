// Who claims which vacant group when, on stores of keys (ClaimOrder, KeyElections).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "asked_store.hpp"
#include "support/clock.hpp"
#include "support/keys/key_elections.hpp"

namespace ballot::support {
namespace {

using namespace std::chrono_literals;

const std::map<std::string, std::string> three{{"n1", "s1"}, {"n2", "s2"}, {"n3", "s3"}};

TEST(TurnTest, IsTheNumberOfThoseThatComeBefore) {
  std::map<std::size_t, int> turns;
  for (int i = 0; i < 300; ++i) {
    const std::string group = "g" + std::to_string(i);
    std::set<std::size_t> all;
    for (const auto& [node, session] : three) all.insert(turn_of(group, node, three, {}).value());
    EXPECT_EQ(all, (std::set<std::size_t>{0, 1, 2})) << group;
  }
  EXPECT_EQ(turn_of("g", "n1", {{"n1", "s1"}}, {}), std::nullopt) << "alone";
}

TEST(TurnTest, WhoHasLetGoComesLastAndIsNotWaitedFor) {
  const TermRecord let_go{4, "s1", "n1", "boot", true};
  EXPECT_EQ(turn_of("g", "n1", three, let_go), most_turns);
  std::set<std::size_t> others{turn_of("g", "n2", three, let_go).value(), turn_of("g", "n3", three, let_go).value()};
  EXPECT_EQ(others, (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(turn_of("g", "n2", {{"n1", "s1"}, {"n2", "s2"}}, let_go), std::nullopt);
}

TEST(TurnTest, ANodeOfOneGroupCountsOnlyThere) {
  const std::map<std::string, std::string> sessions{{"n1", "s1"}, {"n2@h", "s2"}};
  EXPECT_EQ(turn_of("g", "n1", sessions, {}), std::nullopt);
  EXPECT_TRUE(turn_of("h", "n1", sessions, {}).has_value());
}

SessionRequest asked_by(const std::string& node) {
  SessionRequest request;
  request.node = node;
  return request;
}

/// Of node n1, whose groups nobody leads.
class KeyClaimsTest : public ::testing::Test {
 protected:
  void begin(const std::map<std::string, std::string>& sessions, int groups, const std::vector<KeyEntry>& terms = {}) {
    std::vector<KeyEntry> open;
    for (const auto& [node, session] : sessions) open.push_back({"s/" + node, session, 1});
    view.list_terms(terms);
    view.list_sessions(open);
    for (int i = 0; i < groups; ++i) elections.campaign("g" + std::to_string(i));
  }
  /// With whatever waits for its time.
  void advance() {
    elections.tick(boot_now() + 10s);
    elections.flush();
  }
  /// All that is under way, and no more.
  void answer() {
    for (const std::size_t end = store.commits.size(); answered < end; ++answered) store.answer(answered);
  }
  std::vector<std::string> under_way() const {
    std::vector<std::string> keys;
    for (std::size_t i = answered; i < store.commits.size(); ++i)
      for (const KeyChange& change : store.commits[i].changes) keys.push_back(change.key);
    return keys;
  }
  std::size_t claims_under_way() const {
    const auto keys = under_way();
    return static_cast<std::size_t>(
        std::count_if(keys.begin(), keys.end(), [](const std::string& key) { return key.starts_with("t/"); }));
  }

  AskedStore store;
  NoHost host;
  KeyContext context{store, host, asked_by("n1"), "s1", Millis(10'000)};
  KeyView view;
  LastSeen last_seen{store};
  KeyElections elections{context, view, last_seen, {}};
  std::size_t answered = 0;
};

TEST_F(KeyClaimsTest, ClaimsFirstWhereItComesFirst) {
  begin(three, 2400);
  std::vector<std::size_t> turns;
  std::size_t most = 0;
  for (advance(); !under_way().empty(); answer(), advance()) {
    most = std::max(most, claims_under_way());
    for (const std::string& key : under_way())
      if (key.starts_with("t/")) turns.push_back(turn_of(key.substr(2), "n1", three, {}).value());
  }
  EXPECT_EQ(turns.size(), 2400u);
  EXPECT_TRUE(std::is_sorted(turns.begin(), turns.end()));
  EXPECT_EQ(most, 1000u) << "what is under way cannot give way to who comes";
  EXPECT_EQ(std::count_if(context.events.begin(), context.events.end(),
                          [](const auto& event) { return std::holds_alternative<backend::Elected>(event); }),
            2400);
}

TEST_F(KeyClaimsTest, WhatWaitsGivesWayToWhoHasCome) {
  begin({{"n1", "s1"}}, 2400);
  advance();
  EXPECT_EQ(claims_under_way(), 1000u);
  view.write_session("n2", "s2");
  std::size_t claimed = 0;  // of the 1,400 that wait
  for (answer(), elections.flush(); !under_way().empty(); answer(), elections.flush())
    for (const std::string& key : under_way()) {
      if (!key.starts_with("t/")) continue;
      ASSERT_EQ(turn_of(key.substr(2), "n1", view.sessions(), {}), 0u) << key;
      ++claimed;
    }
  EXPECT_GT(claimed, 500u);
  advance();
  EXPECT_GT(claims_under_way(), 0u) << "who came has not claimed them";
}

TEST_F(KeyClaimsTest, WhoClaimsIsWrittenDownAsACandidateBefore) {
  begin(three, 300);
  std::set<std::string> candidates;
  for (advance(); !under_way().empty(); answer(), advance())
    for (const std::string& key : under_way()) {
      const std::string name = key.substr(2);
      if (key.starts_with("t/")) {
        EXPECT_TRUE(candidates.contains(name + "/n1")) << name;
      } else {
        EXPECT_TRUE(candidates.insert(name).second) << "again: " << name;
      }
    }
  EXPECT_EQ(candidates.size(), 300u);
}

TEST_F(KeyClaimsTest, CandidatesOfWhatOthersLeadAreWrittenAfterTheClaims) {
  std::vector<KeyEntry> led;
  for (int i = 0; i < 300; ++i)
    led.push_back({"t/g" + std::to_string(i), format(TermRecord{1, "s2", "n2", "boot", false}), 1});
  begin({{"n1", "s1"}, {"n2", "s2"}}, 600, led);
  std::string kinds;
  for (advance(); !under_way().empty(); answer(), advance())
    for (const std::string& key : under_way()) {
      const bool leads = view.term(key.substr(2, key.find('/', 2) - 2)).record.session == "s2";
      const char kind = leads ? 'o' : 'c';
      if (kinds.empty() || kinds.back() != kind) kinds += kind;
    }
  EXPECT_EQ(kinds, "co") << "ours, and then the others'";
}

TEST_F(KeyClaimsTest, ACandidateThatIsNotKnownToBeWrittenIsWrittenAgain) {
  begin({{"n1", "s1"}}, 1);
  advance();
  const auto fail = [this](StoreResult outcome) {
    const auto commit = store.commits.at(answered++);
    std::vector<KeyAnswer> answers;
    for (const KeyChange& change : commit.changes)
      answers.push_back({change.key.starts_with("c/") ? outcome : StoreResult::done, 1, {}});
    commit.done(answers);
  };
  fail(StoreResult::unknown);
  elections.flush();
  EXPECT_TRUE(under_way().empty()) << "not at once";
  ASSERT_TRUE(elections.due().has_value());
  EXPECT_GT(*elections.due(), boot_now());
}

/// A term that was written by hand. One that no other node could read would seem vacant to each of them.
TEST_F(KeyClaimsTest, TheEpochOfAClaimIsOneThatOthersRead) {
  for (const std::uint64_t last : {1ull << 40, (1ull << 62) - 1, 1ull << 62}) {
    const std::string group = "g" + std::to_string(last);
    view.list_terms({{"t/" + group, format(TermRecord{last, "s2", "n2", "boot", true}), 1}});
    view.list_sessions({{"s/n1", "s1", 1}});
    elections.campaign(group);
    advance();
    std::string claimed;
    for (; answered < store.commits.size(); store.answer(answered++))
      for (const KeyChange& change : store.commits[answered].changes)
        if (change.key.starts_with("t/")) claimed = change.value.value_or("");
    const TermRecord read = parse_term(claimed);
    EXPECT_EQ(read.session, "s1") << claimed;
    EXPECT_EQ(read.epoch, last < 1ull << 62 ? last + 1 : 1) << claimed;
  }
}

/// Of a server that has lied once, or of a store that was put back to an earlier state.
TEST_F(KeyClaimsTest, ClaimsOverTheVersionThatTheStoreHasWhereALaterOneWasShown) {
  const std::string ended = format(TermRecord{3, "s2", "n2", "boot", true});
  begin({{"n1", "s1"}}, 1, {{"t/g0", ended, 1'000'000}});
  const auto claimed_over = [this] {
    std::uint64_t version = 0;
    for (; answered < store.commits.size(); ++answered) {
      const auto commit = store.commits.at(answered);
      std::vector<KeyAnswer> answers;
      for (const KeyChange& change : commit.changes) {
        const bool is_term = change.key == "t/g0";
        if (is_term) version = change.version.value_or(0);
        answers.push_back({is_term ? StoreResult::conflict : StoreResult::done, 1, {}});
      }
      commit.done(answers);
    }
    return version;
  };
  advance();
  EXPECT_EQ(claimed_over(), 1'000'000u);
  elections.flush();
  ASSERT_EQ(store.gets.size(), 1u);
  const auto read = store.gets.front().second;
  read({StoreResult::done, {{"t/g0", ended, 7}}, {}});
  advance();
  EXPECT_EQ(claimed_over(), 7u);
}

TEST_F(KeyClaimsTest, OfWhoHasResignedNoCandidateStays) {
  begin({{"n1", "s1"}}, 1);
  advance();
  elections.resign("g0");
  answer();
  advance();
  answer();
  std::optional<KeyChange> last;
  for (const auto& commit : store.commits)
    for (const KeyChange& change : commit.changes)
      if (change.key.starts_with("c/")) last = change;
  ASSERT_TRUE(last.has_value());
  EXPECT_FALSE(last->value.has_value()) << "it is removed";
}

}  // namespace
}  // namespace ballot::support
