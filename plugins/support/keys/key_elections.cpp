#include "support/keys/key_elections.hpp"

#include <algorithm>

#include "support/clock.hpp"

namespace ballot::support {

using namespace std::chrono_literals;

namespace {

constexpr Millis retry_pause = 250ms;
constexpr Millis a_turn = 100ms, most_jitter = 50ms, own_pause = 500ms;
constexpr std::size_t most_claiming = 1000, claimed_together = 50;  // groups

}  // namespace

KeyElections::KeyElections(KeyContext& context, KeyView& view, LastSeen& last_seen, KeySelf self)
    : context_(context),
      view_(view),
      last_seen_(last_seen),
      self_(self),
      queue_(context.store),
      candidates_(context, queue_),
      notice_(context.host, [&context](Event event) { context.post(std::move(event)); }),
      sweep_at_(self.resumed_until),
      random_(static_cast<std::minstd_rand::result_type>(rendezvous(context.session, context.self.node))) {}

KeyElections::Group* KeyElections::find(const std::string& name) {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

KeyElections::Group* KeyElections::find(const std::string& name, std::uint64_t serial) {
  Group* group = find(name);
  return group != nullptr && group->serial == serial ? group : nullptr;
}

void KeyElections::leave_state(const Group& group) {
  if (group.state == State::claiming) --claiming_;
  if (group.state == State::leaving) --leaving_;
}

std::uint64_t KeyElections::enter_state(Group& group, State state) {
  leave_state(group);
  if (state == State::claiming) ++claiming_;
  if (state == State::leaving) ++leaving_;
  group.state = state;
  return group.serial = ++last_serial_;
}

void KeyElections::campaign(const std::string& name) {
  if (self_.observes) return context_.host.log(Level::error, "an observer does not campaign: " + name);
  if (Group* group = find(name)) {
    if (group->leave) group->rejoin = true;
    return;
  }
  join(name);
}

void KeyElections::join(const std::string& name) {
  candidates_.enter(name);
  consider(name, groups_[name]);
}

void KeyElections::resign(const std::string& name) {
  Group* group = find(name);
  if (group == nullptr) {
    if (!self_.deputy) return;
    group = &groups_[name];
  }
  group->leave = true;
  group->rejoin = false;
  if (group->state == State::leading) return leave(name, *group);
  if (group->state != State::claiming && group->state != State::leaving) consider(name, *group);
}

void KeyElections::set_fit(const std::string& name, bool fit) {
  const bool changed = fit ? unfit_.erase(name) > 0 : unfit_.insert(name).second;
  if (!changed || !fit) return;
  for (const auto& [group_name, group] : groups_)
    if (group.state == State::waiting) later(group_name, group.serial, SteadyTime{});
}

std::uint64_t KeyElections::epoch(const std::string& name) const {
  const auto found = groups_.find(name);
  return found != groups_.end() && found->second.state == State::leading && !found->second.leave ? found->second.epoch
                                                                                                 : 0;
}

bool KeyElections::left_cleanly() const {
  const auto leads = [](const auto& one) {
    return one.second.state == State::leading || one.second.state == State::leaving;
  };
  return !unclean_ && !self_.resumed_until && std::none_of(groups_.begin(), groups_.end(), leads);
}

void KeyElections::write_began(const std::string& name) {
  if (Group* group = find(name)) ++group->writes;
}

void KeyElections::write_ended(const std::string& name) {
  Group* group = find(name);
  if (group == nullptr || group->writes == 0 || --group->writes > 0) return;
  if (group->state == State::leading && group->leave) leave(name, *group);
}

void KeyElections::on_view() {
  std::vector<std::string> names;
  for (const auto& [name, group] : groups_) names.push_back(name);
  for (const std::string& name : names) on_term_changed(name);
}

/// The view may be older than the answers that this session has had.
void KeyElections::on_term_changed(const std::string& name) {
  Group* group = find(name);
  if (group == nullptr) return;
  if (group->state == State::leading && view_.term(name).version != group->version) return doubt(name);
  if (group->state == State::waiting || group->state == State::asking || group->state == State::pausing)
    consider(name, *group);
}

void KeyElections::on_session_gone(const KeyView::Gone& gone) {
  for (auto& [name, group] : groups_) {
    if (group.state != State::waiting) continue;
    const TermRecord& term = view_.term(name).record;
    if (term.session == gone.session && !term.clean) later(name, group.serial, SteadyTime{});
  }
}

bool KeyElections::is_vacant(const TermRecord& term) const {
  return term.epoch == 0 || term.clean || term.session == no_session || is_ours(term) ||
         !view_.is_open(term.node, term.session);
}

/// The group is not led by us, and nothing of it is being written.
void KeyElections::consider(const std::string& name, Group& group) {
  if (group.leave && !self_.deputy) return gone(name, group);
  if (!view_.complete()) return void(enter_state(group, State::waiting));
  const KeyView::Term& term = view_.term(name);
  const bool resumable = is_ours(term.record) && !term.record.clean && group.epoch < term.record.epoch;
  if (group.leave) {
    if (!resumable) return gone(name, group);
    group.epoch = term.record.epoch;
    group.version = term.version;
    group.unfinished = term.record.before;
    return leave(name, group);
  }
  if (!is_fit(name)) return void(enter_state(group, State::waiting));
  if (resumable && self_.resumed_until && boot_now() < *self_.resumed_until) {
    group.epoch = term.record.epoch;
    group.version = term.version;
    group.unfinished = term.record.before;
    return announce(name, group, true, 0);
  }
  if (!is_vacant(term.record)) {
    notice_.waits(name, term.record.node, "the leader");
    return void(enter_state(group, State::waiting));
  }
  notice_.vacant(name);
  if (group.state != State::pausing || group.asked.version != term.version) ask(name, group);
}

/// Sessions whose terms may go on: the leader's, and of those before it.
std::vector<SessionOf> KeyElections::sessions_of(const TermRecord& term) const {
  std::vector<SessionOf> sessions = term.before;
  if (term.epoch != 0 && !term.clean && term.session != no_session) sessions.push_back({term.node, term.session});
  std::erase_if(sessions, [this](const SessionOf& one) { return one.session == context_.session; });
  return sessions;
}

/// A session that is not open by the view may be newer than it: the store says whether it is over. What the last leader
/// said of itself is needed to lead, and tells whether its session ended by its own wish.
void KeyElections::ask(const std::string& name, Group& group) {
  const KeyView::Term& term = view_.term(name);
  std::vector<SessionOf> sessions = sessions_of(term.record);
  std::erase_if(sessions, [this](const SessionOf& one) { return view_.is_open(one.node, one.session); });
  const std::uint64_t serial = enter_state(group, State::asking);
  group.asked = {term.version, sessions.size()};
  if (sessions.empty()) return pause(name, group);
  const std::string leader = term.record.session;
  for (const SessionOf& one : sessions)
    last_seen_.ask(one.node, one.session, [this, name, serial, is_leader = one.session == leader](const auto& found) {
      if (Group* asking = find(name, serial)) on_asked(name, *asking, is_leader, found);
    });
}

void KeyElections::on_asked(const std::string& name, Group& group, bool is_leader, const LastSeen::Found& found) {
  if (!found.is_over) {
    const std::uint64_t serial = enter_state(group, State::waiting);
    return later(name, serial, boot_now() + retry_pause);
  }
  if (is_leader && found.member) {
    group.last_alive = found.member->renewed;
    if (!found.member->ended) group.paused_until = boot_now() + self_.vacancy_pause;
  }
  if (--group.asked.open == 0) pause(name, group);
}

std::optional<std::size_t> KeyElections::turn(const std::string& name) const {
  return turn_of(name, context_.self.node, view_.sessions(), view_.term(name).record);
}

/// Nodes that come first have their chance.
void KeyElections::pause(const std::string& name, Group& group) {
  const std::uint64_t serial = enter_state(group, State::pausing);
  Millis chance{0};
  if (const auto before_us = turn(name)) chance = *before_us * a_turn + Millis(random_() % most_jitter.count());
  later(name, serial, std::max(boot_now() + chance, group.paused_until));
}

void KeyElections::later(const std::string& name, std::uint64_t serial, SteadyTime at) {
  later_.emplace(at, std::pair(name, serial));
}

void KeyElections::on_later(const std::string& name, Group& group) {
  switch (group.state) {
    case State::pausing: return order_.add({name, group.serial, turn(name).value_or(0)});
    case State::waiting: return consider(name, group);
    case State::leaving: return leave(name, group);
    case State::claiming:
    case State::leading: return doubt(name);  // an answer was unknown
    case State::asking: return;
  }
}

/// Sessions that are open: their runs may go on.
std::vector<SessionOf> KeyElections::unfinished(const TermRecord& term) const {
  std::vector<SessionOf> sessions = sessions_of(term);
  std::erase_if(sessions, [this](const SessionOf& one) { return !view_.is_open(one.node, one.session); });
  return sessions;
}

/// The next leader need not wait for sessions that this one has waited for, once T has passed.
TermRecord KeyElections::own_term(const Group& group, bool clean) const {
  TermRecord term{group.epoch, context_.session, context_.self.node, context_.self.boot_id, clean};
  if (!clean || boot_now() < group.led_at + context_.timeout) term.before = group.unfinished;
  return term;
}

/// Where others have come since, they have their chance too. What is sent together is answered together: some are under
/// way while the next are chosen.
void KeyElections::claim_next() {
  while (claiming_ < most_claiming) {
    const auto next = order_.take();
    if (!next) return;
    Group* group = find(next->group, next->serial);
    if (group == nullptr) continue;
    turn(next->group).value_or(0) > next->turn ? pause(next->group, *group) : claim(next->group, *group);
    if (claiming_ % claimed_together == 0) queue_.flush();
  }
}

bool KeyElections::may_enter_candidates() const { return order_.empty() && claiming_ < claimed_together; }

void KeyElections::claim(const std::string& name, Group& group) {
  const KeyView::Term& last = view_.term(name);
  if (group.leave) return gone(name, group);
  if (!is_fit(name) || !is_vacant(last.record)) return void(enter_state(group, State::waiting));
  group.epoch = next_epoch(std::max(group.epoch, last.record.epoch));
  group.unfinished = unfinished(last.record);
  send_claim(name, group, own_term(group, false), last.version);
}

void KeyElections::send_claim(const std::string& name, Group& group, const TermRecord& term, std::uint64_t over) {
  const std::uint64_t serial = enter_state(group, State::claiming);
  candidates_.write(name);  // whoever observes a leader finds it among the candidates
  queue_.add({KeyNames::term(name), format(term), over, true},
             [this, name, serial, term, over](const KeyAnswer& answer) {
               if (Group* found = find(name, serial)) on_claimed(name, *found, term, over, answer);
             });
}

void KeyElections::on_claimed(const std::string& name, Group& group, const TermRecord& term, std::uint64_t over,
                              const KeyAnswer& answer) {
  switch (answer.outcome) {
    case StoreResult::done: {
      view_.write_term(name, format(term), answer.version);
      group.version = answer.version;
      group.led_at = boot_now();
      return announce(name, group, false, answer.version);
    }
    case StoreResult::unknown:  // it may still land: what is there is read, then the same is sent again
      group.version = over;
      return later(name, group.serial, boot_now() + retry_pause);
    case StoreResult::failed:
      context_.host.log(Level::error, "group " + name + ": " + answer.text);
      enter_state(group, State::waiting);
      return later(name, group.serial, boot_now() + 4 * retry_pause);
    case StoreResult::conflict: enter_state(group, State::waiting); return doubt(name);
    case StoreResult::not_leader: return void(enter_state(group, State::waiting));  // the session is over
  }
}

/// Requires: `unfinished`, `epoch` and `version` are the term's.
void KeyElections::announce(const std::string& name, Group& group, bool resumed, std::uint64_t revision) {
  if (resumed) group.led_at = boot_now();
  enter_state(group, State::leading);
  if (group.leave || !is_fit(name)) return leave(name, group);
  group.announced = true;
  notice_.over(name);
  backend::Elected elected{name, group.epoch, resumed, {}, {}};
  if (!group.unfinished.empty()) elected.old_deadline = group.led_at + context_.timeout;
  if (!resumed) elected.last_alive = group.last_alive;
  elected.revision = revision;
  context_.post(std::move(elected));
}

void KeyElections::leave(const std::string& name, Group& group) {
  if (group.state == State::leading && group.writes > 0) return;  // write_ended() comes back to it
  const std::uint64_t serial = enter_state(group, State::leaving);
  queue_.add({KeyNames::term(name), format(own_term(group, true)), group.version, true},
             [this, name, serial](const KeyAnswer& answer) {
               if (Group* found = find(name, serial)) on_left(name, *found, answer);
             });
  if (group.leave) candidates_.withdraw(name);  // with it: whoever observes once that is known sees neither
}

/// Where its outcome is unknown, the same is sent again: a conflict then shows that it is not ours any more.
void KeyElections::on_left(const std::string& name, Group& group, const KeyAnswer& answer) {
  if (answer.outcome == StoreResult::unknown || answer.outcome == StoreResult::failed) {
    if (answer.outcome == StoreResult::failed) context_.host.log(Level::error, "group " + name + ": " + answer.text);
    return later(name, group.serial, boot_now() + retry_pause);
  }
  if (answer.outcome == StoreResult::done) view_.write_term(name, format(own_term(group, true)), answer.version);
  if (std::exchange(group.announced, false)) context_.post(backend::Deposed{name, group.epoch, Cause::resigned});
  if (group.leave) return erase(name, group);
  enter_state(group, State::waiting);  // it was found unfit before it was elected
  consider(name, group);
}

void KeyElections::gone(const std::string& name, Group& group) {
  candidates_.withdraw(name);
  erase(name, group);
}

void KeyElections::erase(const std::string& name, const Group& group) {
  leave_state(group);
  const bool rejoin = group.rejoin;
  const std::uint64_t epoch = group.epoch;
  groups_.erase(name);
  notice_.over(name);
  if (!rejoin) return;
  join(name);
  groups_.at(name).epoch = epoch;
}

/// Somebody else has ended our term.
void KeyElections::lose(const std::string& name, Group& group, Cause cause) {
  unclean_ = true;
  if (std::exchange(group.announced, false))
    context_.post(backend::Deposed{name, group.epoch, group.leave ? Cause::resigned : cause});
  if (group.leave) return gone(name, group);
  enter_state(group, State::waiting);
  group.paused_until = boot_now() + own_pause;
  consider(name, group);
}

void KeyElections::read_doubted() {
  std::vector<Doubt> asked;
  std::vector<std::string> keys;
  for (const std::string& name : std::exchange(doubted_, {})) {
    const Group* group = find(name);
    if (group == nullptr) continue;
    asked.push_back({name, group->serial, view_.term(name).version});
    keys.push_back(KeyNames::term(name));
  }
  if (keys.empty()) return;
  context_.store.get(std::move(keys), [this, asked](const KeyRead& read) { on_read(asked, read); });
}

/// The read is at least as new as all that was answered before it was asked for.
void KeyElections::on_read(const std::vector<Doubt>& asked, const KeyRead& read) {
  std::unordered_map<std::string, const KeyEntry*> entries;
  for (const KeyEntry& entry : read.entries) entries.emplace(entry.key, &entry);
  for (const auto& [name, serial, shown] : asked) {
    Group* group = find(name, serial);
    if (group == nullptr) continue;
    if (read.outcome != StoreResult::done) {
      later(name, serial, boot_now() + retry_pause);
      continue;
    }
    const auto found = entries.find(KeyNames::term(name));
    const std::uint64_t version = found == entries.end() ? 0 : found->second->version;
    // An older version than the view had before the read was asked for: the view's was wrong, or the store went back.
    if (version < shown && view_.term(name).version == shown) view_.remove_term(name);
    version == 0 ? void(view_.remove_term(name)) : void(view_.write_term(name, found->second->value, version));
    const TermRecord term = version == 0 ? TermRecord{} : parse_term(found->second->value);
    if (group->state == State::leading) {
      if (version != group->version) lose(name, *group, Cause::evicted);
    } else if (group->state == State::claiming) {
      on_claim_read(name, *group, term, version);
    } else if (group->state != State::leaving) {
      consider(name, *group);
    }
  }
}

/// Where it has not landed, the same is sent again: of the two one can succeed.
void KeyElections::on_claim_read(const std::string& name, Group& group, const TermRecord& term, std::uint64_t version) {
  if (is_ours(term) && term.epoch == group.epoch && !term.clean) {
    group.version = version;
    group.led_at = boot_now();
    return announce(name, group, false, version);
  }
  if (version == group.version) return send_claim(name, group, own_term(group, false), version);
  enter_state(group, State::waiting);
  consider(name, group);
}

/// A resumed session may still lead groups that this daemon does not take part in.
void KeyElections::sweep() {
  sweep_at_.reset();
  for (const auto& [name, term] : view_.terms())
    if (is_ours(term.record) && !term.record.clean && !groups_.contains(name))
      queue_.add({KeyNames::term(name), format(put_out(term.record)), term.version, true}, [](const KeyAnswer&) {});
}

void KeyElections::tick(SteadyTime now) {
  if (sweep_at_ && now >= *sweep_at_ && view_.complete()) sweep();
  std::vector<std::pair<std::string, std::uint64_t>> all;
  const auto end = later_.upper_bound(now);
  for (auto one = later_.begin(); one != end; ++one) all.push_back(std::move(one->second));
  later_.erase(later_.begin(), end);
  for (const auto& [name, serial] : all)
    if (Group* group = find(name, serial)) on_later(name, *group);
}

void KeyElections::flush() {
  claim_next();
  if (may_enter_candidates()) candidates_.flush();
  queue_.flush();
  read_doubted();
}

std::optional<SteadyTime> KeyElections::due() const {
  std::optional<SteadyTime> at = sweep_at_ && view_.complete() ? sweep_at_ : std::nullopt;
  if (!later_.empty() && (!at || later_.begin()->first < *at)) at = later_.begin()->first;
  if (const auto next = candidates_.due(); next && may_enter_candidates() && (!at || *next < *at)) at = next;
  return at;
}

}  // namespace ballot::support
