#include "core/group/groups.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/instance.hpp"

namespace ballot::core {

GroupContext Groups::context(GroupEntry& group) {
  return {c_,
          group,
          jobs_,
          p_.store,
          p_.guard,
          p_.listing.may_campaign(),
          p_.feeds.nodes.has_been_listed(),
          p_.health.may_lead(),
          p_.shutdown.is_asked(),
          p_.shutdown.leaves()};
}

void Groups::keep(GroupEntry& group, const GroupContext& g, bool was_led) {
  p_.groups.keep(group);
  g.is_dirty ? p_.groups.mark_dirty(group) : p_.groups.rearm(group, c_.session.is_open(), c_.now.wall);
  if (!was_led || group.machine.is_led()) return;
  p_.shutdown.ready(group);
  p_.desk.on_term_ended(group.name());
}

void Groups::advance(GroupEntry& group) {
  act(group, [&](GroupMachine& machine, GroupContext& g) {
    machine.advance(g);
    if (g.leaves_terms && machine.leads() && machine.is_at_rest(g)) p_.shutdown.ready(group);
  });
  p_.groups.rearm(group, c_.session.is_open(), c_.now.wall);
}

void Groups::advance_due() {
  while (GroupEntry* const group = p_.groups.due(c_.now)) {
    advance(*group);
    if (group->wake && *group->wake <= c_.now.steady) break;  // it waits for what this step sends
  }
}

void Groups::campaign() {
  for (auto& [name, group] : p_.groups.all())
    act(group, [](GroupMachine& machine, GroupContext& g) { machine.enter_or_leave(g); });
}

void Groups::end_terms(Cause cause) {
  for (auto& [name, group] : p_.groups.all())
    act(group, [&](GroupMachine& machine, GroupContext& g) { machine.end_term(g, cause); });
}

void Groups::forget_unfit() {
  p_.health.forget_unfit();
  for (auto& [name, group] : p_.groups.all()) group.machine.forget_unfit();
}

void Groups::halt(GroupEntry& group, const std::string& why) {
  act(group, [&](GroupMachine& machine, GroupContext& g) { machine.halt(g, why); });
}

void Groups::define(const std::vector<Group>& groups) {
  std::set<std::string_view> named;
  for (const Group& settings : groups) {
    named.insert(settings.name);
    GroupEntry& group = entry(settings.name);
    if (!group.configured || !(group.settings == settings)) p_.directory.on_changed();
    group.settings = settings;
    group.configured = true;
    group.machine.limit(settings.max_running > 0);
    p_.limits.review(group);
    p_.groups.mark_dirty(group);
  }
  for (auto& [name, group] : p_.groups.all())
    if (group.configured && !named.contains(name)) {
      group.configured = false;
      group.settings = {};
      group.settings.name = name;
      group.machine.limit(false);
      p_.limits.review(group);
      p_.directory.on_changed();
      p_.groups.mark_dirty(group);
    }
}

void Groups::count_definition(const schedule::DefinitionPtr& definition, int by) {
  if (!definition) return;
  const std::string& group = definition->job.group;
  count_definition(entry(group), definition->job.name, *definition, by);
  if (!is_instance(group)) return;
  // Of its own group no other node's files say anything.
  GroupEntry& common = entry(std::string(common_name(group)));
  count_definition(common, common_name(definition->job.name), *definition, by);
  p_.groups.mark_dirty(common);
}

void Groups::count_definition(GroupEntry& group, std::string_view job, const schedule::Definition& definition, int by) {
  group.digest ^= job_digest(job, definition.digest.text());
  group.defined += by;
  p_.directory.on_changed();
}

void Groups::on_health(NodeHealth::Change change) {
  c_.runner = p_.health.has_runner();
  for (Notice& notice : change.notices) c_.out.push_back(std::move(notice));
  if (!change.of_eligibility) return;
  p_.groups.mark_all_dirty();
  for (auto& [name, group] : p_.groups.all())
    act(group, [](GroupMachine& machine, GroupContext& g) { machine.advance_eligibility(g); });
}

/// Others see it in what this node publishes, and do not take it for gone.
void Groups::on_unfit(const backend::Unfit& event) {
  if (event.group.empty()) return on_health(p_.health.on_unfit(event.why));
  act(entry(event.group), [&](GroupMachine& machine, GroupContext& g) { machine.on_unfit(g, event.why); });
  p_.directory.on_changed();
}

// ---- a store that has gone back

void Groups::halt_all(const std::string& why) {
  for (GroupEntry* group : std::vector(p_.groups.led().begin(), p_.groups.led().end()))
    if (group->machine.leads() && group->machine.term().halted.empty()) halt(*group, why);
}

void Groups::on_renewed() {
  for (GroupEntry* group : p_.groups.led())
    if (group->machine.waits_for_renewal()) p_.groups.mark_dirty(*group);
}

void Groups::on_gone_back() {
  c_.out.push_back(Notice{Level::error, p_.guard.how(), {}});
  halt_all(p_.guard.how());
  p_.guard.begin_lists(c_.now.steady);
  p_.directory.on_changed();
  for (const auto& [name, group] : p_.groups.all()) c_.wants.known.push_back(group.machine.known());
}

void Groups::on_older_job(GroupEntry& group, const std::string& why) {
  if (!group.machine.evidence(p_.guard).empty()) return;
  act(group, [&](GroupMachine& machine, GroupContext&) { machine.on_older_job(why); });
  c_.out.push_back(Notice{Level::error, why, {{"group", group.name()}}});
  p_.guard.begin_lists(c_.now.steady);
}

void Groups::heed_evidence(GroupEntry& group) {
  const Term& term = group.machine.term();
  if (!group.machine.leads() || !term.halted.empty()) return;
  const std::uint64_t repair = std::max(term.repair, group.machine.known_register().repair);
  if (const std::string why = p_.directory.peers().evidence(group.name(), repair); !why.empty()) halt(group, why);
}

void Groups::heed_evidence() {
  if (!p_.directory.peers().have_evidence()) return;
  for (GroupEntry* group : std::vector(p_.groups.led().begin(), p_.groups.led().end())) heed_evidence(*group);
}

void Groups::on_nodes_listed() {
  for (auto& [name, group] : p_.groups.all())
    act(group, [](GroupMachine& machine, GroupContext& g) { machine.on_nodes_listed(g); });
}

void Groups::list_repairs() {
  p_.guard.end_lists();
  const bool wanted = p_.guard.take_wanted_list();
  const bool any = std::any_of(p_.groups.all().begin(), p_.groups.all().end(), [&](const auto& one) {
    return one.second.is_wanted() && !one.second.machine.knows_of(p_.guard);
  });
  if (!any && !wanted) return;
  p_.store.list(c_.out, {.what = StoreClient::Reading::For::repairs}, group_register(""));
  p_.guard.next_list(c_.now.steady);
}

void Groups::on_repairs(const std::vector<Register>& registers) {
  for (const Register& r : registers) {
    GroupEntry* const found = p_.groups.find(r.name.substr(group_register("").size()));
    const auto parsed = parse_group_register(r.value);
    if (!found || !parsed || found->machine.writes_register()) continue;
    const KnownRow before = found->machine.known();
    act(*found, [&](GroupMachine& machine, GroupContext&) {
      machine.learn_repair(p_.guard, {parsed->repair, r.version, parsed->epoch});
    });
    if (KnownRow now = found->machine.known(); now != before) c_.wants.known.push_back(std::move(now));
  }
}

}  // namespace ballot::core
