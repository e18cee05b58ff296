#include "zookeeper_driver.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace ballot::zookeeper {

using namespace std::chrono_literals;

namespace {

constexpr Millis shortest_timeout = 1s;  // the library connects within a third of it

}  // namespace

ZookeeperDriver::ZookeeperDriver(Outlet& outlet, Place place)
    : outlet_(outlet),
      place_(std::move(place)),
      paths_(place_.settings.chroot, place_.name_space),
      inbox_(std::make_shared<Inbox>(outlet.wakeup())),
      handles_(place_.state_dir, "zookeeper-" + place_.name_space + "-", place_.root(), outlet.host()) {}

/// T counts from when the servers are asked for the session.
void ZookeeperDriver::open(const SessionRequest& request, SteadyTime) {
  session_.reset();
  Session::Opening opening;
  opening.request = request;
  opening.request.node = member_name(request.node, request.only_group);
  opening.tick = place_.settings.tick;
  opening.connection.servers = place_.settings.servers;
  opening.connection.timeout = default_timeout;
  opening.root = place_.root();
  if (request.timeout > 0ms) opening.connection.timeout = std::max(request.timeout, shortest_timeout);
  auto credentials = credentials_of(place_.settings);
  if (!credentials) return finish(Cause::auth_failed, credentials.error().what);
  opening.connection.user = std::move(*credentials);
  if (!request.handle.empty()) opening.request.node = node_of(request.handle);
  if (!request.observer) {
    auto before = handles_.take(opening.request);
    if (!before) return finish(Cause::superseded, before.error().what);
    if (*before && client_id_of(**before)) opening.before = std::move(*before);
  }
  const bool is_open = opening.before && !opening.before->over && handle_text(*opening.before) == request.handle;
  if (!request.handle.empty() && !is_open) return finish(Cause::expired, "that session is over");
  try {
    session_ = std::make_unique<Session>(std::move(opening), paths_, outlet_.host(), inbox_);
  } catch (const std::exception& failure) {
    finish(Cause::unreachable, std::string("no client for the servers can be made: ") + failure.what());
  }
}

void ZookeeperDriver::carry_out(std::vector<Call> calls) {
  for (const Call& call : calls) session_->carry_out(call);
}

void ZookeeperDriver::close(bool keep) {
  session_->close(keep);
  publish();
}

void ZookeeperDriver::expire() {
  session_->expire();
  publish();
}

void ZookeeperDriver::drop() noexcept {
  session_->drop();
  leave();
}

void ZookeeperDriver::receive(bool) {
  for (Message& message : inbox_->take())
    if (session_) session_->on(message);
}

void ZookeeperDriver::advance() {
  session_->advance();
  publish();
}

/// Then says that the session is over, where it is.
void ZookeeperDriver::publish() {
  for (Event& event : session_->take_events()) {
    auto* const opened = std::get_if<backend::SessionOpened>(&event);
    if (opened == nullptr) {
      outlet_.post(std::move(event));
      continue;
    }
    if (!session_->is_deputy()) handles_.keep(session_->handle());
    outlet_.opened(std::move(*opened), session_->observes() ? std::nullopt : std::optional(session_->base()));
  }
  if (!session_->over()) return;
  const backend::SessionClosed closed = *session_->over();
  leave();
  finish(closed.cause, closed.text);
}

void ZookeeperDriver::leave() {
  handles_.leave(session_->rest(), session_->handle());
  session_.reset();
}

/// The node's name is free before the loop is notified.
void ZookeeperDriver::finish(Cause cause, std::string text) {
  handles_.release();
  outlet_.closed({cause, std::move(text)});
}

}  // namespace ballot::zookeeper
