#include "support/sim_world.hpp"

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

SimNode::SimNode(SimWorld& world, std::string n)
    : name(std::move(n)), clock(world.loop, Millis(3'600'000)), world_(world), machine_(world.loop.new_owner()) {}

SimNode::~SimNode() {
  world_.loop.drop(daemon_);
  world_.loop.drop(machine_);
}

std::vector<Row> SimNode::rows() const {
  std::vector<Row> all;
  for (const auto& [key, row] : runs_) all.push_back(row);
  for (const auto& [key, row] : slots_) all.push_back(row);
  return all;
}

std::vector<TermRow> SimNode::terms() const {
  std::vector<TermRow> all;
  for (const auto& [key, term] : terms_) all.push_back(term);
  return all;
}

const Row* SimNode::row(const std::string& job, WallTime slot) const {
  for (const auto& [key, row] : runs_)
    if (row.job == job && row.slot == slot) return &row;
  for (const auto& [key, row] : slots_)
    if (row.job == job && row.slot <= slot && slot <= row.slot_until.value_or(row.slot)) return &row;
  return nullptr;
}

void SimNode::start() {
  BALLOT_ASSERT(!core_, "the daemon does not run yet");
  daemon_ = world_.loop.new_owner();
  stopping_ = stopped_ = false;
  const std::string boot = name + "-boot-" + std::to_string(boots_);
  const Now now = clock.now();
  core_ = std::make_unique<core::Core>(
      core::CoreSettings{name, boot, now.wall - now.steady.time_since_epoch(), dry_run, world_.loop.random().next()});
  backend_ = std::make_unique<SimBackend>(world_.store, world_.loop, link, clock, static_cast<Host&>(*this));
  feed(inventory());
  load();
}

core::Inventory SimNode::inventory() const {
  core::Inventory inventory;
  for (const Child& child : children_) inventory.running.push_back({child.id, child.job, 1, child.started_at});
  inventory.ended = unacknowledged_;
  return inventory;
}

void SimNode::crash() {
  world_.loop.drop(daemon_);
  if (backend_) backend_->crash();
  core_.reset();
  backend_.reset();
  queue_.clear();
  timer_ = 0;
}

void SimNode::reboot() {
  crash();
  world_.loop.drop(machine_);
  for (const Child& child : children_) world_.starts[child.start].ended = world_.loop.now();
  children_.clear();
  unacknowledged_.clear();
  deadlines_.clear();
  ++boots_;
  clock.reboot();
}

void SimNode::stop(Millis wait, bool leave) {
  stopping_ = true;
  feed(core::Stop{wait, leave});
}

void SimNode::load() { feed(core::Load{jobs, {}}); }

void SimNode::step_clock(Millis by) {
  clock.step_wall(by);
  if (core_) feed(core::Tick{});
}

RunId SimNode::trigger(const std::string& job) {
  const RunId run = world_.loop.random().run_id(clock.now().wall);
  ask(core::Request::Kind::trigger, job, run);
  return run;
}

void SimNode::pause(const std::string& job, bool paused) {
  ask(paused ? core::Request::Kind::pause : core::Request::Kind::resume, job, {});
}

RunId SimNode::ask(core::Request::Kind kind, const std::string& job, std::optional<RunId> id) {
  core::Request request;
  request.kind = kind;
  request.id = id ? *id : world_.loop.random().run_id(clock.now().wall);
  request.job = job;
  return ask(std::move(request));
}

RunId SimNode::ask(core::Request request, const std::string& run_suffix) {
  if (request.id == RunId{}) request.id = world_.loop.random().run_id(clock.now().wall);
  const RunId id = request.id;
  feed(core::Ask{++last_asker_, std::move(request), run_suffix});
  return id;
}

bool SimNode::leads(const std::string& group) const {
  if (!core_) return false;
  for (const core::GroupView& view : core_->groups())
    if (view.name == group) return view.state == "leading";
  return false;
}

void SimNode::post(BackendEvent event) noexcept { feed(event); }

/// Steps the core with each event in order, and performs what it wants; events that this brings about come after.
void SimNode::feed(const core::Event& event) {
  if (!core_ || stopped_) return;
  queue_.push_back(event);
  if (stepping_) return;
  stepping_ = true;
  while (!queue_.empty() && core_) {
    const core::Event next = std::move(queue_.front());
    queue_.pop_front();
    for (core::Action& action : core_->step(clock.now(), next)) perform(std::move(action));
  }
  stepping_ = false;
  if (core_ && !stopped_) rearm();
}

