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
  FIND "left.kind < right.kind" REPLACE "left.kind > right.kind"
  BY unit_schedule FILTER "Plan.*" FINDING "FAILED.*Plan.PrefersTheSlotThatIsDue")
ballot_mutant(moved_slots_vanish_and_appear FILE runtime/schedule/slot_diff.cpp
  FIND "const bool moved = gone.count == come.count && gone.count > 0;" REPLACE "const bool moved = false;"
  BY unit_schedule FILTER "SlotDiff.*" FINDING "FAILED.*SlotDiff.AnotherHourMoves")
ballot_mutant(dates_that_do_not_exist_are_compared FILE runtime/schedule/slot_diff.cpp
  FIND "plan_->next_due(at_, anchors_)" REPLACE "plan_->next(at_, anchors_)"
  BY unit_schedule FILTER "SlotDiff.*" FINDING "FAILED.*SlotDiff.ADateThatDoesNotExist")
ballot_mutant(hash_of_a_plan_leaves_its_bounds_out FILE runtime/schedule/plan.cpp
  FIND "for (const WallTime bound : {more.not_before, more.not_after})" REPLACE "for (const WallTime bound : {more.not_before})"
  BY unit_schedule FILTER "Plan.*" FINDING "FAILED.*Plan.HasTheHash")
ballot_mutant(calendars_of_except_are_left_out FILE runtime/schedule/day_rule.cpp
  FIND "return !has(except, day) && (only.empty() || has(only, day));" REPLACE "return only.empty() || has(only, day);"
  BY unit_schedule FILTER "ChosenDays.*" FINDING "FAILED.*ChosenDays")
ballot_mutant(days_before_one_that_is_allowed_move_past_it FILE runtime/schedule/day_rule.cpp
  FIND "before ? *before + days(1) : from - farthest_shift" REPLACE "from - farthest_shift"
  BY unit_schedule FILTER "ChosenDays.*" FINDING "FAILED.*ChosenDays")
ballot_mutant(days_that_are_too_far_move_on FILE runtime/schedule/day_rule.cpp
  FIND "*target - farthest_shift);" REPLACE "from - farthest_shift);"
  BY unit_schedule FILTER "ChosenDays.*:ChosenSlots.*" FINDING "FAILED.*Chosen")
ballot_mutant(days_that_move_back_stay_where_they_are FILE runtime/schedule/day_rule.cpp
  FIND "if (to && *to >= from) return Chosen<local_days>{*to, false};"
  REPLACE "if (to && *to >= from) return Chosen<local_days>{*day, false};"
  BY unit_schedule FILTER "ChosenDays.*" FINDING "FAILED.*ChosenDays")
ballot_mutant(days_that_move_back_are_passed_over_too_long FILE runtime/schedule/day_rule.cpp
  FIND "on = std::min(on, *to + farthest_shift + days(1));" REPLACE "(void)0;"
  BY unit_schedule FILTER "ChosenDays.*:ChosenSlots.*" FINDING "FAILED.*Chosen")
ballot_mutant(a_rule_forgets_what_is_left_out FILE runtime/schedule/day_rule.cpp
  FIND "return Chosen<local_days>{*day, !due_only && !allows(*day)};" REPLACE "return Chosen<local_days>{*day, false};"
  BY unit_schedule FILTER "ChosenDays.*" FINDING "FAILED.*ChosenDays")
ballot_mutant(one_label_of_a_gap_stands_for_all FILE runtime/schedule/schedule.cpp
  FIND "while (!slot.is_due()) {" REPLACE "while (false) {"
  BY unit_schedule FILTER "ChosenDays.*:ChosenSlots.*" FINDING "FAILED.*Chosen")
ballot_mutant(every_has_no_days FILE runtime/schedule/plan.cpp
  FIND "while (slot && !days.allows(day_of(slot->at, zone))) {" REPLACE "while (false) {"
  BY unit_schedule FILTER "ChosenDays.*:ChosenSlots.*" FINDING "FAILED.*Chosen")
ballot_mutant(every_has_the_days_of_utc FILE runtime/schedule/plan.cpp
  FIND "second.time_since_epoch() + zone.offset(second)" REPLACE "second.time_since_epoch() + zone.offset(second) * 0"
  BY unit_schedule FILTER "ChosenDays.*:ChosenSlots.*" FINDING "FAILED.*Chosen")
ballot_mutant(time_left_out_is_counted FILE runtime/schedule/plan.cpp
  FIND "end += due->at - *left_out;" REPLACE ""
  BY unit_schedule FILTER "Elapse.DoesNotCount*" FINDING "FAILED.*Elapse.DoesNotCount")
ballot_mutant(days_of_a_shift_are_counted FILE runtime/schedule/plan.cpp
  FIND "end += begin_of(day + std::chrono::days(1), *more.zone) - std::max(from, begin_of(day, *more.zone));" REPLACE ""
  BY unit_schedule FILTER "Elapse.*" FINDING "FAILED.*Elapse.WithAShift")
ballot_mutant(yearly_ranges_go_on_into_a_common_year FILE runtime/schedule/day_set.cpp
  FIND "if (day == last) return {};"
  REPLACE "if (year_month_day(day).month() == year_month_day(last).month() && year_month_day(day).day() == year_month_day(last).day()) return {}; if (day > local_days(year{2002} / 1 / 1)) return {}; continue;"
  BY unit_schedule FILTER "DaySet.*:ChosenDays.*" FINDING "FAILED.*DaySet.HasYearlyRanges")
ballot_mutant(days_come_back_after_twenty_years FILE runtime/schedule/day_rule.cpp
  FIND "constexpr days longest_gap{366 * 44};" REPLACE "constexpr days longest_gap{366 * 20};"
  BY unit_schedule FILTER "DayRule.*" FINDING "FAILED.*DayRule.FindsTheLeapDay")
ballot_mutant(schedules_that_are_never_due_are_not_known FILE runtime/schedule/day_rule.cpp
  FIND "? dated.to : local_days::min();" REPLACE "? dated.to : dated.to;"
  BY unit_schedule FILTER "ChosenSlots.*" FINDING "FAILED.*ChosenSlots.ThatNoDayIsEverGood")
ballot_mutant(kinds_of_days_are_all_allowed FILE runtime/schedule/day_rule.cpp
  FIND "if (std::none_of(only.begin(), only.end(), has_dates) && !allows_kinds()) return true;" REPLACE "if (!allows_kinds()) return true;"
  BY unit_schedule FILTER "DayRule.*" FINDING "FAILED.*DayRule.KnowsThatItAllowsNoDay")
