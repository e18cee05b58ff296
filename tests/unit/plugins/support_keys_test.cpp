// What backends on stores of keys know of others (KeyView), and in which order they change keys (KeyQueue).
#include <gtest/gtest.h>

#include "asked_store.hpp"
#include "support/keys/claim_order.hpp"
#include "support/keys/key_batches.hpp"
#include "support/keys/key_context.hpp"
#include "support/keys/key_membership.hpp"
#include "support/keys/key_queue.hpp"
#include "support/keys/key_registers.hpp"
#include "support/keys/key_session.hpp"
#include "support/keys/key_view.hpp"

namespace ballot::support {
namespace {

/// Deadlines are counted from it; a server's number may be larger than the clock's.
TEST(KeyGrants, OfMoreThanADayAreNoSession) {
  NoHost host;
  const KeyPlace place;
  for (const bool too_long : {false, true}) {
    AskedStore* store = nullptr;
    KeySession session({}, place, host, [&](KeyStore::Listener&) {
      auto made = std::make_unique<AskedStore>();
      store = made.get();
      return made;
    });
    ASSERT_EQ(store->begins.size(), 1u);
    const auto begun = store->begins.front();
    const Millis day = std::chrono::hours(24);
    begun({SessionBegun::How::begun, "s1", {}, too_long ? day + Millis(1) : day, {}});
    EXPECT_EQ(session.over().has_value(), too_long);
    if (too_long) {
      EXPECT_EQ(session.over()->cause, Cause::unreachable);
    }
  }
}

/// Node a, whose session is s2.
struct KeyMembershipTest : ::testing::Test {
  static SessionRequest request() {
    SessionRequest request;
    request.node = "a";
    return request;
  }
  void enter() {
    membership.enter([this](KeyMembership::Entry entry, const std::string&) { entered = entry; });
  }
  /// Answers the last read; `session`: that has the name, "" for none.
  void show(const std::string& session) {
    const auto done = store.gets.back().second;
    done(session.empty() ? KeyRead{StoreResult::done} : KeyRead{StoreResult::done, {{"s/a", session, 7}}, {}});
  }
  static void answer(const std::vector<KeyStore::Done<KeyAnswer>>& asked, StoreResult outcome) {
    const auto done = asked.back();
    done({outcome});
  }
  void pass_time() { membership.tick(boot_now() + std::chrono::hours(1)); }

