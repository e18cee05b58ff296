// QueueElections: from the head of the queue to leading, and what is sent together.
#include <algorithm>
#include <memory>
#include <utility>

#include "support/clock.hpp"
#include "support/queue_elections.hpp"

namespace ballot::support {

/// The last term is the one that our entry gives.
bool QueueElections::is_ours(const Group& group) const {
  return group.term.session == self_.session && group.term.epoch == group.epoch;
}

void QueueElections::claim(const std::string& name, Group& group, std::int64_t version) {
  if (group.told) return stay(name, group);  // it leads already; a watch has gone off for nothing
  const std::uint64_t turn = enter_state(group, State::claiming);
  if (group.epoch != 0) return claim_epoch(name, group, version);
  const std::string own = group.entry;
  watched(name, own);
  const auto seen = [this, name, turn, own, version](const Step& step, const QueueStore::EntryFacts& facts) {
    if (!step.ok()) unwatched(name, own);
    Group* found = find(name, turn);
    if (found == nullptr) return;
    if (step.code == Step::Code::missing || (step.ok() && found->leave)) return look(name, *found);
    if (!step.ok()) return stall(name, *found, step);
    if (!facts.ours) return on_missing(name, *found);
    found->epoch = facts.epoch;
    claim_epoch(name, *found, version);
  };
  store_.look_at(name, own, QueueStore::Watched::yes, Turn::in_turn, seen);
}

/// Our entry's epoch is known. Where it is not known whether a guess has held, the term tells.
void QueueElections::claim_epoch(const std::string& name, Group& group, std::optional<std::int64_t> version) {
  const bool claimed = group.ready && group.ready->epoch == group.epoch;
  if (claimed && !group.guess) return take(name, group, *group.ready);
  if (version && group.version == version) return weigh_term(name, group);
  store_.read_term(name, [this, name, claimed, turn = group.turn](const Step& step, const QueueStore::Text& read) {
    Group* found = find(name, turn);
    if (found == nullptr) return;
    if (step.code == Step::Code::missing) return look(name, *found);
    if (!step.ok()) return stall(name, *found, step);
    found->term = parse_term(read.text);
    found->version = read.version;
    found->guess = false;
    if (claimed && is_ours(*found)) return take(name, *found, *found->ready);
    weigh_term(name, *found);
  });
}

void QueueElections::weigh_term(const std::string& name, Group& group) {
  const TermRecord& before = group.term;
  if (is_ours(group)) {
    // The term of the daemon before, in the session that is gone on with.
    group.unfinished = before.before;
    group.led_at = boot_now();
    backend::Elected resumed{name, group.epoch, true, {}, {}};
    if (!before.before.empty()) resumed.old_deadline = group.led_at + self_.timeout;
    if (self_.resumed_until && boot_now() < *self_.resumed_until) return announce(name, group, std::move(resumed));
    store_.remove(name, group.entry);
    return enter(name, group);
  }
  auto sessions = before.before;
  if (before.epoch != 0 && !before.clean) sessions.push_back({before.node, before.session});
  std::erase_if(sessions, [this](const SessionOf& one) { return one.session == self_.session; });
  ask_of(name, group, sessions);
}

/// What is to be known of the sessions whose terms did not end cleanly.
struct QueueElections::Inquiry {
  std::size_t open = 0;
  Step step = {};
  std::vector<SessionOf> standing = {};
  std::optional<WallTime> last_alive = {};
};

void QueueElections::ask_of(const std::string& name, Group& group, const std::vector<SessionOf>& sessions) {
  const auto inquiry = std::make_shared<Inquiry>(Inquiry{sessions.size() + 1});
  const auto answered = [this, name, turn = group.turn, inquiry] {
    if (--inquiry->open > 0) return;
    if (Group* found = find(name, turn)) on_facts(name, *found, *inquiry);
  };
  // What this node's session before said has been written over since; it has ended.
  if (const auto& last = self_.before; last && !group.term.clean && last->session == group.term.session)
    inquiry->last_alive = last->renewed;
  for (const SessionOf& one : sessions) {
    const auto found = [one, inquiry, answered, last = group.term.session](const Step& step,
                                                                           const QueueStore::Member& member) {
      if (!step.ok()) inquiry->step = step;
      const auto& standing = member.standing;
      if (std::find(standing.begin(), standing.end(), one.session) != standing.end()) inquiry->standing.push_back(one);
      if (member.record && member.record->session == one.session && one.session == last)
        inquiry->last_alive = member.record->renewed;
      answered();
    };
    store_.find_member(one.node, found);
  }
  answered();
}

/// What a session had started is over when the store has ended it. One that stands was only put out of the queue.
void QueueElections::on_facts(const std::string& name, Group& group, Inquiry& inquiry) {
  if (!inquiry.step.ok()) return stall(name, group, inquiry.step);
  backend::Elected elected{name, group.epoch, false, {}, inquiry.last_alive};
  group.unfinished = std::move(inquiry.standing);
  if (!group.unfinished.empty()) elected.old_deadline = boot_now() + self_.timeout;
  take(name, group, std::move(elected));
}

/// Whoever follows need not wait for what was waited for, once T has passed.
TermRecord QueueElections::own_term(const Group& group, bool clean) const {
  TermRecord term{group.epoch, self_.session, self_.node, self_.boot_id, clean};
  if (!clean || boot_now() < group.led_at + self_.timeout) term.before = group.unfinished;
  return term;
}

void QueueElections::take(const std::string& name, Group& group, backend::Elected elected) {
  group.ready = std::move(elected);
  enter_state(group, State::claiming);
  claims_.push_back(name);
}

void QueueElections::on_claimed(const Names& names, const Turns& turns, const Step& step, const Turns& revisions) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    Group* group = find(names[i], turns[i]);
    if (group == nullptr) continue;
    if (step.code == Step::Code::missing) {
      look(names[i], *group);
      continue;
    }
    group->version.reset();
    if (step.ok()) {
      group->guess = false;
      group->led_at = boot_now();
      auto elected = *std::exchange(group->ready, {});
      elected.revision = revisions.at(i);
      announce(names[i], *group, std::move(elected));
    } else if (step.code == Step::Code::changed) {
      group->ready.reset();
      claim_epoch(names[i], *group, {});
    } else {
      stall(names[i], *group, step);
    }
  }
}

