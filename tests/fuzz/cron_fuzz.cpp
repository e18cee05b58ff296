// Cron expressions, one a line: what they are read as, and when it is due.
#include <array>

#include "ballot/time.hpp"
#include "harness.hpp"
#include "schedule/plan.hpp"
#include "schedule/slot_diff.hpp"

namespace ballot::fuzz::cron_harness {
namespace {

using namespace std::chrono;
using schedule::Plan;
using schedule::PlanError;
using schedule::PlanSpec;

constexpr std::array zones{"UTC", "Europe/Paris", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"};
constexpr std::size_t most_expressions = 4;
constexpr int slots_looked_at = 3;

constexpr WallTime at(int y, unsigned m, unsigned d) { return sys_days(year(y) / month(m) / day(d)); }
/// Also where clocks change, where the calendar ends, and beyond it.
constexpr std::array begins{WallTime::min(), at(2011, 12, 29), at(2025, 3, 29), at(2399, 12, 31),
                            WallTime::max() - 10s};

PlanSpec spec_of(std::string_view text) {
  PlanSpec spec;
  spec.timezone = zones[Fnv().add(text).value() % zones.size()];
  spec.group = "g";
  spec.job = "j";
  while (spec.expressions.size() < most_expressions) {
    const std::size_t end = text.find('\n');
    spec.expressions.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return spec;
}

void look_at(const PlanError& error, const PlanSpec& spec) {
  require(error.kind == PlanError::Kind::expression, "its time zone is right");
  require(error.index < spec.expressions.size(), "an error is of one of the expressions");
  const std::size_t size = spec.expressions[error.index].size();
  require(error.column >= 1 && static_cast<std::size_t>(error.column) <= size + 1, "an error is within its expression",
          error.text);
}

void walk(const Plan& plan, WallTime from) {
  const std::vector<WallTime> anchors(plan.everies().size(), from);
  for (int i = 0; i < slots_looked_at; ++i) {
    const auto slot = plan.next(from, anchors);
    if (!slot) return;
    require(slot->at > from, "the next slot is later");
    require(slot->at == floor<seconds>(slot->at), "a slot is a whole second");
    require(plan.next(slot->at - 1ms, anchors) == slot, "there is none between");
    if (from > at(1970, 1, 1)) {
      const WallTime middle = from + (slot->at - from) / 2;
      if (middle < slot->at) require(plan.next(middle, anchors) == slot, "there is none in the middle");
    }
    from = slot->at;
  }
}

}  // namespace

BALLOT_FUZZ(cron) {
  const PlanSpec spec = spec_of(input);
  const auto made = Plan::make(spec);
  if (const auto* const errors = std::get_if<std::vector<PlanError>>(&made)) {
    require(!errors->empty(), "what is no plan has errors");
    for (const PlanError& error : *errors) look_at(error, spec);
    return;
  }
  const Plan& plan = std::get<Plan>(made);
  for (const WallTime begin : begins) walk(plan, begin);
  require(schedule::compare_slots(&plan, &plan, at(2025, 3, 29), at(2025, 3, 29) + 10min).is_empty(),
          "a plan differs in nothing from itself");
}

}  // namespace ballot::fuzz::cron_harness
