#include "support/queue_elections.hpp"

#include <algorithm>
#include <utility>

#include "support/clock.hpp"

namespace ballot::support {

using namespace std::chrono_literals;

namespace {

constexpr Millis resume_pause = 250ms;
constexpr Millis look_ahead_pause = 1s, look_again_pause = 5s;
constexpr int patience = 3;  // with others that make the same groups
constexpr std::size_t few_groups = 100;

}  // namespace

QueueElections::QueueElections(QueueStore& store, ElectionSelf self)
    : store_(store), self_(std::move(self)), sweep_at_(self_.resumed_until) {}

QueueElections::Group* QueueElections::find(const std::string& name) {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

QueueElections::Group* QueueElections::find(const std::string& name, std::uint64_t turn) {
  Group* group = find(name);
  return group != nullptr && group->turn == turn ? group : nullptr;
}

std::uint64_t QueueElections::enter_state(Group& group, State state) {
  group.state = state;
  return group.turn = ++last_turn_;
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
  store_.barrier([this, name, turn = enter_state(group, State::looking)](const Step&) {
    if (Group* found = find(name, turn)) look(name, *found);
  });
}

void QueueElections::resign(const std::string& name) {
  Group* group = find(name);
  if (group == nullptr) return self_.stands_in ? leave_unknown(name) : void();
  group->leave = true;
  group->rejoin = false;
  if (group->state == State::waiting || group->state == State::leading) leave(name, *group);
}

/// On behalf of a dead daemon: what its session has there is looked for.
void QueueElections::leave_unknown(const std::string& name) {
  Group& group = groups_[name];
  own_size_ += store_.size_of_entry(name);
  group.leave = true;
  look(name, group);
}

/// Nothing runs in it: the term, where its session leads, ends cleanly.
void QueueElections::end_unknown(const std::string& name, Group& group) {
  store_.read_term(name, [this, name, turn = group.turn](const Step& step, const QueueStore::Text& read) {
    Group* found = find(name, turn);
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
  return found != groups_.end() && found->second.told && !found->second.leave ? found->second.epoch : 0;
}

bool QueueElections::left_cleanly() const {
  const auto told = [](const auto& group) { return group.second.told; };
  return !unclean_ && !self_.resumed_until && std::none_of(groups_.begin(), groups_.end(), told);
}

void QueueElections::write_began(const std::string& name) {
  if (Group* group = find(name)) ++group->writes;
}

void QueueElections::write_ended(const std::string& name) {
  Group* group = find(name);
  if (group != nullptr && group->writes > 0 && --group->writes == 0 && group->leave && group->state == State::leading)
    leave(name, *group);
}

void QueueElections::enter(const std::string& name, Group& group) {
  group.entry.clear();
  group.epoch = 0;
  group.ready.reset();
  group.guess = false;
  group.since = wall_now();
  enter_state(group, State::entering);
  entering_.push_back(name);
}

void QueueElections::on_entered(const Names& names, const Turns& turns, const Step& step,
                                const std::vector<QueueStore::Made>& made) {
  if (step.code == Step::Code::missing) return prepare(names, turns);
  for (std::size_t i = 0; i < names.size(); ++i) {
    Group* group = find(names[i], turns[i]);
    if (group == nullptr) continue;
    if (!step.ok()) {
      stall(names[i], *group, step);
    } else {
      group->prepared = 0;
      on_placed(names[i], *group, made.at(i));
    }
  }
}

void QueueElections::on_placed(const std::string& name, Group& group, const QueueStore::Made& made) {
  group.entry = made.name;
  if (group.leave || !made.first) return look(name, group);
  group.term = {};
  group.version = 0;
  claim(name, group, 0);
}

/// Some of these groups are not there. All of them are made together; where that is refused another daemon has just
/// made some, and mostly all: only where they still are not there goes each alone.
void QueueElections::prepare(const Names& names, const Turns& turns) {
  store_.prepare(names, batching_.counted([this, names, turns](const Step& step) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      Group* group = find(names[i], turns[i]);
      if (group == nullptr) continue;
      if (!step.ok() && step.code != Step::Code::exists) {
        stall(names[i], *group, step);
      } else {
        group->alone = !step.ok() && ++group->prepared > patience;
        entering_.push_back(names[i]);
      }
    }
  }));
}

void QueueElections::look(const std::string& name, Group& group) {
  group.again = false;
  const auto listed = [this, name, turn = enter_state(group, State::looking)](const Step& step, const Entries& entries,
                                                                              const std::int64_t& version) {
    Group* found = find(name, turn);
    if (found == nullptr) return;
    if (step.code == Step::Code::missing) return on_missing(name, *found);
    step.ok() ? on_listed(name, *found, entries, version) : stall(name, *found, step);
  };
  store_.list(name, listed);
}

void QueueElections::on_listed(const std::string& name, Group& group, const Entries& entries, std::int64_t version) {
  const auto self = find_self(name, group, entries);
  if (!self || (group.told && entries[*self].name != group.entry)) return on_missing(name, group);
  if (std::exchange(group.entry, entries[*self].name) != entries[*self].name) group.epoch = 0;
  if (group.leave) return self_.stands_in ? end_unknown(name, group) : leave(name, group);
  const QueueStore::Entry* ahead = nullptr;
  std::size_t all_ahead = 0;
  for (std::size_t i = 0; i < *self; ++i) {
    if (entries[i].session == self_.session) continue;
    ++all_ahead;
    ahead = &entries[i];
  }
  if (ahead == nullptr) return claim(name, group, version);
  group.next = all_ahead == 1;
  wait(name, group, *ahead);
}

/// Our entry: the one that is known, else the first that bears our session's id; made when an answer was lost. Others
/// of ours are removed. In a session that is gone on with, one that is found too late is not ours any more.
std::optional<std::size_t> QueueElections::find_self(const std::string& name, Group& group, const Entries& entries) {
  std::optional<std::size_t> self;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].session == self_.session && (!self || entries[i].name == group.entry)) self = i;
  const bool late = std::exchange(group.adopt, false) && boot_now() >= *self_.resumed_until;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].session == self_.session && (late || i != *self)) store_.remove(name, entries[i].name);
  return late ? std::nullopt : self;
}

