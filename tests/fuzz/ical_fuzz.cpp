// iCalendar files; and, of the same bytes, the texts of days that registers and ledgers have.
#include "config/ical.hpp"

#include <algorithm>

#include "harness.hpp"
#include "schedule/plan.hpp"

namespace ballot::fuzz::ical_harness {
namespace {

using schedule::DayRule;
using schedule::DaySet;

void look_at(const DaySet& set) {
  const auto again = DaySet::parse(set.text());
  require(again && *again == set, "what is written is read as the same", set.text());
  const auto from = schedule::local_days(std::chrono::year(2026) / 1 / 1);
  if (const auto next = set.next(from)) {
    require(*next >= from && set.has(*next), "the next day is one of it", set.text());
    require(set.end_of_range(*next) >= *next, "a range ends where it begins, or later", set.text());
  }
}

void look_at(const DayRule& rule) {
  const auto again = DayRule::parse(rule.text());
  require(again && *again == rule, "a rule is read as the same", rule.text());
  for (const auto* const calendars : {&rule.except, &rule.only})
    for (const DayRule::Named& one : *calendars) look_at(one.days);
  const auto from = schedule::local_days(std::chrono::year(2026) / 1 / 1);
  const auto allowed = rule.next_allowed(from);
  if (allowed) require(*allowed >= from && rule.allows(*allowed), "an allowed day is allowed", rule.text());
  require(rule.allows(from) == rule.why_not(from).empty(), "what is not allowed has a reason", rule.text());
  const auto plan = schedule::Plan::of_stored({.expressions = schedule::with_rule({"0 2 * * *"}, rule.text())});
  require(plan.has_value(), "a rule makes a plan", rule.text());
  WallTime at = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
  for (int i = 0; i < 20; ++i) {
    const auto slot = plan->next(at, {});
    if (!slot) break;
    require(slot->at > at, "slots ascend", rule.text());
    require(slot->is_due() == plan->why_left_out(slot->at).empty(), "what is left out is not allowed", rule.text());
    at = slot->at;
  }
}

}  // namespace

BALLOT_FUZZ(ical) {
  const config::IcalDays read = config::read_ical(input);
  const auto lines = std::count(input.begin(), input.end(), '\n') + 1;
  for (const config::IcalFault& fault : read.faults) {
    require(fault.line >= 1 && fault.line <= lines, "a fault is at a line of the file", fault.text);
    require(fault.text.size() < 500, "a fault is short", fault.text);
  }
  DaySet set;
  for (const auto& range : read.days) {
    require(range.from <= range.to, "an event ends where it begins, or later");
    set.add(range);
  }
  look_at(set);
  if (const auto days = DaySet::parse(input)) look_at(*days);
  if (const auto rule = DayRule::parse(input)) look_at(*rule);
}

}  // namespace ballot::fuzz::ical_harness
