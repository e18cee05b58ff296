#include "core/session.hpp"

#include <algorithm>

namespace ballot::core {
namespace {

Millis offset_of(Now now) { return now.wall.time_since_epoch() - now.steady.time_since_epoch(); }

constexpr Millis first_pause{200}, longest_pause{5000};

}  // namespace

void Session::begin(Now now, Actions& out) {
  state_ = State::opening;
  opened_at_ = now.steady;
  opened_wall_ = now.wall;
  renewal_.reset();
  out.push_back(OpenSession{++generation_});
}

void Session::end(bool keep, Actions& out) {
  if (state_ == State::opening || state_ == State::open) out.push_back(CloseSession{keep});
  state_ = State::ended;
}

Session::Edge Session::on_opened(Now now, const backend::SessionOpened& event) {
  if (state_ != State::opening) return Edge::none;
  state_ = State::open;
  timeout_ = event.timeout;
  deadline_ = opened_at_ + timeout_ - margin();
  next_renewal_ = opened_at_ + timeout_ / 3;
  doubt_ = false;
  clock_offset_ = offset_of(now);
  compare(opened_wall_, now.wall, event.store_clock);
  reopen_pause_ = first_pause;
  return Edge::opened;
}

Session::Edge Session::on_closed(Now now, const backend::SessionClosed&) {
  if (state_ == State::ended) return Edge::none;
  const bool was_open = state_ == State::open;
  const bool asked = state_ == State::closing;
  state_ = State::closed;
  renewal_.reset();
  reopen_at_ = asked ? now.steady : now.steady + reopen_pause_;
  if (!asked && !was_open) reopen_pause_ = std::min(reopen_pause_ * 2, longest_pause);
  return was_open ? Edge::lost : Edge::none;
}

void Session::on_renewed(Now now, const backend::Renewed& event) {
  if (!renewal_ || renewal_->request != event.request || state_ != State::open) return;
  const SteadyTime sent = renewal_->sent;
  const WallTime wall = renewal_->wall;
  renewal_.reset();
  if (event.outcome != Outcome::done) {
    doubt_ = true;
    doubt_since_ = now.steady;
    next_renewal_ = now.steady + std::min(request_timeout(), Millis(100));
    return;
  }
  deadline_ = std::max(deadline_, sent + timeout_ - margin());
  next_renewal_ = sent + timeout_ / 3;
  compare(wall, now.wall, event.store_clock);
  if (doubt_ && sent < doubt_since_) return;
  doubt_ = false;
  clock_offset_ = offset_of(now);
}

/// The store's clock showed `store_clock` between two readings of ours.
void Session::compare(WallTime from, WallTime to, const std::optional<WallTime>& store_clock) {
  if (!store_clock) return;
  const WallTime earliest = std::min(from, to), latest = std::max(from, to);
  clock_error_ = earliest > *store_clock ? earliest - *store_clock : std::min(latest - *store_clock, Millis(0));
}

void Session::watch_clock(Now now) {
  const Millis drift = offset_of(now) - *clock_offset_;
  if (drift <= Millis(1000) && drift >= Millis(-1000)) return;
  clock_offset_ = offset_of(now);
  doubt_ = true;
  doubt_since_ = now.steady;
  next_renewal_ = now.steady;
}

Session::Edge Session::on_time(Now now, RequestId& last_request, Actions& out) {
  if (state_ == State::closed && now.steady >= reopen_at_ && generation_ > 0) begin(now, out);
  if (state_ != State::open) return Edge::none;
  if (now.steady >= deadline_) {
    state_ = State::closing;
    renewal_.reset();
    out.push_back(CloseSession{false});
    return Edge::lost;
  }
  watch_clock(now);
  if (renewal_ && now.steady >= renewal_->sent + request_timeout() && !doubt_) {
    doubt_ = true;
    doubt_since_ = renewal_->sent;
  }
  if (!renewal_ && now.steady >= next_renewal_) {
    renewal_ = Renewal{++last_request, now.steady, now.wall};
    out.push_back(Renew{last_request});
  }
  return Edge::none;
}

std::optional<SteadyTime> Session::wake() const {
  if (state_ == State::closed && generation_ > 0) return reopen_at_;
  if (state_ != State::open) return std::nullopt;
  SteadyTime wake = deadline_;
  if (!renewal_)
    wake = std::min(wake, next_renewal_);
  else if (!doubt_)
    wake = std::min(wake, renewal_->sent + request_timeout());
  return wake;
}

Millis Session::grace(Millis kill_grace) const {
  return std::max(Millis(0), std::min(kill_grace, timeout_ - margin() - timeout_ / 3 - request_timeout()));
}

}  // namespace ballot::core
