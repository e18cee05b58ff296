// Rows of many slots, and what a repair leaves of them.
#include "unit/audit/audited.hpp"

namespace ballot::audit {
namespace {

class AuditedRanges : public Audited {};

/// Only the cursor at which this node's next term took the register over says so, and it has passed some slots again.
TEST_F(AuditedRanges, KnowThatAnotherNodesRepairBringsACursorBackAmongManySlots) {
  define();
  ran("12:01:00");
  missed("12:02:00", "12:10:00", 9);  // by a clock that was ahead
  epoch_ = 3;
  ran("12:04:00");  // of the node that has repaired it: this one records that it was lost
  epoch_ = 4;
  define("12:04:00", Basis::taken_over).before = 3;
  ran("12:05:00");
  EXPECT_EQ(findings(), Texts{});
  rows_[2].first.epoch = 1;
  EXPECT_EQ(findings(), Texts{"twice 12:04:00"}) << "of the term that the many are of";
}

}  // namespace
}  // namespace ballot::audit
