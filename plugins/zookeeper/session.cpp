#include "session.hpp"

#include <algorithm>
#include <utility>

namespace ballot::zookeeper {

using namespace std::chrono_literals;

Session::Session(Opening opening, const Paths& paths, Host& host, std::shared_ptr<Inbox> inbox)
    : opening_(std::move(opening)), paths_(paths), host_(host), inbox_(std::move(inbox)) {
  revive_ = opening_.before && !opening_.before->over;
  phase_ = revive_ ? Phase::reviving : Phase::connecting;
  give_up_at_ = boot_now() + patience();
  connect(revive_ ? Resume::yes : Resume::no);
}

/// How long it tries to reach a server.
Millis Session::patience() const { return std::clamp<Millis>(opening_.connection.timeout, 2s, 30s); }

Session::~Session() {
  if (client_) Client::close(std::move(client_));
}

void Session::connect(Resume resume) {
  const auto before = resume == Resume::yes ? client_id_of(*opening_.before) : std::nullopt;
  base_ = boot_now();
  connected_ = false;
  client_ = std::make_unique<Client>(inbox_, opening_.connection, before ? &*before : nullptr);
  client_id_ = client_->id();
}

/// What a client had said before it was closed may still be in the inbox.
void Session::on(Message& message) {
  if (over_ || message.client != client_id_) return;
  if (!client_ && message.kind != Message::Kind::closed) return;
  switch (message.kind) {
    case Message::Kind::reply: return client_->dispatch(message);
    case Message::Kind::state: return on_state(message.state);
    case Message::Kind::watch: return on_watch(message);
    case Message::Kind::refused:
      return host_.log(Level::warn, "a server's answer was refused, and its connection closed: " + message.text);
    case Message::Kind::closed: return on_closed();
  }
}

void Session::on_state(int state) {
  connected_ = state == ZOO_CONNECTED_STATE;
  if (connected_) return on_connected();
  if (phase_ == Phase::leaving) {
    if (leaving_ == Leaving::ending) leave_on();
    return;
  }
  if (state == ZOO_AUTH_FAILED_STATE)
    return fail(Cause::auth_failed, "the store refuses [zookeeper] auth of this user", Rest::uncertain);
  if (state != ZOO_EXPIRED_SESSION_STATE) return;
  if (phase_ != Phase::reviving || is_deputy())
    return fail(Cause::expired, "the store has ended the session", Rest::nothing);
  Client::close(std::move(client_));
  phase_ = Phase::connecting;
  connect(Resume::no);
}

void Session::on_connected() {
  credentials_ = client_->credentials();
  if (phase_ == Phase::reviving && !revive_) return discard();
  if (phase_ == Phase::reviving || phase_ == Phase::connecting) return begin();
  if (membership_) membership_->on_connected();
  if (phase_ != Phase::open) return;
  open_->on_connected();
}

void Session::begin() {
  timeout_ = client_->timeout();
  context_ = std::make_unique<SessionContext>(*client_, paths_, host_, opening_.request);
  context_->session = session_text(client_->session());
  context_->deputy = is_deputy();
  members_ = std::make_unique<Members>(*context_);
  if (observes()) return open();
  context_->session_path = paths_.session(opening_.request.node, client_->session());
  const std::string behind = opening_.before ? opening_.before->session : std::string();
  membership_ =
      std::make_unique<Membership>(*context_, *members_, Membership::Terms{timeout_, opening_.tick, base_, behind});
  phase_ = Phase::entering;
  give_up_at_ = boot_now() + 3 * timeout_;
  membership_->enter(
      [this](Membership::Entry entry, Cause cause, std::string text) { on_entered(entry, cause, std::move(text)); });
}

/// A session that took long to get its name is discarded: T counts from when the session began.
void Session::on_entered(Membership::Entry entry, Cause cause, std::string text) {
  if (entry == Membership::Entry::refused || entry == Membership::Entry::failed)
    return fail(cause, std::move(text), Rest::nothing);
  end_before_ = entry == Membership::Entry::left_behind;
  const bool late = boot_now() - base_ > timeout_ / 2;
  entry != Membership::Entry::entered || late ? discard() : open();
}

void Session::open() {
  const Millis asked = opening_.request.timeout;
  if (asked > 0ms && timeout_ != asked)
    host_.log(Level::warn, "session_timeout is " + std::to_string(timeout_.count()) + " ms and not " +
                               std::to_string(asked.count()) +
                               " ms: the servers grant 2 to 20 times their tickTime (minSessionTimeout, "
                               "maxSessionTimeout)");
  phase_ = Phase::open;
  open_ = std::make_unique<OpenSession>(*context_, *members_, election_self());
  context_->post(backend::SessionOpened{timeout_, Capability::fenced, context_->session, context_->highest,
                                        observes() ? std::string() : handle_text(handle()),
                                        membership_ ? membership_->store_clock() : std::nullopt});
}

ElectionSelf Session::election_self() {
  ElectionSelf self{host_, [context = context_.get()](Event event) { context->post(std::move(event)); },
                    context_->session};
  self.node = opening_.request.node;
  self.boot_id = opening_.request.boot_id;
  self.timeout = timeout_;
  self.observes = observes();
  self.deputy = is_deputy();
  self.before = members_->before();
  if (membership_) self.resumed_until = membership_->resumed_until();
  return self;
}

/// Called from within a dispatch of the client, which goes later.
void Session::discard() {
  phase_ = Phase::discarding;
  revive_ = false;
  give_up_at_ = boot_now() + 2 * patience();
}

void Session::on_closed() {
  if (phase_ == Phase::discarding) {
    membership_.reset();
    members_.reset();
    context_.reset();
    const bool before = std::exchange(end_before_, false);
    phase_ = before ? Phase::reviving : Phase::connecting;
    give_up_at_ = boot_now() + patience();
    return connect(before ? Resume::yes : Resume::no);
  }
  over_ = {rest_ == Rest::uncertain ? Cause::unreachable : Cause::shutdown, {}};
}

void Session::on_watch(const Message& message) {
  if (phase_ != Phase::open) return;
  open_->on_watch(message);
}

void Session::carry_out(const Call& call) {
  if (over_ || phase_ != Phase::open) return;
  const auto* renewal = std::get_if<RenewCall>(&call);
  if (renewal == nullptr) return open_->carry_out(call);
  if (observes()) return context_->post(backend::Renewed{renewal->request, StoreResult::done, {}});
  membership_->renew(renewal->request, renewal->asked);
}

void Session::close(bool keep) {
  if (over_ || phase_ == Phase::leaving) return;
  if (phase_ != Phase::open) {
    drop();
    over_ = {Cause::shutdown, {}};
    return;
  }
  open_->flush(true);
  phase_ = Phase::leaving;
  keep_ = keep;
  leave_by_ = boot_now() + leave_patience(is_deputy(), timeout_);
}

/// Steps through leaving: each as soon as the one before is done, or has taken too long.
void Session::leave_on() {
  const SteadyTime now = boot_now();
  const Millis step = std::min<Millis>(timeout_ / 6, 1s);
  if (leaving_ == Leaving::draining) {
    leaving_ = Leaving::ending;
    leave_by_ = now + step;
    if (keep_) return client_->abandon();
    if (membership_ && connected_) return end();
  }
  if (leaving_ == Leaving::closing) return;
  leaving_ = Leaving::closing;
  rest_ = keep_ ? Rest::kept : ended_ || observes() ? Rest::nothing : Rest::uncertain;
  Client::close(std::move(client_));
}

/// A server that answers this has carried out what was asked before, and is there to end the session.
void Session::end() {
  membership_->end(open_->left_cleanly(), [this](int rc) {
    ended_ = !is_unknown(rc);
    leave_by_ = boot_now();
  });
}

void Session::drop() {
  if (!client_) return;
  if (!over_) rest_ = rest(ended_ ? Rest::nothing : Rest::uncertain);
  Client::close(std::move(client_));
}

/// The rest of this session, as far as it knows. A session that has not begun leaves nothing, but may have found its
/// predecessor open; the predecessor's terms are over once its T has passed since it was to be resumed.
Rest Session::rest(Rest known) const {
  if (observes()) return Rest::nothing;
  if (open_) return known;
  if (!opening_.before) return Rest::nothing;
  return revive_ && boot_now() < base_ + opening_.connection.timeout ? Rest::kept : Rest::uncertain;
}

void Session::expire() { fail(Cause::expired, "the session was not renewed for its timeout", Rest::uncertain); }

/// The store may not know of it.
void Session::fail(Cause cause, std::string text, Rest rest) {
  if (over_) return;
  rest_ = this->rest(rest);
  over_ = {cause, std::move(text)};
}

/// Waits for an older session of this node to end, as long as the store answers.
SteadyTime Session::give_up() const {
  return phase_ == Phase::entering && membership_ ? std::max(give_up_at_, membership_->last_answer() + 3 * timeout_)
                                                  : give_up_at_;
}

void Session::check_time(SteadyTime now) {
  const std::string& servers = opening_.connection.servers;
  if (phase_ == Phase::leaving) {
    const bool drained = leaving_ == Leaving::draining && (client_->idle() || !connected_);
    if (leaving_ != Leaving::closing && (drained || now >= leave_by_)) leave_on();
  } else if (phase_ != Phase::open) {
    if (now >= give_up())
      fail(Cause::unreachable, (connected_ ? "no server answers in time: " : "no server can be reached: ") + servers,
           Rest::uncertain);
  } else if (!observes() && now >= membership_->confirmed() + timeout_) {
    fail(Cause::unreachable, "no server has confirmed the session for its timeout: " + servers, Rest::uncertain);
  } else if (!observes() && membership_->lost()) {
    fail(Cause::superseded,
         context_->session_path + " is gone: somebody removed it, or another daemon has this node's name",
         Rest::uncertain);
  }
}

void Session::advance() {
  if (over_) return;
  const SteadyTime now = boot_now();
  if (phase_ == Phase::discarding && client_) Client::close(std::move(client_));
  if (context_ && client_) client_->time_out(now, timeout_ / 4);
  if (membership_ && client_ && phase_ != Phase::leaving) membership_->tick(now);
  if (phase_ == Phase::open) {
    open_->tick(now);
    open_->flush(false);
  } else if (phase_ == Phase::leaving && leaving_ == Leaving::draining && client_) {
    open_->flush_leaves();  // a resignation may have had to list the queue first
  }
  check_time(now);
}

std::optional<SteadyTime> Session::due() const {
  if (over_) return std::nullopt;
  if (phase_ == Phase::leaving) return leaving_ == Leaving::closing ? std::nullopt : std::optional(leave_by_);
  std::optional<SteadyTime> at;
  const auto also = [&](std::optional<SteadyTime> other) {
    if (other && (!at || *other < *at)) at = other;
  };
  if (phase_ != Phase::open) also(give_up());
  if (context_ && client_) also(client_->time_out_due(timeout_ / 4));
  if (membership_ && client_) also(membership_->due());
  if (phase_ == Phase::open && membership_) also(membership_->confirmed() + timeout_);
  if (phase_ == Phase::open) also(open_->due());
  return at;
}

/// A session that is leaving is not elected any more.
Events Session::take_events() {
  if (!context_) return {};
  Events all = std::exchange(context_->events, {});
  if (phase_ == Phase::leaving)
    std::erase_if(all, [](const Event& event) { return std::holds_alternative<backend::Elected>(event); });
  return all;
}

Handle Session::handle() const {
  if (!open_ && opening_.before) return *opening_.before;
  const SessionRequest& self = opening_.request;
  Handle handle{
      {},           {}, self.node, self.boot_id, self.machine_id, self.host, self.pid, opening_.connection.servers,
      opening_.root};
  put_client_id(credentials_, handle);
  return handle;
}

}  // namespace ballot::zookeeper
