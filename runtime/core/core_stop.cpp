// The clean stop: nothing new is claimed, what is decided is written, groups are resigned as their runs end.
#include <algorithm>

#include "core/core.hpp"

namespace ballot::core {
namespace {

constexpr Millis stop_bound{10'000};  // past the end of the wait and the longest kill_grace
constexpr Millis close_bound{8'000};  // for the backend to end the session

}  // namespace
void Core::on(Context& c, const Stop& event) {
  if (stop_) {  // asked again: hurry
    stop_->wait = std::min(stop_->wait, event.wait);
    return;
  }
  stop_ = event;
  stop_asked_at_ = c.now.steady;
  give_up_at_ = c.now.steady + stop_bound;
  give_up_asked(c, "the daemon is stopping");
  for (auto& [name, group] : groups_) {
    group.term.draining = true;
    if (group.phase != GroupState::Phase::candidate && group.phase != GroupState::Phase::reading) continue;
    group.phase = GroupState::Phase::idle;
    resigns_.push_back(name);
  }
  unready_ = standing_;
  moved_.insert(standing_.begin(), standing_.end());
  touch_all(c);
}

/// Every job of the group is written and closed, and no run of it is open that ends with its term.
bool Core::may_resign(const GroupState& group) const {
  const bool leave = stop_ && stop_->leave;
  return !group.writing && !group.changed &&
         std::all_of(group.jobs.begin(), group.jobs.end(), [&](const JobEntry* job) {
           const JobMachine& machine = job->machine;
           return machine.term() != &group.term || (machine.is_clean() && (leave || machine.bound_runs() == 0));
         });
}

/// A group whose jobs are done is handed over; or, to be left, is ready.
void Core::resign_if_done(Context& c, GroupState& group) {
  if (!stop_ || closing_ || group.phase != GroupState::Phase::leading || !may_resign(group)) return;
  if (stop_->leave)
    unready_.erase(&group);
  else
    resign(c, group, Cause::shutdown);
}

/// The bound of a stop: what is not written or not dead by now is left to the next term.
void Core::give_up_stop(Context& c) {
  for (const GroupState* group : unready_)
    for (const JobEntry* job : group->jobs)
      if (job->machine.term() && (!job->machine.is_clean() || job->machine.bound_runs() > 0))
        c.out.push_back(Notice{
            Level::error, "stopping without an end of this job's runs or writes", {{"job", job->machine.name()}}});
}

/// A backend that hangs must not keep the daemon from ending.
void Core::give_up_closing(Context& c) {
  if (stopped_ || c.now.steady < close_by_) return;
  const std::string text = "the backend has not closed the session; what it led is free at the session's deadline";
  c.out.push_back(Notice{Level::error, text, {}});
  stopped_ = true;
  c.out.push_back(Stopped{});
}

void Core::advance_stop(Context& c) {
  if (closing_) return give_up_closing(c);
  if (!stop_) return;
  if (c.now.steady >= stop_asked_at_ + stop_->wait && !killed_ && !stop_->leave) {
    killed_ = true;
    Millis longest{0};
    for (const JobEntry* job : open_)
      for (const LiveRun& run : job->machine.runs()) longest = std::max(longest, run.open.kill_grace);
    give_up_at_ = c.now.steady + longest + stop_bound;
  }
  if (killed_)
    for (JobEntry* job : std::vector(open_.begin(), open_.end())) job->machine.kill_all(c, Reason::shutdown);
  const bool give_up = (killed_ || stop_->leave) && c.now.steady >= give_up_at_;
  if (!unready_.empty() && session_.is_open() && !give_up) return;
  if (give_up) give_up_stop(c);
  const bool open = session_.state() == Session::State::open || session_.state() == Session::State::opening;
  closing_ = true;
  close_by_ = c.now.steady + close_bound;
  if (session_.is_open() && !stop_->leave) tell_no_more(c);
  session_.end(stop_->leave, c.out);
  for (GroupState* group : std::exchange(standing_, {})) {  // what is still led is left standing in the store
    group->phase = GroupState::Phase::idle;
    for (JobEntry* job : std::vector(group->jobs.begin(), group->jobs.end()))
      if (job->machine.term() == &group->term) job->machine.depose(c), touch(c, *job);
  }
  if (open) return;
  stopped_ = true;
  c.out.push_back(Stopped{});
}

}  // namespace ballot::core
