#include "observer.hpp"

#include <utility>

namespace ballot::local {

Observer::Observer(Session::Opening opening, Host& host) : opening_(std::move(opening)), host_(host) { find(); }

void Observer::find() {
  if (session_ || over_) return;
  // Its name stands in the lock file as soon as a store is complete.
  const auto lock = LockFile::find(opening_.folder + "/lock");
  if (!lock && lock.error().code != Errc::not_found) over_ = {cause_of(lock.error()), lock.error().what};
  if (!lock || lock->text().empty()) return;
  auto found = Session::open(opening_, host_);
  if (found)
    session_ = std::move(*found);
  else
    over_ = {cause_of(found.error()), found.error().what};
}

void Observer::carry_out(std::vector<Call> calls, Events& events) {
  if (!session_) look(events);
  if (session_) return session_->carry_out(std::move(calls), events);
  if (over_) return;
  for (const Call& call : calls) answer_empty(call, events);
}

void Observer::answer_empty(const Call& call, Events& events) {
  if (const auto* watch = std::get_if<WatchCall>(&call)) {
    watches_.insert(watch->prefix);
    events.emplace_back(backend::Changed{watch->prefix});
  } else if (std::holds_alternative<CreateCall>(call)) {
    events.push_back(*refusal(call, Outcome::failed, "there is no store at " + opening_.folder + ": start a daemon"));
  } else if (std::holds_alternative<EvictCall>(call)) {
    events.push_back(*refusal(call, Outcome::conflict, "nobody leads: there is no store at " + opening_.folder));
  } else if (std::holds_alternative<WriteCall>(call)) {
    events.push_back(*refusal(call, Outcome::not_leader, {}));
  } else if (auto empty = refusal(call, Outcome::done, {})) {
    events.push_back(std::move(*empty));
  }
}

void Observer::look(Events& events) {
  if (session_) return session_->look(events);
  find();
  if (!session_) return;
  std::vector<Call> calls;
  for (const std::string& prefix : watches_) calls.emplace_back(WatchCall{prefix});
  if (!calls.empty()) session_->carry_out(std::move(calls), events);
}

Millis Observer::pace() const {
  if (session_) return session_->pace();
  return watches_.empty() ? Session::rest : Session::pause;
}

const std::optional<backend::SessionClosed>& Observer::over() const noexcept {
  return session_ && session_->over() ? session_->over() : over_;
}

}  // namespace ballot::local
