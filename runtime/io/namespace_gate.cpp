#include "io/namespace_gate.hpp"

#include <algorithm>
#include <utility>

#include "core/record/move_marks.hpp"

namespace ballot::io {

using Use = core::NamespaceState::Use;

void NamespaceGate::on_open(const SessionRequest& request) {
  phase_ = Phase::opening;
  generation_ = request.generation;
  only_reads_ = request.observer || !request.handle.empty();
  unfit_of_backend_.clear();
  opened_.reset();
  waiting_.clear();
  asked_ = 0;
  changed_ = false;
  reason_.reset();
}

NamespaceGate::Events NamespaceGate::pass(Events posted, Backend& backend) {
  Events out;
  out.reserve(posted.size());
  for (BackendEvent& event : posted) {
    if (event.generation == generation_)
      take(std::move(event), backend, out);
    else
      out.push_back(std::move(event));
  }
  return out;
}

void NamespaceGate::on_renew(Backend& backend) {
  if (changed_ && asked_ == 0 && phase_ == Phase::open) ask(backend);
}

void NamespaceGate::translate(std::vector<RegisterWrite>& batch) const {
  for (RegisterWrite& write : batch) write.epoch -= std::min(write.epoch, state_.epoch_base);
}

void NamespaceGate::ask(Backend& backend) {
  changed_ = false;
  asked_ = ++last_asked_;
  backend.list(asked_, std::string(core::mark_prefix));
}

void NamespaceGate::take(BackendEvent event, Backend& backend, Events& out) {
  if (std::holds_alternative<backend::SessionClosed>(event.what)) {
    phase_ = Phase::closed;
    if (reason_) event.what = backend::SessionClosed(*reason_);
    waiting_.clear();
    return out.push_back(std::move(event));
  }
  if (phase_ == Phase::opening && std::holds_alternative<backend::SessionOpened>(event.what)) {
    phase_ = Phase::asking;
    opened_ = std::move(event);
    if (!only_reads_) backend.watch(std::string(core::mark_prefix));
    return ask(backend);
  }
  if (const auto* read = std::get_if<backend::ReadDone>(&event.what);
      read && read->request > first_request && read->request <= last_asked_) {
    if (read->request == asked_) on_marks(*read, backend, out);
    return;
  }
  if (const auto* changed = std::get_if<backend::Changed>(&event.what);
      changed && changed->prefix == core::mark_prefix) {
    changed_ = true;
    return on_renew(backend);
  }
  if (phase_ == Phase::asking) return waiting_.push_back(std::move(event));
  if (phase_ == Phase::closing) return;
  if (auto* unfit = std::get_if<backend::Unfit>(&event.what); unfit && unfit->group.empty()) {
    unfit_of_backend_ = unfit->why;
    unfit->why = why_unfit();
  }
  if (auto* elected = std::get_if<backend::Elected>(&event.what)) elected->epoch += state_.epoch_base;
  if (auto* deposed = std::get_if<backend::Deposed>(&event.what)) deposed->epoch += state_.epoch_base;
  if (auto* observed = std::get_if<backend::Observed>(&event.what))
    for (Election& election : observed->elections)
      if (election.epoch > 0) election.epoch += state_.epoch_base;
  out.push_back(std::move(event));
}

void NamespaceGate::on_marks(const backend::ReadDone& read, Backend& backend, Events& out) {
  asked_ = 0;
  if (read.outcome != StoreResult::done) {
    if (phase_ == Phase::asking && read.outcome == StoreResult::unknown && !changed_) {  // a busy server
      ask(backend);
      changed_ = true;  // once
      return;
    }
    if (phase_ == Phase::asking)
      return close(backend, true, Cause::unreachable,
                   "it is not known whether the namespace was moved: " + (read.text.empty() ? "no answer" : read.text));
    changed_ = true;
    return;
  }
  const std::string before = why_unfit();
  state_ = core::namespace_state(read.registers);
  if (phase_ == Phase::asking) return admit(backend, out);
  if (changed_) ask(backend);
  if (phase_ == Phase::open && why_unfit() != before && !only_reads_)
    out.push_back({generation_, backend::Unfit{"", why_unfit()}});
}

void NamespaceGate::admit(Backend& backend, Events& out) {
  if (state_.use == Use::moved && !only_reads_ && !was_open_)
    return close(backend, false, Cause::superseded, state_.why);
  phase_ = Phase::open;
  was_open_ = true;
  out.push_back(*std::exchange(opened_, std::nullopt));
  if (state_.use != Use::open && !only_reads_) out.push_back({generation_, backend::Unfit{"", state_.why}});
  for (BackendEvent& event : std::exchange(waiting_, {})) take(std::move(event), backend, out);
  on_renew(backend);
}

void NamespaceGate::close(Backend& backend, bool keep, Cause cause, std::string why) {
  phase_ = Phase::closing;
  reason_ = backend::SessionClosed{cause, std::move(why)};
  waiting_.clear();
  backend.close(keep);
}

std::string NamespaceGate::why_unfit() const { return state_.use == Use::open ? unfit_of_backend_ : state_.why; }

}  // namespace ballot::io
