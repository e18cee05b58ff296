#include "app/daemon.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "app/loaded_jobs.hpp"
#include "app/places.hpp"
#include "base/duration.hpp"
#include "base/failpoint.hpp"
#include "base/trust.hpp"
#include "config/identities.hpp"
#include "io/clocks.hpp"
#include "io/plugin_loader.hpp"
#include "storage/reader.hpp"

namespace ballot::app {
namespace {

constexpr Millis reread_after{2000};  // what could not be read for want of descriptors

std::string runner_socket(const config::Config& config) { return config.run_dir + "/runner.sock"; }

SessionFile about_daemon(const config::Config& config) {
  SessionFile file = about_session(config, config.node);
  file.runner_socket = runner_socket(config);
  return file;
}

/// What the runner starts when this daemon is gone. The file says all that it takes, so that no flag or variable of
/// this daemon is wanted.
runner::Successor successor(const KeptSession& session) {
  runner::Successor successor;
  successor.argv = {own_file(), "resign", "--session", session.path()};
  if (const char* const failpoints = BALLOT_FAILPOINT_ENVIRONMENT) successor.environment = {failpoints};
  successor.lock = lock_path(session.path());
  return successor;
}

}  // namespace

Daemon::Daemon(config::Config config, bool dry_run, Log log)
    : config_(std::move(config)),
      dry_run_(dry_run),
      log_(std::move(log)),
      jobs_(config_.jobs_dir, job_settings(config_), {config_.file, config_.groups}),
      session_(session_path(config_.run_dir), about_daemon(config_)),
      notify_(io::SdNotify::from_environment()) {}

Daemon::~Daemon() {
  control_.reset();
  watch_.reset();
  reread_.reset();
  watchdog_.reset();
  engine_.reset();  // before the ledger: what it records last is stored
  ledger_.reset();  // before the loop: its writer posts there
}

Exit Daemon::run() {
  ::umask(027);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write
  const PluginInfo* plugin = find_plugin();
  if (!plugin) return Exit::configuration;
  if (const auto made = make_folders(); !made) {
    log_(Level::fatal, made.error().what, {});
    return made.error().code == Errc::refused ? Exit::configuration : Exit::failed;
  }
  const auto started = start(*plugin);
  if (!started) {
    log_(Level::fatal, started.error().what, {});
    const Errc code = started.error().code;
    return code == Errc::refused || code == Errc::invalid ? Exit::configuration : Exit::failed;
  }
  loop_.run();
  return exit_;
}

const PluginInfo* Daemon::find_plugin() {
  const std::string& name = config_.coordination.backend;
  const auto plugin = load_plugin(config_.plugin_dir, name);
  if (!plugin) {
    log_(Level::fatal, plugin.error().what, {{"backend", name}});
    return nullptr;
  }
  const auto table = config_.backends.find(name);
  if (table == config_.backends.end()) return *plugin;
  bool good = true;
  for (const OptionProblem& problem : (*plugin)->check(table->second.options)) {
    log_(Level::fatal, option_diagnostic(config_, name, problem).text(), {});
    good = false;
  }
  return good ? *plugin : nullptr;
}

Result<void> Daemon::start(const PluginInfo& plugin) {
  auto control = io::ControlServer::listen(
      loop_.context(), config_.control_socket,
      [this](const io::Request& request, io::Reply reply) { answer(request, std::move(reply)); });
  if (!control) return control.error();
  control_ = std::move(*control);
  take_session();
  open_ledger();
  engine_ = std::make_unique<io::Engine>(loop_, engine_settings(), plugin, *ledger_, log_);
  engine_->on_refused([this](const std::string& text) {
    log_(Level::fatal, text, {{"node", config_.node}});
    exit_ = Exit::failed;
    loop_.stop();
  });
  engine_->on_session([this](const std::string& handle) { keep_session(handle); });
  if (auto started = engine_->start(); !started) return started;
  listen_to_signals();
  watch_jobs();
  keep_watchdog();
  notify_.ready("node " + config_.node);
  log_(Level::info, "ballot " BALLOT_VERSION " serves",
       {{"node", config_.node},
        {"backend", plugin.name},
        {"jobs", std::to_string(jobs_.set().definitions.size())},
        {"jobs_dir", config_.jobs_dir}});
  return {};
}

/// Of what lies in them the daemon believes all: sessions, runs, what is due. `run_dir` is open to those who may use
/// the socket.
Result<void> Daemon::make_folders() const {
  for (const auto& [folder, mode] : {std::pair(config_.state_dir, 0750), std::pair(config_.run_dir, 0755)}) {
    std::error_code error;
    const bool made = std::filesystem::create_directories(folder, error);
    if (made && !error) std::filesystem::permissions(folder, static_cast<std::filesystem::perms>(mode), error);
    if (error) return Error{Errc::io, "cannot make the folder " + folder + ": " + error.message()};
    if (const auto fault = distrust_folder(folder, ::geteuid()))
      return Error{Errc::refused, "the folder " + folder + " is not used: " + *fault};
  }
  return {};
}

io::EngineSettings Daemon::engine_settings() const {
  io::EngineSettings settings;
  settings.node = config_.node;
  settings.version = BALLOT_VERSION;
  settings.control = config_.control_socket;
  settings.session_timeout = config_.coordination.session_timeout.value_or(Millis(0));
  settings.dry_run = dry_run_;
  settings.max_running = config_.max_running;
  config::Identities identities;
  if (const auto& self = identities.user(::geteuid())) settings.identity = **self;
  if (const char* const credentials = ::getenv("CREDENTIALS_DIRECTORY")) settings.credentials = credentials;
  settings.backend.name_space = config_.coordination.name_space;
  settings.backend.state_dir = config_.state_dir;
  settings.backend.open_store = config_.coordination.allow_open_store ? OpenStore::accept
                                : ::geteuid() == 0                    ? OpenStore::refuse
                                                                      : OpenStore::warn;
  settings.backend.hold = config_.coordination.on_outage == config::OnOutage::hold;
  if (const auto table = config_.backends.find(config_.coordination.backend); table != config_.backends.end())
    settings.backend.options = table->second.options;
  settings.anew = anew_;
  settings.runner = {runner_socket(config_), runner_file(),
                     config_.coordination.backend + " " + config_.coordination.name_space + " " + config_.node,
                     successor(session_)};
  settings.sendmail = sendmail_file();
  settings.ping = ping_file();
  return settings;
}

/// Before anything is asked of the store, so that nobody leaves on behalf of a session that is gone on with.
void Daemon::take_session() {
  const auto taken = session_.begin();
  anew_ = taken == SessionLock::Taken::by_other;
  if (anew_)
    log_(Level::warn, "`ballot resign` still works for the daemon before: the session of that one is not gone on with",
         {});
  if (taken == SessionLock::Taken::no_file)
    log_(Level::warn, "cannot open " + lock_path(session_.path()) + "; a crash is not handed over at once", {});
}

/// For `ballot resign`, which a supervisor or the runner calls after a crash: after a clean stop there is nothing to
/// do.
void Daemon::keep_session(const std::string& handle) {
  if (handle.empty() && stopping_ && !leaves_) return session_.remove();
  const bool left = handle.empty() && stopping_;
  const auto written = left ? session_.leave(engine_->deadline(), io::boot_id()) : session_.keep(handle);
  if (!written) log_(Level::warn, written.error().what + "; a crash is not handed over at once", {});
}

void Daemon::open_ledger() {
  storage::LedgerOptions options;
  options.path = config_.history.path;
  options.limits = {config_.history.keep, config_.history.keep_runs_per_job, config_.history.max_size};
  storage::LedgerHooks hooks;
  hooks.now = [] { return io::read_clocks().wall; };
  hooks.on_state = [log = log_, standing = ledger_state_](const storage::LedgerState& state) {
    {
      const std::lock_guard hold(standing->mutex);
      standing->state = state;
    }
    if (state.degraded)
      log(Level::error, "the ledger is degraded: " + state.reason, {{"spooled", std::to_string(state.spooled)}});
    else
      log(Level::info, "the ledger is well again", {});
  };
  hooks.alarm = [log = log_](std::string_view text) { log(Level::error, text, {}); };
  ledger_ = std::make_unique<storage::Ledger>(std::move(options), std::move(hooks));
}

void Daemon::watch_jobs() {
  reread_ = std::make_unique<io::BootTimer>(loop_.context(), [this] { load_jobs(jobs_.reload()); });
  auto watch = io::FileWatch::open(loop_.context(), config_.jobs_dir, [this](const std::vector<std::string>& names) {
    load_jobs(names.empty() ? jobs_.reload() : jobs_.reload(names));
  });
  if (watch)
    watch_ = std::move(*watch);
  else
    log_(Level::warn, watch.error().what + "; job files are read again on SIGHUP only", {});
  if (watch_ && !watch_->problem().empty()) log_(Level::warn, watch_->problem(), {});
  jobs_.reload();
  load_jobs({.added = {jobs_.set().definitions.begin(), jobs_.set().definitions.end()},
             .changed = {},
             .removed = {},
             .groups = true,
             .diagnostics = true});
}

/// Tells what has changed, and gives it to the core.
void Daemon::load_jobs(const config::Changes& changes) {
  if (jobs_.unread()) reread_->arm(io::read_clocks().steady + reread_after);
  if (changes.empty()) return;
  const config::JobSet& set = jobs_.set();
  if (changes.diagnostics)
    for (const config::Diagnostic& finding : set.diagnostics)
      log_(finding.severity == config::Severity::error ? Level::error : Level::warn, finding.text(), {});
  const std::pair<const char*, const std::vector<schedule::DefinitionPtr>&> lists[] = {
      {"job loaded", changes.added}, {"job changed", changes.changed}, {"job removed", changes.removed}};
  for (const auto& [text, jobs] : lists)
    for (const auto& definition : jobs)
      log_(Level::debug, text, {{"job", definition->job.name}, {"group", definition->job.group}});
  std::vector<Group> groups;
  for (const auto& [name, group] : set.groups) groups.push_back(group);
  std::vector<schedule::DefinitionPtr> jobs = changes.added;
  jobs.insert(jobs.end(), changes.changed.begin(), changes.changed.end());
  std::vector<std::string> removed;
  for (const auto& definition : changes.removed) removed.push_back(definition->job.name);
  if (std::exchange(loaded_, true))
    engine_->reload(std::move(jobs), std::move(removed), std::move(groups));
  else
    engine_->load(std::move(jobs), std::move(groups), open_rows());
}

/// Runs whose end no daemon before has recorded. A ledger that cannot be read has none.
std::vector<Row> Daemon::open_rows() const {
  std::vector<Row> rows;
  if (auto reader = storage::Reader::open(config_.history.path))
    if (auto open = reader->open_rows()) rows = std::move(*open);
  std::erase_if(rows, [this](const Row& row) { return !core::is_open_row(row, config_.node); });
  return rows;
}

void Daemon::listen_to_signals() {
  loop_.on_signal(SIGTERM, [this] { stop(); });
  loop_.on_signal(SIGINT, [this] { stop(); });
  loop_.on_signal(SIGHUP, [this] {
    log_(Level::info, "SIGHUP: reading the job files again", {});
    load_jobs(jobs_.reload());
  });
}

/// The first signal stops by `on_stop`, a second one does not wait for runs.
void Daemon::stop() {
  const config::OnStop& how = config_.on_stop;
  leaves_ = how.kind == config::OnStop::Kind::leave;
  const bool again = std::exchange(stopping_, true);
  const bool wait = how.kind == config::OnStop::Kind::wait && !again;
  log_(Level::info, again ? "stopping at once" : "stopping",
       {{"open_runs", std::to_string(engine_->core().open_runs())}});
  notify_.stopping();
  engine_->stop(wait ? how.wait : Millis(0), how.kind == config::OnStop::Kind::leave, [this] {
    log_(Level::info, "stopped", {});
    loop_.stop();
  });
}

void Daemon::keep_watchdog() {
  const auto interval = io::watchdog_interval();
  if (!interval) return;
  watchdog_ = std::make_unique<io::BootTimer>(loop_.context(), [this, every = *interval / 2] {
    notify_.watchdog();
    watchdog_->arm(io::read_clocks().steady + every);
  });
  watchdog_->arm(io::read_clocks().steady);
}

}  // namespace ballot::app
