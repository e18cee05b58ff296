#include "support/sim/sim_store.hpp"

#include <algorithm>

namespace ballot {

namespace {

WallTime wall_of(SteadyTime true_time) { return SimClock::default_wall + true_time.time_since_epoch(); }

bool has(const std::list<std::uint64_t>& queue, std::uint64_t id) {
  return std::find(queue.begin(), queue.end(), id) != queue.end();
}

WriteAnswer refused(StoreResult outcome, std::uint64_t version, std::string text) {
  return {outcome, version, std::move(text)};
}

}  // namespace

SimStore::Opened SimStore::open(Opening opening) {
  const SessionId old = opening.request.observer ? 0 : of_node(opening.request.node, opening.request.only_group);
  if (old != 0) {
    const Session& other = sessions_.at(old);
    if (other.push && other.process != opening.process)
      return {0, Millis(0),
              "node " + opening.request.node + " is in use by process " + std::to_string(other.request.pid) + " on " +
                  other.request.host};
    const bool resumes = settings_.resumes && !opening.request.anew;
    if (!other.push && resumes && other.request.boot_id == opening.request.boot_id) {
      const SessionId id = take_over(old, opening);
      return {id, sessions_.at(id).timeout - opening.expiry_shift, {}};
    }
    const bool same_boot = other.request.boot_id == opening.request.boot_id;
    const bool may_live_on = !other.push && same_boot;  // its runner does
    may_live_on ? void(sessions_.at(old).left = true) : end(old, Cause::superseded);
  }
  const SessionId id = ++last_session_;
  const Millis timeout = opening.request.timeout > Millis(0) ? opening.request.timeout : settings_.timeout;
  begin(id, opening, timeout);
  return {id, timeout, {}};
}

SimStore::Session& SimStore::begin(SessionId id, Opening& opening, Millis timeout) {
  Session& session = sessions_[id];
  session.request = opening.request;
  session.process = opening.process;
  session.timeout = timeout + opening.expiry_shift;
  session.shift = opening.expiry_shift;
  session.push = std::move(opening.push);
  renewed_at_[id] = loop_.now();
  ++term_changes_;
  session.alive = wall_of(loop_.now());
  touch(id, session);
  return session;
}

/// The old session's terms last until its deadline; campaigning for them resumes them.
SimStore::SessionId SimStore::take_over(SessionId old, Opening& opening) {
  const Millis timeout = opening.request.timeout > Millis(0) ? opening.request.timeout : settings_.timeout;
  const SteadyTime deadline = sessions_.at(old).deadline;
  loop_.cancel(sessions_.at(old).timer);
  auto since = std::move(sessions_.at(old).since);
  sessions_.erase(old);
  const SessionId id = ++last_session_;
  begin(id, opening, timeout).since = std::move(since);
  for (auto& [name, group] : groups_) {
    if (!has(group.queue, old)) continue;
    std::replace(group.queue.begin(), group.queue.end(), old, id);
    ++term_changes_;
    if (group.leading && group.queue.front() == id)
      group.kept = true;
    else
      group.queue.remove(id);  // and what another one has kept stays as it is
  }
  loop_.at(deadline, 0, [this, id] {
    for (auto& [name, group] : groups_)
      if (group.kept && group.queue.front() == id) leave(id, name, group, Cause::none, false);
  });
  return id;
}

bool SimStore::renew(SessionId id) {
  Session* session = find(id);
  if (session == nullptr) return false;
  renewed_at_[id] = loop_.now();
  ++term_changes_;
  session->alive = wall_of(loop_.now());
  touch(id, *session);
  return true;
}

void SimStore::touch(SessionId id, Session& session) {
  loop_.cancel(session.timer);
  session.deadline = loop_.now() + session.timeout;
  promised_until_[id] = session.deadline - session.shift;
  if (session.request.observer) return;
  session.timer = loop_.at(session.deadline, 0, [this, id] {
    if (!down_) end(id, Cause::expired);
  });
}

bool SimStore::campaign(SessionId id, const std::string& name) {
  Session* session = find(id);
  if (session == nullptr || session->request.observer) return false;
  Group& group = groups_[name];
  if (group.kept && group.queue.front() == id) {
    group.kept = false;
    backend::Elected elected{name, contents_.epochs[name], true, {}, {}};
    if (group.past) {
      const auto until = group.past->until.find(session->request.boot_id);
      if (until != group.past->until.end() && until->second > loop_.now())
        elected.old_deadline = until->second + settings_.forged_deadlines;
    }
    push(id, std::move(elected));
    return true;
  }
  if (!has(group.queue, id)) {
    group.queue.push_back(id);
    session->since[name] = wall_of(loop_.now());
  }
  if (is_dead(group)) leave(group.queue.front(), name, group, Cause::none, false);
  elect(name, group);
  return true;
}

bool SimStore::resign(SessionId id, const std::string& name) {
  if (find(id) == nullptr) return false;
  const auto group = groups_.find(name);
  if (group != groups_.end()) leave(id, name, group->second, Cause::resigned, true);
  return true;
}

void SimStore::elect(const std::string& name, Group& group) {
  if (group.leading || group.queue.empty()) return;
  tell_vacancy(name, group, elects_nobody_);
  if (elects_nobody_) return;
  if (settings_.elects_by_name) {
    const auto by_name = [this](SessionId a, SessionId b) { return find(a)->request.node < find(b)->request.node; };
    const auto first = std::min_element(group.queue.begin(), group.queue.end(), by_name);
    group.queue.splice(group.queue.begin(), group.queue, first);
  }
  group.leading = true;
  ++term_changes_;
  group.kept = false;
  ++contents_.revision;
  backend::Elected elected{name, ++contents_.epochs[name], false, {}, {}, contents_.revision};
  if (group.past) {
    elected.last_alive = group.past->alive;
    const auto until = group.past->until.find(find(group.queue.front())->request.boot_id);
    if (until != group.past->until.end()) elected.old_deadline = until->second + settings_.forged_deadlines;
  }
  push(group.queue.front(), std::move(elected));
}

void SimStore::elect_nobody(bool nobody) {
  elects_nobody_ = nobody;
  for (auto& [name, group] : groups_) elect(name, group);
}

void SimStore::tell_vacancy(const std::string& name, Group& group, bool is_vacant) {
  if (!std::exchange(group.vacant, is_vacant) && !is_vacant) return;  // also of those that have come since
  for (const SessionId id : group.queue) push(id, backend::Vacancy{name, is_vacant});
}

void SimStore::leave(SessionId id, const std::string& name, Group& group, Cause cause, bool clean) {
  if (!has(group.queue, id)) return;
  const bool led = group.leading && group.queue.front() == id;
  group.queue.remove(id);
  if (!led) return;
  const bool notified = cause != Cause::none && !group.kept;
  const Session& session = *find(id);
  if (!group.past) group.past = Past{};
  group.past->alive = session.alive;
  std::erase_if(group.past->until, [this](const auto& one) { return one.second <= loop_.now(); });
  if (!clean) {
    SteadyTime& until = group.past->until[session.request.boot_id];
    until = std::max(until, promised_until_.at(id));  // what its node went by
  }
  group.leading = group.kept = false;
  ++term_changes_;
  ++contents_.revision;
  if (notified) push(id, backend::Deposed{name, contents_.epochs[name], cause});
  elect(name, group);
}

WriteAnswer SimStore::write(SessionId id, const RegisterWrite& write) {
  if (auto fault = contents_.fault_of(write)) return *std::move(fault);
  const Session* session = find(id);
  if (session != nullptr && session->request.observer) return refused(StoreResult::not_leader, 0, "an observer");
  if (settings_.capability == Capability::fenced) {
    const auto group = groups_.find(write.group);
    const bool leads = group != groups_.end() && group->second.leading && group->second.queue.front() == id &&
                       contents_.epochs[write.group] == write.epoch;
    if (!leads) return refused(StoreResult::not_leader, contents_.version_of(write.name), {});
  }
  WriteAnswer answer = contents_.write(write);
  if (answer.outcome == StoreResult::done) changed(write.name);
  return answer;
}

void SimStore::forge(const std::string& name, const std::string& value) {
  const bool record = name.starts_with("q/") || name.starts_with("o/") || name.starts_with("n/");
  auto& all = record ? contents_.records : contents_.registers;
  all[name] = {name, value, ++contents_.revision};
  changed(name);
}

WriteAnswer SimStore::create(const Record& record) {
  WriteAnswer answer = contents_.create(record);
  if (answer.outcome == StoreResult::done) changed(record.name);
  return answer;
}

WriteAnswer SimStore::remove(const std::string& record) {
  if (contents_.remove(record)) changed(record);
  return {StoreResult::done, 0, {}};
}

void SimStore::changed(const std::string& name) {
  for (auto& [id, session] : sessions_)
    for (const std::string& prefix : session.watches)
      if (name.starts_with(prefix) && session.push) session.push(backend::Changed{prefix});
}

bool SimStore::watch(SessionId id, const std::string& prefix) {
  Session* session = find(id);
  if (session == nullptr) return false;
  session->watches.insert(prefix);
  push(id, backend::Changed{prefix});
  return true;
}

std::vector<Election> SimStore::observe(const std::string& group) const {
  std::set<std::string> names;
  for (const auto& [name, one] : groups_) names.insert(name);
  for (const auto& [name, epoch] : contents_.epochs) names.insert(name);
  std::vector<Election> elections;
  for (const std::string& name : names) {
    if (!group.empty() && name != group) continue;
    Election one = election(name);
    if (one.epoch != 0 || !one.candidates.empty()) elections.push_back(std::move(one));
  }
  return elections;
}

Election SimStore::election(const std::string& name) const {
  const auto epoch = contents_.epochs.find(name);
  Election election{name, epoch == contents_.epochs.end() ? 0 : epoch->second, {}};
  const auto found = groups_.find(name);
  if (found == groups_.end()) return election;
  for (const SessionId id : found->second.queue) {
    auto one = candidate(id, name);
    if (!one) continue;
    one->leads = found->second.leading && id == found->second.queue.front();
    election.candidates.push_back(std::move(*one));
  }
  return election;
}

std::optional<Candidate> SimStore::candidate(SessionId id, const std::string& group) const {
  const Session& session = sessions_.at(id);
  if (settings_.death_frees && !session.push) return std::nullopt;
  const SessionRequest& r = session.request;
  const auto since = session.since.find(group);
  return Candidate{std::to_string(id), r.node,        r.machine_id,
                   r.boot_id,          r.host,        r.version,
                   r.control,          r.pid,         since == session.since.end() ? WallTime{} : since->second,
                   session.timeout,    session.alive, false};
}

WriteAnswer SimStore::evict(const std::string& group) {
  const auto found = groups_.find(group);
  if (found == groups_.end() || !found->second.leading)
    return refused(StoreResult::conflict, 0, "nobody leads " + group);
  depose(group, Cause::evicted);
  return {StoreResult::done, 0, {}};
}

void SimStore::end(SessionId id, Cause cause) {
  Session* session = find(id);
  if (session == nullptr) return;
  loop_.cancel(session->timer);
  for (auto& [name, group] : groups_) leave(id, name, group, Cause::none, cause == Cause::shutdown);
  push(id, backend::SessionClosed{cause, cause == Cause::expired ? "the store ended the session" : ""});
  sessions_.erase(id);
}

void SimStore::detach(SessionId id) {
  Session* session = find(id);
  if (session == nullptr) return;
  if (session->request.observer) {
    sessions_.erase(id);
    return;
  }
  session->push = nullptr;
  for (auto& [name, group] : groups_)
    if (group.queue.size() > 1 && group.queue.front() == id && is_dead(group))
      leave(id, name, group, Cause::none, false);
}

/// Led by nobody who lives, so that another may begin a term.
bool SimStore::is_dead(const Group& group) {
  return settings_.death_frees && group.leading && (group.kept || !find(group.queue.front())->push);
}

void SimStore::promise(SessionId id, SteadyTime until) {
  SteadyTime& promised = promised_until_[id];
  promised = std::max(promised, until);
}

void SimStore::start() {
  down_ = without_quorum_ = false;
  for (auto& [id, session] : sessions_) touch(id, session);
}

void SimStore::restore(Contents contents) {
  while (!sessions_.empty()) end(sessions_.begin()->first, Cause::expired);
  edit(std::move(contents));
}

bool SimStore::spoil(const std::string& name, const std::string& key) {
  const auto found = contents_.registers.find(name);
  if (found == contents_.registers.end()) return false;
  const std::string before = "\n" + key + " ";
  const auto line = found->second.value.find(before);
  if (line == std::string::npos) return false;
  found->second.value.insert(line + before.size(), "?");
  found->second.version = ++contents_.revision;
  return true;
}

void SimStore::expire(const std::string& node) { end(of_node(node), Cause::expired); }

void SimStore::depose(const std::string& name, Cause cause) {
  Group& group = groups_[name];
  if (!group.leading) return;
  const SessionId id = group.queue.front();
  const bool stays = !group.kept && find(id)->push;
  leave(id, name, group, cause, false);
  if (stays) group.queue.push_back(id);
  elect(name, group);
}

SimStore::SessionId SimStore::leading_session(const std::string& name) const {
  const auto group = groups_.find(name);
  return group == groups_.end() || !group->second.leading ? 0 : group->second.queue.front();
}

std::optional<SimStore::Leader> SimStore::leader(const std::string& name) const {
  const SessionId id = leading_session(name);
  if (id == 0) return std::nullopt;
  return Leader{sessions_.at(id).request.node, contents_.epochs.at(name), id};
}

SimStore::Session* SimStore::find(SessionId id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

SimStore::SessionId SimStore::of_node(const std::string& node, const std::string& only_group) const {
  for (const auto& [id, session] : sessions_) {
    const SessionRequest& request = session.request;
    if (request.node == node && request.only_group == only_group && !request.observer && !session.left) return id;
  }
  return 0;
}

SimStore::SessionId SimStore::of_process(std::uint64_t process) const {
  for (const auto& [id, session] : sessions_)
    if (session.push && session.process == process) return id;
  return 0;
}

void SimStore::push(SessionId id, Event event) {
  if (Session* session = find(id); session != nullptr && session->push) session->push(std::move(event));
}

}  // namespace ballot
