// Elections: from the head of the queue to leading, and what is sent together.
#include <memory>
#include <utility>

#include "elections.hpp"

namespace ballot::zookeeper {

/// The lowest node leads only where it is this session's.
bool Elections::is_ours(const Reply& reply) const { return session_text(reply.stat.ephemeralOwner) == link_.session; }

/// The last term is the one that our node gives.
bool Elections::is_ours(const Group& group) const {
  return group.term.session == link_.session && group.term.epoch == group.epoch;
}

void Elections::claim(const std::string& name, Group& group, int term_version) {
  if (group.told) return stay(name, group);  // it leads already; a watch has gone off for nothing
  const std::uint64_t turn = step(group, State::claiming);
  if (group.epoch != 0) return claim_epoch(name, group, term_version);
  const std::string own = own_path(name);
  watched(own);
  link_.client.get(own, Watch::yes, [this, name, turn, own, term_version](const Reply& reply) {
    if (reply.rc != ZOK) unwatched(own);
    Group* found = find(name, turn);
    if (found == nullptr) return;
    if (reply.rc == ZNONODE || (reply.rc == ZOK && found->leave)) return look(name, *found);
    if (reply.rc != ZOK) return stall(name, *found, reply.rc);
    if (!is_ours(reply)) return on_missing(name, *found);
    link_.see(reply.stat);
    found->epoch = static_cast<std::uint64_t>(reply.stat.czxid);
    claim_epoch(name, *found, term_version);
  });
}

/// Our node's czxid is known. Where it is not known whether a guess has held, the term tells.
void Elections::claim_epoch(const std::string& name, Group& group, int term_version) {
  const bool claimed = group.ready && group.ready->epoch == group.epoch;
  if (claimed && !group.guess) return take(name, group, *group.ready);
  if (group.term_version == term_version) return weigh_term(name, group);
  link_.client.get(link_.paths.group(name), Watch::no, [this, name, claimed, turn = group.turn](const Reply& term) {
    Group* found = find(name, turn);
    if (found == nullptr) return;
    if (term.rc == ZNONODE) return look(name, *found);
    if (term.rc != ZOK) return stall(name, *found, term.rc);
    found->term = parse_term(term.value);
    found->term_version = term.stat.version;
    found->guess = false;
    if (claimed && is_ours(*found)) return take(name, *found, *found->ready);
    weigh_term(name, *found);
  });
}

void Elections::weigh_term(const std::string& name, Group& group) {
  const TermRecord& before = group.term;
  if (is_ours(group)) {
    // The term of the daemon before, in the session that is gone on with.
    group.unfinished = before.before;
    group.led_at = boot_now();
    backend::Elected resumed{name, group.epoch, true, {}, {}};
    if (!before.before.empty()) resumed.old_deadline = group.led_at + link_.client.timeout();
    if (resumed_until_ && boot_now() < *resumed_until_) return announce(name, group, std::move(resumed));
    link_.client.remove(own_path(name), [](const Reply&) {});
    return enter(name, group);
  }
  auto sessions = before.before;
  if (before.epoch != 0 && !before.clean) sessions.push_back({before.node, before.session});
  std::erase_if(sessions, [this](const SessionOf& one) { return one.session == link_.session; });
  ask_of(name, group, sessions);
}

/// What is to be known of the sessions whose terms did not end cleanly.
struct Elections::Inquiry {
  std::size_t open = 0;
  int rc = ZOK;
  std::vector<SessionOf> standing = {};
  std::optional<WallTime> last_alive = {};
};

void Elections::ask_of(const std::string& name, Group& group, const std::vector<SessionOf>& sessions) {
  const auto inquiry = std::make_shared<Inquiry>(Inquiry{sessions.size() + 1});
  const auto answered = [this, name, turn = group.turn, inquiry] {
    if (--inquiry->open > 0) return;
    if (Group* found = find(name, turn)) on_facts(name, *found, *inquiry);
  };
  // What this node's session before said has been written over since; it has ended.
  if (const auto& last = members_.before(); last && !group.term.clean && last->session == group.term.session)
    inquiry->last_alive = last->renewed;
  for (const SessionOf& one : sessions)
    members_.find(one.node, [one, inquiry, answered, last = group.term.session](int rc, const Members::Facts& facts) {
      if (rc != ZOK) inquiry->rc = rc;
      if (facts.stands(one.session)) inquiry->standing.push_back(one);
      if (facts.record && facts.record->session == one.session && one.session == last)
        inquiry->last_alive = facts.record->renewed;
      answered();
    });
  answered();
}

/// What a session had started is over when the store has ended it. One that stands was only put out of the queue.
void Elections::on_facts(const std::string& name, Group& group, Inquiry& inquiry) {
  if (inquiry.rc != ZOK) return stall(name, group, inquiry.rc);
  backend::Elected elected{name, group.epoch, false, {}, inquiry.last_alive};
  group.unfinished = std::move(inquiry.standing);
  if (!group.unfinished.empty()) elected.old_deadline = boot_now() + link_.client.timeout();
  take(name, group, std::move(elected));
}

/// Whoever follows need not wait for what was waited for, once T has passed.
TermRecord Elections::own_term(const Group& group, bool clean) const {
  const SessionRequest& self = link_.self;
  TermRecord term{group.epoch, link_.session, self.node, self.boot_id, clean};
  if (!clean || boot_now() < group.led_at + link_.client.timeout()) term.before = group.unfinished;
  return term;
}

void Elections::take(const std::string& name, Group& group, backend::Elected elected) {
  group.ready = std::move(elected);
  step(group, State::claiming);
  claims_.push_back(name);
}

void Elections::on_claimed(const Names& names, const std::vector<std::uint64_t>& turns, const Reply& reply) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    Group* group = find(names[i], turns[i]);
    if (group == nullptr) continue;
    if (reply.rc == ZOK) {
      group->term_version = -1;
      group->guess = false;
      group->led_at = boot_now();
      auto elected = *std::exchange(group->ready, {});
      elected.revision = static_cast<std::uint64_t>(reply.ops.at(2 * i + 1).stat.mzxid);
      announce(names[i], *group, std::move(elected));
    } else if (reply.rc == ZNONODE) {
      look(names[i], *group);
    } else if (reply.rc == ZBADVERSION) {
      group->ready.reset();
      group->term_version = -1;
      claim_epoch(names[i], *group, 0);
    } else {
      group->term_version = -1;
      stall(names[i], *group, reply.rc);
    }
  }
}

