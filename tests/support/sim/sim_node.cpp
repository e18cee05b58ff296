#include "support/sim/sim_node.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/wall_text.hpp"
#include "core/session/session.hpp"
#include "support/sim/sim_world.hpp"

namespace ballot {
namespace {

constexpr Millis stop_bound{10'000};  // past the wait and the longest kill_grace
constexpr Millis stop_slack{1000};
constexpr int most_spins = 1000;

}  // namespace

SimNode::SimNode(SimWorld& world, std::string n, SimMachine& m)
    : name(std::move(n)),
      machine(m),
      clock(m.clock),
      runner(world.loop, m, world.oracle, name),
      ledger(world.loop, name),
      takes(runner.habits.takes),
      exits(runner.habits.exits),
      world_(world),
      resign_(world, *this) {}

SimNode::~SimNode() { world_.loop.drop(daemon_); }

void SimNode::start() {
  BALLOT_ASSERT(!core_, "the daemon does not run yet");
  resign_.cut_short();
  world_.oracle.note(name, "the daemon starts");
  daemon_ = world_.loop.new_owner();
  stopped_ = false;
  const Now now = clock.now();
  core_ = std::make_unique<core::Core>(core::CoreSettings{
      name, machine.boot_id(), machine.name(), "/run/" + name, now.wall - now.steady.time_since_epoch(), dry_run,
      world_.loop.random().next(), most_writes, max_running, spread, store_place});
  world_.oracle.node_limits[name] = max_running;
  backend_ = std::make_unique<SimBackend>(world_.store, world_.loop, link, clock, static_cast<Host&>(*this));
  runner.connect([this](const core::Event& event) { feed(event); });
  feed(runner.inventory());
  load();
}

void SimNode::crash() {
  if (core_) world_.oracle.note(name, "the daemon is gone");
  world_.judge.died(name);
  world_.loop.drop(daemon_);
  runner.disconnect();
  ledger.crash();
  if (backend_) backend_->crash();
  core_.reset();
  backend_.reset();
  queue_.clear();
  posted_.clear();
  unanswered_.clear();
  written_.clear();
  settled_.clear();
  stop_due_.reset();
  draining_ = false;
  frozen_ = false;
  set_frozen();
  timer_ = 0;
}

void SimNode::resign_after(Millis delay) { resign_.begin(delay); }

void SimNode::power_cut() {
  crash();
  resign_.cut_short();
  runner.power_cut();
}

void SimNode::reboot() { world_.reboot(machine); }

void SimNode::set_frozen() {
  link.frozen = ledger.frozen = stands_still();
  if (stands_still() && !stands_since_) stands_since_ = world_.loop.now();
  if (stands_still() || !stands_since_) return;
  if (stop_due_) *stop_due_ += world_.loop.now() - *stands_since_;
  stands_since_.reset();
}

void SimNode::freeze() {
  world_.oracle.note(name, "the daemon is stopped");
  if (!frozen_) frozen_since_ = world_.loop.now();
  frozen_ = true;
  set_frozen();
}

void SimNode::thaw() {
  if (!frozen_) return;
  world_.oracle.note(name, "the daemon goes on");
  frozen_ = false;
  world_.oracle.stood_still(name, frozen_since_);
  set_frozen();
  feed(core::Tick{});
}

void SimNode::hold() { set_frozen(); }

void SimNode::go_on(SteadyTime since) {
  set_frozen();
  runner.resume(since);
  feed(core::Tick{});
}

void SimNode::stop(Millis wait, bool leave) {
  world_.oracle.note(name, std::string("asked to stop, ") + (leave ? "leave" : "wait ") + std::to_string(wait.count()));
  Millis grace{0};
  for (const auto& job : jobs) grace = std::max(grace, job->job.kill_grace);
  if (!stop_due_) stop_due_ = world_.loop.now() + wait + grace + stop_bound + stop_slack;
  world_.judge.asked_to_stop(name);
  feed(core::Stop{wait, leave});
}

void SimNode::load() {
  std::vector<Row> rows = ledger.rows();
  std::erase_if(rows, [this](const Row& row) { return !core::is_prior_row(row, name); });
  world_.judge.loaded(name, jobs, dry_run);
  feed(core::Load{jobs, groups, std::move(rows), ledger.known()});
}

void SimNode::step_clock(Millis by) { world_.step_clock(machine, by); }

void SimNode::find_unfit(const std::string& group, const std::string& why) {
  if (why.empty())
    link.unfit.erase(group), world_.judge.found_fit(name);
  else
    link.unfit[group] = why;
  if (backend_) backend_->tell_fitness(group);
}

RunId SimNode::trigger(const std::string& job) {
  const RunId run = world_.loop.random().run_id(clock.now().wall);
  ask(core::Request::Kind::trigger, job, run);
  return run;
}

RunId SimNode::trigger_with(const std::string& job, const std::string& env, bool alone) {
  core::Request request;
  request.id = world_.loop.random().run_id(clock.now().wall);
  request.job = job;
  request.env = env;
  request.alone = alone;
  return ask(std::move(request));
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
  world_.oracle.note(name, "asked to " + std::string(to_string(request.kind)) + " " + request.job + request.group);
  feed(core::Ask{++last_asker_, std::move(request), run_suffix});
  return id;
}

bool SimNode::leads(const std::string& group) const {
  if (!core_) return false;
  bool leading = false;
  core_->views().visit_groups("", SIZE_MAX, [&](const core::GroupView& view) {
    leading = leading || (view.name == group && view.state == "leading");
  });
  return leading;
}

void SimNode::watch() {
  const bool slow_commit = ledger.busy_until() - ledger.busy_since() > stop_slack;  // whatever the ledger is by now
  if (stop_due_ && (slow_commit || ledger.busy_since() <= *stop_due_)) stop_commit_ = ledger.busy_until();
  if (stop_due_ && !stopped_ && !stands_still() && world_.loop.now() > *stop_due_ && 2 * ledger.slowest < stop_slack &&
      world_.loop.now() > stop_commit_ + stop_slack)  // its last commits
    world_.oracle.find(name + " has not stopped within its bound");
}

/// As the engine takes up in a row what a plugin's threads have posted meanwhile.
void SimNode::post(BackendEvent event) noexcept {
  posted_.push_back(std::move(event));
  if (gathers == Millis(0)) return take_posted();
  if (posted_.size() == 1)
    world_.loop.after(world_.loop.between(Millis(0), gathers), daemon_, [this] { take_posted(); });
}

void SimNode::take_posted() {
  if (!core_ || stopped_) return posted_.clear();
  for (BackendEvent& event : std::exchange(posted_, {})) queue_.push_back(std::move(event));
  if (!stepping_ && !stands_still()) work();
}

bool SimNode::is_disturbed() const {
  const SimLink& l = link;
  const bool lossy =
      l.lose_request + l.lose_answer + l.late_request + l.duplicate + l.never_answer + l.lose_renewal + l.refuse_write >
      0;
  return lossy || l.cut || l.answers_cut || stands_still() || l.slow_answers > Millis(0) ||
         l.expiry_shift != Millis(0) || l.delay_max > Millis(300) || ledger.slowest > Millis(100) ||
         runner.habits.slowest_start > Millis(100) || runner.is_cut_off();
}

bool SimNode::is_cut_off() const { return link.cut || link.answers_cut || world_.store.down(); }

void SimNode::feed(const core::Event& event) {
  if (!core_ || stopped_) return;
  if (const auto* ask = std::get_if<core::Ask>(&event)) {
    world_.oracle.given.try_emplace(ask->request.id, ask->request.env);
    world_.oracle.asked(ask->request);
    world_.judge.asked(ask->request, ask->run_suffix);
    unanswered_[ask->asker] = ask->request;
  }
  queue_.push_back(event);
  if (!stepping_ && !stands_still()) work();
}

/// Steps the core with each event in order, and performs what it wants; events that this brings about come after.
void SimNode::work() {
  stepping_ = true;
  while (!queue_.empty() && core_) {
    const core::Event next = std::move(queue_.front());
    queue_.pop_front();
    draining_ = draining_ || std::holds_alternative<core::Stop>(next);
    const auto follows = queue_.empty() ? core::Follows::nothing : core::Follows::more;
    core::Actions actions = core_->step(clock.now(), next, follows);
    world_.stream.add(name, clock.now(), actions);
    for (core::Action& action : actions) std::visit([this](auto& what) { act(what); }, action);
    for (const auto& [job, line] : std::exchange(settled_twice_, {}))
      world_.oracle.find(name + " records a slot twice: " + line);
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
  if (delay && *delay <= Millis(0) && spins(now)) return;
  if (delay) timer_ = world_.loop.after(std::max(*delay, Millis(0)), daemon_, [this] { feed(core::Tick{}); });
}

/// Woken again and again without time going on: it would take a whole core for ever.
bool SimNode::spins(Now now) {
  spun_ = now.steady == spun_at_ ? spun_ + 1 : 1;
  spun_at_ = now.steady;
  if (spun_ < most_spins) return false;
  world_.oracle.find(name + " is woken without end, and nothing comes of it");
  return true;
}

void SimNode::act(core::OpenSession& a) {
  SessionRequest request;
  request.generation = a.generation;
  request.node = name;
  request.boot_id = machine.boot_id();
  request.machine_id = machine.name() + "-machine";
  request.host = machine.name();
  request.pid = 1;
  request.version = "test";
  backend_->open(request);
}
void SimNode::act(core::CloseSession& a) { backend_->close(a.keep); }
void SimNode::act(core::Renew& a) { backend_->renew(a.request); }
void SimNode::act(core::Campaign& a) { backend_->campaign(a.group); }
void SimNode::act(core::Resign& a) { backend_->resign(a.group); }
void SimNode::act(core::Read& a) { backend_->read(a.request, std::move(a.names)); }
void SimNode::act(core::List& a) { backend_->list(a.request, a.prefix); }
void SimNode::act(core::Create& a) { backend_->create(a.request, std::move(a.records)); }
void SimNode::act(core::Remove& a) { backend_->remove(a.request, std::move(a.names)); }
void SimNode::act(core::Watch& a) { backend_->watch(a.prefix); }
void SimNode::act(core::Observe& a) { backend_->observe(a.request, a.group); }
void SimNode::act(core::TermDeadline& a) { runner.set_deadline(a); }
void SimNode::act(core::KillRun& a) { runner.kill(a); }
void SimNode::act(core::Forget& a) { runner.forget(a.id); }

void SimNode::act(core::AskRunner& a) {
  for (const auto& other : world_.nodes)
    if (other->name == a.node && !a.socket.empty() && !other->runner.gone())
      other->runner.watch(name, daemon_, [this](const core::RunnerWord& word) { feed(word); });
}

void SimNode::act(core::RunEnded& a) { ends.push_back(a); }
void SimNode::act(core::RecordTerm& a) {
  if (on_term) on_term(a);
  world_.judge.term(a.term);
  ledger.record(a.term, machine.clock.wall_offset());
}
void SimNode::act(core::RecordOutput&) {}

void SimNode::act(core::Notify& a) {
  world_.oracle.notified(name, a);
  world_.judge.notified(name, a);
  notified.push_back(a);
}

void SimNode::act(core::Write& a) {
  check(a);
  backend_->write(a.request, std::move(a.batch));
}

void SimNode::act(core::Launch& a) {
  check(a);
  runner.start(a);
}

void SimNode::act(core::AwaitRecorded& a) { await(core::RowsDurable{{a.id}, {}}); }

void SimNode::act(core::AwaitSettled& a) { await(core::RowsDurable{{}, {a.settled}}); }

void SimNode::await(core::RowsDurable recorded) {
  ledger.flush([this, recorded = std::move(recorded)] {
    world_.loop.after(Millis(1), daemon_, [this, recorded] { feed(recorded); });
  });
}

void SimNode::act(core::RecordRow& a) {
  if (on_row) on_row(a);
  world_.oracle.note(name, a.row);
  if (!a.if_absent) world_.judge.row(name, a.row);
  check(a);
  if (a.if_absent)
    ledger.record_if_absent(std::move(a.row));
  else
    ledger.record(std::move(a.row));
}

void SimNode::act(core::Reply& a) {
  const auto asked = unanswered_.extract(a.asker);
  if (asked.empty())
    world_.oracle.find(name + " answers somebody twice, or who has not asked: " + a.text);
  else
    world_.oracle.answered(asked.mapped(), a.ok), world_.judge.answered(asked.mapped(), a);
  replies.push_back(a);
}

void SimNode::act(core::Notice& a) {
  std::string text = a.text;
  for (const auto& [key, value] : a.fields) {
    text += " " + key + "=" + value;
    // A cursor that was brought back passes its slots again, from the write on that ends the repair.
    if (key != "job" || !a.text.starts_with("job repaired")) continue;
    std::erase_if(settled_, [&](const auto& one) { return std::get<0>(one) == value; });
    settled_twice_.erase(value);
  }
  world_.oracle.note(name, text);
  if (a.text.find("the register would be larger than") != std::string::npos)
    world_.oracle.find(name + " wants a register that is larger than one may be: " + text);
  notices.push_back(a);
}

void SimNode::act(core::Stopped&) {
  if (!unanswered_.empty()) world_.oracle.find(name + " has stopped and left somebody without an answer");
  ledger.flush([this] { stopped_ = true; });
}

void SimNode::check(const core::Launch& launch) {
  const Job& job = launch.definition->job;
  const std::string what = name + " launches job " + job.name + ", slot " + format_slot(launch.slot) + ", ";
  const Now now = clock.now();
  if (draining_) world_.oracle.find(what + "while it stops");
  if (launch.variables->env != world_.oracle.given[launch.id.run])
    world_.oracle.find(what + "with other variables than its trigger gave");
  const bool late = launch.id.attempt == 1 && !job.details->has_slots_of_first &&
                    now.wall - core::due_at(job, launch.slot) > job.start_deadline;
  if (late && core::is_of_slot(launch.trigger)) world_.oracle.find(what + "past its start deadline");
  const auto deadline = runner.deadline(core::term_key(launch.group, launch.epoch));
  if (runner.is_cut_off()) return;  // it will get to know, and the launch arrives nowhere
  if (!deadline) return world_.oracle.find(what + "and its runner knows no deadline of its term");
  const Millis grace = std::min(job.kill_grace, core_->session().timeout() / 10);
  const Millis budget = Millis(500) + (launch.terminate ? grace : Millis(0));
  if (launch.launch_not_after > *deadline - budget || now.steady > launch.launch_not_after)
    world_.oracle.find(what + "too near to the deadline of its term");
}

/// What became of a slot without a run is recorded once.
void SimNode::check(const core::RecordRow& record) {
  const Row& row = record.row;
  if (record.if_absent || row.run || row.trigger == Trigger::manual) return;
  if (!settled_.emplace(row.job, row.slot, row.epoch).second) settled_twice_.emplace(row.job, line_of(row));
}

/// While it stops, it claims nothing that it had not begun to claim before.
void SimNode::check(const core::Write& write) {
  for (const RegisterWrite& one : write.batch) {
    const std::string before = std::exchange(written_[one.name], one.value);
    if (!draining_ || before == one.value || !one.name.starts_with("j/")) continue;
    const std::string job = one.name.substr(2);
    const auto next = core::parse_job_register(one.value);
    if (!next) continue;
    for (const core::OpenRun& run : next->runs)
      if (!run.waits_until && before.find(run.id.text()) == std::string::npos &&
          !world_.oracle.is_claimed(job, {run.id, run.attempt}) && !ledger.was_given(run.id, run.attempt))
        world_.oracle.find(name + " claims a slot of job " + job + " while it stops");
  }
}

}  // namespace ballot
