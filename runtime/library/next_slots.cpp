#include "library/next_slots.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ballot::library {
namespace {

bool comes_before(const PlannedSlot& a, const PlannedSlot& b) {
  return std::tie(a.slot, a.job) < std::tie(b.slot, b.job);
}

}  // namespace

std::vector<WallTime> slots_of_plan(const schedule::Plan& plan, const std::vector<WallTime>& phase, WallTime after,
                                    WallTime until, std::size_t most) {
  std::vector<WallTime> slots;
  for (auto slot = plan.next_due(after, phase); slot && slot->at < until && slots.size() < most;
       slot = plan.next_due(slot->at, phase))
    slots.push_back(slot->at);
  return slots;
}

/// Of slots of one instant the last job's goes first, so the bound lies one past the last slot that is kept.
void NextSlots::add(PlannedSlot slot) {
  if (slot.slot >= until_) return;
  heap_.push_back(std::move(slot));
  std::push_heap(heap_.begin(), heap_.end(), comes_before);
  if (heap_.size() > most_) {
    std::pop_heap(heap_.begin(), heap_.end(), comes_before);
    heap_.pop_back();
  }
  if (heap_.size() == most_) until_ = std::min(until_, heap_.front().slot + Millis(1));
}

std::vector<PlannedSlot> NextSlots::slots() const {
  std::vector<PlannedSlot> slots = heap_;
  std::sort_heap(slots.begin(), slots.end(), comes_before);
  return slots;
}

}  // namespace ballot::library
