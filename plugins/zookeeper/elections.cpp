#include "elections.hpp"

#include <algorithm>
#include <utility>

namespace ballot::zookeeper {

using namespace std::chrono_literals;

namespace {

constexpr Millis resume_pause = 250ms;
constexpr Millis look_ahead_pause = 1s, look_again_pause = 5s;
constexpr std::size_t place_size = 28;  // of a candidate's name
constexpr int patience = 3;             // with others that make the same nodes
constexpr std::size_t few_groups = 100;

}  // namespace

Elections::Elections(Link& link, Members& members, std::optional<SteadyTime> resumed_until)
    : link_(link), members_(members), resumed_until_(resumed_until), sweep_at_(resumed_until) {}

Elections::Group* Elections::find(const std::string& name) {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

Elections::Group* Elections::find(const std::string& name, std::uint64_t turn) {
  Group* group = find(name);
  return group != nullptr && group->turn == turn ? group : nullptr;
}

std::uint64_t Elections::step(Group& group, State state) {
  group.state = state;
  return group.turn = ++last_turn_;
}

void Elections::campaign(const std::string& name) {
  if (link_.standing.empty()) return link_.host.log(Level::error, "an observer does not campaign: " + name);
  if (Group* group = find(name)) {
    if (group->leave) group->rejoin = true;
    return;
  }
  const std::size_t size = link_.paths.group(name).size() + place_size;
  if (own_bytes_ + size > most_bytes)
    return link_.host.log(Level::error, "group " + name +
                                            ": no candidate, as one session's paths would be longer than " +
                                            std::to_string(most_bytes) +
                                            " bytes: shorten the namespace, the path in servers, or names of groups");
  own_bytes_ += size;
  join(name);
}

void Elections::join(const std::string& name) {
  Group& group = groups_[name];
  if (!resumed_until_) return enter(name, group);
  group.adopt = true;
  link_.after_barrier([this, name, turn = step(group, State::looking)](int) {
    if (Group* found = find(name, turn)) look(name, *found);
  });
}

void Elections::resign(const std::string& name) {
  Group* group = find(name);
  if (group == nullptr) return link_.stands_in ? leave_unknown(name) : void();
  group->leave = true;
  group->rejoin = false;
  if (group->state == State::waiting || group->state == State::leading) leave(name, *group);
}

/// On behalf of a dead daemon: what its session has there is looked for.
void Elections::leave_unknown(const std::string& name) {
  Group& group = groups_[name];
  own_bytes_ += link_.paths.group(name).size() + place_size;
  group.leave = true;
  look(name, group);
}

/// Nothing runs in it: the term, where its session leads, ends cleanly.
void Elections::end_unknown(const std::string& name, Group& group) {
  link_.client.get(link_.paths.group(name), Watch::no, [this, name, turn = group.turn](const Reply& reply) {
    Group* found = find(name, turn);
    if (found == nullptr) return;
    if (is_unknown(reply.rc)) return stall(name, *found, reply.rc);
    const TermRecord term = parse_term(reply.value);
    found->led = term.session == link_.session && !term.clean;
    if (found->led) found->epoch = term.epoch;
    leave(name, *found);
  });
}

std::uint64_t Elections::epoch(const std::string& name) const {
  const auto found = groups_.find(name);
  return found != groups_.end() && found->second.told && !found->second.leave ? found->second.epoch : 0;
}

bool Elections::left_cleanly() const {
  const auto told = [](const auto& group) { return group.second.told; };
  return !unclean_ && !resumed_until_ && std::none_of(groups_.begin(), groups_.end(), told);
}

std::string Elections::own_path(const std::string& name) const {
  return link_.paths.candidate(name, groups_.at(name).node);
}

void Elections::write_began(const std::string& name) {
  if (Group* group = find(name)) ++group->writes;
}

void Elections::write_ended(const std::string& name) {
  Group* group = find(name);
  if (group != nullptr && group->writes > 0 && --group->writes == 0 && group->leave && group->state == State::leading)
    leave(name, *group);
}

void Elections::enter(const std::string& name, Group& group) {
  group.node.clear();
  group.epoch = 0;
  group.ready.reset();
  group.guess = false;
  group.since = wall_now();
  step(group, State::entering);
  entering_.push_back(name);
}

void Elections::on_entered(const Names& names, const std::vector<std::uint64_t>& turns, const Reply& reply) {
  if (reply.rc == ZNONODE) return prepare(names, turns);
  for (std::size_t i = 0; i < names.size(); ++i) {
    Group* group = find(names[i], turns[i]);
    if (group == nullptr) continue;
    if (reply.rc != ZOK) {
      stall(names[i], *group, reply.rc);
    } else {
      const std::string& path = reply.ops.at(i).path;
      group->node = path.substr(path.rfind('/') + 1);
      group->prepared = 0;
      on_placed(names[i], *group);
    }
  }
}

/// Whoever comes first of all has nobody before, and no term either.
void Elections::on_placed(const std::string& name, Group& group) {
  const auto place = parse_place(group.node);
  if (group.leave || !place || place->sequence != 0) return look(name, group);
  group.term = {};
  group.term_version = 0;
  claim(name, group, 0);
}

/// The nodes of some of these groups are not there. All of them are made together; where that is refused another
/// daemon has just made some, and mostly all: only where they still are not there goes each alone.
void Elections::prepare(const Names& names, const std::vector<std::uint64_t>& turns) {
  auto multi = link_.client.multi();
  for (const std::string& name : names) multi->create(link_.paths.group(name), {}, ZOO_PERSISTENT);
  link_.client.commit(std::move(multi), batching_.counted([this, names, turns](const Reply& reply) {
    if (reply.rc == ZNONODE) link_.make_folders([](int) {});  // somebody has removed them
    for (std::size_t i = 0; i < names.size(); ++i) {
      Group* group = find(names[i], turns[i]);
      if (group == nullptr) continue;
      if (reply.rc != ZOK && reply.rc != ZNODEEXISTS) {
        stall(names[i], *group, reply.rc);
      } else {
        group->alone = reply.rc != ZOK && ++group->prepared > patience;
        entering_.push_back(names[i]);
      }
    }
  }));
}

void Elections::look(const std::string& name, Group& group) {
  group.again = false;
  link_.client.children(link_.paths.group(name), Watch::no,
                        [this, name, turn = step(group, State::looking)](const Reply& reply) {
                          if (Group* found = find(name, turn)) on_listed(name, *found, reply);
                        });
}

void Elections::on_listed(const std::string& name, Group& group, const Reply& reply) {
  if (reply.rc == ZNONODE) return on_missing(name, group);
  if (reply.rc != ZOK) return stall(name, group, reply.rc);
  const auto self = find_self(name, group, reply.names);
  if (!self || (group.told && *self != group.node)) return on_missing(name, group);
  const auto place = parse_place(*self);
  if (std::exchange(group.node, *self) != *self) group.epoch = 0;
  group.sequence = place->sequence;
  if (group.leave) return link_.stands_in ? end_unknown(name, group) : leave(name, group);
  std::optional<std::pair<std::int32_t, std::string>> ahead;
  std::size_t all_ahead = 0;
  for (const std::string& other : reply.names) {
    const auto at = parse_place(other);
    if (!at || at->session == link_.session || !before(at->sequence, group.sequence)) continue;
    ++all_ahead;
    if (!ahead || before(ahead->first, at->sequence)) ahead = {at->sequence, other};
  }
  if (!ahead) return claim(name, group, reply.stat.version);
  group.next = all_ahead == 1;
  wait(name, group, ahead->second);
}

/// Our node: the one that is known, else the first that bears our session's id; made when an answer was lost. Others of
/// ours are removed. In a session that is gone on with, one that is found too late is not ours any more.
std::optional<std::string> Elections::find_self(const std::string& name, Group& group, const Names& names) {
  std::optional<std::pair<std::int32_t, std::string>> self;
  for (const std::string& one : names) {
    const auto place = parse_place(one);
    if (!place || place->session != link_.session) continue;
    if (one == group.node || !self || (self->second != group.node && before(place->sequence, self->first)))
      self = {place->sequence, one};
  }
  const bool late = std::exchange(group.adopt, false) && boot_now() >= *resumed_until_;
  for (const std::string& one : names) {
    const auto place = parse_place(one);
    if (place && place->session == link_.session && (late || one != self->second))
      link_.client.remove(link_.paths.candidate(name, one), [](const Reply&) {});
  }
  if (!self || late) return std::nullopt;
  return self->second;
}

void Elections::on_missing(const std::string& name, Group& group) {
  if (std::exchange(group.told, false)) {
    unclean_ = true;
    link_.tell(backend::Deposed{name, group.epoch, group.leave ? Cause::resigned : Cause::evicted});
  }
  group.term_version = -1;
  group.leave ? gone(name, group) : enter(name, group);
}

void Elections::wait(const std::string& name, Group& group, const std::string& before_us) {
  const std::string path = link_.paths.candidate(name, before_us);
  const std::uint64_t turn = step(group, State::waiting);
  group.before = before_us;
  watched(path);
  link_.client.get(
      path, Watch::yes,
      [this, name, turn, path](const Reply& reply) {
        if (reply.rc != ZOK) unwatched(path);
        Group* found = find(name, turn);
        if (found == nullptr) return;
        if (found->leave) return leave(name, *found);
        if (reply.rc == ZNONODE || (reply.rc == ZOK && found->again)) return look(name, *found);
        if (reply.rc != ZOK) stall(name, *found, reply.rc);
      },
      Turn::later);
  if (groups_.size() <= few_groups) watch_own(name, group);
  look_ahead_later(name, group, look_ahead_pause);
}

/// Not while elections are busy, here or in other daemons.
void Elections::look_ahead_later(const std::string& name, Group& group, Millis pause) {
  if (!std::exchange(group.to_look_ahead, true)) ahead_.push_back({boot_now() + pause, name});
}

/// So that one that is removed is made again at once; only while there is room for the watches that are needed. Its
/// epoch need not be read any more when the one before is gone.
void Elections::watch_own(const std::string& name, Group& group) {
  const std::string own = own_path(name);
  const bool watch = watched_bytes_ < most_bytes / 2 && watched(own);
  if (watch || group.epoch == 0)
    link_.client.get(own, watch ? Watch::yes : Watch::no, [this, name, own, watch](const Reply& reply) {
      if (reply.rc != ZOK && watch) unwatched(own);
      Group* found = find(name);
      if (found == nullptr || found->state != State::waiting || own != own_path(name)) return;
      if (reply.rc == ZNONODE) return look(name, *found);
      if (reply.rc == ZOK && is_ours(reply)) found->epoch = static_cast<std::uint64_t>(reply.stat.czxid);
    });
}

/// What is needed to lead, so that it need not be read when the one before is gone.
void Elections::look_ahead(const std::string& name, Group& group) {
  watch_own(name, group);
  if (!group.next) return;
  link_.client.get(link_.paths.group(name), Watch::no, [this, name](const Reply& reply) {
    Group* found = find(name);
    if (reply.rc != ZOK || found == nullptr || found->state != State::waiting) return;
    found->term = parse_term(reply.value);
    found->term_version = reply.stat.version;
    const auto leader = parse_place(found->before);
    if (leader && found->term.session != leader->session)
      look_ahead_later(name, *found, look_again_pause);  // it has yet to claim
  });
}

/// Leads, and watches its own node.
void Elections::stay(const std::string& name, Group& group) {
  const std::uint64_t turn = step(group, State::leading);
  if (group.leave) return leave(name, group);
  if (group.again) return look(name, group);
  const std::string own = own_path(name);
  if (!watched(own)) return;
  link_.client.get(own, Watch::yes, [this, name, turn, own](const Reply& reply) {
    if (reply.rc != ZOK) unwatched(own);
    Group* found = find(name, turn);
    if (found == nullptr || reply.rc == ZOK) return;
    reply.rc == ZNONODE ? look(name, *found) : stall(name, *found, reply.rc);
  });
}

void Elections::leave(const std::string& name, Group& group) {
  if (group.told && group.writes > 0) return void(step(group, State::leading));  // write_ended() comes back to it
  step(group, State::leaving);
  leaves_.push_back(name);
}

void Elections::on_left(const Names& names, const std::vector<std::uint64_t>& turns, const Reply& reply) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    Group* group = find(names[i], turns[i]);
    if (group == nullptr) continue;
    if (reply.rc == ZOK || (names.size() == 1 && reply.rc == ZNONODE))
      gone(names[i], *group);
    else
      stall(names[i], *group, reply.rc);
  }
}