void QueueElections::on_missing(const std::string& name, Group& group) {
  if (std::exchange(group.told, false)) {
    unclean_ = true;
    self_.tell(backend::Deposed{name, group.epoch, group.leave ? Cause::resigned : Cause::evicted});
  }
  group.version.reset();
  group.leave ? gone(name, group) : enter(name, group);
}

void QueueElections::wait(const std::string& name, Group& group, const QueueStore::Entry& before_us) {
  const std::uint64_t turn = enter_state(group, State::waiting);
  group.before = before_us;
  watched(name, before_us.name);
  const auto seen = [this, name, turn, before = before_us.name](const Step& step, const QueueStore::EntryFacts&) {
    if (!step.ok()) unwatched(name, before);
    Group* found = find(name, turn);
    if (found == nullptr) return;
    if (found->leave) return leave(name, *found);
    if (step.code == Step::Code::missing || (step.ok() && found->again)) return look(name, *found);
    if (!step.ok()) stall(name, *found, step);
  };
  store_.look_at(name, before_us.name, QueueStore::Watched::yes, Turn::later, seen);
  if (groups_.size() <= few_groups) watch_own(name, group);
  look_ahead_later(name, group, look_ahead_pause);
}

/// Not while elections are busy, here or in other daemons.
void QueueElections::look_ahead_later(const std::string& name, Group& group, Millis pause) {
  if (!std::exchange(group.to_look_ahead, true)) ahead_.push_back({boot_now() + pause, name});
}

/// So that one that is removed is made again at once; only while there is room for the watches that are needed. Its
/// epoch need not be read any more when the one before is gone.
void QueueElections::watch_own(const std::string& name, Group& group) {
  const std::string own = group.entry;
  const bool watch = watched_size_ < store_.most_size() / 2 && watched(name, own);
  if (!watch && group.epoch != 0) return;
  const auto seen = [this, name, own, watch](const Step& step, const QueueStore::EntryFacts& facts) {
    if (!step.ok() && watch) unwatched(name, own);
    Group* found = find(name);
    if (found == nullptr || found->state != State::waiting || own != found->entry) return;
    if (step.code == Step::Code::missing) return look(name, *found);
    if (step.ok() && facts.ours) found->epoch = facts.epoch;
  };
  store_.look_at(name, own, watch ? QueueStore::Watched::yes : QueueStore::Watched::no, Turn::in_turn, seen);
}