void Elections::announce(const std::string& name, Group& group, backend::Elected elected) {
  if (group.leave) return leave(name, group);
  group.told = true;
  link_.tell(std::move(elected));
  stay(name, group);
}

/// Some that are still wanted, with their turns; or one that goes alone.
Elections::Names Elections::take_some(Queue& from, std::vector<std::uint64_t>& turns) {
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

void Elections::flush(bool all) {
  flush_leaves(all);
  flush_claims();
  flush_entering();
  flush_ahead();
}

/// Only when there is nothing else to do, and one after the other: other daemons may be busy with their elections.
void Elections::flush_ahead() {
  while (!ahead_.empty() && link_.client.idle() && ahead_.front().at <= boot_now()) {
    const std::string name = std::move(ahead_.front().group);
    ahead_.pop_front();
    Group* group = find(name);
    if (group == nullptr) continue;
    group->to_look_ahead = false;
    if (group->state == State::waiting) look_ahead(name, *group);
  }
}

void Elections::flush_entering() {
  while (batching_.ready(entering_.size())) {
    std::vector<std::uint64_t> turns;
    Names names = take_some(entering_, turns);
    if (names.empty()) continue;
    auto multi = link_.client.multi();
    for (const std::string& name : names)
      multi->create(link_.paths.candidate(name, link_.session + "-"),
                    format(CandidateText{link_.self.node, find(name)->since}), ZOO_EPHEMERAL_SEQUENTIAL);
    link_.client.commit(std::move(multi), batching_.counted([this, names, turns](const Reply& reply) {
      on_entered(names, turns, reply);
    }));
  }
}

void Elections::flush_claims() {
  while (batching_.ready(claims_.size())) {
    std::vector<std::uint64_t> turns;
    Names names = take_some(claims_, turns);
    if (names.empty()) continue;
    auto multi = link_.client.multi();
    for (const std::string& name : names) {
      const Group& group = *find(name);
      multi->check(own_path(name))
          .set(link_.paths.group(name), format(own_term(group, false)), group.guess ? group.term_version : -1);
    }
    link_.client.commit(std::move(multi), batching_.counted([this, names, turns](const Reply& reply) {
      const bool guessed_wrong = reply.rc == ZBADVERSION;  // mostly all of them: many leaders have just resigned
      if (reply.rc == ZOK || names.size() == 1 || guessed_wrong || is_unknown(reply.rc))
        return on_claimed(names, turns, reply);
      one_by_one(names, turns, claims_);
    }));
  }
}

void Elections::flush_leaves(bool all) {
  while (batching_.ready(leaves_.size(), all)) {
    std::vector<std::uint64_t> turns;
    Names names = take_some(leaves_, turns);
    if (names.empty()) continue;
    auto multi = link_.client.multi();
    for (const std::string& name : names) {
      const Group& group = *find(name);
      multi->remove(own_path(name));
      if (group.told || group.led) multi->set(link_.paths.group(name), format(own_term(group, true)), -1);
    }
    link_.client.commit(std::move(multi), batching_.counted([this, names, turns](const Reply& reply) {
      if (reply.rc == ZOK || names.size() == 1 || is_unknown(reply.rc)) return on_left(names, turns, reply);
      one_by_one(names, turns, leaves_);
    }));
  }
}

/// One of them was refused, and so all were.
void Elections::one_by_one(const Names& names, const std::vector<std::uint64_t>& turns, Queue& again) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (Group* group = find(names[i], turns[i])) {
      group->alone = true;
      again.push_back(names[i]);
    }
}

}  // namespace ballot::zookeeper
