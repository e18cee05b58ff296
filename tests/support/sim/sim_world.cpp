#include "support/sim/sim_world.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"

namespace ballot {

schedule::DefinitionPtr define(Job job) {
  const std::vector<std::string> timing = schedule::with_rule(job.schedule, *job.details->days);
  const auto plan =
      schedule::Plan::of_stored({timing, job.timezone, job.not_before, job.not_after, job.group, job.name});
  BALLOT_ASSERT(plan, "the schedule parses");
  std::string digest =
      job.name + "/" + *job.group + "/" + *job.description + "/" + *job.timezone + (job.enabled ? "" : "/off");
  for (const std::string& expression : timing) digest += "/" + expression;
  for (const Millis expected :
       {job.details->expects->expect_within, job.details->expects->expect_success, job.details->expects->late_after})
    if (expected > Millis(0)) digest += "/" + std::to_string(expected.count());
  for (char& c : digest)
    if (c == ' ') c = '_';
  return std::make_shared<schedule::Definition>(schedule::Definition{std::move(job), *plan, digest});
}

schedule::DefinitionPtr define_on(const std::string& node, Job job) {
  const std::string digest = define(job)->digest.text() + "/each";
  job.run_on = RunOn::each;
  job.name = instance_name(job.name, node);
  job.group = instance_name(*job.group, node);
  const auto own = define(std::move(job));
  return std::make_shared<schedule::Definition>(schedule::Definition{own->job, own->plan, digest});
}

Job minutely(const std::string& name) {
  Job job;
  job.name = name;
  job.schedule = {"* * * * *"};
  return job;
}

SimWorld::SimWorld(std::uint64_t seed, SimStore::Settings settings)
    : loop(seed), store(loop, settings), oracle(loop, store), judge(loop, store, oracle) {
  oracle.durable = [this](const runner::AttemptId& id) {
    return std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) {
      const Row* row = node->ledger.row(id.run, id.attempt);
      return row && is_final(row->status);
    });
  };
  oracle.changed = [this](const std::string& job, const core::JobRegister& before, const core::JobRegister& next) {
    judge.changed(job, before, next);
  };
}

SimWorld::~SimWorld() = default;

SimNode& SimWorld::add(const std::string& name) {
  return add(name, *machines.emplace_back(std::make_unique<SimMachine>(loop, name)));
}

SimNode& SimWorld::add(const std::string& name, SimMachine& machine) {
  SimNode& node = *nodes.emplace_back(std::make_unique<SimNode>(*this, name, machine));
  if (machine.clock.wall_offset() != Millis(0)) judge.clock_set(name, machine.clock.wall_offset());
  return node;
}

void SimWorld::run_for(Millis span) {
  run_while_not([] { return false; }, span);
}

bool SimWorld::run_while_not(const std::function<bool()>& done, Millis limit) {
  return loop.run_while_not([&] { return watch(), done(); }, limit);
}

void SimWorld::watch() {
  oracle.watch();
  for (const auto& node : nodes) watch(*node);
  judge.watch();
}

void SimWorld::watch(SimNode& node) {
  node.watch();
  if (node.runner.gone()) judge.died(node.name);
  if (node.is_disturbed() || store.down()) judge.disturbed(node.name);
}

std::vector<const SimLedger*> SimWorld::ledgers() const {
  std::vector<const SimLedger*> all;
  for (const auto& node : nodes) all.push_back(&node->ledger);
  return all;
}

std::string SimWorld::unaccounted() const {
  if (std::string what = oracle.unaccounted(ledgers(), wall() - Millis(10'000)); !what.empty()) return what;
  for (const SimLedger* ledger : ledgers())
    if (const std::string finding = ledger->audited(); !finding.empty()) return "an audit finds: " + finding;
  return "";
}

std::vector<SimNode*> SimWorld::nodes_on(const SimMachine& machine) const {
  std::vector<SimNode*> some;
  for (const auto& node : nodes)
    if (&node->machine == &machine) some.push_back(node.get());
  return some;
}

void SimWorld::reboot(SimMachine& machine) {
  oracle.note(machine.name(), "the machine is rebooted");
  for (SimNode* node : nodes_on(machine)) node->power_cut();
  machine.reboot();
  for (SimNode* node : nodes_on(machine)) node->hold();
}

void SimWorld::suspend(SimMachine& machine) {
  if (machine.suspended) return;
  oracle.note(machine.name(), "the machine is suspended");
  machine.suspended = loop.now();
  for (SimNode* node : nodes_on(machine)) node->hold();
}

void SimWorld::resume(SimMachine& machine) {
  if (!machine.suspended) return;
  oracle.note(machine.name(), "the machine goes on");
  const SteadyTime since = *std::exchange(machine.suspended, std::nullopt);
  for (SimNode* node : nodes_on(machine)) node->go_on(since);
}

void SimWorld::step_clock(SimMachine& machine, Millis by) {
  oracle.note(machine.name(), "the clock is stepped by " + std::to_string(by.count()) + " ms");
  machine.clock.step_wall(by);
  for (SimNode* node : nodes_on(machine)) judge.clock_set(node->name, machine.clock.wall_offset());
  for (SimNode* node : nodes_on(machine)) node->feed(core::Tick{});
}

std::size_t SimWorld::starts_of(const std::string& job) const {
  return static_cast<std::size_t>(
      std::count_if(starts.begin(), starts.end(), [&](const Start& s) { return s.job == job; }));
}

std::string SimWorld::unaccounted(const schedule::Definition& job, WallTime after, WallTime until) const {
  const std::vector<WallTime> anchors(job.plan.everies().size(), after);
  testing::SlotAccounts accounts;
  const testing::Slots due = testing::slots_between(job.plan, anchors, after + Millis(1), until);
  accounts.due(due);
  const testing::MergedLedger ledger = ballot::merged(ledgers());
  for (const testing::Entry* entry : ledger.entries()) {
    const Row& row = entry->row;
    const WallTime last = row.slot_until.value_or(row.slot);
    if (row.job != job.job.name || !testing::is_scheduled(row.trigger)) continue;
    const testing::Slots slots = accounts.due_between(row.slot, last);
    const bool whole = row.slot > after && last <= until, claimed = !row.run || row.fence > 0;
    if (const std::string wrong = testing::miscounted(row, slots); whole && claimed && !wrong.empty())
      return "the row at " + format_slot(row.slot) + " " + wrong + ": " + entry->text();
    accounts.add(*entry, slots);
  }
  for (const testing::Discrepancy& one : accounts.discrepancies())
    return "slot " + one.text() + "\n" + story(job.job.name, one.slot);
  for (const WallTime slot : due)
    if (accounts.fate(slot) == testing::Fate::unclaimed_run)
      return "slot " + format_slot(slot) + " has a run that nobody claimed\n" + story(job.job.name, slot);
  return "";
}

std::string SimWorld::broken_promises() const {
  if (!oracle.finding().empty()) return oracle.finding();
  const std::string overlap = oracle.overlapping();
  if (!overlap.empty()) return overlap;
  const std::string over = oracle.over_limits();
  return over.empty() ? oracle.overlapping_catch_ups() : over;
}

}  // namespace ballot
