// The conformance suite on what backends on stores of keys have in common (KeyDriver), with a store in memory: fenced,
// and without a fence.
#include "conformance/backend_fixture.hpp"
#include "conformance/memory_keys.hpp"
#include "support/keys/key_driver.hpp"
#include "support/temp_folder.hpp"
#include "support/threaded_backend.hpp"

namespace ballot::conformance {
namespace {

class KeysCluster final : public Cluster {
 public:
  explicit KeysCluster(Capability capability) : capability_(capability) {}

  std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) override {
    MemoryKeys& keys = stores_[name_space];
    support::KeyPlace place{"memory", name_space, name_space + "/", "memory", folder_.path(), timeout(), timeout(), {}};
    const auto make_store = [&keys, node, capability = capability_](support::KeyStore::Listener& to,
                                                                    support::Outlet& outlet) {
      return std::make_unique<MemoryKeyStore>(keys, node, to, outlet.wakeup(), capability);
    };
    const auto make_driver = [place, make_store](support::Outlet& outlet) {
      return std::make_unique<support::KeyDriver>(outlet, place, make_store);
    };
    auto backend = std::make_unique<support::ThreadedBackend>(host, "ballot-memory", make_driver);
    nodes_[backend.get()] = {node, &keys};
    return backend;
  }

  std::set<Ability> abilities() const override {
    return {Ability::resume, Ability::cut, Ability::expire, Ability::restart, Ability::vacancies};
  }
  Millis timeout() const override { return Millis(1000); }
  MemoryKeys& keys() { return stores_["test"]; }
  void cut(Backend& backend) override { nodes_.at(&backend).keys->cut(nodes_.at(&backend).node, true); }
  void heal(Backend& backend) override { nodes_.at(&backend).keys->cut(nodes_.at(&backend).node, false); }
  void expire(Backend& backend) override { nodes_.at(&backend).keys->expire("s/" + nodes_.at(&backend).node); }
  void restart() override {
    for (auto& [name, keys] : stores_) keys.restart();
  }

 private:
  struct Node {
    std::string node;
    MemoryKeys* keys;
  };
  const Capability capability_;
  TempFolder folder_;
  std::map<std::string, MemoryKeys> stores_;  // by namespace
  std::map<const Backend*, Node> nodes_;
};

/// What the suite cannot know of: answers that are lost, and what people do to keys by hand.
class Keys : public BackendConformance {
 protected:
  MemoryKeys& keys() { return static_cast<KeysCluster&>(*cluster_).keys(); }
  bool awaits_closed(Candidate& candidate, Millis limit) {
    return until([&] { return candidate.closed().has_value(); }, limit);
  }
  std::size_t elections_of(const Candidate& one) { return one.events.all<backend::Elected>(one.generation).size(); }
  bool gets(Candidate& one, const std::string& group) {
    return until([&] { return one.leads(group).has_value(); }, 2 * timeout() + slack());
  }
  bool term_is(const std::string& word) {
    return until([&] { return keys().value("t/g").find(word) != std::string::npos; }, timeout());
  }
};

TEST_P(Keys, ACampaignWhoseAnswerIsLostIsWonOnce) {
  Candidate& a = join("a");
  settle();
  keys().lose_answers("a", true);
  a.backend->campaign("g");
  ASSERT_TRUE(term_is("open"));
  keys().lose_answers("a", false);
  ASSERT_TRUE(gets(a, "g"));
  EXPECT_EQ(a.leads("g"), 1u) << "the term that it had written";
  EXPECT_EQ(elections_of(a), 1u);
}

TEST_P(Keys, AResignationWhoseAnswerIsLostIsCarriedOutAndReportedOnce) {
  Candidate& a = lead("a", "g");
  keys().lose_answers("a", true);
  a.backend->resign("g");
  ASSERT_TRUE(term_is("ended"));
  keys().lose_answers("a", false);
  EXPECT_TRUE(until([&] { return !a.leads("g"); }, timeout() + slack()));
  EXPECT_EQ(a.events.all<backend::Deposed>(1).size(), 1u);
  EXPECT_FALSE(a.closed());
}

TEST_P(Keys, AWriteWhoseAnswerIsLostIsUnknownAndItsRepetitionIsRefused) {
  Candidate& a = lead("a", "g");
  const RegisterWrite one{"g", *a.leads("g"), "j/x", "1", 0};
  keys().lose_answers("a", true);
  EXPECT_EQ(write(a, one).outcome, StoreResult::unknown);
  keys().lose_answers("a", false);
  EXPECT_EQ(write(a, one).outcome, StoreResult::conflict);
  EXPECT_EQ(read(a, {"j/x"}).front().value, "1");
}

TEST_P(Keys, AKeptTermThatNobodyCampaignsForIsFreeAfterItsDeadline) {
  Candidate& a = lead("a", "g");
  a.backend->close(true);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  a.backend.reset();
  Candidate& back = join("a");  // its group is not in its files any more
  Candidate& b = join("b");
  b.backend->campaign("g");
  EXPECT_TRUE(gets(b, "g"));
  EXPECT_FALSE(back.closed());
  EXPECT_TRUE(b.events.all<backend::Elected>(1).front().old_deadline.has_value()) << "its session is open";
}

TEST_P(Keys, ASessionThatIsNotReportedYetIsNotTakenForOver) {
  Candidate& a = join("a");
  settle();
  keys().report_late("s/");
  Candidate& b = lead("b", "g");
  a.backend->campaign("g");
  settle();
  EXPECT_FALSE(a.leads("g"));
  EXPECT_TRUE(b.leads("g"));
  keys().report_late("");
  keys().expire("s/b");
  EXPECT_TRUE(gets(a, "g"));
}

TEST_P(Keys, ASessionThatEndedBeforeItWasReportedIsFollowed) {
  Candidate& a = join("a");
  settle();
  keys().report_late("s/");
  lead("b", "g");
  a.backend->campaign("g");
  settle();
  keys().expire("s/b");
  EXPECT_TRUE(gets(a, "g"));
}

TEST_P(Keys, ADeadDaemonIsResignedByWhoeverHasItsHandle) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  const std::string handle = sessions(a).front().handle;
  a.backend->close(true);
  ASSERT_TRUE(awaits_closed(a, timeout()));
  a.backend.reset();
  Candidate& supervisor = add("a");
  supervisor.renewing = false;
  supervisor.generation = 1;
  supervisor.backend->open({1, "", "boot-1", "machine-1", "host-1", 7, "test", "", timeout(), false, handle});
  ASSERT_TRUE(until([&] { return !sessions(supervisor).empty(); }, timeout()));
  supervisor.backend->resign("g");
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() / 2));
  supervisor.backend->close(true);
  ASSERT_TRUE(awaits_closed(supervisor, timeout()));
  EXPECT_FALSE(b.events.all<backend::Elected>(1).front().old_deadline.has_value()) << "it has ended cleanly";
  EXPECT_FALSE(keys().value("s/a").empty()) << "what it still runs is protected";
}

