#include "support/queue_elections.hpp"

#include <algorithm>
#include <utility>

#include "support/clock.hpp"

namespace ballot::support {

using namespace std::chrono_literals;

namespace {

constexpr Millis resume_pause = 250ms, again_pause = 500ms;
constexpr Millis read_ahead_pause = 1s, relist_pause = 5s;
constexpr std::size_t few_groups = 100;

}  // namespace

QueueElections::QueueElections(QueueStore& store, ElectionSelf self)
    : store_(store), self_(std::move(self)), sender_(store, *this), sweep_at_(self_.resumed_until), watches_(store) {}

QueueElections::Group* QueueElections::find(const std::string& name) {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

QueueElections::Group* QueueElections::find(const std::string& name, std::uint64_t serial) {
  Group* group = find(name);
  return group != nullptr && group->serial == serial ? group : nullptr;
}

bool QueueElections::wanted(const std::string& name, std::uint64_t serial) const {
  return groups_.contains(name) && groups_.at(name).serial == serial;
}

/// The group whose step is done. Null where the answer is late, and where it is not done: the group goes on otherwise.
QueueElections::Group* QueueElections::find_done(const std::string& name, std::uint64_t serial, const Step& step) {
  Group* group = find(name, serial);
  if (group == nullptr || step.ok()) return group;
  step.code == Step::Code::missing ? relist(name, *group) : stall(name, *group, step);
  return nullptr;
}

std::uint64_t QueueElections::enter_state(Group& group, State state) {
  group.state = state;
  return group.serial = ++last_serial_;
}

void QueueElections::campaign(const std::string& name) {
  if (self_.observes) return self_.host.log(Level::error, "an observer does not campaign: " + name);
  if (Group* group = find(name)) {
    if (group->leave) group->rejoin = true;
    return;
  }
  const std::size_t size = store_.size_of_entry(name);
  if (own_size_ + size > store_.most_size())
    return self_.host.log(Level::error, "group " + name + ": no candidate, as " + store_.size_problem());
  own_size_ += size;
  join(name);
}

void QueueElections::join(const std::string& name) {
  Group& group = groups_[name];
  if (!self_.resumed_until) return enter(name, group);
  group.adopt = true;
  store_.barrier([this, name, serial = enter_state(group, State::listing)](const Step&) {
    if (Group* found = find(name, serial)) relist(name, *found);
  });
}

void QueueElections::resign(const std::string& name) {
  Group* group = find(name);
  if (group == nullptr) return self_.deputy ? leave_unknown(name) : void();
  group->leave = true;
  group->rejoin = false;
  if (group->state == State::waiting || group->state == State::leading) leave(name, *group);
}

/// On behalf of a dead daemon: finds the entries of its session.
void QueueElections::leave_unknown(const std::string& name) {
  Group& group = groups_[name];
  own_size_ += store_.size_of_entry(name);
  group.leave = true;
  relist(name, group);
}

/// Nothing runs in it: the term, where its session leads, ends cleanly.
void QueueElections::end_unknown(const std::string& name, Group& group) {
  store_.read_term(name, [this, name, serial = group.serial](const Step& step, const QueueStore::Text& read) {
    Group* found = find(name, serial);
    if (found == nullptr) return;
    if (step.code == Step::Code::unknown) return stall(name, *found, step);
    const TermRecord term = parse_term(read.text);
    found->led = term.session == self_.session && !term.clean;
    if (found->led) found->epoch = term.epoch;
    leave(name, *found);
  });
}

std::uint64_t QueueElections::epoch(const std::string& name) const {
  const auto found = groups_.find(name);
  return found != groups_.end() && found->second.announced && !found->second.leave ? found->second.epoch : 0;
}

bool QueueElections::left_cleanly() const {
  const auto announced = [](const auto& group) { return group.second.announced; };
  return !unclean_ && !self_.resumed_until && std::none_of(groups_.begin(), groups_.end(), announced);
}

void QueueElections::write_began(const std::string& name) {
  if (Group* group = find(name)) ++group->writes;
}

void QueueElections::write_ended(const std::string& name) {
  Group* group = find(name);
  if (group == nullptr || group->writes == 0 || --group->writes > 0) return;
  if (group->leave && group->state == State::leading) leave(name, *group);
}

void QueueElections::enter(const std::string& name, Group& group) {
  group.entry.clear();
  group.epoch = 0;
  group.ready.reset();
  group.guess = false;
  group.since = wall_now();
  const std::uint64_t serial = enter_state(group, State::entering);
  sender_.enter(name, serial, format(CandidateText{self_.node, group.since}));
}

void QueueElections::on_entered(const std::string& name, std::uint64_t serial, const Step& step,
                                const QueueStore::Made& made) {
  if (Group* group = find(name, serial)) step.ok() ? on_placed(name, *group, made) : stall(name, *group, step);
}

void QueueElections::on_placed(const std::string& name, Group& group, const QueueStore::Made& made) {
  group.entry = made.name;
  group.epoch = made.epoch;
  if (group.leave || !made.first) return relist(name, group, group.leave ? Priority::normal : Priority::low);
  group.term = {};
  group.version = 0;
  claim(name, group, 0);
}

void QueueElections::relist(const std::string& name, Group& group, Priority priority) {
  group.again = false;
  const auto listed = [this, name, serial = enter_state(group, State::listing)](
                          const Step& step, const Entries& entries, const std::int64_t& version) {
    Group* found = find(name, serial);
    if (found == nullptr) return;
    if (step.code == Step::Code::missing) return on_missing(name, *found);
    step.ok() ? on_listed(name, *found, entries, version) : stall(name, *found, step);
  };
  store_.list(name, priority, listed);
}

/// In a resumed session, an entry that is found too late is not ours any more.
void QueueElections::on_listed(const std::string& name, Group& group, const Entries& entries, std::int64_t version) {
  QueuePlace place = find_place(entries, self_.session, group.entry);
  if (std::exchange(group.adopt, false) && boot_now() >= *self_.resumed_until) place.give_up();
  for (const std::string& stray : place.strays) store_.remove(name, stray);
  if (place.own.empty() || (group.announced && place.own != group.entry)) return on_missing(name, group);
  if (std::exchange(group.entry, place.own) != place.own) group.epoch = 0;
  if (group.leave) return self_.deputy ? end_unknown(name, group) : leave(name, group);
  if (!place.ahead) return claim(name, group, version);
  group.place = place.all_ahead + 1;
  wait(name, group, *place.ahead);
}

/// An entry that was removed is made again at once, and one that is removed all the time twice a second.
void QueueElections::on_missing(const std::string& name, Group& group) {
  if (std::exchange(group.announced, false)) {
    unclean_ = true;
    self_.post(backend::Deposed{name, group.epoch, group.leave ? Cause::resigned : Cause::evicted});
  }
  group.version.reset();
  if (group.leave) return gone(name, group);
  if (boot_now() < group.made_again + again_pause) return stall(name, group, {Step::Code::missing});
  group.made_again = boot_now();
  enter(name, group);
}

void QueueElections::wait(const std::string& name, Group& group, const QueueStore::Entry& before_us) {
  const std::uint64_t serial = enter_state(group, State::waiting);
  group.before = before_us;
  watches_.add(name, before_us.name);
  const auto seen = [this, name, serial, before = before_us.name](const Step& step,
                                                                  const QueueStore::EntryFacts& facts) {
    if (!step.ok()) watches_.remove(name, before);
    Group* found = find(name, serial);
    if (found == nullptr) return;
    if (found->leave) return leave(name, *found);
    if (step.code == Step::Code::missing || (step.ok() && found->again)) return relist(name, *found);
    step.ok() ? notice_.waits_at(name, facts.text, found->place) : stall(name, *found, step);
  };
  store_.read_entry(name, before_us.name, QueueStore::Watched::yes, Priority::low, seen);
  if (groups_.size() <= few_groups) watch_own(name, group);
  ahead_.add(name, boot_now() + read_ahead_pause);
}

/// So that one that is removed is made again at once; only while there is room for the watches that are needed. Its
/// epoch need not be read any more when the one before is gone.
void QueueElections::watch_own(const std::string& name, Group& group) {
  const std::string own = group.entry;
  const bool watch = watches_.size() < store_.most_size() / 2 && watches_.add(name, own);
  if (!watch && group.epoch != 0) return;
  const auto seen = [this, name, own, watch](const Step& step, const QueueStore::EntryFacts& facts) {
    if (!step.ok() && watch) watches_.remove(name, own);
    Group* found = find(name);
    if (found == nullptr || found->state != State::waiting || own != found->entry) return;
    if (step.code == Step::Code::missing) return relist(name, *found);
    if (step.ok() && facts.ours) found->epoch = facts.epoch;
  };
  store_.read_entry(name, own, watch ? QueueStore::Watched::yes : QueueStore::Watched::no, Priority::normal, seen);
}

/// Reads what is needed to lead before the leader is gone.
void QueueElections::read_ahead(const std::string& name, Group& group) {
  watch_own(name, group);
  if (group.place != 2) return;
  store_.read_term(name, [this, name](const Step& step, const QueueStore::Text& read) {
    Group* found = find(name);
    if (!step.ok() || found == nullptr || found->state != State::waiting) return;
    found->term = parse_term(read.text);
    found->version = read.version;
    if (found->term.session != found->before.session)
      ahead_.add(name, boot_now() + relist_pause);  // it has yet to claim
  });
}

/// The last term is the one that our entry gives.
bool QueueElections::is_ours(const Group& group) const {
  return group.term.session == self_.session && group.term.epoch == group.epoch;
}

void QueueElections::claim(const std::string& name, Group& group, std::int64_t version) {
  if (group.announced) return stay(name, group);  // it leads already; a watch has gone off for nothing
  notice_.vacant(name);
  const std::uint64_t serial = enter_state(group, State::claiming);
  if (group.epoch != 0) return claim_epoch(name, group, version);
  const std::string own = group.entry;
  watches_.add(name, own);
  const auto seen = [this, name, serial, own, version](const Step& step, const QueueStore::EntryFacts& facts) {
    if (!step.ok()) watches_.remove(name, own);
    Group* found = find_done(name, serial, step);
    if (found == nullptr) return;
    if (found->leave) return relist(name, *found);
    if (!facts.ours) return on_missing(name, *found);
    found->epoch = facts.epoch;
    claim_epoch(name, *found, version);
  };
  store_.read_entry(name, own, QueueStore::Watched::yes, Priority::normal, seen);
}

/// Our entry's epoch is known. Where it is not known whether a guess was right, the term shows it.
void QueueElections::claim_epoch(const std::string& name, Group& group, std::optional<std::int64_t> version) {
  const bool claimed = group.ready && group.ready->epoch == group.epoch;
  if (claimed && !group.guess) return take(name, group, *group.ready);
  if (version && group.version == version) return consider_term(name, group);
  store_.read_term(name, [this, name, claimed, serial = group.serial](const Step& step, const QueueStore::Text& read) {
    Group* found = find_done(name, serial, step);
    if (found == nullptr) return;
    found->term = parse_term(read.text);
    found->version = read.version;
    found->guess = false;
    if (claimed && is_ours(*found)) return take(name, *found, *found->ready);
    consider_term(name, *found);
  });
}

void QueueElections::consider_term(const std::string& name, Group& group) {
  if (is_ours(group)) {
    // The term of the daemon before, in the resumed session.
    group.unfinished = group.term.before;
    group.led_at = boot_now();
    backend::Elected resumed{name, group.epoch, true, {}, {}};
    if (!group.term.before.empty()) resumed.old_deadline = group.led_at + self_.timeout;
    if (self_.resumed_until && boot_now() < *self_.resumed_until) return announce(name, group, std::move(resumed));
    store_.remove(name, group.entry);
    return enter(name, group);
  }
  const auto found = [this, name, serial = group.serial](const Step& step, TermFacts facts) {
    if (Group* asked = find_done(name, serial, step)) on_facts(name, *asked, std::move(facts));
  };
  inquire(store_, group.term, self_.session, self_.before, found);
}

/// Runs of a session that the store has ended are over. A session that is open was only put out of the queue.
void QueueElections::on_facts(const std::string& name, Group& group, TermFacts facts) {
  backend::Elected elected{name, group.epoch, false, {}, facts.last_alive};
  group.unfinished = std::move(facts.unfinished);
  if (!group.unfinished.empty()) elected.old_deadline = boot_now() + self_.timeout;
  take(name, group, std::move(elected));
}

/// The next leader need not wait for sessions that this one has waited for, once T has passed.
TermRecord QueueElections::own_term(const Group& group, bool clean) const {
  TermRecord term{group.epoch, self_.session, self_.node, self_.boot_id, clean};
  if (!clean || boot_now() < group.led_at + self_.timeout) term.before = group.unfinished;
  return term;
}

void QueueElections::take(const std::string& name, Group& group, backend::Elected elected) {
  group.ready = std::move(elected);
  QueueStore::Claim claim{name, group.entry, format(own_term(group, false))};
  if (group.guess) claim.version = group.version;
  sender_.claim(enter_state(group, State::claiming), std::move(claim));
}

void QueueElections::on_claimed(const std::string& name, std::uint64_t serial, const Step& step,
                                std::uint64_t revision) {
  Group* group = find(name, serial);
  if (group == nullptr) return;
  if (step.code == Step::Code::missing) return relist(name, *group);
  group->version.reset();
  if (step.ok()) {
    group->guess = false;
    group->led_at = boot_now();
    auto elected = *std::exchange(group->ready, {});
    elected.revision = revision;
    announce(name, *group, std::move(elected));
  } else if (step.code == Step::Code::changed) {
    group->ready.reset();
    claim_epoch(name, *group, {});
  } else {
    stall(name, *group, step);
  }
}

void QueueElections::announce(const std::string& name, Group& group, backend::Elected elected) {
  if (group.leave) return leave(name, group);
  group.announced = true;
  notice_.over(name);
  self_.post(std::move(elected));
  stay(name, group);
}

void QueueElections::flush(bool all) {
  sender_.flush(all);
  flush_ahead();
}

/// Only when there is nothing else to do, and one after the other: other daemons may be busy with their elections.
void QueueElections::flush_ahead() {
  while (store_.idle()) {
    const auto name = ahead_.take(boot_now());
    if (!name) return;
    if (Group* group = find(*name); group != nullptr && group->state == State::waiting) read_ahead(*name, *group);
  }
}

/// Leads, and watches its own entry.
void QueueElections::stay(const std::string& name, Group& group) {
  const std::uint64_t serial = enter_state(group, State::leading);
  if (group.leave) return leave(name, group);
  if (group.again) return relist(name, group);
  const std::string own = group.entry;
  if (!watches_.add(name, own)) return;
  const auto seen = [this, name, serial, own](const Step& step, const QueueStore::EntryFacts&) {
    if (!step.ok()) watches_.remove(name, own);
    find_done(name, serial, step);
  };
  store_.read_entry(name, own, QueueStore::Watched::yes, Priority::low, seen);
}

void QueueElections::leave(const std::string& name, Group& group) {
  if (group.announced && group.writes > 0)
    return void(enter_state(group, State::leading));  // write_ended() comes back to it
  QueueStore::Leave leave{name, group.entry};
  if (group.announced || group.led) leave.term = format(own_term(group, true));
  sender_.leave(enter_state(group, State::leaving), std::move(leave));
}

void QueueElections::on_left(const std::string& name, std::uint64_t serial, const Step& step) {
  const bool has_left = step.ok() || step.code == Step::Code::missing;
  if (Group* group = find(name, serial)) has_left ? gone(name, *group) : stall(name, *group, step);
}

void QueueElections::gone(const std::string& name, Group& group) {
  if (group.announced) self_.post(backend::Deposed{name, group.epoch, Cause::resigned});
  const bool rejoin = group.rejoin;
  groups_.erase(name);
  notice_.over(name);
  if (rejoin) return enter(name, groups_[name]);
  own_size_ -= store_.size_of_entry(name);
}

void QueueElections::stall(const std::string& name, Group& group, const Step& step) {
  if (step.code != Step::Code::unknown && step.code != Step::Code::missing)
    self_.host.log(Level::error, "group " + name + " at " + store_.place_of(name) + ": " + step.text);
  enter_state(group, State::stalled);
  stalled_.insert(name);
  if (!resume_at_) resume_at_ = boot_now() + resume_pause;
}

void QueueElections::on_connected() {
  if (!stalled_.empty()) resume();
}

/// What is unknown may have happened, and shows after the barrier: where a request that is still on its way could come
/// after it, the store refuses it, as the session has moved.
void QueueElections::resume() {
  resume_at_.reset();
  for (const std::string& name : std::exchange(stalled_, {})) {
    Group* group = find(name);
    if (group == nullptr || group->state != State::stalled) continue;
    store_.barrier([this, name, serial = group->serial](const Step& step) {
      Group* found = find(name, serial);
      if (found != nullptr) step.ok() ? relist(name, *found) : stall(name, *found, step);
    });
  }
}

void QueueElections::on_watch(const std::string& name, const std::string& entry, Gone gone) {
  watches_.remove(name, entry);
  Group* group = find(name);
  if (group == nullptr) return;
  if (gone == Gone::yes && group->state == State::waiting && entry == group->before.name) return succeed(name, *group);
  group->again = true;
  if (group->state == State::waiting || group->state == State::leading) relist(name, *group);
}

/// The one before us is gone. Where nobody else was before us, nobody is now; and what was read ahead is checked
/// by the claim itself.
void QueueElections::succeed(const std::string& name, Group& group) {
  if (group.leave || group.place != 2 || group.epoch == 0 || !group.version) return relist(name, group);
  group.ready.reset();
  group.guess = true;
  claim(name, group, *group.version);
}

/// A resumed session may still have entries in groups that this daemon does not take part in.
void QueueElections::sweep() {
  sweep_at_.reset();
  remove_entries(store_, self_.session, [this](const std::string& group) { return !groups_.contains(group); });
}

void QueueElections::tick(SteadyTime now) {
  if (resume_at_ && now >= *resume_at_) resume();
  if (sweep_at_ && now >= *sweep_at_) sweep();
}

std::optional<SteadyTime> QueueElections::due() const {
  std::optional<SteadyTime> at = resume_at_;
  if (sweep_at_ && (!at || *sweep_at_ < *at)) at = sweep_at_;
  if (const auto next = ahead_.due(); next && store_.idle() && (!at || *next < *at)) at = next;
  return at;
}

}  // namespace ballot::support
