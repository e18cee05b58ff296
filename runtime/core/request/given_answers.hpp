// GivenAnswers: what this node has answered to requests, for as long as somebody may ask for the same again: an hour of
// what was done, and of a refusal as long as a list may be under way that still shows the request.
//
// Pure; used by RequestDesk only.
#pragma once

#include <map>

#include "core/request/request.hpp"

namespace ballot::core {

class GivenAnswers {
 public:
  void add(SteadyTime now, const RunId& request, const Answer& answer) {
    std::erase_if(given_, [&](const auto& one) { return one.second.kept_until < now; });
    given_[request] = {now + (answer.ok ? Millis(std::chrono::hours(1)) : Millis(std::chrono::seconds(10))), answer};
  }

  /// Null: none is remembered.
  const Answer* find(SteadyTime now, const RunId& request) const {
    const auto found = given_.find(request);
    return found != given_.end() && now <= found->second.kept_until ? &found->second.answer : nullptr;
  }

 private:
  struct Given {
    SteadyTime kept_until{};
    Answer answer;
  };
  std::map<RunId, Given> given_;
};

}  // namespace ballot::core