void SimNode::rearm() {
  const core::Wake wake = core_->wake();
  const Now now = clock.now();
  std::optional<Millis> delay;
  if (wake.wall) delay = *wake.wall - now.wall;
  if (wake.steady) delay = std::min(delay.value_or(*wake.steady - now.steady), *wake.steady - now.steady);
  world_.loop.cancel(timer_);
  if (delay) timer_ = world_.loop.after(std::max(*delay, Millis(0)), daemon_, [this] { feed(core::Tick{}); });
}

void SimNode::perform(core::Action action) {
  std::visit([this](auto& what) { act(what); }, action);
}

void SimNode::act(core::OpenSession& a) {
  const std::string boot = name + "-boot-" + std::to_string(boots_);
  backend_->open({a.generation, name, boot, name + "-machine", name, 1, "test", name + "-control", Millis(0)});
}
void SimNode::act(core::CloseSession& a) { backend_->close(a.keep); }
void SimNode::act(core::Renew& a) { backend_->renew(a.request); }
void SimNode::act(core::Campaign& a) { backend_->campaign(a.group); }
void SimNode::act(core::Resign& a) { backend_->resign(a.group); }
void SimNode::act(core::Write& a) { backend_->write(a.request, std::move(a.batch)); }
void SimNode::act(core::Read& a) { backend_->read(a.request, std::move(a.names)); }
void SimNode::act(core::List& a) { backend_->list(a.request, a.prefix); }
void SimNode::act(core::Create& a) { backend_->create(a.request, std::move(a.records)); }
void SimNode::act(core::Remove& a) { backend_->remove(a.request, std::move(a.names)); }
void SimNode::act(core::Watch& a) { backend_->watch(a.prefix); }
void SimNode::act(core::Observe& a) { backend_->observe(a.request, a.group); }
void SimNode::act(core::RunEnded& a) { ends.push_back(a); }
void SimNode::act(core::Launch& a) { launch(a); }
void SimNode::act(core::RecordTerm& a) { terms_[{a.term.group, a.term.epoch}] = a.term; }
void SimNode::act(core::RecordOutput&) {}
void SimNode::act(core::Reply& a) { replies.push_back(a); }
void SimNode::act(core::Notice& a) { notices.push_back(a); }
void SimNode::act(core::Stopped&) { stopped_ = true; }

void SimNode::act(core::TermDeadline& a) {
  const std::uint64_t term = core::term_key(a.group, a.epoch);
  deadlines_[term] = std::max(deadlines_[term], a.at);
  kill_past_deadline(term);
}

void SimNode::act(core::KillRun& a) {
  world_.loop.after(Millis(50), machine_, [this, id = a.id, reason = a.reason] { finish(id, std::nullopt, reason); });
}

void SimNode::act(core::AwaitRecorded& a) {
  world_.loop.after(Millis(5), daemon_, [this, id = a.id] { feed(core::Recorded{{id}}); });
}

void SimNode::act(core::Forget& a) {
  std::erase_if(unacknowledged_, [&](const runner::Ended& ended) { return ended.id == a.id; });
}

void SimNode::act(core::RecordRow& a) {
  if (!a.if_absent || !row(a.row.job, a.row.slot)) record(std::move(a.row));
}

void SimNode::record(Row row) {
  if (row.run) {
    Row& known = runs_[{*row.run, row.attempt}];
    if (row.status == Status::lost && known.run && is_final(known.status)) return;
    known = std::move(row);
  } else {
    slots_[{row.job, row.slot}] = std::move(row);
  }
}

void SimNode::launch(const core::Launch& launch) {
  const Now now = clock.now();
  const std::uint64_t term = core::term_key(launch.definition->job.group, launch.epoch);
  if (now.steady > launch.launch_not_after || now.steady >= deadlines_[term]) {
    const runner::Refused refused{launch.id};
    world_.loop.after(Millis(1), daemon_, [this, refused] { feed(refused); });
    return;
  }
  world_.starts.push_back({launch.definition->job.name,
                           name,
                           launch.slot,
                           launch.id.attempt,
                           launch.id.run,
                           launch.fence,
                           launch.epoch,
                           world_.loop.now(),
                           {}});
  const auto takes_it = takes.find(launch.definition->job.name);
  const Millis duration = takes_it == takes.end() ? Millis(1000) : takes_it->second;
  const auto exits_it = exits.find(launch.definition->job.name);
  const int code = exits_it == exits.end() ? 0 : exits_it->second;
  const runner::AttemptId id = launch.id;
  Child child{id, launch.definition->job.name, now.wall, world_.starts.size() - 1, term, launch.terminate, 0};
  child.ends = world_.loop.after(duration, machine_, [this, id, code] { finish(id, code, Reason::none); });
  children_.push_back(child);
  const runner::Started started{id, 1, now.wall};
  world_.loop.after(Millis(1), daemon_, [this, started] { feed(started); });
}

