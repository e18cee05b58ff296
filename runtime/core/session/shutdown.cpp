#include "core/session/shutdown.hpp"

#include <algorithm>

namespace ballot::core {
namespace {

constexpr Millis stop_bound{10'000};  // past the end of the wait and the longest kill_grace
constexpr Millis close_bound{8'000};  // for the backend to end the session

}  // namespace

bool Shutdown::ask(SteadyTime now, const Stop& stop, const std::set<GroupEntry*, ByName>& led) {
  if (is_asked()) {
    wait_ = std::min(wait_, stop.wait);
    return false;
  }
  phase_ = Phase::draining;
  leave_ = stop.leave;
  wait_ = stop.wait;
  asked_at_ = now;
  give_up_at_ = now + stop_bound;
  unready_ = led;
  return true;
}

bool Shutdown::is_wait_over(SteadyTime now) const {
  return phase_ == Phase::draining && !leave_ && now >= asked_at_ + wait_;
}

void Shutdown::begin_killing(SteadyTime now, Millis longest) {
  phase_ = Phase::killing;
  give_up_at_ = now + longest + stop_bound;
}

bool Shutdown::is_past_bound(SteadyTime now) const { return has_bound() && now >= give_up_at_; }

void Shutdown::begin_closing(SteadyTime now) {
  phase_ = Phase::closing;
  close_by_ = now + close_bound;
}

std::optional<SteadyTime> Shutdown::wake() const {
  if (phase_ == Phase::closing) return close_by_;
  if (phase_ != Phase::draining && phase_ != Phase::killing) return std::nullopt;
  return has_bound() ? give_up_at_ : asked_at_ + wait_;
}

}  // namespace ballot::core
