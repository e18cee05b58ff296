// GivenAnswers: what this node has answered to requests, for as long as somebody may ask for the same again: an hour of
// what was done, and of a refusal as long as a list may be under way that still shows the request. A request that was
// refused and is made anew is another one, until another instant: what it was refused for may be mended by then.
//
// Pure; used by RequestDesk only.
#pragma once

#include <map>
#include <optional>

#include "core/request/request.hpp"

namespace ballot::core {

class GivenAnswers {
 public:
  /// `until`: of the request; none: it is not known.
  void add(SteadyTime now, const RunId& request, std::optional<WallTime> until, const Answer& answer) {
    std::erase_if(given_, [&](const auto& one) { return one.second.kept_until < now; });
    const Millis life = answer.ok ? Millis(std::chrono::hours(1)) : Millis(std::chrono::seconds(10));
    given_[request] = {now + life, until, answer};
  }

  /// Null: none is remembered.
  const Answer* find(SteadyTime now, const Request& request) const {
    const auto found = given_.find(request.id);
    if (found == given_.end() || now > found->second.kept_until) return nullptr;
    const auto& [kept_until, until, answer] = found->second;
    return answer.ok || request.until == until.value_or(request.until) ? &answer : nullptr;
  }

 private:
  struct Given {
    SteadyTime kept_until{};
    std::optional<WallTime> until;
    Answer answer;
  };
  std::map<RunId, Given> given_;
};

}  // namespace ballot::core
