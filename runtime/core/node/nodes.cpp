#include "core/node/nodes.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ballot::core {
namespace {

constexpr Millis drift_pause{60'000};  // between comparisons: whoever drifts may have gone

bool waits_for_runs(const CoreParts& parts) {
  return parts.shutdown.phase() == Shutdown::Phase::draining && !parts.shutdown.leaves() && !parts.jobs.open().empty();
}

}  // namespace

// ---- what this node publishes

/// A stop that waits for runs may take long: the others are to know why this node does nothing more.
bool Nodes::may_publish(const CoreParts& parts) {
  return parts.session.is_open() && parts.listing.may_campaign() &&
         (!parts.shutdown.is_asked() || waits_for_runs(parts));
}

void Nodes::publish() {
  if (p_.refused.is_to_be_tried(c_.now.steady)) p_.directory.publish_again();
  if (!may_publish(p_) ||
      !p_.directory.begin_publishing(c_.now.steady, waits_for_runs(p_) ? "it is stopping" : p_.health.unfit()))
    return;
  NodeDirectory::Groups groups;
  for (const auto& [name, group] : p_.groups.all()) {
    if (group.content() != 0) groups.digests.emplace_back(name, group.content());
    if (!group.machine.unfit().empty()) groups.unfit.emplace_back(name, group.machine.unfit());
    const std::string& evidence = group.machine.evidence(p_.guard);
    if (evidence.empty() || !group.is_wanted()) continue;
    groups.gone_back.emplace_back(name, group.machine.known_repair());
    if (groups.evidence.empty()) groups.evidence = evidence;
  }
  auto record = p_.directory.node_record(c_.now.wall, std::move(groups), c_.random);
  record.records.empty() ? on_published(record) : p_.store.create(c_.out, true, std::move(record));
}

void Nodes::on_published(const StoreClient::RecordOp& op) {
  if (auto removal = p_.directory.on_published(op))
    return p_.store.create(c_.out, c_.session.is_open(), std::move(*removal));
  p_.feeds.nodes.on_changed();  // what an earlier session has published is not needed any more
}

void Nodes::withdraw() {
  if (auto names = p_.directory.records(); !names.empty()) p_.store.remove(c_.out, std::move(names));
}

void Nodes::forget() {
  p_.directory.on_lost();
  p_.planner.clear();
  for (auto& [name, group] : p_.groups.all()) group.drift.clear();
}

// ---- what the others publish

void Nodes::on_records(const std::vector<Register>& records) {
  auto old = p_.directory.learn(c_.now, records);
  p_.directory.want_runners_only([this](const std::string& node) { return has_foreign(node); });
  p_.planner.go_on(c_.now.steady);
  groups_.heed_evidence();
  if (old.empty()) return;
  StoreClient::RecordOp removal;
  removal.removals = std::move(old);
  p_.store.create(c_.out, c_.session.is_open(), std::move(removal));
}

/// A run of a dead term may go on there.
bool Nodes::has_foreign(const std::string& node) const {
  const auto jobs = p_.jobs.open();
  return std::any_of(jobs.begin(), jobs.end(), [&](const JobEntry* job) { return job->machine.has_foreign(node); });
}

void Nodes::ask_runners() {
  auto nodes = std::exchange(c_.wants.silent_nodes, {});
  for (auto& [node, place] : p_.directory.runners_of(std::move(nodes), p_.settings.machine_id, p_.settings.boot_id))
    c_.out.push_back(AskRunner{node, place.socket});
  if (p_.directory.wants_runners()) p_.feeds.nodes.hurry();
}

void Nodes::compare_files() {
  p_.directory.begin_compare();
  p_.planner.scan_now(c_.now.steady);
  GroupEntry* unsure = nullptr;
  for (auto& [name, group] : p_.groups.all()) {
    if (group.content() == 0) continue;
    auto differing = p_.directory.peers().differing(group.settings, group.content());
    if (const auto from = p_.directory.peers().unsure_from(group.settings, group.content())) {
      if (!unsure && *from <= c_.now.steady) unsure = &group;
      p_.directory.compare_by(std::max(*from, c_.now.steady + drift_pause));
    }
    if (differing == group.drift) continue;
    std::string nodes;
    for (const std::string& node : differing) nodes += (nodes.empty() ? "" : ", ") + node;
    if (!differing.empty())
      c_.out.push_back(
          Notice{Level::warn,
                 "drift: the job files of " + nodes + " say otherwise of this group, so it is not handed to them",
                 {{"group", name}}});
    else
      c_.out.push_back(Notice{Level::info, "no drift any more", {{"group", name}}});
    group.drift = std::move(differing);
  }
  if (unsure) p_.store.observe(c_.out, *unsure, unsure->name());
}

// ---- who should lead

void Nodes::plan_handovers() {
  p_.planner.begin_scan();
  if (p_.shutdown.is_asked() || p_.directory.peers().empty()) return;
  for (GroupEntry* group : p_.groups.led())
    if (group->machine.leads())
      p_.planner.consider(*group, best_leader(*group), c_.now.steady, p_.directory.steady_since());
  p_.planner.end_scan(c_.now.steady);
}

Peers::Best Nodes::best_leader(const GroupEntry& group) const {
  return p_.directory.best(c_.now.steady, group.settings, group.content(), p_.settings.spread);
}

/// Records that the other nodes have published meanwhile are listed first: their files may differ now, or the nodes may
/// not be fit any more.
void Nodes::begin_handover() {
  p_.planner.begin_move();
  if (!p_.feeds.nodes.is_current()) return p_.feeds.nodes.hurry();
  while (GroupEntry* const group = p_.planner.next()) {
    GroupContext g = groups_.context(*group);
    if (!group->machine.may_hand_over(g)) continue;
    if (!group->machine.is_quiet(g)) {
      p_.planner.on_busy(c_.now.steady);
      continue;
    }
    const auto best = best_leader(*group);
    if (best.session.empty()) continue;
    group->machine.begin_handover(g, best.session);
    return p_.planner.on_moved(c_.now.steady);
  }
}

/// Of the node that was to be handed the group when it was observed.
bool Nodes::is_still_better(const GroupEntry& group) const {
  return p_.feeds.nodes.is_current() && best_leader(group).session == group.machine.next_leader();
}

void Nodes::on(const backend::Observed& event) {
  GroupEntry* const group = p_.store.on_observed(event.request);
  if (!group) return;
  std::optional<Election> election;
  if (event.outcome == StoreResult::done) {
    election = Election{group->name(), 0, {}};
    for (const Election& one : event.elections)
      if (one.group == group->name()) election = one;
    // Others may stay out as this node does, until the group is led again: they are not gone.
    if (group->machine.cools())
      p_.directory.hear(c_.now, *election);
    else
      p_.directory.see(c_.now, group->settings, *election);
  }
  if (!group->machine.next_leader().empty() && !is_still_better(*group)) group->machine.call_off_handover();
  bool is_alone = false;
  groups_.act(*group, [&](GroupMachine& machine, GroupContext& g) { is_alone = machine.on_observed(g, election); });
  if (is_alone) takeover_.settle_before(*group, group->machine.take_registers());
}

}  // namespace ballot::core
