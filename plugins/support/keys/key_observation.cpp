#include "support/keys/key_observation.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "support/keys/claim_order.hpp"
#include "support/keys/key_view.hpp"
#include "support/member_name.hpp"

namespace ballot::support {

namespace {

using Sessions = std::unordered_map<std::string, std::string>;                 // by node
using Members = std::unordered_map<std::string, std::optional<MemberRecord>>;  // by node

/// "c/GROUP/NODE"
std::string group_of(const std::string& candidate_key) {
  const std::size_t begin = std::string_view(KeyNames::candidates).size();
  return candidate_key.substr(begin, candidate_key.rfind('/') - begin);
}

std::string node_of_key(const std::string& key) { return key.substr(key.rfind('/') + 1); }

/// Of a session that is open; else none.
std::optional<Candidate> candidate_of(const KeyEntry& entry, const Sessions& sessions, const Members& members) {
  const std::string node = node_of_key(entry.key);
  const std::size_t space = entry.value.rfind(' ');
  const std::string session = space == std::string::npos ? std::string() : entry.value.substr(space + 1);
  const auto open = sessions.find(node);
  if (open == sessions.end()) return std::nullopt;
  const auto text = parse_candidate(std::string_view(entry.value).substr(0, space));
  Candidate candidate;
  candidate.id = open->second;
  candidate.readable = text.has_value();
  if (text && session != open->second) return std::nullopt;
  if (text) candidate.since = text->since;
  candidate.node = shown(node);
  if (const auto member = members.find(node); member != members.end() && member->second)
    if (member->second->session == open->second) describe(*member->second, candidate);
  return candidate;
}

}  // namespace

/// A call under way.
struct KeyObservation::Query {
  ObserveCall call;
  KeyRead terms = {}, candidates = {}, sessions = {}, members = {};
  StoreState state = {};
  std::size_t open = 0;
  StoreResult outcome = StoreResult::done;
  std::string text = {};

  std::vector<Election> elections() const {
    Sessions open_sessions;
    for (const KeyEntry& entry : sessions.entries) open_sessions[node_of_key(entry.key)] = entry.value;
    Members known;
    for (const KeyEntry& entry : members.entries) known[node_of_key(entry.key)] = parse_member(entry.value);
    std::map<std::string, Election> found;
    std::unordered_map<std::string, TermRecord> last;
    for (const KeyEntry& entry : terms.entries) {
      const std::string group = entry.key.substr(std::string_view(KeyNames::terms).size());
      last[group] = parse_term(entry.value);
      if (last[group].epoch != 0) found[group] = {group, last[group].epoch, {}};
    }
    for (const KeyEntry& entry : candidates.entries) {
      auto candidate = candidate_of(entry, open_sessions, known);
      if (!candidate) continue;
      const std::string group = group_of(entry.key);
      candidate->leads = !last[group].clean && last[group].session == candidate->id;
      Election& election = found[group];
      election.group = group;
      election.candidates.push_back(std::move(*candidate));
    }
    std::vector<Election> all;
    for (auto& [group, election] : found) {
      const auto before = [&name = election.group](const Candidate& a, const Candidate& b) {
        return a.leads != b.leads ? a.leads : rendezvous(name, a.node) > rendezvous(name, b.node);
      };
      std::sort(election.candidates.begin(), election.candidates.end(), before);
      all.push_back(std::move(election));
    }
    return all;
  }
};

void KeyObservation::observe(const ObserveCall& call) {
  const auto query = std::make_shared<Query>(Query{call});
  query->open = context_.self.observer ? 5 : 4;
  const auto into = [this, query](KeyRead& part) {
    return [this, query, &part](const KeyRead& read) { arrived(query, part, read); };
  };
  KeyStore& store = context_.store;
  const std::string& group = call.group;
  group.empty() ? store.list(KeyNames::terms, into(query->terms))
                : store.get({KeyNames::term(group)}, into(query->terms));
  store.list(group.empty() ? KeyNames::candidates : KeyNames::candidates_of(group), into(query->candidates));
  store.list(KeyNames::sessions, into(query->sessions));
  store.list(KeyNames::members, into(query->members));
  if (!context_.self.observer) return;
  store.state([this, query](const StoreState& state) {
    query->state = state;
    arrived(query);
  });
}

void KeyObservation::arrived(const Shared& query, KeyRead& part, const KeyRead& read) {
  part = read;
  if (read.outcome != StoreResult::done) {
    query->outcome = read.outcome;
    query->text = read.text;
  }
  arrived(query);
}

void KeyObservation::arrived(const Shared& query) {
  if (--query->open > 0) return;
  backend::Observed observed{query->call.request, query->outcome, {}, query->text};
  observed.store = query->state;
  if (query->outcome == StoreResult::done) observed.elections = query->elections();
  context_.post(std::move(observed));
}

void KeyObservation::evict(const EvictCall& call) {
  context_.store.get({KeyNames::term(call.group)}, [this, call](const KeyRead& read) { on_term(call, read); });
}

/// The term is written over, where it is the one that was read and its leader's session is open.
void KeyObservation::on_term(const EvictCall& call, const KeyRead& read) {
  const WriteAnswer nobody{StoreResult::conflict, 0, "nobody leads " + call.group};
  if (read.outcome != StoreResult::done) return answer(call.request, {read.outcome, 0, read.text});
  if (read.entries.empty()) return answer(call.request, nobody);
  const TermRecord term = parse_term(read.entries.front().value);
  if (term.epoch == 0 || term.clean || term.session == no_session) return answer(call.request, nobody);
  const std::uint64_t version = read.entries.front().version;
  context_.store.get({KeyNames::session(term.node)}, [this, call, term, version, nobody](const KeyRead& session) {
    if (session.outcome != StoreResult::done) return answer(call.request, {session.outcome, 0, session.text});
    if (session.entries.empty() || session.entries.front().value != term.session) return answer(call.request, nobody);
    const KeyChange change{KeyNames::term(call.group), format(put_out(term)), version};
    context_.store.commit({change}, [this, call, nobody](const std::vector<KeyAnswer>& answers) {
      const KeyAnswer& found = answers.at(0);
      if (found.outcome == StoreResult::conflict) return answer(call.request, nobody);
      answer(call.request, {found.outcome, 0, found.text});
    });
  });
}

void KeyObservation::answer(RequestId request, WriteAnswer answer) {
  context_.post(backend::Wrote{request, {std::move(answer)}});
}

}  // namespace ballot::support
