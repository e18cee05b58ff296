#include "library/fleet_nodes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/wall_text.hpp"
#include "library/drift_text.hpp"
#include "library/refusal_text.hpp"
#include "library/shown/values.hpp"

namespace ballot::library {
namespace {

constexpr Millis arrival{10'000};        // from what a node publishes to its first election
constexpr Millis unfit_silence{45'000};  // an unfit node publishes each 10 s; in a large fleet that is read 30 s later
constexpr Millis same_time{100};  // two readings of two clocks differ by less: a time that is shown stays the same

/// What the elections say of a session.
struct Seen {
  const Candidate* candidate = nullptr;  // as it was heard of last
  std::vector<std::string> leads;
};

std::map<std::string_view, Seen> sessions_of(const std::vector<Election>& elections) {
  std::map<std::string_view, Seen> sessions;
  for (const Election& election : elections)
    for (const Candidate& candidate : election.candidates) {
      Seen& seen = sessions[candidate.id];
      if (!seen.candidate || candidate.last_seen > seen.candidate->last_seen) seen.candidate = &candidate;
      if (candidate.leads) seen.leads.push_back(election.group);
    }
  return sessions;
}

void add_drifts(const FleetFacts& facts, FleetNode& node) {
  for (const core::DriftView& drift : facts.drifts)
    if (auto text = drift_of_node(drift, node.node, facts.self)) node.reasons.push_back(*std::move(text));
}

/// The last of what is known, whoever asks and however.
void set_heard(const FleetFacts& facts, std::optional<WallTime> at, const char* by, FleetNode& node) {
  node.last_heard = at;
  if (at) node.heard_by = by;
  const auto answered = facts.answers.answered.find(node.node);
  if (answered == facts.answers.answered.end() || (at && answered->second <= *at)) return;
  node.last_heard = answered->second;
  node.heard_by = "answer";
}

/// What it publishes to be wrong with it.
void add_own_words(const core::PeerView& peer, FleetNode& node) {
  if (!peer.unfit.empty()) node.reasons.push_back("unfit: " + std::string(peer.unfit));
  node.reasons.insert(node.reasons.end(), peer.troubles.begin(), peer.troubles.end());
}

void add_unanswered(const FleetFacts& facts, FleetNode& node) {
  if (const auto hung = facts.answers.unanswered.find(node.node); hung != facts.answers.unanswered.end())
    node.reasons.push_back("it has not answered a question of " + facts.self + " by " + format_seconds(hung->second) +
                           ": its daemon hangs, or was stopped by a signal, or it cannot be reached");
  if (const auto refused = facts.answers.refused.find(node.node); refused != facts.answers.refused.end())
    node.reasons.push_back("fleet: " + facts.self + " cannot ask it: " + refused->second);
}

void describe_present(const FleetFacts& facts, const core::PeerView& peer, const Seen& seen, FleetNode& node) {
  const Candidate& candidate = *seen.candidate;
  set_heard(facts, candidate.last_seen, "election", node);
  if (candidate.last_seen) node.session_until = *candidate.last_seen + candidate.timeout;
  node.version = candidate.version;
  node.host = candidate.host;
  node.leads = seen.leads;
  add_own_words(peer, node);
  add_drifts(facts, node);
  add_unanswered(facts, node);
  node.state = node.reasons.empty() ? "up" : "degraded";
  if (!is_silent(candidate, facts.now)) return;
  node.state = "silent";
  node.reasons.insert(node.reasons.begin(),
                      "its session is not renewed; when it is over, the groups that the node leads "
                      "are led by others");
}

std::string silence_of_store(const NodeStatus& status) {
  if (!status.refusal.empty()) return status.refusal;
  const bool is_known = status.store_is_silent && status.store_heard;
  return "the store does not answer" + (is_known ? ", since " + format_seconds(*status.store_heard) : "");
}

/// The node takes part in no election because it is unfit; what it publishes shows that it lives.
bool is_unfit_and_lives(const FleetFacts& facts, const core::PeerView& peer, const FleetNode& node) {
  return !peer.unfit.empty() && node.last_heard && facts.now - *node.last_heard < unfit_silence;
}

void describe_absent(const FleetFacts& facts, const core::PeerView& peer, FleetNode& node) {
  const auto alive = facts.alive.find(peer.session);
  const bool is_known = alive != facts.alive.end() && (alive->second >= peer.at || peer.at > facts.now);
  set_heard(facts, is_known ? alive->second : peer.at, is_known ? "election" : "record", node);
  if (facts.elections.empty()) {
    node.state = "unknown";
    node.reasons.push_back(silence_of_store(facts.status));
  } else if (is_unfit_and_lives(facts, peer, node)) {
    node.state = "degraded";
    add_own_words(peer, node);
    add_unanswered(facts, node);
  } else if (!peer.is_candidate) {
    node.state = "unknown";
    node.reasons.emplace_back("it is a candidate of no group that " + facts.self + " knows");
  } else if (!peer.is_missed && facts.now - peer.at < arrival) {
    node.state = "starting";
  } else {
    node.state = "gone";
    node.reasons.emplace_back("it has no session: it is down, or cut off from the store");
    if (node.heard_by == "record")
      node.reasons.push_back("last heard of: when it published its record, as far as " + facts.self +
                             " knows; it may have lived longer");
  }
}

/// Takes out the drifts of other nodes' files: each is shown with the node whose files differ from most.
void leave_drifts_to_others(const FleetFacts& facts, FleetNode& self) {
  for (const core::DriftView& drift : facts.drifts)
    if (!drift.odd.empty() && !drift_of_node(drift, self.node, facts.self))
      std::erase_if(self.reasons, [of = drift_of(drift.group)](const auto& reason) { return reason.starts_with(of); });
  if (self.reasons.empty() && self.state == "degraded") self.state = "healthy";
}

FleetNode self_of(const FleetFacts& facts) {
  FleetNode node{facts.self, state_text(facts.status), facts.status.degraded, facts.now, "", ""};
  node.is_asked = true;
  leave_drifts_to_others(facts, node);
  for (const NodeStatus::Led& led : facts.status.led) node.leads.push_back(led.group);
  for (const Election& election : facts.elections)
    for (const Candidate& candidate : election.candidates)
      if (candidate.node == facts.self) node.version = candidate.version, node.host = candidate.host;
  return node;
}

/// Of several sessions of a node the one that tells most.
int rank_of(const FleetNode& node) {
  constexpr std::string_view best_first[] = {"up", "degraded", "silent", "starting", "unknown", "gone"};
  return static_cast<int>(std::find(std::begin(best_first), std::end(best_first), node.state) - std::begin(best_first));
}

}  // namespace

bool is_silent(const Candidate& candidate, WallTime now) {
  return candidate.last_seen && now - *candidate.last_seen > candidate.timeout / 2;
}

void note_alive(SessionTimes& alive, const std::vector<Election>& elections, const std::vector<core::PeerView>& peers,
                WallTime now, SteadyTime steady) {
  const auto add = [&alive](std::string_view session, WallTime at) {
    WallTime& known = alive.try_emplace(std::string(session), at).first->second;
    if (at > known + same_time) known = at;
  };
  std::set<std::string_view> published;
  for (const core::PeerView& peer : peers) {
    published.insert(peer.session);
    if (peer.alive) add(peer.session, now - (steady - *peer.alive));
  }
  for (const Election& election : elections)
    for (const Candidate& candidate : election.candidates) add(candidate.id, candidate.last_seen.value_or(now));
  std::erase_if(alive, [&](const auto& one) { return !published.contains(one.first); });
}

std::vector<FleetNode> fleet_nodes(const FleetFacts& facts) {
  const auto sessions = sessions_of(facts.elections);
  std::map<std::string, FleetNode> nodes{{facts.self, self_of(facts)}};
  for (const core::PeerView& peer : facts.peers) {
    FleetNode node;
    node.node = peer.node;
    const auto seen = sessions.find(peer.session);
    if (seen != sessions.end())
      describe_present(facts, peer, seen->second, node);
    else
      describe_absent(facts, peer, node);
    const auto known = nodes.find(node.node);
    if (known == nodes.end())
      nodes.emplace(node.node, std::move(node));
    else if (node.node != facts.self && rank_of(node) < rank_of(known->second))
      known->second = std::move(node);
  }
  std::vector<FleetNode> all;
  for (auto& [name, node] : nodes) {
    std::sort(node.leads.begin(), node.leads.end());
    all.push_back(std::move(node));
  }
  return all;
}

std::string worst_state(const std::vector<FleetNode>& nodes) {
  std::string worst = "healthy";
  for (const FleetNode& node : nodes) {
    if (node.is_asked && (node.state == "not scheduling" || node.state == "starting")) return node.state;
    if (node.state != "healthy" && node.state != "up" && node.state != "starting") worst = "degraded";
  }
  return worst;
}

std::string why_unfit(const FleetNode& node) {
  constexpr std::string_view unfit = "unfit: ";  // of another node
  constexpr std::string_view of_runner = "runner: ", of_store = "moving: ", backend = "backend: ";
  for (const std::string& reason : node.reasons) {
    if (reason.starts_with(unfit)) return reason.substr(unfit.size());
    if (reason.starts_with(backend) && reason.find(store_refuses) == backend.size())
      return reason.substr(backend.size());
    if (reason.starts_with(of_runner) || reason.starts_with(of_store)) return reason;
  }
  return {};
}

std::vector<io::Message> shown_missing(const std::vector<FleetNode>& nodes) {
  std::vector<io::Message> all;
  for (const FleetNode& node : nodes) {
    if (node.state != "silent" && node.state != "gone" && node.state != "unknown") continue;
    std::string why;
    for (const std::string& reason : node.reasons) why += (why.empty() ? "" : "; ") + reason;
    io::Message one;
    one.set("node", node.node).set("state", node.state).set("last_heard", time_or_null(node.last_heard));
    one.set("heard_by", word_or_null(node.heard_by)).set("why", why).set("leads", node.leads);
    all.push_back(std::move(one));
  }
  return all;
}

io::Message shown(const std::vector<FleetNode>& nodes) {
  std::vector<io::Message> all;
  for (const FleetNode& node : nodes) {
    io::Message one;
    one.set("node", node.node).set("state", node.state).set("reasons", node.reasons);
    one.set("last_heard", time_or_null(node.last_heard)).set("heard_by", word_or_null(node.heard_by));
    one.set("session_until", time_or_null(node.session_until));
    one.set("version", word_or_null(node.version)).set("host", word_or_null(node.host)).set("leads", node.leads);
    all.push_back(std::move(one));
  }
  io::Message message;
  message.set("nodes", std::move(all)).set("state", worst_state(nodes));
  return message;
}

}  // namespace ballot::library