void SimNode::finish(const runner::AttemptId& id, std::optional<int> code, Reason reason) {
  const auto it = std::find_if(children_.begin(), children_.end(), [&](const Child& child) { return child.id == id; });
  if (it == children_.end()) return;
  world_.loop.cancel(it->ends);
  Start& start = world_.starts[it->start];
  start.ended = world_.loop.now();
  runner::Ended ended;
  ended.id = id;
  ended.exit_code = code;
  if (!code) ended.signal = 15;
  ended.reason = reason;
  ended.started_at = it->started_at;
  ended.ended_at = clock.now().wall;
  ended.duration = world_.loop.now() - start.at;
  children_.erase(it);
  unacknowledged_.push_back(ended);
  feed(ended);
}

/// What the runner does without the daemon: at a term's deadline its runs are ended.
void SimNode::kill_past_deadline(std::uint64_t term) {
  const Millis left = deadlines_[term] - clock.now().steady - Millis(200);
  world_.loop.after(std::max(left, Millis(0)), machine_, [this, term] {
    if (clock.now().steady < deadlines_[term] - Millis(200)) return;
    std::vector<runner::AttemptId> over;
    for (const Child& child : children_)
      if (child.term == term && child.terminate) over.push_back(child.id);
    for (const auto& id : over) finish(id, std::nullopt, Reason::leadership_lost);
  });
}

SimWorld::SimWorld(std::uint64_t seed, SimStore::Settings settings) : loop(seed), store(loop, settings) {}
SimWorld::~SimWorld() = default;

SimNode& SimWorld::add(const std::string& name) { return *nodes.emplace_back(std::make_unique<SimNode>(*this, name)); }

std::size_t SimWorld::starts_of(const std::string& job) const {
  return static_cast<std::size_t>(
      std::count_if(starts.begin(), starts.end(), [&](const Start& s) { return s.job == job; }));
}

std::vector<Row> SimWorld::merged() const {
  std::map<std::tuple<RunId, int>, Row> runs;
  std::map<std::tuple<std::string, WallTime>, Row> slots;
  for (const auto& node : nodes)
    for (const Row& row : node->rows()) {
      if (!row.run)
        slots.try_emplace({row.job, row.slot}, row);
      else {
        const auto [it, fresh] = runs.try_emplace({*row.run, row.attempt}, row);
        if (!fresh && row.node == node->name && is_final(row.status)) it->second = row;
        if (!fresh && !is_final(it->second.status)) it->second = row;
      }
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
  for (const Row& row : merged()) {
    if (row.job != job.job.name || row.trigger == Trigger::manual || row.trigger == Trigger::reboot) continue;
    std::int64_t covered = 0;
    for (auto it = wanted.lower_bound(row.slot); it != wanted.end() && it->first <= row.slot_until.value_or(row.slot);
         ++it)
      ++it->second, ++covered;
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

/// What the nodes' ledgers hold of a job around a slot.
std::string SimWorld::story(const std::string& job, WallTime slot) const {
  std::string text;
  for (const auto& node : nodes)
    for (const Row& row : node->rows()) {
      if (row.job != job || row.slot > slot + Millis(300'000) ||
          row.slot_until.value_or(row.slot) < slot - Millis(300'000))
        continue;
      text += node->name + ": " + format_slot(row.slot) + " x" + std::to_string(row.slots) + " " +
              std::string(to_string(row.status)) + " " + std::string(to_string(row.reason)) + " epoch " +
              std::to_string(row.epoch) + (row.run ? " run " + row.run->text() : "") + "\n";
    }
  return text;
}

std::string SimWorld::broken_promises() const {
  std::set<std::tuple<std::string, WallTime, int>> seen;
  std::map<std::string, std::uint64_t> fences;
  for (const Start& start : starts) {
    if (!seen.insert({start.job, start.slot, start.attempt}).second)
      return start.job + " was started twice for " + format_slot(start.slot);
    std::uint64_t& fence = fences[start.job];
    if (start.fence <= fence) return start.job + ": a fence did not grow";
    fence = start.fence;
  }
  return "";
}

}  // namespace ballot
