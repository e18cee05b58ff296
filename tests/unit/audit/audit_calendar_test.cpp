// An audit of jobs with calendars: their slots are computed by the rule that the definition has.
#include "audited.hpp"

namespace ballot::audit {
namespace {

struct AuditedCalendar : Audited {
  /// Each minute, and Sunday, 9 March 2025, is left out.
  void define_with(const std::string& rule) { define().schedule = {"* * * * *", "@days " + rule}; }
  Row& left_out(const std::string& slot) { return not_run(slot, Status::skipped, Reason::calendar); }
};

TEST_F(AuditedCalendar, FindsNothingWhereEachSlotThatIsLeftOutHasItsRow) {
  define_with("except weekend=sun");
  left_out("12:01:00");
  Row& many = left_out("12:02:00");
  many.slot_until = at("12:05:00");
  many.slots = 4;
  left_out("12:06:00");
  EXPECT_EQ(findings(), Texts{});
}

TEST_F(AuditedCalendar, FindsASlotThatIsLeftOutAndHasNoRow) {
  define_with("except weekend=sun");
  left_out("12:01:00");
  left_out("12:03:00");
  EXPECT_EQ(findings(), Texts{"missing 12:02:00"});
}

TEST_F(AuditedCalendar, FindsARunOnADayThatIsLeftOut) {
  define_with("except weekend=sun");
  left_out("12:01:00");
  ran("12:02:00");
  ASSERT_EQ(findings(), Texts{"reason 12:02:00"});
  EXPECT_EQ(found_[0].what, "ran, and its job's calendars leave out its day: 2025-03-09 is in weekend");
}

TEST_F(AuditedCalendar, FindsADayThatIsLeftOutAndNoCalendarDoesSo) {
  define_with("except weekend=sat");
  ran("12:01:00");
  left_out("12:02:00");
  Row& many = left_out("12:03:00");
  many.slot_until = at("12:04:00");
  many.slots = 2;
  EXPECT_EQ(findings(), (Texts{"reason 12:02:00", "reason 12:03:00 x2"}));
}

TEST_F(AuditedCalendar, WantsNoRowOfTheDayThatAMovedSlotHasLeft) {
  define().schedule = {"5 12 8 * *", "@days except sabbath=sat shift=next"};
  ran("12:05:00");
  EXPECT_EQ(findings(), Texts{});
  rows_.clear();
  ran("12:04:00");
  EXPECT_EQ(findings(), Texts{"not_due 12:04:00"});
}

/// As a build of before calendars would say of one.
TEST_F(AuditedCalendar, SaysNothingOfSlotsByARuleThatItCannotRead) {
  define_with("except weekend=full moon");
  ran("12:01:00");
  ran("12:07:00");
  EXPECT_EQ(findings(), Texts{});
}

}  // namespace
}  // namespace ballot::audit