/// What is needed to lead, so that it need not be read when the one before is gone.
void QueueElections::look_ahead(const std::string& name, Group& group) {
  watch_own(name, group);
  if (!group.next) return;
  store_.read_term(name, [this, name](const Step& step, const QueueStore::Text& read) {
    Group* found = find(name);
    if (!step.ok() || found == nullptr || found->state != State::waiting) return;
    found->term = parse_term(read.text);
    found->version = read.version;
    if (found->term.session != found->before.session)
      look_ahead_later(name, *found, look_again_pause);  // it has yet to claim
  });
}

/// Leads, and watches its own entry.
void QueueElections::stay(const std::string& name, Group& group) {
  const std::uint64_t turn = enter_state(group, State::leading);
  if (group.leave) return leave(name, group);
  if (group.again) return look(name, group);
  const std::string own = group.entry;
  if (!watched(name, own)) return;
  const auto seen = [this, name, turn, own](const Step& step, const QueueStore::EntryFacts&) {
    if (!step.ok()) unwatched(name, own);
    Group* found = find(name, turn);
    if (found == nullptr || step.ok()) return;
    step.code == Step::Code::missing ? look(name, *found) : stall(name, *found, step);
  };
  store_.look_at(name, own, QueueStore::Watched::yes, Turn::in_turn, seen);
}

void QueueElections::leave(const std::string& name, Group& group) {
  if (group.told && group.writes > 0)
    return void(enter_state(group, State::leading));  // write_ended() comes back to it
  enter_state(group, State::leaving);
  leaves_.push_back(name);
}

void QueueElections::on_left(const Names& names, const Turns& turns, const Step& step) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    Group* group = find(names[i], turns[i]);
    if (group == nullptr) continue;
    if (step.ok() || (names.size() == 1 && step.code == Step::Code::missing))
      gone(names[i], *group);
    else
      stall(names[i], *group, step);
  }
}

void QueueElections::gone(const std::string& name, Group& group) {
  if (group.told) self_.tell(backend::Deposed{name, group.epoch, Cause::resigned});
  const bool rejoin = group.rejoin;
  groups_.erase(name);
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
    store_.barrier([this, name, turn = group->turn](const Step& step) {
      Group* found = find(name, turn);
      if (found == nullptr) return;
      step.ok() ? look(name, *found) : stall(name, *found, step);
    });
  }
}

void QueueElections::on_watch(const std::string& name, const std::string& entry, Gone gone) {
  unwatched(name, entry);
  Group* group = find(name);
  if (group == nullptr) return;
  if (gone == Gone::yes && group->state == State::waiting && entry == group->before.name) return succeed(name, *group);
  group->again = true;
  if (group->state == State::waiting || group->state == State::leading) look(name, *group);
}

/// The one before us is gone. Where nobody else was before us, nobody is now; and what was looked ahead for is checked
/// by the claim itself.
void QueueElections::succeed(const std::string& name, Group& group) {
  if (group.leave || !group.next || group.epoch == 0 || !group.version) return look(name, group);
  group.ready.reset();
  group.guess = true;
  claim(name, group, *group.version);
}

/// False: it was already.
bool QueueElections::watched(const std::string& name, const std::string& entry) {
  if (!watched_.insert(name + "/" + entry).second) return false;
  watched_size_ += store_.size_of_entry(name);
  return true;
}

void QueueElections::unwatched(const std::string& name, const std::string& entry) {
  if (watched_.erase(name + "/" + entry) > 0) watched_size_ -= store_.size_of_entry(name);
}

/// A session that is gone on with may still stand in groups that this daemon does not take part in.
void QueueElections::sweep() {
  sweep_at_.reset();
  store_.groups([this](const Step&, const Names& all) {
    for (const std::string& name : all) {
      if (groups_.contains(name)) continue;
      store_.list(name, [this, name](const Step&, const Entries& entries, const std::int64_t&) {
        for (const QueueStore::Entry& one : entries)
          if (one.session == self_.session && !groups_.contains(name)) store_.remove(name, one.name);
      });
    }
  });
}

void QueueElections::tick(SteadyTime now) {
  if (resume_at_ && now >= *resume_at_) resume();
  if (sweep_at_ && now >= *sweep_at_) sweep();
}

std::optional<SteadyTime> QueueElections::due() const {
  std::optional<SteadyTime> at = resume_at_;
  if (sweep_at_ && (!at || *sweep_at_ < *at)) at = sweep_at_;
  if (!ahead_.empty() && store_.idle() && (!at || ahead_.front().at < *at)) at = ahead_.front().at;
  return at;
}

}  // namespace ballot::support