TEST_P(Keys, ACloseThatTheStoreDoesNotConfirmSaysSoAndTheNextSessionEndsTheOldOne) {
  Candidate& a = lead("a", "g");
  const std::string before = keys().value("s/a");
  keys().cut("a", true);
  a.backend->close(false);
  ASSERT_TRUE(awaits_closed(a, timeout() + slack()));
  EXPECT_EQ(a.closed()->cause, Cause::unreachable);
  keys().cut("a", false);
  open(a);
  ASSERT_TRUE(opened(a));
  EXPECT_NE(keys().value("s/a"), before);
}

TEST_P(Keys, ALeaderWhoseTermIsWrittenOverByHandIsDeposedAndTheNextEpochIsLarger) {
  Candidate& a = lead("a", "g");
  keys().put("t/g", "7 somebody elsewhere - ended");
  ASSERT_TRUE(until([&] { return !a.events.all<backend::Deposed>(1).empty(); }, timeout()));
  EXPECT_EQ(a.events.all<backend::Deposed>(1).front().cause, Cause::evicted);
  ASSERT_TRUE(gets(a, "g"));
  EXPECT_EQ(a.leads("g"), 8u);
}

TEST_P(Keys, WhoeverWaitsSaysForWhomEachTimeThatThisChanges) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  const auto waits = [&](Candidate& one, const std::string& leader) {
    return until(
        [&] {
          return one.events.logged() == std::vector<std::string>{"group g: waits for " + leader + ", the leader"};
        },
        timeout() + slack());
  };
  b.backend->campaign("g");
  EXPECT_TRUE(waits(b, "a"));
  a.backend->resign("g");
  ASSERT_TRUE(gets(b, "g"));
  a.backend->campaign("g");
  EXPECT_TRUE(waits(a, "b"));
  EXPECT_EQ(b.events.logged().size(), 1u);
}

TEST_P(Keys, WhatDeadNodesLeftIsRemovedUnlessAGroupsLastTermNamesThem) {
  keys().put("t/other", "7 1f last boot-1 open");
  for (const char* dead : {"m/run-17", "m/last", "c/g/run-17"}) keys().put(dead, "left behind");
  lead("a", "g");
  EXPECT_TRUE(until([&] { return keys().under("c/") == std::vector<std::string>{"c/g/a"}; }, timeout() + slack()));
  const std::vector<std::string> left{"m/a", "m/last"};
  EXPECT_TRUE(until([&] { return keys().under("m/") == left; }, timeout()));
}

TEST_P(Keys, WhoeverIsNextKnowsWhenADeadLeaderWasAliveLast) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  a.renewing = false;
  keys().expire("s/a");
  ASSERT_TRUE(gets(b, "g"));
  EXPECT_TRUE(b.events.all<backend::Elected>(1).front().last_alive.has_value());
}

const auto both =
    ::testing::Values(BackendUnderTest{"fenced", [] { return std::make_unique<KeysCluster>(Capability::fenced); }},
                      BackendUnderTest{"sealed", [] { return std::make_unique<KeysCluster>(Capability::sealed); }});
INSTANTIATE_TEST_SUITE_P(InMemory, BackendConformance, both, name_of);
INSTANTIATE_TEST_SUITE_P(InMemory, Keys, both, name_of);

}  // namespace
}  // namespace ballot::conformance
