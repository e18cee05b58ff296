#include "simulation/fleet_store.hpp"

#include <algorithm>
#include <utility>

namespace ballot::simulation {

FleetStore::SessionId FleetStore::open(const SessionRequest& request, Post post) {
  const auto same = std::find_if(sessions_.begin(), sessions_.end(),
                                 [&](const auto& one) { return one.second.request.node == request.node; });
  if (same != sessions_.end()) end(same->first);  // of another boot: it is lost
  const SessionId id = ++last_session_;
  sessions_[id] = {request, std::move(post), clock_.wall(), {}};
  const Millis timeout = were_lost_.contains(request.node) ? settings_.session_timeout : settings_.first_timeout;
  this->post(id, backend::SessionOpened{
                     timeout, Capability::fenced, std::to_string(id), contents_.revision, {}, clock_.wall()});
  return id;
}

void FleetStore::close(SessionId id) {
  const auto session = sessions_.find(id);
  if (session == sessions_.end()) return;
  post(id, backend::SessionClosed{Cause::shutdown, {}});
  session->second.alive = clock_.wall();
  end(id);
}

void FleetStore::lose(SessionId id) {
  const auto session = sessions_.find(id);
  if (session == sessions_.end()) return;
  session->second.post = nullptr;
  session->second.alive = clock_.wall();
  were_lost_.insert(session->second.request.node);
  loop_.after(settings_.session_timeout, 0, [this, id] { end(id); });
}

void FleetStore::end(SessionId id) {
  if (!sessions_.contains(id)) return;
  for (auto& [name, group] : groups_) leave(id, name, group);
  sessions_.erase(id);
}

void FleetStore::renew(SessionId id, RequestId request) {
  post(id, backend::Renewed{request, StoreResult::done, {}, clock_.wall(), contents_.revision});
}

void FleetStore::campaign(SessionId id, const std::string& name) {
  Group& group = groups_[name];
  group.candidates.try_emplace(id, clock_.wall());
  if (group.leader == 0) begin_election(name, group);
}

void FleetStore::resign(SessionId id, const std::string& name) {
  const auto found = groups_.find(name);
  if (found == groups_.end()) return;
  const bool led = found->second.leader == id;
  if (led) post(id, backend::Deposed{name, contents_.epochs[name], Cause::resigned});
  if (led) sessions_.at(id).alive = clock_.wall();
  leave(id, name, found->second);
}

void FleetStore::leave(SessionId id, const std::string& name, Group& group) {
  group.candidates.erase(id);
  if (group.leader != id) return;
  group.last_alive = sessions_.at(id).alive;
  group.leader = 0;
  ++contents_.revision;
  begin_election(name, group);
}

/// All who campaign meanwhile take part.
void FleetStore::begin_election(const std::string& name, Group& group) {
  if (group.election != 0 || group.candidates.empty()) return;
  group.election = loop_.after(election_takes, 0, [this, name] { elect(name); });
}

void FleetStore::elect(const std::string& name) {
  Group& group = groups_.at(name);
  group.election = 0;
  std::optional<core::LeaderRank> best;
  for (const auto& [id, since] : group.candidates) {
    const Session& session = sessions_.at(id);
    if (!session.post) continue;
    const core::LeaderRank rank = settings_.rank(name, session.request.node);
    if (best && *best <= rank) continue;
    best = rank;
    group.leader = id;
  }
  if (!best) return;
  ++contents_.revision;
  backend::Elected elected{name, ++contents_.epochs[name], false, {}, group.last_alive, contents_.revision};
  post(group.leader, std::move(elected));
}

void FleetStore::write(SessionId id, RequestId request, const std::vector<RegisterWrite>& batch) {
  backend::Wrote wrote{request, {}};
  for (const RegisterWrite& one : batch) {
    const auto group = groups_.find(one.group);
    const bool leads = group != groups_.end() && group->second.leader == id && contents_.epochs[one.group] == one.epoch;
    wrote.answers.push_back(leads ? contents_.write(one) : WriteAnswer{StoreResult::not_leader, 0, {}});
    if (wrote.answers.back().outcome == StoreResult::done) changed(one.name);
  }
  post(id, std::move(wrote));
}

void FleetStore::create(SessionId id, RequestId request, const std::vector<Record>& records) {
  backend::Wrote wrote{request, {}};
  for (const Record& one : records) {
    wrote.answers.push_back(contents_.create(one));
    if (wrote.answers.back().outcome == StoreResult::done) changed(one.name);
  }
  post(id, std::move(wrote));
}

void FleetStore::remove(SessionId id, RequestId request, const std::vector<std::string>& names) {
  backend::Wrote wrote{request, {}};
  for (const std::string& one : names) {
    if (contents_.remove(one)) changed(one);
    wrote.answers.push_back({StoreResult::done, 0, {}});
  }
  post(id, std::move(wrote));
}

void FleetStore::read(SessionId id, RequestId request, const std::vector<std::string>& names) {
  post(id, backend::ReadDone{request, StoreResult::done, contents_.read(names), {}});
}

void FleetStore::list(SessionId id, RequestId request, const std::string& prefix) {
  post(id, backend::ReadDone{request, StoreResult::done, contents_.list(prefix), {}});
}

void FleetStore::watch(SessionId id, const std::string& prefix) {
  sessions_.at(id).watches.insert(prefix);
  post(id, backend::Changed{prefix});
}

void FleetStore::changed(const std::string& name) {
  for (const auto& [id, session] : sessions_)
    for (const std::string& prefix : session.watches)
      if (name.starts_with(prefix)) post(id, backend::Changed{prefix});
}

void FleetStore::observe(SessionId id, RequestId request, const std::string& group) {
  backend::Observed observed{request, StoreResult::done, {}, {}, {}};
  for (const auto& [name, one] : groups_)
    if (group.empty() || name == group) observed.elections.push_back(election(name, one));
  post(id, std::move(observed));
}

/// The leader first.
Election FleetStore::election(const std::string& name, const Group& group) const {
  const auto epoch = contents_.epochs.find(name);
  Election election{name, epoch == contents_.epochs.end() ? 0 : epoch->second, {}};
  for (const auto& [id, since] : group.candidates) {
    const Session& session = sessions_.at(id);
    const SessionRequest& r = session.request;
    const WallTime seen = session.post ? clock_.wall() : session.alive;
    Candidate one{
        std::to_string(id),        r.node, r.machine_id,      r.boot_id, r.host, r.version, r.control, r.pid, since,
        settings_.session_timeout, seen,   id == group.leader};
    const bool first = one.leads;
    election.candidates.insert(first ? election.candidates.begin() : election.candidates.end(), std::move(one));
  }
  return election;
}

void FleetStore::post(SessionId id, decltype(BackendEvent::what) what) {
  const auto session = sessions_.find(id);
  if (session == sessions_.end() || !session->second.post) return;
  session->second.post({session->second.request.generation, std::move(what)});
}

}  // namespace ballot::simulation