  AskedStore store;
  NoHost host;
  KeyContext context{store, host, request(), "s2", Millis(2000), {}};
  LastSeen last_seen{store};
  KeyMembership membership{context, last_seen, {}};
  std::optional<KeyMembership::Entry> entered;
};

TEST_F(KeyMembershipTest, ASessionThatWaitsForItsNameIsKeptOpenAtEachLook) {
  enter();
  for (std::size_t looks = 1; looks <= 3; ++looks) {
    ASSERT_EQ(store.gets.size(), looks);
    show("s1");
    ASSERT_EQ(store.keeps.size(), looks);
    EXPECT_FALSE(membership.due()) << "one after the other";
    answer(store.keeps, looks == 2 ? StoreResult::unknown : StoreResult::done);
    pass_time();
  }
  show("");
  EXPECT_EQ(store.binds.size(), 1u);
  EXPECT_FALSE(entered);
}

TEST_F(KeyMembershipTest, ASessionThatEndsWhileItWaitsIsStale) {
  enter();
  show("s1");
  ASSERT_EQ(store.keeps.size(), 1u);
  answer(store.keeps, StoreResult::not_leader);
  EXPECT_EQ(entered, KeyMembership::Entry::stale);
  EXPECT_FALSE(membership.due());
}

/// A store that is slow to write answers each bind too late, also with a refusal, while it answers reads in time.
TEST_F(KeyMembershipTest, ASessionIsNotBoundAgainBeforeItIsKnownToBeOpen) {
  enter();
  show("");
  ASSERT_EQ(store.binds.size(), 1u);
  answer(store.binds, StoreResult::unknown);
  pass_time();
  show("");
  EXPECT_EQ(store.binds.size(), 1u);
  ASSERT_EQ(store.keeps.size(), 1u);
  answer(store.keeps, StoreResult::done);
  ASSERT_EQ(store.binds.size(), 2u);
  answer(store.binds, StoreResult::unknown);
  pass_time();
  show("");
  ASSERT_EQ(store.keeps.size(), 2u);
  answer(store.keeps, StoreResult::not_leader);
  EXPECT_EQ(store.binds.size(), 2u);
  EXPECT_EQ(entered, KeyMembership::Entry::stale);
}

KeyEntry term(const std::string& group, std::uint64_t epoch, const std::string& session, std::uint64_t version) {
  return {"t/" + group, format(TermRecord{epoch, session, "n1", "boot", false}), version};
}

TEST(KeyViewTest, IsCompleteOnceTermsAndSessionsAreListed) {
  KeyView view;
  view.list_terms({});
  EXPECT_FALSE(view.complete());
  view.list_sessions({});
  EXPECT_TRUE(view.complete());
}

TEST(KeyViewTest, AnOlderWordOfATermChangesNothing) {
  KeyView view;
  EXPECT_EQ(view.list_terms({term("g", 3, "s3", 30)}), std::vector<std::string>{"g"});
  EXPECT_FALSE(view.write_term("g", format(TermRecord{2, "s2", "n1", "boot", false}), 20));
  EXPECT_FALSE(view.write_term("g", format(TermRecord{3, "s3", "n1", "boot", false}), 30)) << "it is known";
  EXPECT_EQ(view.term("g").record.epoch, 3u);
  EXPECT_TRUE(view.list_terms({term("g", 2, "s2", 20)}).empty()) << "a list that was overtaken";
  EXPECT_EQ(view.term("g").record.session, "s3");
}

TEST(KeyViewTest, ATermThatAListLeavesOutHasChanged) {
  KeyView view;
  view.list_terms({term("g", 3, "s3", 30), term("h", 1, "s1", 10)});
  EXPECT_EQ(view.list_terms({term("h", 1, "s1", 10)}), std::vector<std::string>{"g"});
  EXPECT_EQ(view.term("g").version, 0u);
  EXPECT_EQ(view.term("g").record.epoch, 0u);
}

TEST(KeyViewTest, ASessionIsOverWhenItsNodeHasAnotherOneOrNone) {
  KeyView view;
  view.list_sessions({{"s/a", "s1", 1}, {"s/b", "s2", 2}, {"s/c", "s3", 3}});
  const auto replaced = view.write_session("a", "s4");
  ASSERT_EQ(replaced.size(), 1u);
  EXPECT_EQ(replaced[0].session, "s1");
  EXPECT_TRUE(view.write_session("a", "s4").empty()) << "a renewal";
  ASSERT_EQ(view.remove_session("b").size(), 1u);
  EXPECT_TRUE(view.remove_session("b").empty());
  const auto missed = view.list_sessions({{"s/a", "s4", 5}});
  ASSERT_EQ(missed.size(), 1u);
  EXPECT_EQ(missed[0].session, "s3");
  EXPECT_TRUE(view.is_open("a", "s4"));
  EXPECT_FALSE(view.is_open("a", "s1"));
}

TEST(KeyViewTest, WhoeverFollowsATermThatWasPutOutKnowsItsSession) {
  const TermRecord out = put_out({5, "s1", "n1", "boot", false, {{"n0", "s0"}}});
  EXPECT_EQ(out.epoch, 5u);
  EXPECT_EQ(out.session, no_session);
  EXPECT_FALSE(out.clean);
  EXPECT_EQ(out.before, (std::vector<SessionOf>{{"n0", "s0"}, {"n1", "s1"}}));
  EXPECT_EQ(put_out(out).before.size(), 2u) << "there is nobody to add";
}

TEST(KeyRankTest, SpreadsGroupsOverNodes) {
  std::map<std::string, int> firsts;
  for (int i = 0; i < 300; ++i) {
    std::string first;
    for (const char* node : {"n1", "n2", "n3"})
      if (first.empty() || rendezvous("g" + std::to_string(i), node) > rendezvous("g" + std::to_string(i), first))
        first = node;
    ++firsts[first];
  }
  for (const auto& [node, count] : firsts) EXPECT_GT(count, 60) << node;
}

TEST(KeyQueueTest, SendsWhatHasGatheredTogetherAndOfOneKeyOneAtATime) {
  AskedStore store;
  KeyQueue queue(store);
  std::string said;
  const auto say = [&](const char* word) { return [&said, word](const KeyAnswer&) { said += word; }; };
  queue.add({"a", "1"}, say("a1 "));
  queue.add({"a", "2"}, say("a2 "));
  queue.add({"b", "1"}, say("b1 "));
  queue.add({"a", "3"}, say("a3 "));
  queue.flush();
  ASSERT_EQ(store.commits.size(), 1u);
  EXPECT_EQ(store.commits[0].changes.size(), 2u) << "of a and of b the first";
  queue.flush();
  EXPECT_EQ(store.commits.size(), 1u) << "a is under way";
  for (std::size_t i = 0; i < 3; ++i) {
    store.answer(i);
    EXPECT_EQ(queue.idle(), i == 2);
    queue.flush();
  }
  EXPECT_EQ(said, "a1 b1 a2 a3 ");
  EXPECT_EQ(store.commits.at(2).changes.at(0).value, "3");
}

/// Of a session that leads nothing.
struct KeyRegistersTest : ::testing::Test {
  const backend::ReadDone& read_done(std::size_t i) const { return std::get<backend::ReadDone>(context.events.at(i)); }