void QueueElections::announce(const std::string& name, Group& group, backend::Elected elected) {
  if (group.leave) return leave(name, group);
  group.told = true;
  self_.tell(std::move(elected));
  stay(name, group);
}

/// Some that are still wanted, with their turns; or one that goes alone.
QueueElections::Names QueueElections::take_some(Queue& from, Turns& turns) {
  Names names;
  while (!from.empty() && names.size() < batching_.most()) {
    Group* group = find(from.front());
    if (group != nullptr && group->alone && !names.empty()) return names;
    if (group != nullptr) {
      turns.push_back(group->turn);
      names.push_back(from.front());
    }
    from.pop_front();
    if (group != nullptr && std::exchange(group->alone, false)) return names;
  }
  return names;
}

void QueueElections::flush(bool all) {
  flush_leaves(all);
  flush_claims();
  flush_entering();
  flush_ahead();
}

/// Only when there is nothing else to do, and one after the other: other daemons may be busy with their elections.
void QueueElections::flush_ahead() {
  while (!ahead_.empty() && store_.idle() && ahead_.front().at <= boot_now()) {
    const std::string name = std::move(ahead_.front().group);
    ahead_.pop_front();
    Group* group = find(name);
    if (group == nullptr) continue;
    group->to_look_ahead = false;
    if (group->state == State::waiting) look_ahead(name, *group);
  }
}

void QueueElections::flush_entering() {
  while (batching_.ready(entering_.size())) {
    Turns turns;
    const Names names = take_some(entering_, turns);
    if (names.empty()) continue;
    std::vector<std::string> texts;
    for (const std::string& name : names) texts.push_back(format(CandidateText{self_.node, find(name)->since}));
    const auto entered = [this, names, turns](const Step& step, const std::vector<QueueStore::Made>& made) {
      on_entered(names, turns, step, made);
    };
    store_.enter(names, texts, batching_.counted(entered));
  }
}

void QueueElections::flush_claims() {
  while (batching_.ready(claims_.size())) {
    Turns turns;
    const Names names = take_some(claims_, turns);
    if (names.empty()) continue;
    std::vector<QueueStore::Claim> claims;
    for (const std::string& name : names) {
      const Group& group = *find(name);
      claims.push_back({name, group.entry, format(own_term(group, false))});
      if (group.guess) claims.back().version = group.version;
    }
    const auto claimed = [this, names, turns](const Step& step, const Turns& revisions) {
      const bool guessed_wrong =
          step.code == Step::Code::changed;  // mostly all of them: many leaders have just resigned
      if (is_for_all(step, names) || guessed_wrong) return on_claimed(names, turns, step, revisions);
      one_by_one(names, turns, claims_);
    };
    store_.claim(claims, batching_.counted(claimed));
  }
}

void QueueElections::flush_leaves(bool all) {
  while (batching_.ready(leaves_.size(), all)) {
    Turns turns;
    const Names names = take_some(leaves_, turns);
    if (names.empty()) continue;
    std::vector<QueueStore::Leave> leaves;
    for (const std::string& name : names) {
      const Group& group = *find(name);
      leaves.push_back({name, group.entry});
      if (group.told || group.led) leaves.back().term = format(own_term(group, true));
    }
    const auto left = [this, names, turns](const Step& step) {
      is_for_all(step, names) ? on_left(names, turns, step) : one_by_one(names, turns, leaves_);
    };
    store_.leave(leaves, batching_.counted(left));
  }
}

/// Nothing else would come of it if each were sent alone.
bool QueueElections::is_for_all(const Step& step, const Names& names) {
  return step.ok() || names.size() == 1 || step.code == Step::Code::unknown;
}

/// One of them was refused, and so all were.
void QueueElections::one_by_one(const Names& names, const Turns& turns, Queue& again) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (Group* group = find(names[i], turns[i])) {
      group->alone = true;
      again.push_back(names[i]);
    }
}

}  // namespace ballot::support
