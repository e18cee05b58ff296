// Conformance: a watcher is notified of every change, whoever makes it, also of one that it missed while cut off.
// Included by backend_conformance.hpp.
#pragma once

#include "conformance/backend_fixture.hpp"

namespace ballot::conformance {

TEST_P(BackendConformance, TellsOfAChangeOnceAtFirst) {
  Candidate& a = join("a");
  EXPECT_EQ(changes(a, "q/"), 0u);
  watch(a, "q/");
  watch(a, "");
}

TEST_P(BackendConformance, TellsOfRecordsThatOthersCreateAndRemove) {
  Candidate& a = join("a");
  Candidate& b = join("b");
  watch(a, "q/");
  settle();
  std::size_t seen = changes(a, "q/");
  ASSERT_EQ(create(b, {"q/x", "1"}), StoreResult::done);
  EXPECT_TRUE(until([&] { return changes(a, "q/") > seen; }, timeout()));
  settle();
  seen = changes(a, "q/");
  ASSERT_EQ(remove(b, "q/x"), StoreResult::done);
  EXPECT_TRUE(until([&] { return changes(a, "q/") > seen; }, timeout()));
}

TEST_P(BackendConformance, TellsOfRegistersThatOthersWrite) {
  Candidate& a = join("a");
  Candidate& b = lead("b", "g");
  watch(a, "g/");
  settle();
  const std::size_t seen = changes(a, "g/");
  ASSERT_EQ(write(b, {"g", *b.leads("g"), "g/g", "1", 0}).outcome, StoreResult::done);
  EXPECT_TRUE(until([&] { return changes(a, "g/") > seen; }, timeout()));
}

TEST_P(BackendConformance, WhoIsNotifiedOfAChangeFindsItInTheList) {
  Candidate& a = join("a");
  Candidate& b = join("b");
  watch(a, "q/");
  std::size_t listed = changes(a, "q/");
  for (std::size_t i = 1; i <= 15; ++i) {
    b.backend->create(1000 + i, {{"q/" + std::to_string(i), "1"}});
    std::size_t found = 0;
    while (found < i) {
      ASSERT_TRUE(until([&] { return changes(a, "q/") > listed; }, timeout() + slack())) << i << " was kept silent";
      listed = changes(a, "q/");
      found = list(a, "q/").size();
    }
  }
}

TEST_P(BackendConformance, EveryWatcherIsNotified) {
  Candidate& a = join("a");
  Candidate& b = join("b");
  Candidate& c = add_observer("c");
  for (Candidate* one : {&a, &b, &c}) watch(*one, "q/");
  watch(a, "q/x");
  settle();
  const std::size_t of_a = changes(a, "q/x"), of_b = changes(b, "q/"), of_c = changes(c, "q/");
  ASSERT_EQ(create(b, {"q/x", "1"}), StoreResult::done);
  EXPECT_TRUE(
      until([&] { return changes(a, "q/x") > of_a && changes(b, "q/") > of_b && changes(c, "q/") > of_c; }, timeout()))
      << "also of its own change";
}

TEST_P(BackendConformance, AChangeEchoesThePrefixesThatWereWatched) {
  Candidate& a = join("a");
  Candidate& b = join("b");
  const std::vector<std::string> prefixes{"", "q", "q/", "q/a", "q/a.b-c_D"};
  for (const std::string& prefix : prefixes) watch(a, prefix);
  settle();
  std::vector<std::size_t> seen;
  for (const std::string& prefix : prefixes) seen.push_back(changes(a, prefix));
  ASSERT_EQ(create(b, {"q/a.b-c_D.1", "1"}), StoreResult::done);
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    EXPECT_TRUE(until([&] { return changes(a, prefixes[i]) > seen[i]; }, timeout())) << '"' << prefixes[i] << '"';
  settle();
  for (const auto& changed : a.events.all<backend::Changed>(a.generation))
    EXPECT_TRUE(std::find(prefixes.begin(), prefixes.end(), changed.prefix) != prefixes.end())
        << '"' << changed.prefix << "\" was not asked for";
}

TEST_P(BackendConformance, TellsOfAChangeByOneWhoCrashesRightAfter) {
  BALLOT_NEEDS(Ability::crash);
  Candidate& a = join("a");
  Candidate& b = join("b");
  watch(a, "q/");
  settle();
  const std::size_t seen = changes(a, "q/");
  ASSERT_EQ(create(b, {"q/x", "1"}), StoreResult::done);
  crash(b);
  EXPECT_TRUE(until([&] { return changes(a, "q/") > seen; }, timeout()));
}

TEST_P(BackendConformance, TellsOfWhatChangedWhileItWasFrozen) {
  BALLOT_NEEDS(Ability::freeze);
  Candidate& a = join("a");
  Candidate& b = join("b");
  watch(a, "q/");
  settle();
  const std::size_t seen = changes(a, "q/");
  cluster_->freeze(*a.backend);
  ASSERT_EQ(create(b, {"q/x", "1"}), StoreResult::done);
  cluster_->thaw(*a.backend);
  EXPECT_TRUE(until([&] { return changes(a, "q/") > seen || a.closed(); }, timeout() + slack()));
}

TEST_P(BackendConformance, TellsOfWhatChangedWhileItWasCutOff) {
  BALLOT_NEEDS(Ability::cut);
  Candidate& a = join("a");
  Candidate& b = join("b");
  watch(a, "q/");
  settle();
  const std::size_t seen = changes(a, "q/");
  cluster_->cut(*a.backend);
  ASSERT_EQ(create(b, {"q/x", "1"}), StoreResult::done);
  until([] { return false; }, timeout() / 4);
  cluster_->heal(*a.backend);
  EXPECT_TRUE(until([&] { return changes(a, "q/") > seen || a.closed(); }, 2 * timeout() + slack()));
}

TEST_P(BackendConformance, AWatchEndsWithItsSession) {
  Candidate& a = join("a");
  Candidate& b = join("b");
  watch(a, "q/");
  a.backend->close(false);
  ASSERT_TRUE(until([&] { return a.closed().has_value(); }, timeout() + slack()));
  open(a);
  ASSERT_TRUE(opened(a));
  ASSERT_EQ(create(b, {"q/x", "1"}), StoreResult::done);
  settle();
  EXPECT_EQ(changes(a, "q/"), 0u) << "this session has not asked";
  watch(a, "q/");
}

}  // namespace ballot::conformance
