#include "support/keys/key_driver.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "support/keys/key_session.hpp"
#include "support/member_name.hpp"

namespace ballot::support {

MakeDriver make_key_driver(KeyPlace place, MakeKeyStore make) {
  return [place = std::move(place), make = std::move(make)](Outlet& outlet) {
    return std::make_unique<KeyDriver>(outlet, place, make);
  };
}

KeyDriver::KeyDriver(Outlet& outlet, KeyPlace place, MakeKeyStore make)
    : outlet_(outlet),
      place_(std::move(place)),
      make_(std::move(make)),
      handles_(place_.state_dir, place_.backend + "-" + place_.name_space + "-", place_.root, outlet.host()) {}

KeyDriver::~KeyDriver() = default;

void KeyDriver::configure(std::map<std::string, Options> groups) {
  groups_ = std::move(groups);
  if (session_) session_->configure(groups_);
}

void KeyDriver::open(const SessionRequest& request, SteadyTime) {
  session_.reset();
  KeySession::Opening opening{request, {}, place_.default_timeout, groups_};
  opening.request.node = member_name(request.node, request.only_group);
  if (request.timeout > Millis(0)) opening.timeout = std::max(request.timeout, place_.shortest_timeout);
  if (!request.handle.empty()) opening.request.node = node_of(request.handle);
  if (!request.observer) {
    auto before = handles_.take(opening.request);
    if (!before) return finish({Cause::superseded, before.error().what});
    opening.before = std::move(*before);
  }
  const bool is_open = opening.before && !opening.before->over && handle_text(*opening.before) == request.handle;
  if (!request.handle.empty() && !is_open) return finish({Cause::expired, "that session is over"});
  try {
    const auto make = [this](KeyStore::Listener& to) { return make_(to, outlet_); };
    session_ = std::make_unique<KeySession>(std::move(opening), place_, outlet_.host(), make);
  } catch (const std::exception& failure) {
    finish({Cause::unreachable, std::string("no client for the servers can be made: ") + failure.what()});
  }
}

void KeyDriver::carry_out(std::vector<Call> calls) {
  for (const Call& call : calls) session_->carry_out(call);
}

void KeyDriver::close(bool keep) {
  session_->close(keep);
  publish();
}

void KeyDriver::expire() {
  session_->expire();
  publish();
}

void KeyDriver::drop() noexcept {
  session_->drop();
  leave();
}

void KeyDriver::receive(bool) {
  if (session_) session_->receive();
}

void KeyDriver::advance() {
  session_->advance();
  publish();
}

std::optional<SteadyTime> KeyDriver::due() const { return session_ ? session_->due() : std::nullopt; }

/// Then says that the session is over, where it is.
void KeyDriver::publish() {
  for (Event& event : session_->take_events()) {
    auto* const opened = std::get_if<backend::SessionOpened>(&event);
    if (opened == nullptr) {
      outlet_.post(std::move(event));
      continue;
    }
    if (!session_->observes()) handles_.keep(session_->handle());
    outlet_.opened(std::move(*opened), session_->observes() ? std::nullopt : std::optional(session_->base()));
  }
  if (!session_->over()) return;
  backend::SessionClosed closed = *session_->over();
  leave();
  finish(std::move(closed));
}

void KeyDriver::leave() {
  handles_.leave(session_->rest(), session_->handle());
  session_.reset();
}

/// The node's name is free before the loop is notified.
void KeyDriver::finish(backend::SessionClosed closed) {
  handles_.release();
  outlet_.closed(std::move(closed));
}

}  // namespace ballot::support