  AskedStore store;
  NoHost host;
  KeyContext context{store, host, {}};
  KeyView view;
  LastSeen last_seen{store};
  KeyElections elections{context, view, last_seen, {}};
  KeyRegisters registers{context, elections};
};

TEST_F(KeyRegistersTest, WhatIsReadInOneTurnIsReadTogetherAndAnsweredToEach) {
  registers.read({1, {"g/a", "j/a"}});
  registers.read({2, {"g/b", "j/a"}});
  EXPECT_TRUE(store.gets.empty());
  registers.flush();
  ASSERT_EQ(store.gets.size(), 1u);
  EXPECT_EQ(store.gets[0].first, (std::vector<std::string>{"r/g/a", "r/j/a", "r/g/b", "r/j/a"}));
  store.gets[0].second({StoreResult::done, {{"r/j/a", "x", 7}, {"r/g/b", "y", 8}}});
  ASSERT_EQ(context.events.size(), 2u);
  EXPECT_EQ(read_done(0).request, 1u);
  ASSERT_EQ(read_done(0).registers.size(), 1u);
  EXPECT_EQ(read_done(0).registers[0].name, "j/a");
  ASSERT_EQ(read_done(1).registers.size(), 2u);
  EXPECT_EQ(read_done(1).registers[0].value, "y");
  EXPECT_EQ(read_done(1).registers[1].version, 7u);
}

TEST_F(KeyRegistersTest, OfManyReadsAFewMakeARequestAndOneThatFailsIsTheAnswerToItsOwnAlone) {
  for (RequestId i = 1; i <= 3; ++i) registers.read({i, std::vector<std::string>(30, "g/a")});
  registers.flush();
  ASSERT_EQ(store.gets.size(), 2u);
  store.gets[0].second({StoreResult::unknown, {}, "silent"});
  ASSERT_EQ(context.events.size(), 2u);
  EXPECT_EQ(read_done(1).outcome, StoreResult::unknown);
  EXPECT_EQ(read_done(1).text, "silent");
  registers.flush();
  EXPECT_EQ(store.gets.size(), 2u) << "each is asked once";
}

TEST_F(KeyRegistersTest, WhereTheStoreHasTooManyNamesItIsNotAskedAgainForAsFewRegisters) {
  const auto read = [this](std::size_t jobs) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < jobs; ++i) all.push_back("j/" + std::to_string(i));
    registers.read({1, all});
    registers.flush();
  };
  read(50);
  ASSERT_EQ(store.names.size(), 1u);
  store.names[0]({{}, 2'600});
  EXPECT_EQ(store.gets.size(), 1u);
  read(51);
  EXPECT_EQ(store.names.size(), 1u);
  EXPECT_EQ(store.gets.size(), 2u);
  read(52);
  ASSERT_EQ(store.names.size(), 2u);
  store.names[1]({{{"r/j/7"}}});
  EXPECT_EQ(store.gets.at(2).first, std::vector<std::string>{"r/j/7"});
  read(50);
  ASSERT_EQ(store.names.size(), 3u) << "they were not too many";
  store.names[2]({});
  read(50);
  EXPECT_EQ(store.names.size(), 4u) << "it was not answered";
}

/// Requests that take two changes each, and wait until the test ends them.
class KeyBatchesTest : public ::testing::Test {
 protected:
  void add(std::vector<KeyChange> changes, Millis patience = Millis(60'000)) {
    batches_.add(std::move(changes), patience, [this](const std::vector<KeyAnswer>& answers) {
      for (const KeyAnswer& one : answers) said_ += one.outcome == StoreResult::done ? 'd' : 'u';
      said_ += ' ';
    });
  }
  std::string keys(std::size_t request) const {
    std::string all;
    for (const auto& part : requests_.at(request)) all += part.change.key;
    return all;
  }
  void answer(std::size_t request) {
    for (const auto& part : requests_.at(request)) part.answer({StoreResult::done, 1});
    batches_.end_request();
  }

  std::vector<KeyBatches::Parts> requests_;
  KeyBatches batches_{2, [this](KeyBatches::Waiting& waiting) {
                        const auto some = static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, waiting.size()));
                        requests_.emplace_back(waiting.begin(), waiting.begin() + some);
                        waiting.erase(waiting.begin(), waiting.begin() + some);
                      }};
  std::string said_;
};

TEST_F(KeyBatchesTest, SendsSoManyRequestsAtATimeAndAnswersEachCommitAsAWhole) {
  add({{"a"}, {"b"}, {"c"}});
  add({{"d"}});
  add({{"e"}});
  ASSERT_EQ(requests_.size(), 2u);
  answer(0);
  EXPECT_EQ(said_, "") << "c is under way";
  EXPECT_EQ(keys(2), "de") << "of two commits";
  answer(1);
  answer(2);
  EXPECT_EQ(said_, "ddd d d ");
}

TEST_F(KeyBatchesTest, RegistersOfTermsWaitForElectionsButNotForever) {
  const auto register_of = [](const std::string& key) {
    KeyChange change{key};
    change.term_key = "t/g";
    return change;
  };
  add({register_of("r"), register_of("s"), register_of("t"), register_of("u")});  // two requests, under way
  add({register_of("v"), register_of("w"), register_of("x"), register_of("y")});
  std::vector<KeyChange> many;
  for (char key = 'a'; key < 'a' + 17; ++key) many.push_back({std::string(1, key)});
  add(std::move(many));
  std::string sent;
  for (std::size_t request = 0; request < requests_.size(); ++request) {
    if (request >= 2) sent += keys(request) + " ";
    answer(request);
  }
  EXPECT_EQ(sent, "ab cd ef gh ij kl mn op vw q xy ");
}

TEST_F(KeyBatchesTest, WhatIsToBeSentAgainGoesFirst) {
  add({{"a"}, {"b"}, {"c"}, {"d"}, {"e"}});
  batches_.again(requests_[0]);
  batches_.end_request();
  ASSERT_EQ(requests_.size(), 3u);
  EXPECT_EQ(keys(2), "ab");
}

TEST_F(KeyBatchesTest, WhatHasWaitedTooLongIsAnsweredWithoutBeingSent) {
  add({{"a"}, {"b"}, {"c"}, {"d"}});
  add({{"e"}}, Millis(0));
  add({{"f"}});
  batches_.give_up({StoreResult::unknown, 0, "silent"});
  EXPECT_EQ(said_, "u ");
  answer(0);
  EXPECT_EQ(keys(2), "f");
}

TEST(KeyPartsTest, AreReadAtOnceAndOneThatFailsIsTheAnswer) {
  std::vector<std::pair<std::vector<std::string>, KeyStore::Done<KeyRead>>> asked;
  KeyRead found;
  const auto read = [&] {
    asked.clear();
    get_in_parts(
        {"a", "b", "c"}, 2, [&](auto keys, auto done) { asked.emplace_back(keys, done); },
        [&](const KeyRead& all) { found = all; });
  };
  const auto entry = [](const std::string& key) { return KeyRead{StoreResult::done, {{key, "", 1}}, {}}; };
  read();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[1].first, std::vector<std::string>{"c"});
  asked[1].second(entry("c"));
  EXPECT_EQ(found.outcome, StoreResult::unknown) << "not answered yet";
  asked[0].second(entry("a"));
  EXPECT_EQ(found.outcome, StoreResult::done);
  EXPECT_EQ(found.entries.size(), 2u);
  read();
  asked[0].second({StoreResult::failed, {}, "no"});
  asked[1].second(entry("c"));
  EXPECT_EQ(found.outcome, StoreResult::failed);
  EXPECT_EQ(found.text, "no");
}

}  // namespace
}  // namespace ballot::support
