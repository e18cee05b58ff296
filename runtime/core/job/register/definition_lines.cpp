#include "core/job/register/definition_lines.hpp"

#include <algorithm>

namespace ballot::core {
namespace {

constexpr std::size_t expressions_limit = 1500;  // bytes of them in a register

}  // namespace

Timing timing_of(const Job& job) {
  Timing timing;
  const std::string& days = *job.details->days;
  std::size_t bytes = days.size();
  for (const std::string& expression : job.schedule) bytes += expression.size();
  if (!job.enabled || job.schedule.empty() || bytes > expressions_limit) return timing;
  timing.timezone = job.timezone;
  timing.expressions = job.schedule;
  if (!days.empty()) timing.expressions = schedule::with_rule(job.schedule, days);
  timing.not_before = job.not_before;
  timing.not_after = job.not_after;
  return timing;
}

std::vector<Anchor> anchored_anew(const schedule::Plan& plan, const JobRegister& stored) {
  std::vector<Anchor> anchors;
  for (const std::string& text : plan.everies()) {
    const auto known =
        std::find_if(stored.anchors.begin(), stored.anchors.end(), [&](const Anchor& a) { return a.text == text; });
    anchors.push_back({text, known != stored.anchors.end() ? known->at : stored.since});
  }
  return anchors;
}

}  // namespace ballot::core
