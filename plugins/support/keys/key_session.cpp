#include "support/keys/key_session.hpp"

#include <algorithm>
#include <utility>

#include "support/bounds.hpp"
#include "support/clock.hpp"

namespace ballot::support {

using namespace std::chrono_literals;

namespace {

constexpr Millis reach_pause = 250ms;

Millis patience_to_reach(Millis timeout) { return std::clamp<Millis>(timeout, 2s, 30s); }

std::string after(const std::string& text, std::string_view prefix) { return text.substr(prefix.size()); }

}  // namespace

KeySession::KeySession(Opening opening, const KeyPlace& place, Host& host,
                       const std::function<std::unique_ptr<KeyStore>(KeyStore::Listener&)>& make)
    : opening_(std::move(opening)),
      place_(place),
      host_(host),
      store_(make(*this)),
      context_{*store_, host, opening_.request, {}, opening_.timeout, {}},
      last_seen_(*store_) {
  give_up_at_ = boot_now() + patience_to_reach(opening_.timeout);
  store_->configure(opening_.groups);
  const auto& before = opening_.before;
  begin(!before ? Goal::fresh : before->over ? Goal::discard : Goal::resume);
}

void KeySession::begin(Goal goal) {
  phase_ = Phase::beginning;
  goal_ = goal;
  again_at_.reset();
  const bool needs_session = !opening_.request.observer;
  store_->begin(needs_session ? opening_.timeout : Millis(0), goal == Goal::fresh ? std::nullopt : opening_.before,
                [this](const SessionBegun& begun) { on_begun(begun); });
}

void KeySession::on_begun(const SessionBegun& begun) {
  if (over_) return;
  switch (begun.how) {
    case SessionBegun::How::refused: return fail({Cause::auth_failed, begun.text}, Rest::uncertain);
    case SessionBegun::How::full: return fail({Cause::unreachable, begun.text, true}, Rest::uncertain);
    case SessionBegun::How::unknown:
      problem_ = begun.text;
      again_at_ = boot_now() + reach_pause;
      return;
    case SessionBegun::How::gone:
      if (is_deputy()) return fail({Cause::expired, "that session is over"}, Rest::nothing);
      return begin(Goal::fresh);
    case SessionBegun::How::begun:
    case SessionBegun::How::resumed: break;
  }
  if (begun.timeout > bounds::longest_session)
    return fail({Cause::unreachable, "the store grants a session of " + std::to_string(begun.timeout.count()) +
                                         " ms, which is more than a day"},
                Rest::uncertain);
  context_.session = begun.session;
  secret_ = begun.secret;
  if (begun.timeout > 0ms) context_.timeout = begun.timeout;
  if (goal_ == Goal::discard) return end_then(Goal::fresh);
  observes() ? open() : enter();
}

void KeySession::enter() {
  phase_ = Phase::entering;
  give_up_at_ = boot_now() + 3 * context_.timeout;
  membership_.emplace(context_, last_seen_, opening_.before ? opening_.before->session : std::string());
  membership_->enter([this](KeyMembership::Entry entry, std::string text) { on_entered(entry, std::move(text)); });
}

/// The entry counts as a renewal: the session's timeout runs from it.
void KeySession::on_entered(KeyMembership::Entry entry, std::string text) {
  if (over_) return;
  switch (entry) {
    case KeyMembership::Entry::entered: return open();
    case KeyMembership::Entry::stale: return end_then(Goal::fresh);
    case KeyMembership::Entry::left_behind: return end_then(Goal::discard);
    case KeyMembership::Entry::refused: return end_with({Cause::superseded, std::move(text)});
    case KeyMembership::Entry::failed: return end_with({Cause::unreachable, std::move(text)});
    case KeyMembership::Entry::unwritten: return end_with({Cause::unreachable, std::move(text), true});
  }
}

/// The membership calls this from within an answer, so it is destroyed later.
void KeySession::end_then(Goal next) {
  phase_ = Phase::ending;
  give_up_at_ = boot_now() + patience_to_reach(opening_.timeout);
  store_->end([this, next](const KeyAnswer& answer) {
    if (over_) return;
    if (answer.outcome == StoreResult::unknown)
      host_.log(Level::warn, "the session before may still be open: " + answer.text);
    membership_.reset();
    begin(next);
  });
}

/// A store that refuses writes may refuse this one too, or answer nothing that could be waited for.
void KeySession::end_with(backend::SessionClosed verdict) {
  phase_ = Phase::ending;
  give_up_at_ = boot_now() + 1s;
  verdict_ = std::move(verdict);
  store_->end([this](const KeyAnswer&) { fail(*verdict_, Rest::nothing); });
}

void KeySession::open() {
  const Millis asked = opening_.request.timeout;
  if (!observes() && asked > 0ms && context_.timeout != asked)
    host_.log(Level::warn, "session_timeout is " + std::to_string(context_.timeout.count()) + " ms and not " +
                               std::to_string(asked.count()) + " ms: that is what the store grants");
  phase_ = Phase::open;
  KeySelf self{opening_.request.observer, is_deputy()};
  if (membership_) self.resumed_until = membership_->resumed_until();
  self.vacancy_pause = place_.vacancy_pause;
  open_.emplace(context_, view_, last_seen_, self);
  if (!observes()) tidy_.emplace(context_, view_, boot_now() + context_.timeout / 2);
  if (!opening_.request.observer) {
    store_->follow(KeyNames::terms);
    store_->follow(KeyNames::sessions);
  }
  context_.post(backend::SessionOpened{context_.timeout, store_->capability(), context_.session,
                                       membership_ ? membership_->version() : 0,
                                       observes() ? std::string() : handle_text(handle()), store_->clock()});
  for (const auto& [group, why] : found_unfit_) on_unfit(group, why);
}

void KeySession::on_listed(const std::string& prefix, const std::vector<KeyEntry>& entries) {
  if (!open_ || over_) return;
  const bool was_complete = view_.complete();
  if (prefix == KeyNames::terms) {
    for (const std::string& group : view_.list_terms(entries)) open_->elections.on_term_changed(group);
  } else if (prefix == KeyNames::sessions) {
    on_gone(view_.list_sessions(entries));
    if (!observes() && !view_.is_open(opening_.request.node, context_.session))
      on_gone({{opening_.request.node, context_.session}});
  }
  if (!was_complete && view_.complete()) open_->elections.on_view();
  check_size();
}

void KeySession::on_written(const KeyEntry& entry) {
  if (!open_ || over_) return;
  if (entry.key.starts_with(KeyNames::terms)) {
    const std::string group = after(entry.key, KeyNames::terms);
    if (view_.write_term(group, entry.value, entry.version)) open_->elections.on_term_changed(group);
  } else if (entry.key.starts_with(KeyNames::sessions)) {
    on_gone(view_.write_session(after(entry.key, KeyNames::sessions), entry.value));
  }
  check_size();
}

void KeySession::on_removed(const std::string& key) {
  if (!open_ || over_) return;
  if (key.starts_with(KeyNames::terms)) {
    const std::string group = after(key, KeyNames::terms);
    if (view_.remove_term(group)) open_->elections.on_term_changed(group);
  } else if (key.starts_with(KeyNames::sessions)) {
    on_gone(view_.remove_session(after(key, KeyNames::sessions)));
  }
}

void KeySession::on_gone(const std::vector<KeyView::Gone>& gone) {
  for (const KeyView::Gone& one : gone) {
    if (one.session != context_.session) {
      open_->elections.on_session_gone(one);
    } else if (phase_ == Phase::open && !is_deputy()) {
      const std::string key = place_.root + KeyNames::session(one.node);
      if (view_.sessions().contains(one.node))
        return fail({Cause::superseded, key + " is another session's: another daemon has this node's name"},
                    Rest::uncertain);
      return fail({Cause::expired, key + " is gone: the store has ended the session, or somebody has removed it"},
                  Rest::uncertain);
    }
  }
}

void KeySession::on_touched(const std::string& prefix) {
  if (phase_ == Phase::open && !over_) context_.post(backend::Changed{after(prefix, KeyNames::registers)});
}

void KeySession::on_session_lost(const std::string& text) {
  if (phase_ == Phase::open) fail({Cause::expired, text}, Rest::nothing);
}

void KeySession::on_unfit(const std::string& group, const std::string& why) {
  if (over_ || observes()) return;
  if (!open_) return void(found_unfit_[group] = why);
  open_->elections.set_fit(group, why.empty());
  context_.post(backend::Unfit{group, why});
}

void KeySession::carry_out(const Call& call) {
  if (over_ || phase_ != Phase::open) return;
  const auto* renewal = std::get_if<RenewCall>(&call);
  if (renewal == nullptr) return std::visit([this](const auto& one) { carry(one); }, call);
  if (observes()) return context_.post(backend::Renewed{renewal->request, StoreResult::done, {}});
  membership_->renew(renewal->request, renewal->asked);
}

void KeySession::close(bool keep) {
  if (over_ || phase_ == Phase::leaving) return;
  if (phase_ != Phase::open) {
    drop();
    over_ = {Cause::shutdown, {}};
    return;
  }
  phase_ = Phase::leaving;
  keep_ = keep;
  leave_by_ = boot_now() + leave_patience(is_deputy(), context_.timeout);
}

/// All calls that were made before close() are answered.
bool KeySession::drained() const { return open_->elections.idle() && open_->registers.idle(); }

/// First the calls before close() are drained, then the session is ended; each of the two has a time limit.
void KeySession::leave_on() {
  if (leaving_ == Leaving::ending || keep_ || opening_.request.observer) {
    const bool uncertain = leaving_ == Leaving::ending;
    rest_ = keep_ ? Rest::kept : uncertain && !observes() ? Rest::uncertain : Rest::nothing;
    store_->abandon();
    over_ = {rest_ == Rest::uncertain ? Cause::unreachable : Cause::shutdown, {}};
    return;
  }
  leaving_ = Leaving::ending;
  leave_by_ = boot_now() + std::min<Millis>(context_.timeout / 6, 1s);
  const auto ended = [this](StoreResult outcome) {
    if (over_) return;
    const bool done = outcome == StoreResult::done || outcome == StoreResult::not_leader;
    rest_ = done || observes() ? Rest::nothing : Rest::uncertain;
    over_ = {done ? Cause::shutdown : Cause::unreachable, {}};
  };
  if (membership_) return membership_->end(open_->elections.left_cleanly(), ended);
  store_->end([ended](const KeyAnswer& answer) { ended(answer.outcome); });
}

void KeySession::drop() noexcept {
  if (!over_) rest_ = rest(Rest::uncertain);
  store_->abandon();
}

/// What the session leaves in the store: `known` where it was open; else what the daemon before has left.
Rest KeySession::rest(Rest known) const {
  if (observes()) return Rest::nothing;
  if (open_) return known;
  if (!opening_.before) return Rest::nothing;
  return opening_.before->over ? Rest::uncertain : Rest::kept;
}

void KeySession::expire() { fail({Cause::expired, "the session was not renewed for its timeout"}, Rest::uncertain); }

/// The session is over here; the store may still have it.
void KeySession::fail(backend::SessionClosed why, Rest rest) {
  if (over_) return;
  rest_ = this->rest(rest);
  over_ = std::move(why);
}

/// A store that shows ever more terms and sessions would fill memory.
void KeySession::check_size() {
  if (view_.size() > bounds::followed)
    fail({Cause::unreachable,
          "the store shows more than " + std::to_string(bounds::followed) + " terms and sessions: " + place_.servers},
         Rest::uncertain);
}

/// When opening fails. An older session of this node is waited for as long as the store answers.
SteadyTime KeySession::give_up() const {
  return phase_ == Phase::entering ? std::max(give_up_at_, membership_->last_answer() + 3 * context_.timeout)
                                   : give_up_at_;
}

void KeySession::check_time(SteadyTime now) {
  if (phase_ == Phase::leaving) {
    if ((leaving_ == Leaving::draining && drained()) || now >= leave_by_) leave_on();
  } else if (phase_ != Phase::open) {
    if (now >= give_up()) fail(verdict_.value_or(unreached()), Rest::uncertain);
  } else if (!observes() && now >= membership_->confirmed() + context_.timeout) {
    fail(unrenewed(), Rest::uncertain);
  } else if (!observes() && membership_->lost()) {
    fail({Cause::expired, "the store has ended the session"}, Rest::nothing);
  }
}

backend::SessionClosed KeySession::unreached() const {
  return {Cause::unreachable,
          "no server can be reached: " + place_.servers + (problem_.empty() ? "" : " (" + problem_ + ")")};
}

backend::SessionClosed KeySession::unrenewed() const {
  const std::string& refusal = membership_->refusal();
  if (!refusal.empty()) return {Cause::unreachable, "the session was not renewed for its timeout: " + refusal, true};
  return {Cause::unreachable, "no server has confirmed the session for its timeout: " + place_.servers};
}

void KeySession::advance() {
  if (over_) return;
  const SteadyTime now = boot_now();
  store_->tick(now);
  if (again_at_ && now >= *again_at_) begin(goal_);
  if (phase_ == Phase::entering) membership_->tick(now);
  if (open_ && !over_) {
    open_->elections.tick(now);
    if (tidy_ && phase_ == Phase::open) tidy_->tick(now);
    open_->registers.flush();
    open_->elections.flush();
  }
  if (!over_) check_time(now);
}

std::optional<SteadyTime> KeySession::due() const {
  if (over_) return std::nullopt;
  std::optional<SteadyTime> at = store_->due();
  const auto also = [&](std::optional<SteadyTime> other) {
    if (other && (!at || *other < *at)) at = other;
  };
  also(again_at_);
  if (phase_ == Phase::leaving) also(leave_by_);
  if (phase_ == Phase::beginning || phase_ == Phase::entering || phase_ == Phase::ending) also(give_up());
  if (phase_ == Phase::entering) also(membership_->due());
  if (open_) also(open_->elections.due());
  if (phase_ == Phase::open && tidy_) also(tidy_->due());
  if (phase_ == Phase::open && membership_) also(membership_->confirmed() + context_.timeout);
  return at;
}

/// A session that leaves drops the elections that it wins meanwhile.
Events KeySession::take_events() {
  Events all = std::exchange(context_.events, {});
  if (phase_ == Phase::leaving)
    std::erase_if(all, [](const Event& event) { return std::holds_alternative<backend::Elected>(event); });
  for (Event& event : all) {
    if (auto* const elected = std::get_if<backend::Elected>(&event)) {
      store_->lead(elected->group, elected->epoch);
      elected->environment = store_->environment(elected->group);
    } else if (const auto* const deposed = std::get_if<backend::Deposed>(&event)) {
      store_->lead(deposed->group, 0);
    }
  }
  return all;
}

Handle KeySession::handle() const {
  if (!open_ && opening_.before) return *opening_.before;
  const SessionRequest& self = opening_.request;
  return {context_.session, secret_,  self.node,      self.boot_id, self.machine_id,
          self.host,        self.pid, place_.servers, place_.root};
}

}  // namespace ballot::support
