// Session: this node's standing in the store, and the deadline that all its terms hang on. One for all groups.
//
// The deadline is the sending time, on the boot clock, of the last renewal that was confirmed, plus the timeout that
// the store granted, less a margin. Past it the node does not lead, whatever it has or has not been told: a renewal
// whose answer is late extends nothing that its sending time does not cover.
//
//   state     | event                          | next
//   closed    | begin()                        | opening
//   opening   | SessionOpened                  | open
//   opening   | SessionClosed                  | closed, reopened after a pause
//   open      | renewal overdue by T/6, wall   | open, in doubt, until a renewal that is sent later is confirmed
//             | clock steps against boot clock |
//   open      | deadline passes                | closing: the session is closed in the store before a new one is opened
//   open      | SessionClosed                  | closed, reopened after a pause
//   closing   | SessionClosed                  | closed, reopened at once
//   any       | end()                          | closing, then ended
//
// Pure; used by Core only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ballot/backend.hpp"
#include "ballot/time.hpp"
#include "core/action.hpp"

namespace ballot::core {

inline constexpr Millis launch_budget{500};  // no claim is made closer to the deadline than this

class Session {
 public:
  enum class State { closed, opening, open, closing, ended };

  /// What became of the session in a call.
  enum class Edge { none, opened, lost };

  void begin(Now now, Actions& out);
  /// Ends it for good. `keep` leaves the terms as they stand.
  void end(bool keep, Actions& out);

  Edge on_opened(Now now, const backend::SessionOpened& event);
  Edge on_closed(Now now, const backend::SessionClosed& event);
  void on_renewed(Now now, const backend::Renewed& event);

  /// Renews, doubts and gives up as time passes. Call it before anything else of a step, so that an answer that comes
  /// past the deadline finds the session lost. `last_request` is raised for each request.
  Edge on_time(Now now, RequestId& last_request, Actions& out);
  std::optional<SteadyTime> wake() const;

  State state() const { return state_; }
  std::uint64_t generation() const { return generation_; }
  Millis timeout() const { return timeout_; }
  SteadyTime deadline() const { return deadline_; }
  bool is_open() const { return state_ == State::open; }
  bool in_doubt() const { return doubt_; }
  /// Whether a claim may be made: open, beyond doubt, and the deadline further away than the launch budget.
  bool may_claim(Now now) const { return may_act(now) && !doubt_; }
  /// Whether anything may be started at all, doubt or not.
  bool may_act(Now now) const { return is_open() && now.steady + launch_budget < deadline_; }
  /// How far this clock is before (or, negative, behind) the store's, as the last confirmed renewal showed: 0 where
  /// that may be the time that its way took, or the store has no clock.
  Millis clock_error() const { return clock_error_; }
  bool lapsed(Now now) const { return is_open() && now.steady >= deadline_; }

  /// g of the semantics: how long before the deadline `terminate` runs get their signal.
  Millis grace(Millis kill_grace) const;

 private:
  struct Renewal {
    RequestId request = 0;
    SteadyTime sent{};
    WallTime wall{};  // then
  };

  Millis request_timeout() const { return timeout_ / 6; }
  Millis margin() const { return std::max(timeout_ / 10, Millis(500)); }
  void watch_clock(Now now);
  void compare(WallTime from, WallTime to, const std::optional<WallTime>& store_clock);

  State state_ = State::closed;
  std::uint64_t generation_ = 0;
  Millis timeout_{0};
  SteadyTime opened_at_{};  // when the opening was asked for
  WallTime opened_wall_{};
  SteadyTime deadline_{};
  SteadyTime next_renewal_{};
  std::optional<Renewal> renewal_;
  bool doubt_ = false;
  SteadyTime doubt_since_{};            // a renewal must be sent after it to end the doubt
  std::optional<Millis> clock_offset_;  // wall less boot clock, when last known good
  Millis clock_error_{0};
  SteadyTime reopen_at_{};
  Millis reopen_pause_{200};
};

}  // namespace ballot::core