void Elections::gone(const std::string& name, Group& group) {
  if (group.told) link_.tell(backend::Deposed{name, group.epoch, Cause::resigned});
  const bool rejoin = group.rejoin;
  groups_.erase(name);
  if (rejoin) return enter(name, groups_[name]);
  own_bytes_ -= link_.paths.group(name).size() + place_size;
}

void Elections::stall(const std::string& name, Group& group, int rc) {
  if (!is_unknown(rc) && rc != ZNONODE)
    link_.host.log(Level::error, "group " + name + " at " + link_.paths.group(name) + ": " + text_of(rc));
  step(group, State::stalled);
  stalled_.insert(name);
  if (!resume_at_) resume_at_ = boot_now() + resume_pause;
}

void Elections::on_connected() {
  if (!stalled_.empty()) resume();
}

/// What is unknown may have happened, and shows after the barrier: where a request that is still on its way could come
/// after it, the store refuses it, as the session has moved.
void Elections::resume() {
  resume_at_.reset();
  for (const std::string& name : std::exchange(stalled_, {})) {
    Group* group = find(name);
    if (group == nullptr || group->state != State::stalled) continue;
    link_.after_barrier([this, name, turn = group->turn](int rc) {
      Group* found = find(name, turn);
      if (found == nullptr) return;
      rc == ZOK ? look(name, *found) : stall(name, *found, rc);
    });
  }
}

