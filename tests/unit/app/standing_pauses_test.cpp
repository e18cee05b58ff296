// Pauses that stand in the store among what people asked, while a node does not answer.
#include "app/standing_pauses.hpp"

#include <gtest/gtest.h>

#include "unit/app/rows.hpp"

namespace ballot::app {
namespace {

using testing::slot;
using namespace std::chrono_literals;

RequestRow request(const std::string& kind, const std::string& job, WallTime at, const std::string& by = "n1 uid 0") {
  RequestRow row;
  row.kind = kind;
  row.job = job;
  row.at = at;
  row.by = by;
  return row;
}

std::string text_of(const std::vector<ShownRequest>& requests) {
  std::string text;
  for (const ShownRequest& one : requests)
    text += one.row.kind + " " + one.row.job + one.row.group + (one.is_evidence ? " (store), " : ", ");
  return text;
}

struct StandingPauses : ::testing::Test {
  std::string with(const std::vector<RequestRow>& pauses, const storage::RequestFilter& filter = {}) {
    add_standing(requests, pauses, filter);
    return text_of(requests);
  }

  std::vector<ShownRequest> requests{{request("trigger", "a", slot + 1h)}, {request("pause", "b", slot)}};
};

TEST_F(StandingPauses, StandInTheirPlacesAmongWhatTheLedgersHave) {
  EXPECT_EQ(with({request("pause", "c", slot + 30min), request("pause", "d", slot - 1h)}),
            "trigger a, pause c (store), pause b, pause d (store), ");
}

TEST_F(StandingPauses, AreNotShownTwice) {
  EXPECT_EQ(with({request("pause", "b", slot + 10ms)}), "trigger a, pause b, ");
  EXPECT_EQ(with({request("pause", "b", slot + 2h)}), "pause b (store), trigger a, pause b, ") << "it is a later one";
}

TEST_F(StandingPauses, AreThoseThatAreAskedForAndNoMoreThanAreAskedFor) {
  EXPECT_EQ(with({request("pause", "c", slot)}, {.jobs = {"b"}}), "trigger a, pause b, ");
  EXPECT_EQ(with({request("pause", "c", slot)}, {.since = slot + 1ms}), "trigger a, pause b, ");
  EXPECT_EQ(with({request("pause", "c", slot)}, {.until = slot}), "trigger a, pause b, ");
  EXPECT_EQ(with({request("pause", "c", slot - 1h)}, {.limit = 2}), "trigger a, pause b, ");
  EXPECT_EQ(with({request("pause", "c", slot + 2h)}, {.limit = 2}), "pause c (store), trigger a, ");
}

}  // namespace
}  // namespace ballot::app
