#include "observation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace ballot::zookeeper {

void Observation::observe(const ObserveCall& call) {
  context_.after_barrier([this, call](int rc) {
    auto query = std::make_shared<Query>(Query{call.request, {}, 1, rc});
    if (rc != ZOK) return arrived(query, rc);
    if (!call.group.empty()) {
      query->groups.push_back({call.group, {}, {}, false});
      return query_group(query, 0);
    }
    context_.client.children(context_.paths.groups(), Watch::no, [this, query](const Reply& all) {
      query->open += all.names.size();
      for (const std::string& name : all.names) query->groups.push_back({name, {}, {}, false});
      for (std::size_t i = 0; i < all.names.size(); ++i) query_group(query, i);
      arrived(query, all.rc);
    });
  });
}

/// Counts for one, and one more for each candidate and for the term.
void Observation::query_group(const Shared& query, std::size_t index) {
  const std::string path = context_.paths.group(query->groups[index].name);
  context_.client.children(path, Watch::no, [this, query, index](const Reply& queue) {
    query->groups[index].exists = queue.rc == ZOK;
    query->open += queue.names.size();
    for (const std::string& name : queue.names) query_candidate(query, index, name);
    arrived(query, queue.rc);
  });
  ++query->open;
  context_.client.get(path, Watch::no, [this, query, index](const Reply& term) {
    query->groups[index].term = parse_term(term.value);
    arrived(query, term.rc);
  });
}

void Observation::query_candidate(const Shared& query, std::size_t group, const std::string& name) {
  const auto place = parse_place(name);
  if (!place) return arrived(query, ZOK);
  const std::string path = context_.paths.candidate(query->groups[group].name, name);
  context_.client.get(path, Watch::no, [this, query, group, place](const Reply& reply) {
    if (reply.rc != ZOK) return arrived(query, reply.rc);
    const auto text = parse_candidate(reply.value);
    Seen seen{place->sequence, static_cast<std::uint64_t>(reply.stat.czxid), {}};
    seen.candidate.id = place->session;
    seen.candidate.readable = text.has_value();
    seen.candidate.stored_at = WallTime(Millis(reply.stat.ctime));
    if (text) seen.candidate.node = text->node;
    if (text) seen.candidate.since = text->since;
    auto& all = query->groups[group].seen;
    all.push_back(std::move(seen));
    if (!text) return arrived(query, ZOK);
    query_member(query, group, all.size() - 1, reply.stat.ephemeralOwner);
  });
}

void Observation::query_member(const Shared& query, std::size_t group, std::size_t seen, std::int64_t owner) {
  const std::string node = query->groups[group].seen[seen].candidate.node;
  members_.find(node, [this, query, group, seen, owner](int rc, const QueueStore::Member& found) {
    const auto& member = found.record;
    Candidate& candidate = query->groups[group].seen[seen].candidate;
    candidate.node = shown(candidate.node);
    if (member && member->session == session_text(owner)) describe(*member, candidate);
    arrived(query, rc);
  });
}

/// What has gone meanwhile is not there.
void Observation::arrived(const Shared& query, int rc) {
  if (rc != ZOK && rc != ZNONODE) query->rc = rc;
  if (--query->open > 0) return;
  if (query->rc != ZOK && query->rc != ZNONODE) {
    const StoreResult outcome = is_unknown(query->rc) ? StoreResult::unknown : StoreResult::failed;
    return context_.post(backend::Observed{query->request, outcome, {}, text_of(query->rc)});
  }
  backend::Observed observed{query->request, StoreResult::done, {}, {}};
  for (Group& group : query->groups) {
    Election found = election(std::move(group));
    if (found.epoch != 0 || !found.candidates.empty()) observed.elections.push_back(std::move(found));
  }
  std::sort(observed.elections.begin(), observed.elections.end(),
            [](const Election& a, const Election& b) { return a.group < b.group; });
  context_.post(std::move(observed));
}

Election Observation::election(Group group) {
  Election election{group.name, group.term.epoch, {}};
  std::sort(group.seen.begin(), group.seen.end(),
            [](const Seen& a, const Seen& b) { return before(a.sequence, b.sequence); });
  for (Seen& seen : group.seen) {
    seen.candidate.leads = seen.epoch == group.term.epoch;
    election.candidates.push_back(std::move(seen.candidate));
  }
  return election;
}

void Observation::evict(const EvictCall& call) {
  context_.after_barrier([this, call](int rc) {
    if (rc != ZOK) return answer(call.request, {StoreResult::unknown, 0, text_of(rc)});
    context_.client.get(context_.paths.group(call.group), Watch::no, [this, call](const Reply& reply) {
      if (reply.rc == ZNONODE) return answer(call.request, {StoreResult::conflict, 0, "nobody leads " + call.group});
      if (reply.rc != ZOK) return answer(call.request, {StoreResult::failed, 0, text_of(reply.rc)});
      find_leader(call.request, call.group, parse_term(reply.value));
    });
  });
}

/// Deletes the entry of the term's leader and no other: an entry's name is never given again.
void Observation::find_leader(RequestId request, const std::string& group, const TermRecord& term) {
  context_.client.children(context_.paths.group(group), Watch::no, [this, request, group, term](const Reply& queue) {
    if (queue.rc != ZOK && queue.rc != ZNONODE) return answer(request, {StoreResult::failed, 0, text_of(queue.rc)});
    std::optional<Place> first;
    std::string name;
    for (const std::string& one : queue.names) {
      const auto place = parse_place(one);
      if (!place || (first && !before(place->sequence, first->sequence))) continue;
      first = place;
      name = one;
    }
    const bool led = first && !term.clean && first->session == term.session;
    if (!led) return answer(request, {StoreResult::conflict, 0, "nobody leads " + group});
    context_.client.remove(context_.paths.candidate(group, name), [this, request, group](const Reply& reply) {
      if (reply.rc == ZOK) return answer(request, {StoreResult::done, 0, {}});
      if (reply.rc == ZNONODE) return answer(request, {StoreResult::conflict, 0, "nobody leads " + group});
      answer(request, {is_unknown(reply.rc) ? StoreResult::unknown : StoreResult::failed, 0, text_of(reply.rc)});
    });
  });
}

void Observation::answer(RequestId request, WriteAnswer answer) {
  context_.post(backend::Wrote{request, {std::move(answer)}});
}

}  // namespace ballot::zookeeper
