#include "library/node.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "io/backend_port.hpp"
#include "io/clocks.hpp"
#include "io/plugin_loader.hpp"
#include "library/refusal_text.hpp"
#include "storage/known_tables.hpp"
#include "storage/reader.hpp"

namespace ballot::library {
namespace {

constexpr Millis look_interval{10'000};

}  // namespace

/// What the ledger's thread says of it.
struct Node::LedgerReport {
  std::mutex mutex;
  storage::LedgerState state;
  bool is_opened = false;
  std::condition_variable opened;
};

Node::Node(NodeSettings settings, Log log)
    : settings_(std::move(settings)),
      log_(std::move(log)),
      ledger_report_(std::make_shared<LedgerReport>()),
      look_again_(loop_.context(), [this] { look_at_stores(); }) {}

Node::~Node() { close(); }

std::int64_t Node::close() {
  look_again_.disarm();
  troubles_.clear();
  engine_.reset();  // before the ledger: what it records last is stored
  if (feed_) feed_->close();
  const std::int64_t lost = ledger_ ? ledger_->close() : 0;
  ledger_.reset();  // before the loop: its writer posts there
  feed_.reset();    // the ledger's writer rings it
  return lost;
}

Result<const PluginInfo*> Node::find_plugin() const {
  const auto plugin = load_plugin_of(backend_kind, settings_.plugin_dir, settings_.backend);
  if (!plugin) return plugin.error();
  const auto problems = check_table(settings_.engine.backend.options, (*plugin)->traits);
  if (!problems.empty()) return Error{Errc::invalid, "[" + settings_.backend + "] " + problems.front().text};
  return *plugin;
}

Result<void> Node::check_backend() const {
  const auto plugin = find_plugin();
  if (!plugin) return plugin.error();
  io::BackendPort port(
      **plugin, [](Level, std::string_view, const LogFields&) {}, [] {});  // start() has it logged
  return port.start(settings_.engine.backend);
}

Result<void> Node::start(Resume resume) {
  close();  // of an attempt before
  state_ = State::made;
  const auto plugin = find_plugin();
  if (!plugin) return plugin.error();
  if (const auto made = make_feed(); !made) return made;
  open_ledger();
  settings_.engine.anew = resume == Resume::refused;
  engine_ = std::make_unique<io::Engine>(loop_, settings_.engine, **plugin, *ledger_, log_);
  engine_->on_refused([this](const std::string& text) {
    state_ = State::refused;
    refusal_ = text;
    loop_.stop();
  });
  if (session_changed_) engine_->on_session(session_changed_);
  for (const io::Engine::Observer& observer : observers_) engine_->add_observer(observer);
  const auto started = engine_->start();
  if (started) look_again_.arm(io::read_clocks().steady + look_interval);
  return started;
}

Result<void> Node::make_feed() {
  if (settings_.history.plugin.empty()) return {};
  const auto plugin = find_history(settings_.plugin_dir, settings_.history);
  if (!plugin) return Error{plugin.error().code, "[fleet] history: " + plugin.error().what};
  auto history = make_history(**plugin, settings_.history, HistoryUse::send);
  if (!history) return Error{history.error().code, "[fleet] history: " + history.error().what};
  LedgerPlace place{settings_.ledger.path, settings_.engine.runner.socket_path, settings_.engine.node};
  place.functions = settings_.engine.function_outputs;
  feed_ = std::make_unique<HistoryFeed>(*std::move(history), std::move(place), log_);
  return {};
}

void Node::open_ledger() {
  storage::LedgerHooks hooks;
  hooks.now = [] { return io::read_clocks().wall; };
  hooks.on_state = [log = log_, report = ledger_report_](const storage::LedgerState& state) {
    {
      const std::lock_guard lock(report->mutex);
      report->state = state;
    }
    if (state.degraded)
      log(Level::error, "the ledger is degraded: " + state.reason, {{"spooled", std::to_string(state.spooled)}});
    else
      log(Level::info, "the ledger is well again", {});
  };
  hooks.on_opened = [report = ledger_report_] {
    const std::lock_guard lock(report->mutex);
    report->is_opened = true;
    report->opened.notify_all();
  };
  hooks.alarm = [log = log_](std::string_view text) { log(Level::error, text, {}); };
  hooks.warning = [log = log_](std::string_view text) { log(Level::warn, text, {}); };
  settings_.ledger.marks = feed_ ? storage::Marks::kept : storage::Marks::none;
  if (feed_) hooks.on_stored = [feed = feed_.get()] { feed->recorded(); };
  ledger_ = std::make_unique<storage::Ledger>(settings_.ledger, std::move(hooks));
  if (feed_) feed_->start(*ledger_);
}

void Node::define(std::vector<schedule::DefinitionPtr> jobs, std::vector<std::string> removed,
                  std::vector<Group> groups) {
  if (state_ != State::made) return engine_->reload(std::move(jobs), std::move(removed), std::move(groups));
  state_ = State::defined;
  engine_->load(prior({std::move(jobs), std::move(groups)}));
}

/// With runs that no process before has recorded as ended, and the last ones that it has; and with what it has seen of
/// stores. A ledger that cannot be read has none.
core::Load Node::prior(core::Load defined) const {
  constexpr std::int64_t last_changes = 10'000;
  std::vector<Row>& rows = defined.rows;
  defined.known = storage::read_known(settings_.ledger.path);
  auto reader = storage::Reader::open(settings_.ledger.path);
  if (!reader) return defined;
  if (auto open = reader->open_rows()) rows = std::move(*open);
  if (const auto newest = reader->sequence())
    static_cast<void>(reader->changes({}, std::max<std::int64_t>(0, *newest - last_changes), [&](const Row& row) {
      if (core::is_ended_row(row, settings_.engine.node)) rows.push_back(row);
      return true;
    }));
  std::erase_if(rows, [this](const Row& row) { return !core::is_prior_row(row, settings_.engine.node); });
  return defined;
}

void Node::report(const std::string& word, const std::string& text) {
  std::string& known = troubles_[word];
  if (std::exchange(known, text) == text) return;
  std::vector<std::string> reasons;
  for (const auto& [about, what] : troubles_)
    if (!what.empty()) reasons.push_back(about + ": " + what);
  engine_->set_troubles(std::move(reasons));
}

std::string Node::reported(const std::string& word) const {
  const auto found = troubles_.find(word);
  return found == troubles_.end() ? "" : found->second;
}

std::string Node::why_refused() const {
  const auto& refused = core().refused_writes();
  return refused ? refusal_text(*refused) : "";
}

/// What the store refuses is published by another write, which shows when it takes them again, however little there is
/// to write beside. The ledger and the feed change on threads of their own. What is said of all is the same for as long
/// as the fault is.
void Node::look_at_stores() {
  look_again_.arm(io::read_clocks().steady + look_interval);
  report("backend", why_refused());
  const storage::LedgerState ledger = ledger_state();
  report("ledger", ledger.degraded ? ledger.reason : "");
  const auto feed = feed_state();
  report("history", feed && !feed->trouble.empty() ? "the fleet's history takes no rows of it: " + feed->trouble : "");
}

Result<void> Node::run() {
  loop_.run();
  if (state_ == State::refused) return Error{engine_->is_moved() ? Errc::refused : Errc::conflict, refusal_};
  return {};
}

void Node::stop(const config::OnStop& how, std::function<void()> stopped) {
  using Kind = config::OnStop::Kind;
  if (state_ != State::refused) state_ = State::stopping;
  engine_->stop(how.kind == Kind::wait ? how.wait : Millis(0), how.kind == Kind::leave,
                [this, stopped = std::move(stopped)] {
                  if (stopped) stopped();
                  loop_.stop();
                });
}

void Node::ask(core::Request request, const std::string& run_suffix, Millis patience, io::Engine::OnAnswer answered,
               io::Engine::OnEnded ended, std::set<std::string> gone) {
  engine_->ask(std::move(request), run_suffix, patience, std::move(answered), std::move(ended), std::move(gone));
}

void Node::observe(Millis patience, const std::string& group, io::Engine::OnElections answered) {
  engine_->observe(patience, group, std::move(answered));
}

void Node::read(std::vector<std::string> names, Millis patience, io::Engine::OnRegisters answered) {
  engine_->read(std::move(names), patience, std::move(answered));
}

/// What `done` holds is the loop's: it ends there, and not on the ledger's thread.
void Node::flush(std::function<void()> done) {
  ledger_->flush([this, done = std::move(done)]() mutable { loop_.post(std::exchange(done, nullptr)); });
}

storage::LedgerState Node::ledger_state() const {
  const std::lock_guard lock(ledger_report_->mutex);
  storage::LedgerState state = ledger_report_->state;
  if (!state.degraded && ledger_->is_slow()) state.degraded = true, state.reason = storage::slow_disk(settings_.ledger);
  return state;
}

void Node::wait_until_ledger_opened(const std::function<bool()>& goes_on) const {
  constexpr Millis between_looks{20};
  std::unique_lock lock(ledger_report_->mutex);
  while (!ledger_report_->is_opened && (!goes_on || goes_on())) ledger_report_->opened.wait_for(lock, between_looks);
}

}  // namespace ballot::library
