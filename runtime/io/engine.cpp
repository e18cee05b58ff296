#include "io/engine.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "base/failpoint.hpp"
#include "io/clocks.hpp"

namespace ballot::io {
namespace {

constexpr std::size_t long_list = 1'000;  // registers: what reading them has taken is worth giving back

/// A list of what nodes publish, this one among them.
bool is_of_nodes(const backend::ReadDone& read) {
  return !read.registers.empty() && read.registers.front().name.starts_with(core::node_prefix);
}

std::uint64_t seed() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

std::string text_of(const OptionValue& value) {
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    std::string text;
    for (const std::string& one : *list) text += (text.empty() ? "" : ",") + one;
    return text;
  }
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : "";
}

/// Where the store is: the backend, the namespace, and the options that the command line has too; of one host also its
/// folders.
std::string place_of(const BackendSettings& settings, const PluginInfo& plugin) {
  const bool is_local = plugin.traits.reach == Reach::host;
  std::string place = std::string(plugin.name) + " " + settings.name_space;
  if (is_local) place += " " + settings.state_dir;
  for (const OptionKey& key : plugin.traits.keys) {
    const auto given = settings.options.find(key.name);
    if (given != settings.options.end() && (is_local || key.flag == OptionFlag::listed))
      place += " " + given->first + "=" + text_of(given->second);
  }
  return place;
}

core::CoreSettings core_settings(const EngineSettings& settings, const PluginInfo& plugin) {
  return {.node = settings.node,
          .boot_id = boot_id(),
          .machine_id = machine_id(),
          .runner_socket = settings.runner.socket_path.starts_with('/') ? settings.runner.socket_path : "",
          .booted_at = boot_time(),
          .dry_run = settings.dry_run,
          .seed = seed(),
          .max_running = settings.max_running,
          .spread = plugin.traits.reach == Reach::network,  // one host gains nothing by it
          .store_place = place_of(settings.backend, plugin),
          .api = settings.api};
}

}  // namespace

Engine::Engine(MainLoop& loop, EngineSettings settings, const PluginInfo& plugin, LedgerSink& ledger, Log log)
    : loop_(loop),
      settings_(std::move(settings)),
      plugin_(plugin),
      ledger_(ledger),
      log_(std::move(log)),
      core_(core_settings(settings_, plugin_)),
      self_(std::make_shared<Engine*>(this)),
      wall_timer_(loop.context(), [this](Woken) { armed_.wall.reset(), feed(core::Tick{}); }),
      boot_timer_(loop.context(), [this] { armed_.steady.reset(), feed(core::Tick{}); }),
      executor_(loop, {{settings_.node, settings_.identity, settings_.credentials}, settings_.runner}, log_,
                {[this](std::vector<core::Event> events) { feed_of_runner(std::move(events)); },
                 [this](const runner::FromRunner& message) { return notifier_.takes(message); },
                 [this](RunnerLink link) { notifier_.on_runner(link); }, [this] { return core_.session().timeout(); }}),
      functions_(loop, {settings_.node, settings_.functions, settings_.function_outputs, settings_.function_threads},
                 log_, [this](std::vector<core::Event> events) { feed_all(std::move(events)); }),
      notifier_(
          loop.context(),
          {settings_.node, settings_.identity, settings_.credentials, settings_.sendmail, settings_.ping,
           settings_.dry_run},
          [this](const runner::ToRunner& message) { executor_.send(message); }, log_),
      durable_(loop, ledger, log_, [this](core::RowsDurable recorded) { feed(std::move(recorded)); }),
      observations_(loop.context(), RequestId{2} << 62),  // the core counts from 1
      reads_(loop.context(), RequestId{3} << 62),
      port_(plugin, log_, [&loop, self = self_] {
        loop.post([self] {
          if (*self) (*self)->take_posted();
        });
      }) {}

Engine::~Engine() { *self_ = nullptr; }

Result<void> Engine::start() {
  if (auto made = port_.start(settings_.backend); !made) return made;
  if (has_runner()) return executor_.start();
  loop_.post([self = self_] {
    if (*self) (*self)->feed_of_runner({core::Inventory{}});
  });
  return {};
}

void Engine::load(core::Load defined) {
  notifier_.define(defined.groups);
  port_.configure(defined.groups);
  feed(std::move(defined));
}

void Engine::reload(std::vector<schedule::DefinitionPtr> jobs, std::vector<std::string> removed,
                    std::vector<Group> groups) {
  notifier_.define(groups);
  port_.configure(groups);
  feed(core::Reload{std::move(jobs), std::move(removed), std::move(groups)});
}

