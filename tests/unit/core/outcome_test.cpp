#include "core/record/outcome.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace ballot::core {
namespace {

Row ended() {
  Row row;
  row.run = Random(1).run_id(WallTime(Millis(1)));
  row.attempt = 1;
  row.job = "a";
  row.group = "g";
  row.node = "n";
  row.status = Status::failed;
  row.reason = Reason::exit_code;
  row.exit_code = 3;
  return row;
}

TEST(OutcomeText, KeepsTheStatusesAndReasonsOfANewerVersion) {
  for (const char* word : {"solar_flare", "57"}) {
    Row row = ended();
    row.status = Named<Status>::parse(word).value();
    row.reason = Named<Reason>::parse(word).value();
    const auto read = parse_outcome(outcome_text(row));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->status.text(), word);
    EXPECT_EQ(read->reason.text(), word);
    EXPECT_EQ(outcome_text(*read), outcome_text(row));
  }
}

TEST(OutcomeText, TellsOfAnEnd) {
  Row row = ended();
  row.status = Status::running;
  EXPECT_FALSE(parse_outcome(outcome_text(row)));
}

}  // namespace
}  // namespace ballot::core
