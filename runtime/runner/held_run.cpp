#include "runner/held_run.hpp"

#include <algorithm>

#include "runner/clock.hpp"
#include "runner/log.hpp"
#include "runner/term_deadlines.hpp"

namespace ballot::runner {
namespace {

constexpr Millis given_up_after = std::chrono::seconds(2);

}  // namespace

void HeldRun::kill_launch(SteadyTime now) {
  if (launch->killed_at || attempt.find_over()) return;
  attempt.kill(now);
  launch->killed_at = now;
  log("run " + attempt.id().run.text() + ": killed, as it has not executed its program in time");
}

void HeldRun::end_late_launch(SteadyTime now) {
  const auto killed_at = launch->killed_at;
  if (attempt.is_being_stopped()) return;
  if (!killed_at && now > launch->not_after) kill_launch(now);
  if (killed_at && now >= *killed_at + given_up_after)
    attempt.stop(Reason::leadership_lost, now, now);  // from here on it ends, or is given up, as a run does
}

/// What was armed for a deadline that has moved since comes to nothing.
void HeldRun::end_with_term(std::optional<SteadyTime> kill_at, SteadyTime now) {
  signal_at = SteadyTime::max();
  if (!kill_at || !attempt.terminate() || attempt.has_ended()) return;
  const SteadyTime due = *kill_at + kill_margin - std::max(attempt.kill_grace(), kill_margin);
  if (launch && *kill_at <= now)
    kill_launch(now);
  else if (launch)
    signal_at = *kill_at;  // its signal comes once it has exec'd
  else if (due <= now)
    attempt.stop(Reason::leadership_lost, *kill_at, now);
  else
    signal_at = due;
}

SteadyTime HeldRun::wake(SteadyTime now) const {
  const SteadyTime wake = std::min(attempt.wake(now), signal_at);
  if (!launch || attempt.has_ended() || attempt.is_being_stopped() || attempt.is_over()) return wake;
  if (launch->killed_at) return std::min(wake, later(*launch->killed_at, given_up_after));
  return std::min(wake, later(launch->not_after, Millis(1)));
}

bool HeldRun::was_in_vain() const {
  const bool no_exec = launch->failure() || (launch->killed_at && !launch->was_about_to_exec());
  return no_exec && !launch->counts_as_started && !attempt.is_being_stopped();
}

}  // namespace ballot::runner
