// Renewals: which renewal of a session counts. A server that is not the ensemble's leader acknowledges a write long
// before it reports to the leader that the session lives: it does so with its next answer to the leader's ping, each
// tick/2. So the answer to a write proves, of those before it, only that the leader knows of the ones whose answers are
// tick/2 old. Pure.
//
//   - A renewal is *reported* once a later one was sent tick/2 or more after it, and answered.
//   - A late answer (after T/10) proves no more than what was proved before it was sent, as the leader itself may have
//     been stopped meanwhile; nor does the one that is sent at once after it. Two late ones in a row prove the first.
//   - The one before the last that was answered counts, but no more than `margin` later than the last that was
//     reported: the session then lasts until the deadline that hangs on it, which is a margin before the end of T.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include "ballot/time.hpp"

namespace ballot::zookeeper {

class Renewals {
 public:
  /// `timeout`, `tick`: of the servers. `begun`: when the session was asked for.
  Renewals(Millis timeout, Millis tick, SteadyTime begun)
      : timeout_(timeout), ping_(tick / 2 - tick / 20), reported_(begun), counts_from_(begun) {}

  /// When the last one that counts was asked for.
  SteadyTime counts_from() const noexcept { return counts_from_; }

  /// No answer has come to one.
  void lost() noexcept { lost_ = true; }

  /// The one that was asked for and sent then is answered.
  void confirm(SteadyTime asked, SteadyTime sent, SteadyTime now) {
    const bool late = std::exchange(lost_, false) || now - sent > timeout_ / 10;
    if (late || sent >= settled_at_) report(sent, late ? 1 : 0);
    if (late) settled_at_ = now + ping_;
    if (!confirmed_.empty())
      counts_from_ = std::max(counts_from_, std::min(confirmed_.back().asked, reported_ + margin()));
    confirmed_.push_back({asked, late ? now : sent});
    if (confirmed_.size() > most) confirmed_.pop_front();
  }

 private:
  static constexpr std::size_t most = 32;

  struct Confirmed {
    SteadyTime asked;
    SteadyTime seen;  // by its server, at the latest
  };

  Millis margin() const { return std::max(timeout_ / 10, Millis(500)); }

  /// One that was sent then is answered. `newest`: so many of those before it are not proved by it.
  void report(SteadyTime sent, std::size_t newest) {
    for (std::size_t i = 0; i + newest < confirmed_.size(); ++i)
      if (confirmed_[i].seen + ping_ <= sent) reported_ = std::max(reported_, confirmed_[i].asked);
  }

  const Millis timeout_, ping_;  // a little less than the time between pings, as timers are not exact
  SteadyTime reported_, counts_from_;
  SteadyTime settled_at_ = SteadyTime::min();  // from when a prompt answer proves something
  bool lost_ = false;
  std::deque<Confirmed> confirmed_;
};

}  // namespace ballot::zookeeper
