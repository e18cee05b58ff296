#include "zookeeper_backend.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "support/clock.hpp"
#include "support/thread.hpp"

namespace ballot::zookeeper {

using namespace std::chrono_literals;

namespace {

constexpr Millis closing_patience = 250ms;
constexpr Millis shortest_timeout = 1s;  // the library connects within a third of it

}  // namespace

ZookeeperBackend::ZookeeperBackend(Host& host, Settings settings, const std::string& name_space, std::string state_dir)
    : host_(host),
      settings_(std::move(settings)),
      paths_(settings_.chroot, name_space),
      root_(settings_.chroot + "/" + name_space),
      handles_(std::move(state_dir), "zookeeper-" + name_space + "-", root_, host) {
  thread_ = start_thread("ballot-zk", [this] { run(); });
}

ZookeeperBackend::~ZookeeperBackend() {
  stopping_ = true;
  wakeup_->wake();
  thread_.join();
}

void ZookeeperBackend::open(const SessionRequest& request) noexcept { enqueue(OpenCall{request}); }

void ZookeeperBackend::renew(RequestId request) noexcept {
  const SteadyTime now = boot_now();
  // Too late is too late, even where the thread has had no time yet to say so.
  SteadyTime expires = expires_.load();
  if (now >= expires) return;
  if (expires != SteadyTime::max()) expires_.compare_exchange_strong(expires, now + timeout_.load());
  enqueue(Call(RenewCall{request, now}));
}

void ZookeeperBackend::campaign(const std::string& group) noexcept { enqueue(Call(CampaignCall{group})); }

void ZookeeperBackend::resign(const std::string& group) noexcept { enqueue(Call(ResignCall{group})); }

void ZookeeperBackend::write(RequestId request, std::vector<RegisterWrite> batch) noexcept {
  enqueue(Call(WriteCall{request, std::move(batch)}));
}

void ZookeeperBackend::read(RequestId request, std::vector<std::string> names) noexcept {
  enqueue(Call(ReadCall{request, std::move(names)}));
}

void ZookeeperBackend::list(RequestId request, std::string prefix) noexcept {
  enqueue(Call(ListCall{request, std::move(prefix)}));
}

void ZookeeperBackend::create(RequestId request, std::vector<Record> records) noexcept {
  enqueue(Call(CreateCall{request, std::move(records)}));
}

void ZookeeperBackend::remove(RequestId request, std::vector<std::string> names) noexcept {
  enqueue(Call(RemoveCall{request, std::move(names)}));
}

void ZookeeperBackend::watch(const std::string& prefix) noexcept { enqueue(Call(WatchCall{prefix})); }

void ZookeeperBackend::observe(RequestId request, const std::string& group) noexcept {
  enqueue(Call(ObserveCall{request, group}));
}

void ZookeeperBackend::evict(RequestId request, const std::string& group) noexcept {
  enqueue(Call(EvictCall{request, group}));
}

void ZookeeperBackend::close(bool keep) noexcept { enqueue(CloseCall{keep}); }

void ZookeeperBackend::run() noexcept {
  bool last = false;
  while (!last) {
    wakeup_->wait(next_due());
    last = stopping_;
    if (session_ && boot_now() >= expires_.load()) session_->expire();
    publish();
    for (Message& message : inbox_->take())
      if (session_) session_->on(message);
    for (const Request& request : queue_.take()) serve(request);
    if (session_) session_->advance();
    publish();
  }
  if (session_) end_session();
}

/// In order, as far as a short time allows; nobody is told any more.
void ZookeeperBackend::end_session() {
  const SteadyTime end = boot_now() + closing_patience;
  session_->close(false);
  for (session_->advance(); !session_->over() && boot_now() < end; session_->advance()) {
    wakeup_->wait(std::min(end, session_->due().value_or(end)));
    for (Message& message : inbox_->take()) session_->on(message);
  }
  session_->drop();
  handles_.leave(session_->rest(), session_->handle());
  session_.reset();
}

std::optional<SteadyTime> ZookeeperBackend::next_due() const {
  if (!session_) return std::nullopt;
  const SteadyTime expires = expires_.load();
  const auto due = session_->due();
  if (expires == SteadyTime::max()) return due;
  return due ? std::min(*due, expires) : expires;
}

void ZookeeperBackend::serve(const Request& request) {
  if (const auto* open = std::get_if<OpenCall>(&request)) return open_session(open->request);
  if (!session_) return;
  if (const auto* call = std::get_if<Call>(&request)) return session_->carry_out(*call);
  session_->close(std::get<CloseCall>(request).keep);
  expires_ = SteadyTime::max();
  publish();
}

void ZookeeperBackend::open_session(const SessionRequest& request) {
  generation_ = request.generation;
  session_.reset();
  opened_ = false;
  expires_ = SteadyTime::max();
  Session::Opening opening;
  opening.request = request;
  opening.request.node = member_name(request.node, request.only_group);
  opening.tick = settings_.tick;
  opening.connection.servers = settings_.servers;
  opening.connection.timeout = default_timeout;
  opening.root = root_;
  if (request.timeout > 0ms) opening.connection.timeout = std::max(request.timeout, shortest_timeout);
  auto credentials = credentials_of(settings_);
  if (!credentials) return finish({Cause::auth_failed, credentials.error().what});
  opening.connection.user = std::move(*credentials);
  if (!request.handle.empty()) opening.request.node = node_of(request.handle);
  if (!request.observer) {
    auto before = handles_.take(opening.request);
    if (!before) return finish({Cause::superseded, before.error().what});
    if (*before && client_id_of(**before)) opening.before = std::move(*before);
  }
  const bool stands = opening.before && !opening.before->over && handle_text(*opening.before) == request.handle;
  if (!request.handle.empty() && !stands) return finish({Cause::expired, "that session is over"});
  try {
    session_ = std::make_unique<Session>(std::move(opening), paths_, host_, inbox_);
  } catch (const std::exception& failure) {
    finish({Cause::unreachable, std::string("no client for the servers can be made: ") + failure.what()});
  }
}

/// Then says that the session is over, where it is.
void ZookeeperBackend::publish() {
  if (!session_) return;
  Events events = session_->take_events();
  if (!opened_ && session_->opened()) {
    opened_ = true;
    timeout_ = *session_->opened();
    if (!session_->stands_in()) handles_.keep(session_->handle());
    if (!session_->observes()) expires_ = session_->base() + timeout_.load();
  }
  for (Event& event : events) host_.post({generation_, std::move(event)});
  if (!session_->over()) return;
  const backend::SessionClosed closed = *session_->over();
  handles_.leave(session_->rest(), session_->handle());
  session_.reset();
  finish(closed);
}

/// The node's name is free when the loop hears of it.
void ZookeeperBackend::finish(const backend::SessionClosed& closed) {
  handles_.release();
  expires_ = SteadyTime::max();
  host_.post({generation_, closed});
}

}  // namespace ballot::zookeeper
