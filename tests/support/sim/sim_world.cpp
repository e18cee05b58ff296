#include "support/sim/sim_world.hpp"

#include <algorithm>
#include <set>

#include "base/assert.hpp"
#include "base/wall_text.hpp"

namespace ballot {

schedule::DefinitionPtr define(Job job) {
  auto made = schedule::Plan::make({job.schedule, job.timezone, job.not_before, job.not_after, job.group, job.name});
  BALLOT_ASSERT(std::holds_alternative<schedule::Plan>(made), "the schedule parses");
  std::string digest =
      job.name + "/" + job.group + "/" + job.description + "/" + job.timezone + (job.enabled ? "" : "/off");
  for (const std::string& expression : job.schedule) digest += "/" + expression;
  for (char& c : digest)
    if (c == ' ') c = '_';
  return std::make_shared<schedule::Definition>(
      schedule::Definition{std::move(job), std::get<schedule::Plan>(made), digest});
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
  oracle.note(machine.name(), "the machine stands still");
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

std::vector<Row> SimWorld::merged() const {
  std::map<std::tuple<RunId, int>, Row> runs;
  std::map<std::tuple<std::string, WallTime>, Row> slots;
  for (const auto& node : nodes)
    for (const Row& row : node->rows()) {
      const bool guess = row.reason == Reason::halted;  // yields to whoever knows better
      if (!row.run) {
        const auto [it, fresh] = slots.try_emplace({row.job, row.slot}, row);
        if (!fresh && !guess && it->second.reason == Reason::halted) it->second = row;
      } else {
        const auto [it, fresh] = runs.try_emplace({*row.run, row.attempt}, row);
        if (!fresh && row.node == node->name && is_final(row.status) && !guess) it->second = row;
        if (!fresh && !is_final(it->second.status)) it->second = row;
      }
    }
  for (const auto& [key, row] : runs) {
    const auto it = slots.find({row.job, row.slot});
    if (it != slots.end() && it->second.reason == Reason::halted && it->second.slots == 1) slots.erase(it);
  }
  std::vector<Row> all;
  for (const auto& [key, row] : runs) all.push_back(row);
  for (const auto& [key, row] : slots) all.push_back(row);
  return all;
}

std::string SimWorld::unaccounted(const schedule::Definition& job, WallTime after, WallTime until) const {
  std::map<WallTime, int> wanted;
  const auto& everies = job.plan.everies();
  const std::vector<WallTime> anchors(everies.size(), after);
  for (auto slot = job.plan.next(after, anchors); slot && slot->at <= until; slot = job.plan.next(slot->at, anchors))
    wanted[slot->at] = 0;
  std::set<RunId> counted;              // its further attempts are the same disposition
  std::map<WallTime, const Row*> told;  // so is what another node says just so
  std::vector<Row> rows = merged();
  const auto halted = std::stable_partition(rows.begin(), rows.end(),
                                            [](const Row& row) { return row.run || row.reason != Reason::halted; });
  for (auto at = rows.begin(); at != rows.end(); ++at) {
    const Row& row = *at;
    if (row.run && row.fence == 0) continue;  // unclaimed: a further attempt at a slot that is claimed, or settled
    if (row.run && !counted.insert(*row.run).second) continue;
    if (row.job != job.job.name || row.trigger == Trigger::manual || row.trigger == Trigger::rerun ||
        row.trigger == Trigger::reboot)
      continue;
    std::int64_t covered = 0;
    for (auto it = wanted.lower_bound(row.slot); it != wanted.end() && it->first <= row.slot_until.value_or(row.slot);
         ++it, ++covered) {
      if (at >= halted && it->second > 0) continue;  // it yields to whoever knows better
      const Row*& other = told[it->first];
      const bool same = !row.run && other && other->node != row.node && other->reason == row.reason;
      if (!row.run) other = &row;
      if (!same) ++it->second;
    }
    if (row.slot > after && row.slot_until.value_or(row.slot) <= until && covered != row.slots)
      return "a row at " + format_slot(row.slot) + " stands for " + std::to_string(row.slots) +
             " slots, the schedule has " + std::to_string(covered);
  }
  for (const auto& [slot, count] : wanted)
    if (count != 1)
      return "slot " + format_slot(slot) + " has " + std::to_string(count) + " dispositions\n" +
             story(job.job.name, slot);
  return "";
}

std::string SimWorld::broken_promises() const {
  if (!oracle.finding().empty()) return oracle.finding();
  const std::string overlap = oracle.overlapping();
  return overlap.empty() ? oracle.crowded() : overlap;
}

}  // namespace ballot
