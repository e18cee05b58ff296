// Plan: when a job is due. All schedules of a job merged into one ascending stream of slots.
//
// Pure: it is asked for the next slot after an instant and knows nothing of now. Threads: immutable after make().
//
//   auto plan = Plan::make({.expressions = {"0 2 * * *"}, .timezone = "Europe/Paris", .group = "g", .job = "j"});
//   for (auto slot = plan->next(t, {}); slot; slot = plan->next(slot->at, {})) ...
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ballot/shared.hpp"
#include "ballot/time.hpp"
#include "schedule/day_rule.hpp"

namespace ballot::schedule {

struct PlanSpec {
  std::vector<std::string> expressions{};
  std::string timezone = "UTC";
  std::optional<WallTime> not_before{}, not_after{};  // first and last possible slot
  std::string group{}, job{};                         // what `H` hashes, with the field
  Shared<DayRule> days{};                             // of the days of `timezone`; default: all are allowed
};

/// What is wrong, and where: which expression (its index), and the column in it, from 1.
struct PlanError {
  enum class Kind {
    expression,
    timezone,
    days  // an expression does not go with the rule of days
  };
  Kind kind = Kind::expression;
  std::size_t index = 0;
  int column = 1;
  std::string text;
};

/// An instant at which the job is due, or one that is settled and never run.
struct Slot {
  enum class Kind : std::uint8_t {
    due,
    dst_gap,  // in place of a local date that does not exist: `missed: dst_gap`
    left_out  // on a day that the rule does not allow: `skipped: calendar`
  };
  WallTime at{};
  Kind kind = Kind::due;

  bool is_due() const { return kind == Kind::due; }
  bool operator==(const Slot&) const = default;
};

class Plan {
 public:
  /// Of no schedule: empty().
  Plan() = default;
  /// Every error of every expression.
  static std::variant<Plan, std::vector<PlanError>> make(const PlanSpec& spec);
  /// Of expressions as registers and ledgers have them: with_rule(). None: it cannot be read.
  static std::optional<Plan> of_stored(PlanSpec spec);

  /// The first slot strictly after `after`; none if there is none (none ever, or past not_after). Whole seconds.
  /// Strictly ascending when fed its own answers; bounded work. `anchors` has one instant for each of everies(), in
  /// order: the slots of `@every D` are anchor + k * D, k >= 1, the anchor cut to its second. An instant at which one
  /// schedule is due and another is not is due. Knows the years 1800 to 2399. Requires: as many anchors.
  std::optional<Slot> next(WallTime after, std::span<const WallTime> anchors) const;
  /// The same of those that are due, however many are left out before it. Bounded work: of an `@every` none is found
  /// that is more than 44 years later than `after` and the dates of its calendars.
  std::optional<Slot> next_due(WallTime after, std::span<const WallTime> anchors) const;

  /// The instant when `span` has passed since `from`, but for what the rule of days leaves out: the time from a slot
  /// that it leaves out to the next one that is due; with a shift, by which slots are on other days, the days that it
  /// does not allow. None: not within two years more than `span`, or no slot is due any more. `anchors` as for next().
  std::optional<WallTime> elapse(WallTime from, Millis span, std::span<const WallTime> anchors) const;

  /// The texts of the plan's `@every` schedules, in the order in which next() wants their anchors.
  const std::vector<std::string>& everies() const;

  /// Whether the plan has `@reboot`, which next() knows nothing of: its slot is the boot time of the node that leads.
  bool on_reboot() const;

  /// True where next() can never return anything (no schedule, or not_after before not_before) and there is no @reboot:
  /// by trigger only.
  bool empty() const;

  /// The plan has schedules, and the rule of its days leaves out each slot of them. Found by make(); false where there
  /// is an `@every`, whose days are those of its anchor.
  bool is_never_due() const;

  /// The rule of its days; default: all are allowed.
  const Shared<DayRule>& days() const;
  /// Of a slot that is left out, why: "2026-12-25 is in holidays".
  std::string why_left_out(WallTime slot) const;

  /// Requires: plans of one definition. Whether their zones have the same rules.
  bool has_same_zones(const Plan& other) const;

  /// The same slots, and the texts of `@every`: one may stand for the other.
  friend bool operator==(const Plan& a, const Plan& b) { return a.is_equal(b); }
  std::size_t hash() const;
  /// Copies of it are there: they are one object.
  bool is_shared() const { return state_.use_count() > 1; }

 private:
  struct State;
  explicit Plan(std::shared_ptr<const State> state);
  const State& state() const;
  bool is_equal(const Plan& other) const;
  std::optional<Slot> next(WallTime after, std::span<const WallTime> anchors, bool due_only) const;
  std::optional<WallTime> next_left_out(WallTime after, WallTime until, std::span<const WallTime> anchors) const;
  std::shared_ptr<const State> state_;  // null: of no schedule
};

}  // namespace ballot::schedule
