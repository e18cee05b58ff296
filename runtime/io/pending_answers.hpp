// PendingAnswers: who waits for an answer of the store that is no business of the core's, each for as long as its own
// patience lasts, however many others ask meanwhile. A default-constructed answer says that there is none.
//
// Thread: the loop's.
//
//   PendingAnswers<std::vector<Election>> pending(loop, first_number);
//   const RequestId request = pending.add(Millis(2000), [](const std::vector<Election>& elections) { ... });
//   backend.observe(request, "");
//   pending.answer(request, elections);        // when the store answers
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "ballot/backend.hpp"
#include "io/clocks.hpp"
#include "io/wall_timer.hpp"

namespace ballot::io {

template <class Answer>
class PendingAnswers {
 public:
  using OnAnswer = std::function<void(const Answer&)>;

  /// `first`: of the requests' numbers, above those that others give.
  PendingAnswers(boost::asio::io_context& loop, RequestId first) : last_(first), timer_(loop, [this] { expire(); }) {}

  /// `answered` is called once, with none after `patience`; not where this object goes before. It may add another.
  RequestId add(Millis patience, OnAnswer answered) {
    asked_[++last_] = {read_clocks().steady + patience, std::move(answered)};
    arm();
    return last_;
  }

  bool has(RequestId request) const { return asked_.contains(request); }

  /// Nothing where the request was given up already, or is somebody else's.
  void answer(RequestId request, const Answer& answer) {
    const auto asked = asked_.extract(request);
    if (!asked) return;
    arm();
    asked.mapped().answered(answer);
  }

 private:
  struct Asked {
    SteadyTime until;
    OnAnswer answered;
  };

  void expire() {
    const SteadyTime now = read_clocks().steady;
    std::vector<OnAnswer> given_up;
    for (auto each = asked_.begin(); each != asked_.end();) {
      if (each->second.until > now) {
        ++each;
        continue;
      }
      given_up.push_back(std::move(each->second.answered));
      each = asked_.erase(each);
    }
    arm();
    for (const OnAnswer& answered : given_up) answered({});
  }

  /// At the first whose patience ends.
  void arm() {
    const auto first = std::min_element(asked_.begin(), asked_.end(), [](const auto& one, const auto& other) {
      return one.second.until < other.second.until;
    });
    if (first == asked_.end()) return timer_.disarm();
    timer_.arm(first->second.until);
  }

  RequestId last_;
  std::map<RequestId, Asked> asked_;
  BootTimer timer_;
};

}  // namespace ballot::io
