// Pauses that stand in the store among what people asked, while a node does not answer.
#include "library/history/standing_pauses.hpp"

#include "library/history/request_wire.hpp"
#include "unit/fleet/fleet_of_three.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

RequestRow request(std::uint32_t id, const std::string& kind, const std::string& job, WallTime at) {
  RequestRow row = standing_pause(job, "", at, "host-2 uid 0");
  row.id = run_id(id), row.kind = kind, row.node = "host-2";
  return row;
}
RequestRow pause(const std::string& job, WallTime at) { return standing_pause(job, "", at, "host-2 uid 0"); }

Texts said(const std::vector<RequestRow>& requests) {
  Texts texts;
  for (const RequestRow& one : requests)
    texts.push_back(one.kind + " " + one.job + one.group + (is_of_store(one) ? " (store)" : ""));
  return texts;
}

TEST(StandingPauses, AreShownOnceAndNewestFirst) {
  const std::vector<RequestRow> requests{request(1, "trigger", "a", noon), request(2, "pause", "b", noon)};
  EXPECT_EQ(said(missing_among({pause("d", noon), pause("c", noon + 1h), pause("c", noon + 1h)}, {}, requests)),
            (Texts{"pause c (store)", "pause d (store)"}));
  EXPECT_EQ(missing_among({pause("b", noon + 10ms)}, {}, requests).size(), 0u) << "a ledger has the request";
  EXPECT_EQ(missing_among({pause("b", noon + 2h)}, {}, requests).size(), 1u) << "it is a later one";
}

TEST(StandingPauses, AreThoseThatAreAskedFor) {
  const auto count = [](const storage::RequestFilter& filter) {
    return missing_among({pause("c", noon)}, filter, {}).size();
  };
  EXPECT_EQ(count({}), 1u);
  EXPECT_EQ(count({.jobs = {"b"}}), 0u);
  EXPECT_EQ(count({.kinds = {"trigger"}}), 0u);
  EXPECT_EQ(count({.by = "uid 0"}), 1u);
  EXPECT_EQ(count({.by = "id 0"}), 0u) << "whole words";
  EXPECT_EQ(count({.since = noon + 1ms}), 0u);
  EXPECT_EQ(count({.until = noon}), 0u);
  EXPECT_EQ(count({.after = storage::RequestPosition{noon, {}}}), 0u) << "it was shown";
}

TEST(StandingPauses, NameNoRunWhereTheyFollowAnother) {
  RequestRow follows = request(1, "pause", "trim@host-2", noon);
  follows.run = run_id(7);
  EXPECT_FALSE(run_of(follows));
  follows.kind = "kill";
  EXPECT_EQ(run_of(follows), run_id(7));
}

/// host-2 does not answer, and had taken them up.
struct FleetWithPauses : Fleet3 {
  FleetWithPauses() {
    silent = {"host-2"};
    store = [](const StoreQuestion&) {
      StoreShows shows;
      shows.pauses = {pause("backup", noon - 1h), standing_pause("", "nightly", noon + 1h, "host-2 uid 0")};
      return shows;
    };
  }
  static Texts read(LedgerView& ledger, storage::RequestFilter filter) {
    std::vector<RequestRow> all;
    do {
      const auto end = ledger.requests(filter, [&](const RequestRow& row) { return all.push_back(row), true; });
      if (!end) return {end.error().what};
      filter.after = *end;
    } while (filter.after);
    return said(all);
  }
};

TEST_F(FleetWithPauses, StandInTheirPlacesOnPagesOfAnySize) {
  write("host-1", {request(1, "trigger", "a", noon), request(2, "trigger", "b", noon + 2h)});
  write("host-3", {request(3, "kill", "c", noon - 2h)});
  const Texts all{"trigger b", "pause nightly (store)", "trigger a", "pause backup (store)", "kill c"};
  for (const std::int64_t limit : {1, 2, 3, 50}) EXPECT_EQ(read(*fleet(), {.limit = limit}), all) << limit;
  EXPECT_EQ(read(*fleet(), {.nodes = {"host-1"}}), Texts()) << "of one that answers";
  silent.clear();
  EXPECT_EQ(read(*fleet(), {}), (Texts{"trigger b", "trigger a", "kill c"})) << "its ledger would have them";
}

/// The job's state says that it is paused with its group.
TEST_F(FleetWithPauses, OfAGroupAreThoseOfTheJobsThatArePausedWithIt) {
  const auto read_of = [this](const std::string& job) { return read(*fleet(), {.jobs = {job}}); };
  EXPECT_EQ(read_of("trim"), Texts());
  const auto shows = store;
  store = [shows](const StoreQuestion& asked) {
    auto shown = shows(asked);
    LedState state{"trim", "", "paused"};
    state.pauses = {{true, noon + 1h, "host-2 uid 0"}};
    if (asked.jobs == Texts{"trim"}) shown->states = {state};
    return shown;
  };
  EXPECT_EQ(read_of("trim"), Texts{"pause nightly (store)"});
  EXPECT_EQ(read_of("backup"), Texts{"pause backup (store)"});
}

TEST_F(FleetWithPauses, HaveNoIdAndNoNodeInTheAnswersOfTheApi) {
  const auto answer = answer_shown(*fleet(), io::Message().set("ask", std::string("requests")), noon + 2h);
  ASSERT_TRUE(answer) << answer.error().what;
  const auto requests = answer->objects("requests");
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].text("job"), "backup");
  EXPECT_EQ(requests[1].text("evidence"), "store");
  EXPECT_FALSE(requests[1].text("request_id"));
  EXPECT_FALSE(requests[1].text("node"));
}

/// What answering nodes lead they know themselves.
TEST_F(FleetWithPauses, OfWhatANodeLeadsThatAnswersAreItsOwnToSay) {
  store = {};
  lie("host-3", "evidence", io::Message().set("pauses", std::vector{to_message(pause("dusk", noon))}));
  EXPECT_EQ(read(*fleet(), {}), Texts{"pause dusk (store)"});
}

}  // namespace
}  // namespace ballot::library
