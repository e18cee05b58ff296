// Conformance: campaign, resign, and what Elected and Deposed say. Included by backend_conformance.hpp.
#pragma once

#include "conformance/backend_fixture.hpp"

namespace ballot::conformance {

TEST_P(BackendConformance, ElectsOneOfThree) {
  for (const char* node : {"a", "b", "c"}) join(node).backend->campaign("g");
  const auto leaders = [&] {
    return std::count_if(candidates_.begin(), candidates_.end(),
                         [](const auto& one) { return one.leads("g").has_value(); });
  };
  EXPECT_TRUE(until([&] { return leaders() == 1; }, timeout() + slack()));
  settle();
  EXPECT_EQ(leaders(), 1);
}

TEST_P(BackendConformance, GivesEveryTermALargerEpoch) {
  for (const char* node : {"a", "b", "c"}) join(node).backend->campaign("g");
  std::uint64_t last = 0;
  for (int term = 0; term < 7; ++term) {
    Candidate* leader = nullptr;
    ASSERT_TRUE(until(
        [&] {
          for (Candidate& one : candidates_)
            if (one.leads("g").value_or(0) > last) leader = &one;
          return leader != nullptr;
        },
        timeout() + slack()));
    last = *leader->leads("g");
    leader->backend->resign("g");
    ASSERT_TRUE(until([&] { return !leader->leads("g"); }, timeout() + slack()));
    leader->backend->campaign("g");
  }
}

TEST_P(BackendConformance, SaysElectedAndDeposedOnceATermAndInOrder) {
  Candidate& a = lead("a", "g");
  join("b").backend->campaign("g");
  for (int round = 0; round < 6; ++round) {
    Candidate& leader = a.leads("g") ? a : candidates_.back();
    leader.backend->resign("g");
    ASSERT_TRUE(until([&] { return !leader.leads("g"); }, timeout() + slack()));
    leader.backend->campaign("g");
    ASSERT_TRUE(until([&] { return a.leads("g") || candidates_.back().leads("g"); }, timeout() + slack()));
  }
  settle();
  for (const Candidate& one : candidates_) {
    std::optional<std::uint64_t> term;
    for (const auto& entry : one.events.entries()) {
      if (const auto* elected = std::get_if<backend::Elected>(&entry.event.what)) {
        EXPECT_FALSE(term.has_value()) << one.node << " was elected while it led";
        term = elected->epoch;
      } else if (const auto* deposed = std::get_if<backend::Deposed>(&entry.event.what)) {
        EXPECT_EQ(term, deposed->epoch) << one.node;
        EXPECT_EQ(deposed->cause, Cause::resigned);
        term.reset();
      }
    }
  }
}

TEST_P(BackendConformance, HandsOverAtOnceWhenTheLeaderResigns) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  const SteadyTime asked = now();
  a.backend->resign("g");
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout()));
  EXPECT_LT(now() - asked, timeout() / 2);
  EXPECT_TRUE(until([&] { return !a.leads("g"); }, timeout()));
}

TEST_P(BackendConformance, TellsCandidatesThatNobodyLeadsUntilSomebodyDoes) {
  BALLOT_NEEDS(Ability::vacancies);
  Candidate& a = lead("a", "g");
  for (const char* node : {"b", "c"}) join(node).backend->campaign("g");
  settle();
  const auto posted = [](const Candidate& one) { return one.events.all<backend::Vacancy>(one.generation); };
  std::map<std::string, std::size_t> before;
  for (const Candidate& one : candidates_) {
    before[one.node] = posted(one).size();
    const bool takes_it_for_vacant = &one != &a && !posted(one).empty() && posted(one).back().is_vacant;
    EXPECT_FALSE(takes_it_for_vacant) << one.node << ": it is led";
  }
  a.backend->resign("g");
  const auto leader = [&] {
    return std::find_if(candidates_.begin(), candidates_.end(),
                        [&](const Candidate& one) { return &one != &a && one.leads("g"); });
  };
  ASSERT_TRUE(until([&] { return leader() != candidates_.end(); }, timeout() + slack()));
  const Candidate& next = *leader();
  ASSERT_GT(posted(next).size(), before[next.node]) << "the group was vacant before it was led";
  EXPECT_EQ(posted(next).back().group, "g");
  EXPECT_TRUE(posted(next).back().is_vacant);
  const Candidate& other = candidates_.back().node == next.node ? *std::next(candidates_.begin()) : candidates_.back();
  EXPECT_TRUE(until([&] { return posted(other).empty() || !posted(other).back().is_vacant; }, timeout() + slack()))
      << "it is led again";
}

TEST_P(BackendConformance, HandsOverAtOnceWhenTheLeaderCloses) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  const SteadyTime asked = now();
  a.backend->close(false);
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout()));
  EXPECT_LT(now() - asked, timeout() / 2);
}

