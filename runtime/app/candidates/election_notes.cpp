#include "app/candidates/election_notes.hpp"

#include <algorithm>
#include <map>

#include "base/duration.hpp"
#include "core/node/peers.hpp"

namespace ballot::app {
namespace {

using Notes = std::vector<std::string>;

constexpr Millis tolerated_drift{1000};

std::string ago(WallTime then, WallTime now) { return format_duration(std::max(now - then, Millis(0))) + " ago"; }

bool is_silent(const Candidate& candidate, WallTime now) {
  return candidate.last_seen && now - *candidate.last_seen > candidate.timeout;
}

void add_heartbeat(const Candidate& candidate, WallTime now, Notes& notes) {
  if (candidate.last_seen) notes.push_back("last heartbeat " + ago(*candidate.last_seen, now));
}

/// Whoever is asked first leads, but for a moment.
void add_first_candidate(const Election& election, Notes& notes) {
  if (election.candidates.front().leads) return;
  if (leader_of(election) != nullptr)
    notes.emplace_back("should be leader but another candidate is claiming the role");
  else
    notes.emplace_back("election may be in progress");
  if (election.epoch > 0) notes.emplace_back("possibly waiting for previous leader resignation");
}

void add_drift(const Candidate& candidate, Notes& notes) {
  if (!candidate.stored_at) return;
  const Millis drift = std::max(candidate.since - *candidate.stored_at, *candidate.stored_at - candidate.since);
  if (drift > tolerated_drift) notes.push_back("time drift of " + format_duration(drift) + " between it and the store");
}

}  // namespace

const Candidate* leader_of(const Election& election) {
  const auto found = std::find_if(election.candidates.begin(), election.candidates.end(),
                                  [](const Candidate& candidate) { return candidate.leads; });
  return found != election.candidates.end() ? &*found : nullptr;
}

Notes leader_notes(const Candidate& leader, WallTime now) {
  Notes notes{"is leader"};
  add_heartbeat(leader, now, notes);
  if (is_silent(leader, now)) notes.insert(notes.end(), {"possibly resigning", "election may be in progress"});
  return notes;
}

Notes candidate_notes(const Election& election, std::size_t place, WallTime now) {
  const Candidate& candidate = election.candidates[place];
  const Candidate* leader = leader_of(election);
  Notes notes;
  if (place == 0) add_first_candidate(election, notes);
  if (!candidate.readable) {
    notes.emplace_back("unparseable");
    return notes;
  }
  if (leader != nullptr && candidate.node == leader->node) {
    notes.emplace_back("this candidate id claimed leadership");
    if (is_silent(*leader, now)) notes.emplace_back("possibly resigning");
  }
  add_heartbeat(candidate, now, notes);
  if (is_silent(candidate, now)) notes.emplace_back("gone");
  notes.push_back("proposal node created " + ago(candidate.since, now));
  add_drift(candidate, notes);
  return notes;
}

std::string text_of(Capability capability) {
  if (capability == Capability::fenced) return "fenced: the store refuses what a term writes that is over";
  return "sealed: the store does not know terms; each shuts out those before it as it first writes a register";
}

std::vector<UnfitNode> unfit_nodes(const std::string& group, const std::vector<Register>& records) {
  std::map<std::string, UnfitNode> found;  // of several records of a node the newest that says so
  for (const Register& one : records) {
    const auto record = core::parse_node_record(one.value);
    if (!record) continue;
    std::string why = record->unfit;
    for (const auto& [name, reason] : record->unfit_groups)
      if (name == group && why.empty()) why = reason;
    UnfitNode& node = found[record->node];
    if (record->at < node.since || (why.empty() && record->at == node.since)) continue;
    node = {record->node, why, record->at};
  }
  std::vector<UnfitNode> unfit;
  for (const auto& [name, node] : found)
    if (!node.why.empty()) unfit.push_back(node);
  return unfit;
}

std::set<std::string> unfit_groups(const std::vector<Register>& records) {
  std::set<std::string> groups;
  for (const Register& one : records)
    if (const auto record = core::parse_node_record(one.value))
      for (const auto& [name, why] : record->unfit_groups) groups.insert(name);
  return groups;
}

}  // namespace ballot::app