void Elections::on_watch(const std::string& path, bool gone) {
  unwatched(path);
  const std::string name = link_.paths.group_of(path);
  Group* group = find(name);
  if (group == nullptr) return;
  if (gone && group->state == State::waiting && path == link_.paths.candidate(name, group->before))
    return succeed(name, *group);
  group->again = true;
  if (group->state == State::waiting || group->state == State::leading) look(name, *group);
}

/// The one before us is gone. Where nobody else was before us, nobody is now; and what was looked ahead for is checked
/// by the claim itself.
void Elections::succeed(const std::string& name, Group& group) {
  if (group.leave || !group.next || group.epoch == 0 || group.term_version < 0) return look(name, group);
  group.ready.reset();
  group.guess = true;
  claim(name, group, group.term_version);
}

/// False: it was already.
bool Elections::watched(const std::string& path) {
  if (!watched_.insert(path).second) return false;
  watched_bytes_ += path.size();
  return true;
}

void Elections::unwatched(const std::string& path) {
  if (watched_.erase(path) > 0) watched_bytes_ -= path.size();
}

/// A session that is gone on with may still stand in groups that this daemon does not take part in.
void Elections::sweep() {
  sweep_at_.reset();
  link_.client.children(link_.paths.groups(), Watch::no, [this](const Reply& all) {
    for (const std::string& name : all.names) {
      if (groups_.contains(name)) continue;
      link_.client.children(link_.paths.group(name), Watch::no, [this, name](const Reply& queue) {
        for (const std::string& one : queue.names) {
          const auto place = parse_place(one);
          if (place && place->session == link_.session && !groups_.contains(name))
            link_.client.remove(link_.paths.candidate(name, one), [](const Reply&) {});
        }
      });
    }
  });
}

void Elections::tick(SteadyTime now) {
  if (resume_at_ && now >= *resume_at_) resume();
  if (sweep_at_ && now >= *sweep_at_) sweep();
}

std::optional<SteadyTime> Elections::due() const {
  std::optional<SteadyTime> at = resume_at_;
  if (sweep_at_ && (!at || *sweep_at_ < *at)) at = sweep_at_;
  if (!ahead_.empty() && link_.client.idle() && (!at || ahead_.front().at < *at)) at = ahead_.front().at;
  return at;
}

}  // namespace ballot::zookeeper