TEST_P(BackendConformance, HandsOverWhenTheLeaderIsDestroyed) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  a.backend.reset();
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() + slack()));
}

TEST_P(BackendConformance, CarriesOutWhatWasWrittenBeforeAResign) {
  Candidate& a = lead("a", "g");
  const std::uint64_t epoch = *a.leads("g");
  const RequestId request = ++a.last_request;
  a.backend->write(request, {{"g", epoch, "j/one", "1", 0}, {"g", epoch, "j/two", "2", 0}});
  a.backend->resign("g");
  const auto wrote = await<backend::Wrote>(a, request, 5s);
  ASSERT_TRUE(wrote && wrote->answers.size() == 2);
  EXPECT_EQ(wrote->answers[0].outcome, StoreResult::done);
  EXPECT_EQ(wrote->answers[1].outcome, StoreResult::done);
}

TEST_P(BackendConformance, AWaitingCandidateThatResignsIsNotElected) {
  Candidate& a = lead("a", "g");
  Candidate& b = join("b");
  b.backend->campaign("g");
  settle();
  b.backend->resign("g");
  settle();
  EXPECT_EQ(b.events.all<backend::Deposed>(b.generation).size(), 0u) << "it never led";
  Candidate& c = join("c");
  c.backend->campaign("g");
  settle();
  a.backend->resign("g");
  EXPECT_TRUE(until([&] { return c.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_FALSE(b.leads("g"));
}

TEST_P(BackendConformance, LeadsAgainAfterResigningAlone) {
  Candidate& a = lead("a", "g");
  const std::uint64_t first = *a.leads("g");
  a.backend->resign("g");
  a.backend->campaign("g");
  EXPECT_TRUE(until([&] { return a.leads("g").value_or(0) > first; }, timeout() + slack()));
}

TEST_P(BackendConformance, ElectsTheGroupsIndependently) {
  Candidate& a = lead("a", "g");
  Candidate& b = lead("b", "h");
  a.backend->campaign("h");
  b.backend->campaign("g");
  settle();
  EXPECT_TRUE(a.leads("g") && b.leads("h"));
  EXPECT_FALSE(a.leads("h") || b.leads("g"));
  a.backend->resign("g");
  EXPECT_TRUE(until([&] { return b.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_TRUE(b.leads("h").has_value());
}

TEST_P(BackendConformance, SharesNothingBetweenNamespaces) {
  Candidate& a = lead("a", "g");
  ASSERT_EQ(write(a, {"g", *a.leads("g"), "j/x", "1", 0}).outcome, StoreResult::done);
  Candidate& other = join("a", "other");
  other.backend->campaign("g");
  EXPECT_TRUE(until([&] { return other.leads("g").has_value(); }, timeout() + slack()));
  EXPECT_TRUE(a.leads("g").has_value());
  EXPECT_TRUE(list(other, "").empty());
}

TEST_P(BackendConformance, ACleanEndLeavesNoOldDeadline) {
  Candidate& a = lead("a", "g");
  a.backend->close(false);
  Candidate& b = lead("b", "g");
  const auto elected = b.events.all<backend::Elected>(b.generation);
  ASSERT_EQ(elected.size(), 1u);
  EXPECT_FALSE(elected[0].old_deadline.has_value());
  EXPECT_FALSE(elected[0].resumed);
}

/// The session is the default's: one of 2 s ends where a sanitizer and a build share two processors with so many
/// claims.
TEST_P(BackendConformance, LeadsTenThousandGroupsInOneSession) {
  session_timeout_ = 10s;
  Candidate& a = join("a");
  for (std::size_t i = 0; i < many_groups; ++i) a.backend->campaign("group-" + std::to_string(i));
  const auto elected = [&] { return a.events.all<backend::Elected>(a.generation).size(); };
  EXPECT_TRUE(until([&] { return a.events.size() >= many_groups && elected() >= many_groups; }, 60s))
      << elected() << " elected; " << (a.closed() ? a.closed()->text : "its session is open");
  settle();
  EXPECT_EQ(elected(), many_groups);
  EXPECT_FALSE(a.closed().has_value());
  Candidate& b = join("b");
  for (std::size_t i = 0; i < many_groups; ++i) b.backend->campaign("group-" + std::to_string(i));
  settle();
  a.backend->close(false);
  const auto taken = [&] { return b.events.all<backend::Elected>(b.generation).size(); };
  EXPECT_TRUE(until([&] { return b.events.size() >= many_groups && taken() >= many_groups; }, 60s))
      << taken() << " taken over; " << (b.closed() ? b.closed()->text : "its session is open");
}

}  // namespace ballot::conformance
