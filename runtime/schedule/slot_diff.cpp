#include "schedule/slot_diff.hpp"

#include <algorithm>
#include <vector>

namespace ballot::schedule {
namespace {

/// The slots of a plan, one after the other.
class Slots {
 public:
  Slots(const Plan* plan, WallTime from, WallTime until)
      : plan_(plan), until_(until), anchors_(plan ? plan->everies().size() : 0, from), at_(from) {
    advance();
  }
  /// WallTime::max(): there are no more.
  WallTime next() const { return next_; }
  void advance() {
    next_ = WallTime::max();
    const auto slot = plan_ ? plan_->next_due(at_, anchors_) : std::nullopt;
    if (slot && slot->at <= until_) next_ = at_ = slot->at;
  }

 private:
  const Plan* plan_;
  const WallTime until_;
  const std::vector<WallTime> anchors_;
  WallTime at_;
  WallTime next_ = WallTime::max();
};

/// What only one of the two has, since the last slot that both have.
struct Run {
  std::int64_t count = 0;
  WallTime first{};

  void add(WallTime slot) {
    if (count++ == 0) first = slot;
  }
};

void settle(Run& gone, Run& come, SlotDiff& diff) {
  const bool moved = gone.count == come.count && gone.count > 0;
  if (moved && !diff.first_move) diff.first_move.emplace(gone.first, come.first);
  if (moved) diff.move += gone.count;
  if (!moved && gone.count > 0 && !diff.first_vanishes) diff.first_vanishes = gone.first;
  if (!moved && come.count > 0 && !diff.first_appears) diff.first_appears = come.first;
  diff.vanish += moved ? 0 : gone.count;
  diff.appear += moved ? 0 : come.count;
  gone = Run();
  come = Run();
}

}  // namespace

SlotDiff compare_slots(const Plan* before, const Plan* after, WallTime from, WallTime until) {
  SlotDiff diff;
  Run gone, come;
  Slots olds(before, from, until), news(after, from, until);
  while (std::min(olds.next(), news.next()) != WallTime::max()) {
    const bool has_old = olds.next() <= news.next(), has_new = news.next() <= olds.next();
    if (has_old && has_new)
      settle(gone, come, diff);
    else
      has_old ? gone.add(olds.next()) : come.add(news.next());
    if (has_old) olds.advance();
    if (has_new) news.advance();
  }
  settle(gone, come, diff);
  return diff;
}

}  // namespace ballot::schedule
