// Short ways to make plans and to write down what they yield.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/wall_text.hpp"
#include "schedule/plan.hpp"

namespace ballot::schedule {

inline Plan plan_of(const PlanSpec& spec) {
  auto made = Plan::make(spec);
  if (auto* errors = std::get_if<std::vector<PlanError>>(&made)) throw std::invalid_argument(errors->front().text);
  return std::get<Plan>(std::move(made));
}

inline Plan plan_of(const std::string& expression, const std::string& zone = "UTC") {
  return plan_of(PlanSpec{.expressions = {expression}, .timezone = zone, .group = "default", .job = "job"});
}

inline std::vector<PlanError> errors_of(const PlanSpec& spec) {
  const auto made = Plan::make(spec);
  const auto* errors = std::get_if<std::vector<PlanError>>(&made);
  return errors ? *errors : std::vector<PlanError>{};
}

inline WallTime at(const std::string& text) { return parse_wall(text).value(); }

/// "2025-03-09T07:00:00Z", with " gap" behind it where the slot stands for a date that does not exist.
inline std::string text_of(const Slot& slot) {
  return format_slot(slot.at) + (slot.kind == Slot::Kind::dst_gap ? " gap" : slot.is_due() ? "" : " left out");
}

/// The slots in (from, to].
inline std::vector<std::string> slots_of(const Plan& plan, const std::string& from, const std::string& to,
                                         const std::vector<WallTime>& anchors = {}) {
  std::vector<std::string> found;
  for (auto slot = plan.next(at(from), anchors); slot && slot->at <= at(to); slot = plan.next(slot->at, anchors))
    found.push_back(text_of(*slot));
  return found;
}

/// The first slots after `from`.
inline std::vector<std::string> first_slots(const Plan& plan, const std::string& from, std::size_t count,
                                            const std::vector<WallTime>& anchors = {}) {
  std::vector<std::string> found;
  for (auto slot = plan.next(at(from), anchors); slot && found.size() < count; slot = plan.next(slot->at, anchors))
    found.push_back(text_of(*slot));
  return found;
}

using Texts = std::vector<std::string>;

}  // namespace ballot::schedule
