// Session: this node's session in the store, and the deadline that all its terms hang on. One for all groups.
//
// The deadline is the sending time, on the boot clock, of the last renewal that was confirmed, plus the timeout that
// the store granted, less a margin. Past the deadline the node does not lead, whatever events it has or has not
// received: a late answer to a renewal moves the deadline to what the sending time covers, and no further.
//
//   state     | event                          | next
//   closed    | begin()                        | opening
//   opening   | SessionOpened                  | open
//   opening   | SessionClosed                  | closed, reopened after a pause
//   opening   | nothing for 30 s               | opening, which is logged, and again every 30 s
//   open      | renewal overdue by T/10, or    | open, in doubt: overdue, until that renewal or a later one is
//             | failed                         | confirmed
//             |                                |
//   open      | wall clock steps against boot  | open, in doubt: clock_stepped, until a renewal sent later is confirmed
//             | clock                          |
//   open      | Outage                         | open, until T/3 after it was asked for at least
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

inline constexpr Millis launch_margin{500};  // between a launch and the earliest end of its term

class Session {
 public:
  enum class State { closed, opening, open, closing, ended };

  /// Why a claim cannot be confirmed now.
  enum class Doubt { none, overdue, clock_stepped };

  /// How a call has changed the session.
  enum class Edge { none, opened, lost };

  void begin(Now now, Actions& out);
  /// Ends the session for good. `keep`: its terms stay in the store, for a restart.
  void end(bool keep, Actions& out);

  Edge on_opened(Now now, const backend::SessionOpened& event);
  Edge on_closed(Now now, const backend::SessionClosed& event);
  void on_renewed(Now now, const backend::Renewed& event);
  /// No other node can be elected during an outage: the deadline moves. A session in doubt stays in doubt.
  void on_outage(Now now, const backend::Outage& event);

  /// Sends renewals, begins doubt and ends the session as time passes. Comes first in a step, so that an answer past
  /// the deadline finds the session lost. `last_request` is raised for each request.
  Edge on_time(Now now, RequestId& last_request, Actions& out);
  std::optional<SteadyTime> wake() const;

  State state() const { return state_; }
  std::uint64_t generation() const { return generation_; }
  Millis timeout() const { return timeout_; }
  SteadyTime deadline() const { return deadline_; }
  /// When a term that is known to be over now led last: a node that stood still learns of it late.
  WallTime last_led(Now now) const { return now.wall - std::max(Millis(0), now.steady - deadline_); }
  /// For how long a node may act after it has sent a renewal that counts.
  Millis lease() const { return timeout_ - margin(); }
  /// When the last confirmed renewal was sent: the store's answer was given after that.
  SteadyTime renewed_from() const { return renewed_from_; }
  bool is_open() const { return state_ == State::open; }
  /// What the backend said when the last one ended, or was not opened; "" while it is open.
  const std::string& why_closed() const { return why_closed_; }
  /// By what the store has answered last to a renewal, or to who asked for a session: it takes no writes.
  bool refuses_writes() const { return refuses_writes_; }
  /// Another daemon has this node's name, and this one has never had a session: this daemon stops. A daemon that has
  /// had a session never stops because of what the store says.
  bool is_refused(const backend::SessionClosed& event) const {
    return state_ == State::opening && !has_opened_ && event.cause == Cause::superseded;
  }
  Doubt doubt() const { return doubt_; }
  bool in_doubt() const { return doubt_ != Doubt::none; }
  /// Whether a run with this launch budget may be claimed: the session is open and not in doubt, and the deadline is
  /// further away than the budget.
  bool may_claim(Now now, Millis budget) const { return may_act(now, budget) && !in_doubt(); }
  /// The same of a run without a claim, for which the session may be in doubt.
  bool may_act(Now now, Millis budget) const { return is_open() && now.steady + budget < deadline_; }
  /// How far this node's clock is before (or, negative, behind) the store's, by the last confirmed renewal: 0 where the
  /// difference may be the time that the renewal took, and where the store has no clock.
  Millis clock_error() const { return clock_error_; }
  bool lapsed(Now now) const { return is_open() && now.steady >= deadline_; }

  /// g of the semantics: how long before the deadline `terminate` runs get their signal.
  Millis grace(Millis kill_grace) const { return std::min(kill_grace, timeout_ / 10); }
  /// The launch budget of a `terminate` run: closer to the deadline the end of the term would kill it at once.
  Millis terminate_budget(Millis kill_grace) const { return grace(kill_grace) + launch_margin; }

 private:
  struct Renewal {
    RequestId request = 0;
    SteadyTime sent{};
    WallTime wall{};  // when it was sent, by the wall clock
  };

  Millis request_timeout() const { return timeout_ / 10; }
  Millis renewal_interval() const { return timeout_ / 10; }
  Millis margin() const { return std::max(timeout_ / 10, Millis(500)); }
  void begin_doubt(Doubt doubt, SteadyTime since);
  void watch_clock(Now now);
  void remind(Now now, Actions& out);
  void compare(WallTime from, WallTime to, const std::optional<WallTime>& store_clock);

  State state_ = State::closed;
  std::uint64_t generation_ = 0;
  Millis timeout_{0};
  bool has_opened_ = false;  // in any generation
  std::string why_closed_;
  bool refuses_writes_ = false;
  SteadyTime opened_at_{};  // when the opening was asked for,
  SteadyTime remind_at_{};  // and when it is logged that the session is not open yet
  WallTime opened_wall_{};
  SteadyTime deadline_{}, renewed_from_{};
  SteadyTime next_renewal_{};
  std::optional<Renewal> renewal_;
  Doubt doubt_ = Doubt::none;
  SteadyTime doubt_since_{};            // a renewal must be sent after it to end the doubt
  std::optional<Millis> clock_offset_;  // wall less boot clock, when last known good
  Millis clock_error_{0};
  SteadyTime reopen_at_{};
  Millis reopen_pause_{200};
};

}  // namespace ballot::core
