#include "core/session/session.hpp"

#include <algorithm>

namespace ballot::core {
namespace {

Millis offset_of(Now now) { return now.wall.time_since_epoch() - now.steady.time_since_epoch(); }

constexpr Millis first_pause{200}, longest_pause{5000};
constexpr Millis opening_patience{30'000};

}  // namespace

void Session::begin(Now now, Actions& out) {
  state_ = State::opening;
  opened_at_ = now.steady;
  remind_at_ = now.steady + opening_patience;
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
  has_opened_ = true;
  why_closed_.clear();
  refuses_writes_ = false;
  timeout_ = event.timeout;
  deadline_ = opened_at_ + lease();
  next_renewal_ = opened_at_ + renewal_interval();
  doubt_ = Doubt::none;
  clock_offset_ = offset_of(now);
  compare(opened_wall_, now.wall, event.store_clock);
  reopen_pause_ = first_pause;
  return Edge::opened;
}

Session::Edge Session::on_closed(Now now, const backend::SessionClosed& event) {
  if (state_ == State::ended) return Edge::none;
  why_closed_ = event.text;
  const bool was_open = state_ == State::open;
  const bool asked = state_ == State::closing;
  refuses_writes_ = event.refuses_writes || (asked && refuses_writes_);
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
  refuses_writes_ = event.outcome == StoreResult::failed;
  if (event.outcome != StoreResult::done) {
    begin_doubt(Doubt::overdue, now.steady);
    next_renewal_ = now.steady + std::min(request_timeout(), Millis(100));
    return;
  }
  deadline_ = std::max(deadline_, std::min(sent, event.counts_from.value_or(sent)) + lease());
  next_renewal_ = sent + renewal_interval();
  renewed_from_ = sent;
  compare(wall, now.wall, event.store_clock);
  if (in_doubt() && sent < doubt_since_) return;
  doubt_ = Doubt::none;
  clock_offset_ = offset_of(now);
}

void Session::on_outage(Now now, const backend::Outage& event) {
  if (state_ == State::open) deadline_ = std::max(deadline_, std::min(event.asked, now.steady) + timeout_ / 3);
}

/// The store's clock showed `store_clock` at some time between these two readings of this node's clock.
void Session::compare(WallTime from, WallTime to, const std::optional<WallTime>& store_clock) {
  if (!store_clock) return;
  const WallTime earliest = std::min(from, to), latest = std::max(from, to);
  clock_error_ = earliest > *store_clock ? earliest - *store_clock : std::min(latest - *store_clock, Millis(0));
}

/// A clock that has stepped stays in doubt whatever else is: what it shows is due may not be.
void Session::begin_doubt(Doubt doubt, SteadyTime since) {
  doubt_ = doubt_ == Doubt::clock_stepped ? Doubt::clock_stepped : doubt;
  doubt_since_ = std::max(doubt_since_, since);
}

void Session::watch_clock(Now now) {
  const Millis drift = offset_of(now) - *clock_offset_;
  if (drift <= Millis(1000) && drift >= Millis(-1000)) return;
  clock_offset_ = offset_of(now);
  begin_doubt(Doubt::clock_stepped, now.steady);
  next_renewal_ = now.steady;
}

void Session::remind(Now now, Actions& out) {
  remind_at_ = now.steady + opening_patience;
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(now.steady - opened_at_);
  const std::string text = "the backend has not opened a session yet: this node leads nothing";
  out.push_back(Notice{Level::warn, text, {{"seconds", std::to_string(waited.count())}}});
}

Session::Edge Session::on_time(Now now, RequestId& last_request, Actions& out) {
  if (state_ == State::closed && now.steady >= reopen_at_ && generation_ > 0) begin(now, out);
  if (state_ == State::opening && now.steady >= remind_at_) remind(now, out);
  if (state_ != State::open) return Edge::none;
  if (now.steady >= deadline_) {
    state_ = State::closing;
    renewal_.reset();
    out.push_back(CloseSession{false});
    return Edge::lost;
  }
  watch_clock(now);
  if (renewal_ && now.steady >= renewal_->sent + request_timeout() && !in_doubt())
    begin_doubt(Doubt::overdue, renewal_->sent);
  if (!renewal_ && now.steady >= next_renewal_) {
    renewal_ = Renewal{++last_request, now.steady, now.wall};
    out.push_back(Renew{last_request});
  }
  return Edge::none;
}

std::optional<SteadyTime> Session::wake() const {
  if (state_ == State::closed && generation_ > 0) return reopen_at_;
  if (state_ == State::opening) return remind_at_;
  if (state_ != State::open) return std::nullopt;
  SteadyTime wake = deadline_;
  if (!renewal_)
    wake = std::min(wake, next_renewal_);
  else if (!in_doubt())
    wake = std::min(wake, renewal_->sent + request_timeout());
  return wake;
}

}  // namespace ballot::core
