// How the last run of a job ended, by registers that nodes have read at different times: whoever leads the job knows
// its register as it is, any other as it was.
#include "unit/fleet/fleet_of_three.hpp"

namespace ballot::library {
namespace {

/// A run of host-3, which does not answer.
Row ended(std::uint32_t number, std::int64_t at) {
  Row row = on("host-3", ran(number, noon + Millis(at)));
  row.ended_at = row.slot + Millis(1);
  return row;
}

struct LastEnds : Fleet3 {
  LastEnds() { silent = {"host-3"}; }
  void host_2_says(const std::vector<Row>& rows, const Texts& leads) {
    std::vector<io::Message> shown;
    for (const Row& row : rows) shown.push_back(to_message(row));
    lie("host-2", "evidence", io::Message().set("rows", std::move(shown)).set("leads", leads));
  }
};

TEST_F(LastEnds, AreThoseThatTheLeaderOfTheJobKnowsAndNoneThatAnotherNodeReadBefore) {
  host_2_says({ended(2, 2000)}, {"nightly"});
  EXPECT_EQ(history(*fleet({ended(1, 1000)})), Texts{"backup 2000 succeeded on host-3 (store)"});
  host_2_says({}, {"nightly"});
  EXPECT_EQ(history(*fleet({ended(1, 1000)})), Texts()) << "the last one is a run of host-2, whose ledger has it";
}

TEST_F(LastEnds, OfARunThatANodeSawOpenBeforeAreShown) {
  host_2_says({ended(1, 1000)}, {"nightly"});
  EXPECT_EQ(history(*fleet({with(ended(1, 1000), Status::claimed)})), Texts{"backup 1000 succeeded on host-3 (store)"});
}

TEST_F(LastEnds, OfWhatNobodyLeadsAreTheNewestThatAnyNodeHasRead) {
  host_2_says({ended(1, 1000)}, {});
  EXPECT_EQ(history(*fleet({ended(2, 2000)})), Texts{"backup 2000 succeeded on host-3 (store)"});
  host_2_says({ended(2, 2000)}, {});
  EXPECT_EQ(history(*fleet({ended(1, 1000)})), Texts{"backup 2000 succeeded on host-3 (store)"});
}

}  // namespace
}  // namespace ballot::library
