ballot_mutant(nearest_weekday_leaves_the_month FILE runtime/schedule/calendar.cpp
  FIND "return day == 1 ? 3 : day - 1;" REPLACE "return day - 1;"
  BY unit_schedule FILTER "Calendar.*" FINDING "FAILED.*Calendar.FindsTheWeekdayNearest")
ballot_mutant(last_weekday_is_the_fourth FILE runtime/schedule/calendar.cpp
  FIND "first + (month.length - first) / 7 * 7" REPLACE "first + 21"
  BY unit_schedule FILTER "Calendar.*" FINDING "FAILED.*Calendar.FindsTheNthAndTheLastWeekday")
ballot_mutant(both_days_are_always_wanted FILE runtime/schedule/calendar.cpp
  FIND "fields_.either_day ? by_day | by_weekday : by_day & by_weekday" REPLACE "by_day & by_weekday"
  BY unit_schedule FILTER "Calendar.*" FINDING "FAILED.*Calendar.WantsEitherDay")
ballot_mutant(a_minute_that_has_begun_is_over FILE runtime/schedule/calendar.cpp
  FIND "at_least(fields_.minutes, minute + 1); this_hour" REPLACE "at_least(fields_.minutes, minute + 2); this_hour"
  BY unit_schedule FILTER "Calendar.*" FINDING "FAILED.*Calendar")
ballot_mutant(plan_includes_the_instant_asked_for FILE runtime/schedule/plan.cpp
  FIND "floor<seconds>(after) + seconds(1);" REPLACE "floor<seconds>(after);"
  BY unit_schedule FILTER "Plan.IsStrictlyAfter*" FINDING "FAILED.*Plan.IsStrictlyAfter")
ballot_mutant(plan_goes_on_past_its_end FILE runtime/schedule/plan.cpp
  FIND "return first && first->at <= more.not_after ? first : std::nullopt;" REPLACE "return first;"
  BY unit_schedule FILTER "Plan.*" FINDING "FAILED.*Plan.KeepsWithin")
ballot_mutant(plan_begins_before_its_first FILE runtime/schedule/plan.cpp
  FIND "after = std::max(after, more.not_before - milliseconds(1));" REPLACE ""
  BY unit_schedule FILTER "Plan.*" FINDING "FAILED.*Plan.KeepsWithin")
ballot_mutant(every_skips_what_is_due_now FILE runtime/schedule/plan.cpp
  FIND "(from - start + period - seconds(1)) / period" REPLACE "(from - start) / period + 1"
  BY unit_schedule FILTER "Plan.*" FINDING "FAILED.*Plan.CountsEvery")
ballot_mutant(recorded_slot_hides_one_that_is_due FILE runtime/schedule/plan.cpp
  FIND "left.dst_gap < right.dst_gap" REPLACE "left.dst_gap > right.dst_gap"
  BY unit_schedule FILTER "Plan.*" FINDING "FAILED.*Plan.PrefersTheSlotThatIsDue")
ballot_mutant(moved_slots_vanish_and_appear FILE runtime/schedule/slot_diff.cpp
  FIND "const bool moved = gone.count == come.count && gone.count > 0;" REPLACE "const bool moved = false;"
  BY unit_schedule FILTER "SlotDiff.*" FINDING "FAILED.*SlotDiff.AnotherHourMoves")
ballot_mutant(dates_that_do_not_exist_are_compared FILE runtime/schedule/slot_diff.cpp
  FIND "if (!slot->dst_gap) return void(next_ = at_);" REPLACE "return void(next_ = at_);"
  BY unit_schedule FILTER "SlotDiff.*" FINDING "FAILED.*SlotDiff.ADateThatDoesNotExist")
ballot_mutant(hash_of_a_plan_leaves_its_bounds_out FILE runtime/schedule/plan.cpp
  FIND "for (const WallTime bound : {more.not_before, more.not_after})" REPLACE "for (const WallTime bound : {more.not_before})"
  BY unit_schedule FILTER "Plan.*" FINDING "FAILED.*Plan.HasTheHash")
