// The clean stop: nothing new is claimed, what is decided is written, groups are resigned as their runs end.
#include <algorithm>

#include "core/core.hpp"

namespace ballot::core {
void Core::on(Context& c, const Stop& event) {
  if (stop_) {  // asked again: hurry
    stop_->wait = std::min(stop_->wait, event.wait);
    return;
  }
  stop_ = event;
  stop_asked_at_ = c.now.steady;
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

void Core::advance_stop(Context& c) {
  if (!stop_ || closing_) return;
  const bool over = c.now.steady >= stop_asked_at_ + stop_->wait;
  if (over && !killed_ && !stop_->leave) {
    killed_ = true;
    for (auto& [name, entry] : jobs_) entry.machine.kill_all(c, Reason::shutdown);
  }
  bool waiting = false;
  for (auto& [name, group] : groups_) {
    if (group.phase == GroupState::Phase::leading && !stop_->leave && may_resign(group)) {
      group.phase = GroupState::Phase::resigning;
      group.stored.ended_at = c.now.wall;
      group.stored.cause = Cause::shutdown;
      write_group(c, group);
      resigns_.push_back(name);
    }
    waiting = waiting || group.phase == GroupState::Phase::resigning ||
              (group.phase == GroupState::Phase::leading && !(stop_->leave && may_resign(group)));
  }
  if (waiting && session_.is_open()) return;
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