void Engine::ask(core::Request request, const std::string& run_suffix, Millis patience, OnAnswer answered,
                 OnEnded ended, std::set<std::string> gone) {
  // What goes on may be ended here, and nothing else is done before the namespace is open.
  if (!why_held().empty() && request.kind != core::Request::Kind::kill) {
    core::Reply refusal;
    refusal.text = why_held();
    refusal.code = Errc::refused;
    return answered(refusal);
  }
  waiting_[++last_asker_] = {std::move(answered), std::move(ended)};
  if (request.id == RunId{}) {
    request.id = Random(seed()).run_id(read_clocks().wall);
    request.is_first = request.kind == core::Request::Kind::trigger;
  }
  feed(core::Ask{last_asker_, std::move(request), run_suffix, patience, std::move(gone)});
}

void Engine::observe(Millis patience, const std::string& group, OnElections answered) {
  if (!core_.session().is_open()) return answered({});
  port_.backend().observe(observations_.add(patience, std::move(answered)), group);
}

void Engine::read(std::vector<std::string> names, Millis patience, OnRegisters answered) {
  if (!core_.session().is_open()) return answered({});
  port_.backend().read(reads_.add(patience, std::move(answered)), std::move(names));
}

void Engine::stop(Millis wait, bool leave, std::function<void()> stopped) {
  if (std::exchange(stopped_, std::move(stopped))) notifier_.hurry();
  keeps_runs_ = leave;
  durable_.hurry();
  feed(core::Stop{wait, leave});
}

void Engine::take_posted() {
  for (BackendEvent& event : port_.take()) {
    report_session(event);
    if (const auto* elected = std::get_if<backend::Elected>(&event.what);
        elected && event.generation == core_.session().generation())
      notifier_.on_elected(elected->group, elected->environment);
    if (const auto* observed = std::get_if<backend::Observed>(&event.what))
      observations_.answer(observed->request, observed->elections);
    const auto* read = std::get_if<backend::ReadDone>(&event.what);
    const std::size_t registers = read != nullptr ? read->registers.size() : 0;
    if (read != nullptr && reads_.has(read->request))
      reads_.answer(read->request, read->outcome == StoreResult::done ? Registers(read->registers) : Registers());
    const bool of_nodes = read != nullptr && is_of_nodes(*read);
    feed(std::move(event));
    if (of_nodes) tell(&Observer::on_nodes);
    if (registers >= long_list) ledger_.on_freed(registers);
  }
}

void Engine::report_session(const BackendEvent& event) const {
  if (!listeners_.session_changed || event.generation != core_.session().generation()) return;
  if (const auto* opened = std::get_if<backend::SessionOpened>(&event.what)) listeners_.session_changed(opened->handle);
  if (std::holds_alternative<backend::SessionClosed>(event.what)) listeners_.session_changed("");
}

template <class Called, class... Values>
void Engine::tell(Called Observer::*what, const Values&... values) const {
  for (const Observer& observer : listeners_.observers)
    if (observer.*what) (observer.*what)(values...);
}

/// The runner's messages up to now come first: else a daemon that was stopped would decide what became due meanwhile
/// before it knows which runs have ended.
void Engine::feed(core::Event event) {
  if (!feeding_) executor_.take_pending();
  std::vector<core::Event> one;  // a list in braces would be copied: an event may have a hundred thousand registers
  one.push_back(std::move(event));
  feed_all(std::move(one));
}

/// Functions go on beside the runner's runs.
void Engine::feed_of_runner(std::vector<core::Event> events) {
  for (core::Event& event : events)
    if (auto* const inventory = std::get_if<core::Inventory>(&event)) functions_.add_to(*inventory);
  feed_all(std::move(events));
}

/// Steps the core with the events and performs its actions; what they bring about at once is fed after them.
void Engine::feed_all(std::vector<core::Event> events) {
  std::move(events.begin(), events.end(), std::back_inserter(queue_));
  if (std::exchange(feeding_, true)) return;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const core::Event next = std::move(queue_[i]);
    BALLOT_FAILPOINT("io.step");
    const auto follows = i + 1 < queue_.size() ? core::Follows::more : core::Follows::nothing;
    for (core::Action& action : core_.step(read_clocks(), next, follows))
      std::visit([this](auto& what) { perform(what); }, action);
  }
  queue_.clear();
  feeding_ = false;
  notifier_.on_deadline(core_.session().deadline());
  tell(&Observer::on_deadline, core_.session().deadline());
  arm();
}

