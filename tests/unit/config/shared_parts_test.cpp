#include "config/shared_parts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace ballot::config {
namespace {

using schedule::Plan;

Plan plan_of(const std::string& expression, const std::string& job, const std::string& timezone = "UTC") {
  return std::get<Plan>(Plan::make({.expressions = {expression}, .timezone = timezone, .group = "g", .job = job}));
}

TEST(SharedParts, WhatIsEqualIsOneObject) {
  SharedParts parts;
  const auto a = parts.shared(SharedParts::Texts{"/bin/true", "x"});
  EXPECT_TRUE(a.is_same(parts.shared(SharedParts::Texts{"/bin/true", "x"})));
  EXPECT_FALSE(a.is_same(parts.shared(SharedParts::Texts{"/bin/true", "y"})));
  const auto group = parts.shared(SharedParts::Text("nightly"));
  EXPECT_TRUE(group.is_same(parts.shared(SharedParts::Text("nightly"))));
}

TEST(SharedParts, PlansWithTheSameSlotsAreOneObject) {
  SharedParts parts;
  const Plan daily = parts.shared(plan_of("0 2 * * *", "a"));
  EXPECT_FALSE(plan_of("0 2 * * *", "a").is_shared());
  const Plan other = parts.shared(plan_of("0 2 * * *", "b"));
  EXPECT_EQ(daily, other);
  EXPECT_EQ(daily.hash(), plan_of("0 2 * * *", "c").hash());
  EXPECT_FALSE(daily == plan_of("0 2 * * *", "a", "Europe/Paris")) << "in another zone";
  EXPECT_FALSE(daily == plan_of("1 2 * * *", "a"));
  EXPECT_FALSE(plan_of("@every 90s", "a") == plan_of("@every 91s", "a"));
  EXPECT_FALSE(plan_of("H H(0-7) * * *", "a") == plan_of("H H(0-7) * * *", "b")) << "H is another for another job";
}

TEST(SharedParts, WhatNobodyHasAnyMoreGoes) {
  SharedParts parts;
  const auto kept = parts.shared(SharedParts::Text("kept"));
  for (int i = 0; i < 1000; ++i) (void)parts.shared(SharedParts::Text(std::to_string(i)));
  const auto again = parts.shared(SharedParts::Text("kept"));
  EXPECT_TRUE(again.is_same(kept));
  EXPECT_LE(parts.size(), 128u);
}

}  // namespace
}  // namespace ballot::config
