#include "core/session/clean_stop.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ballot::core {

void CleanStop::on(const Stop& event) {
  if (!p_.shutdown.ask(c_.now.steady, event, p_.groups.led())) return;
  requests_.perform(p_.desk.give_up("the daemon is stopping"));
  for (auto& [name, group] : p_.groups.all())
    groups_.act(group, [](GroupMachine& machine, GroupContext& g) { machine.on_stop(g); });
  jobs_.advance_led();
}

void CleanStop::advance() {
  using Phase = Shutdown::Phase;
  if (p_.shutdown.is_closing_past_bound(c_.now.steady)) {
    const std::string text = "the backend has not closed the session; what it led is free at the session's deadline";
    c_.out.push_back(Notice{Level::error, text, {}});
    return end();
  }
  if (p_.shutdown.is_wait_over(c_.now.steady)) {
    Millis longest{0};
    for (const JobEntry* job : p_.jobs.open())
      for (const LiveRun& run : job->machine.runs()) longest = std::max(longest, run.open.kill_grace);
    p_.shutdown.begin_killing(c_.now.steady, longest);
  }
  const Phase phase = p_.shutdown.phase();
  const WhichRuns ending = ended_by_stop(p_.shutdown.leaves());
  if (phase != Phase::draining && phase != Phase::killing) return;
  if (phase == Phase::killing || p_.shutdown.leaves())
    for (JobEntry* job : p_.jobs.open()) job->machine.kill_all(c_, Reason::shutdown, ending);
  const bool is_late = p_.shutdown.is_past_bound(c_.now.steady);
  const bool waits = !p_.shutdown.unready().empty() || p_.directory.is_publishing();  // which is withdrawn after it
  if (waits && c_.session.is_open() && !is_late) return;
  if (is_late) log_left();
  close();
}

/// Logs the jobs whose runs or writes are left to the next term.
void CleanStop::log_left() {
  const WhichRuns ending = ended_by_stop(p_.shutdown.leaves());
  for (const GroupEntry* group : p_.shutdown.unready())
    for (const JobEntry* job : group->jobs)
      if (job->machine.term() && (!job->machine.is_clean() || job->machine.open_runs(ending) > 0))
        c_.out.push_back(Notice{
            Level::error, "stopping without an end of this job's runs or writes", {{"job", job->machine.name()}}});
}

/// Groups that are still led stay so in the store.
void CleanStop::close() {
  const bool open = c_.session.state() == Session::State::open || c_.session.state() == Session::State::opening;
  p_.shutdown.begin_closing(c_.now.steady);
  if (c_.session.is_open() && !p_.shutdown.leaves()) nodes_.withdraw();
  p_.session.end(p_.shutdown.leaves(), c_.out);
  if (auto row = p_.known.last_row(p_.guard)) c_.wants.known.push_back(*std::move(row));
  for (GroupEntry* group : std::vector(p_.groups.led().begin(), p_.groups.led().end()))
    groups_.act(*group, [](GroupMachine& machine, GroupContext& g) { machine.on_closing(g); });
  if (!open) end();
}

void CleanStop::end() {
  p_.shutdown.end();
  c_.out.push_back(Stopped{});
}

}  // namespace ballot::core
