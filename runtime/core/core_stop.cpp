// The clean stop: nothing new is claimed, what is decided is written, groups are resigned as their runs end.
#include <algorithm>

#include "core/core.hpp"

namespace ballot::core {

void Core::on(Context& c, const Stop& event) {
  if (!shutdown_.ask(c.now.steady, event, groups_.standing())) return;
  perform(c, desk_.give_up("the daemon is stopping"));
  for (auto& [name, group] : groups_.all()) {
    group.term.draining = true;
    if (group.phase != GroupState::Phase::candidate && group.phase != GroupState::Phase::reading) continue;
    group.phase = GroupState::Phase::idle;
    resigns_.push_back(name);
  }
  for (GroupState* group : groups_.standing()) groups_.mark_dirty(*group);
  touch_all(c);
}

/// Every job of the group is written and closed, and no run of it is open that ends with its term.
bool Core::may_resign(const GroupState& group) const {
  const bool leave = shutdown_.leaves();
  return group.stored.is_settled() && std::all_of(group.jobs.begin(), group.jobs.end(), [&](const JobEntry* job) {
           const JobMachine& machine = job->machine;
           return machine.term() != &group.term || (machine.is_clean() && (leave || machine.bound_runs() == 0));
         });
}

/// A group whose jobs are done is handed over; or, to be left, is ready.
void Core::resign_if_done(Context& c, GroupState& group) {
  using Phase = Shutdown::Phase;
  const bool under_way = shutdown_.phase() == Phase::draining || shutdown_.phase() == Phase::killing;
  if (!under_way || group.phase != GroupState::Phase::leading || !may_resign(group)) return;
  if (shutdown_.leaves())
    shutdown_.ready(group);
  else
    resign(c, group, Cause::shutdown);
}

/// What is left to the next term is said.
void Core::give_up_stop(Context& c) {
  for (const GroupState* group : shutdown_.unready())
    for (const JobEntry* job : group->jobs)
      if (job->machine.term() && (!job->machine.is_clean() || job->machine.bound_runs() > 0))
        c.out.push_back(Notice{
            Level::error, "stopping without an end of this job's runs or writes", {{"job", job->machine.name()}}});
}

void Core::advance_stop(Context& c) {
  using Phase = Shutdown::Phase;
  if (shutdown_.is_closing_past_bound(c.now.steady)) {
    const std::string text = "the backend has not closed the session; what it led is free at the session's deadline";
    c.out.push_back(Notice{Level::error, text, {}});
    return end_stop(c);
  }
  if (shutdown_.is_wait_over(c.now.steady)) {
    Millis longest{0};
    for (const JobEntry* job : jobs_.open())
      for (const LiveRun& run : job->machine.runs()) longest = std::max(longest, run.open.kill_grace);
    shutdown_.begin_killing(c.now.steady, longest);
  }
  if (shutdown_.phase() == Phase::killing)
    for (JobEntry* job : jobs_.open()) job->machine.kill_all(c, Reason::shutdown);
  else if (shutdown_.phase() != Phase::draining)
    return;
  const bool give_up = shutdown_.is_past_bound(c.now.steady);
  if (!shutdown_.unready().empty() && session_.is_open() && !give_up) return;
  if (give_up) give_up_stop(c);
  close(c);
}

/// What is still led is left standing in the store.
void Core::close(Context& c) {
  const bool open = session_.state() == Session::State::open || session_.state() == Session::State::opening;
  shutdown_.begin_closing(c.now.steady);
  if (session_.is_open() && !shutdown_.leaves()) withdraw_node_record(c);
  session_.end(shutdown_.leaves(), c.out);
  for (GroupState* group : std::vector(groups_.standing().begin(), groups_.standing().end())) {
    groups_.end_standing(*group);
    group->phase = GroupState::Phase::idle;
    for (JobEntry* job : std::vector(group->jobs.begin(), group->jobs.end()))
      if (job->machine.term() == &group->term) job->machine.depose(c), touch(c, *job);
  }
  if (!open) end_stop(c);
}

void Core::end_stop(Context& c) {
  shutdown_.end();
  c.out.push_back(Stopped{});
}

}  // namespace ballot::core