void Engine::arm() {
  const core::Wake wake = core_.wake();
  if (wake.wall != armed_.wall) wall_timer_.arm(wake.wall.value_or(WallTime::max()));
  if (wake.steady != armed_.steady) {
    if (wake.steady)
      boot_timer_.arm(*wake.steady);
    else
      boot_timer_.disarm();
  }
  armed_ = wake;
}

void Engine::perform(core::OpenSession& a) {
  SessionRequest request{a.generation,
                         settings_.node,
                         boot_id(),
                         machine_id(),
                         host_name(),
                         static_cast<int>(::getpid()),
                         settings_.version,
                         settings_.control,
                         settings_.session_timeout,
                         false};
  request.anew = settings_.anew && a.generation == 1;
  port_.open(request);
}

void Engine::perform(core::AskRunner& a) {
  runner_watches_.erase(a.node);
  if (a.socket.empty()) return;
  const std::string owner = std::string(plugin_.name) + " " + settings_.backend.name_space + " " + a.node;
  auto watch = RunnerWatch::begin(loop_.context(), a.socket, owner, [this, node = a.node](RunnerWatch::Report report) {
    feed(core::RunnerWord{node, report.complete, std::move(report.running), std::move(report.ended), report.gone});
  });
  if (!watch) return log_(Level::debug, watch.error().what, {{"node", a.node}});
  runner_watches_[a.node] = std::move(*watch);
}

void Engine::perform(core::Resign& a) {
  tell(&Observer::on_handback, a.group);
  port_.perform(a);
}

void Engine::perform(core::CloseSession& a) {
  tell(&Observer::on_handback, std::string());
  port_.perform(a);
}

void Engine::perform(core::Launch& a) {
  Executor& executor = FunctionExecutor::is_for(a.definition->job) ? static_cast<Executor&>(functions_) : executor_;
  executor.launch(a);
}

void Engine::perform(core::TermDeadline& a) {
  functions_.set_deadline(a);
  executor_.set_deadline(a);
}

void Engine::perform(core::KillRun& a) {
  Executor& executor = functions_.has(a.id) ? static_cast<Executor&>(functions_) : executor_;
  executor.kill(a);
}

void Engine::perform(core::Forget& a) {
  notifier_.forget(a.id);
  functions_.forget(a.id);
  executor_.forget(a.id);
}

void Engine::perform(core::RecordRow& a) {
  tell(&Observer::on_row, a);
  if (a.if_absent)
    ledger_.record_if_absent(std::move(a.row));
  else
    ledger_.record(std::move(a.row));
}

void Engine::perform(core::RecordTerm& a) {
  notifier_.on_term(a.term, core_.session().deadline());
  tell(&Observer::on_term, a);
  ledger_.record(std::move(a.term));
}

void Engine::perform(core::RecordDefinition& a) {
  const Job* job = a.definition ? &a.definition->job : nullptr;
  ledger_.record(std::move(a.row), std::shared_ptr<const Job>(std::move(a.definition), job));
}

void Engine::perform(core::Notify& a) {
  tell(&Observer::on_notify, a);
  notifier_.notify(a);
}

void Engine::perform(core::RecordOutput& a) {
  if (a.is_mailed) notifier_.keep(a.id, a.output);
  ledger_.record(a.id.run, a.id.attempt, std::move(a.output));
}

void Engine::perform(core::Reply& a) {
  const auto it = waiting_.find(a.asker);
  if (it == waiting_.end()) return;
  const OnAnswer answered = std::exchange(it->second.answered, nullptr);
  if (!a.ok || !it->second.ended) waiting_.erase(it);
  if (answered) answered(a);
}

void Engine::perform(core::RunEnded& a) {
  const auto it = waiting_.find(a.asker);
  if (it == waiting_.end()) return;
  const OnEnded ended = std::move(it->second.ended);
  waiting_.erase(it);
  ended(a.row);
}

void Engine::perform(core::Notice& a) {
  LogFields fields;
  for (auto& [key, value] : a.fields) fields.emplace_back(key, std::move(value));
  log_(a.level, a.text, fields);
}

void Engine::perform(core::Stopped& a) {
  if (!a.refusal.empty()) {
    if (listeners_.refused) listeners_.refused(a.refusal);
    return;
  }
  notifier_.finish(keeps_runs_, [this] { leave(); });
}

/// Nobody is to be notified any more: the runner may go, and the ledger stores what it has. What it could not it says
/// at its end.
void Engine::leave() {
  executor_.leave(keeps_runs_, deadline());
  functions_.leave(keeps_runs_, deadline());
  durable_.finish([this] {
    if (const auto stopped = std::exchange(stopped_, nullptr)) stopped();
  });
}

}  // namespace ballot::io
