// The clean stop: nothing new is claimed, what is decided is written, groups are resigned as their runs end.
#include <algorithm>

#include "core/core.hpp"

namespace ballot::core {
namespace {

constexpr Millis stop_bound{10'000};  // past the end of the wait and the longest kill_grace

}  // namespace
void Core::on(Context& c, const Stop& event) {
  if (stop_) {  // asked again: hurry
    stop_->wait = std::min(stop_->wait, event.wait);
    return;
  }
  stop_ = event;
  stop_asked_at_ = c.now.steady;
  give_up_at_ = c.now.steady + stop_bound;
  for (auto& [name, group] : groups_) {
    group.term.draining = true;
    if (group.phase == GroupState::Phase::candidate || group.phase == GroupState::Phase::reading) {
      group.phase = GroupState::Phase::idle;
      resigns_.push_back(name);
    }
  }
  touch_all(c);
}

/// Every job of the group is written and closed, and no run of it is open.
bool Core::may_resign(const GroupState& group) const {
  return std::all_of(jobs_.begin(), jobs_.end(), [&](const auto& job) {
    const JobMachine& machine = job.second.machine;
    return machine.term() != &group.term || (machine.is_clean() && (stop_->leave || machine.open_runs() == 0));
  });
}

/// Hands over each group whose jobs are done. False: some are not, or have not been taken back yet.
bool Core::resign_what_is_done(Context& c) {
  bool done = true;
  for (auto& [name, group] : groups_) {
    const bool leads = group.phase == GroupState::Phase::leading;
    const bool ready = leads && may_resign(group);
    if (ready && !stop_->leave) {
      group.phase = GroupState::Phase::resigning;
      group.stored.ended_at = c.now.wall;
      group.stored.cause = Cause::shutdown;
      write_group(c, group);
      resigns_.push_back(name);
    }
    done = done && group.phase != GroupState::Phase::resigning && (!leads || ready);
  }
  return done;
}

/// The bound of a stop: what is not written or not dead by now is left to the next term.
void Core::give_up_stop(Context& c) {
  for (const auto& [name, entry] : jobs_)
    if (entry.machine.term() && (!entry.machine.is_clean() || entry.machine.open_runs() > 0))
      c.out.push_back(Notice{Level::error, "stopping without an end of this job's runs or writes", {{"job", name}}});
}

void Core::advance_stop(Context& c) {
  if (!stop_ || closing_) return;
  if (c.now.steady >= stop_asked_at_ + stop_->wait && !killed_ && !stop_->leave) {
    killed_ = true;
    Millis longest{0};
    for (const auto& [name, entry] : jobs_)
      for (const LiveRun& run : entry.machine.runs()) longest = std::max(longest, run.open.kill_grace);
    give_up_at_ = c.now.steady + longest + stop_bound;
  }
  if (killed_)
    for (auto& [name, entry] : jobs_) entry.machine.kill_all(c, Reason::shutdown);
  const bool give_up = (killed_ || stop_->leave) && c.now.steady >= give_up_at_;
  if (!resign_what_is_done(c) && session_.is_open() && !give_up) return;
  if (give_up) give_up_stop(c);
  const bool open = session_.state() == Session::State::open || session_.state() == Session::State::opening;
  closing_ = true;
  session_.end(stop_->leave, c.out);
  for (auto& [name, group] : groups_) {  // what is still led is left standing in the store
    if (group.phase == GroupState::Phase::idle) continue;
    group.phase = GroupState::Phase::idle;
    for (auto& [job, entry] : jobs_)
      if (entry.machine.term() == &group.term) entry.machine.depose(c), touch(c, entry);
  }
  if (open) return;
  stopped_ = true;
  c.out.push_back(Stopped{});
}

}  // namespace ballot::core
