#include "app/daemon.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/backend_choice.hpp"
#include "app/loaded_jobs.hpp"
#include "app/places.hpp"
#include "base/failpoint.hpp"
#include "base/trust.hpp"
#include "config/identities.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

constexpr Millis status_interval{10'000}, first_status_interval{1000};

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

io::EngineSettings engine_settings(const config::Config& config, bool dry_run, const KeptSession& session) {
  io::EngineSettings settings;
  settings.node = config.node;
  settings.version = BALLOT_VERSION;
  settings.control = config.control_socket;
  settings.session_timeout = config.coordination.session_timeout.value_or(Millis(0));
  settings.dry_run = dry_run;
  settings.max_running = config.max_running;
  config::Identities identities;
  if (const auto& self = identities.user(::geteuid())) settings.identity = **self;
  if (const char* const credentials = ::getenv("CREDENTIALS_DIRECTORY")) settings.credentials = credentials;
  settings.backend = backend_settings(config);
  settings.backend.open_store = open_store_rule(config);
  settings.runner = {runner_socket(config), runner_file(),
                     config.coordination.backend + " " + config.coordination.name_space + " " + config.node,
                     successor(session)};
  settings.sendmail = sendmail_file();
  settings.ping = ping_file();
  return settings;
}

library::RuntimeSettings runtime_settings(const config::Config& config, bool dry_run, const KeptSession& session) {
  library::RuntimeSettings settings;
  settings.plugin_dir = config.plugin_dir;
  settings.backend = config.coordination.backend;
  settings.engine = engine_settings(config, dry_run, session);
  settings.ledger.path = config.history.path;
  settings.ledger.limits = {config.history.keep, config.history.keep_runs_per_job, config.history.max_size};
  return settings;
}

}  // namespace

Daemon::Daemon(config::Config config, bool dry_run, Log log)
    : config_(std::move(config)),
      log_(std::move(log)),
      session_(session_path(config_.run_dir), about_daemon(config_)),
      runtime_(runtime_settings(config_, dry_run, session_), log_),
      jobs_(runtime_, {config_.jobs_dir, job_settings(config_), {config_.file, config_.groups}}, log_),
      answers_(runtime_, jobs_, {config_.node, config_.coordination.backend}),
      watchdog_(runtime_.loop().context(), [this] { keep_watchdog(); }),
      status_due_(runtime_.loop().context(), [this] { tell_status(); }),
      views_(runtime_),
      notify_(io::SdNotify::from_environment()) {}

Exit Daemon::run() {
  ::umask(027);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write
  if (const auto plugin = find_backend(config_); !plugin) {
    log_(Level::fatal, plugin.error().what, {{"backend", config_.coordination.backend}});
    return Exit::configuration;
  }
  if (const auto made = make_folders(); !made) return fail(made.error());
  if (const auto started = start(); !started) return fail(started.error());
  const auto ran = runtime_.run();
  control_.reset();  // it asks the runtime
  const bool has_lost_rows = runtime_.close() > 0;
  if (!ran) log_(Level::fatal, ran.error().what, {{"node", config_.node}});
  return ran && !has_lost_rows ? Exit::done : Exit::failed;
}

Exit Daemon::fail(const Error& error) const {
  log_(Level::fatal, error.what, {});
  return error.code == Errc::refused || error.code == Errc::invalid ? Exit::configuration : Exit::failed;
}

Result<void> Daemon::start() {
  auto control = io::ControlServer::listen(
      runtime_.loop().context(), config_.control_socket,
      [this](const io::Request& request, io::Reply reply) { answers_.answer(request, std::move(reply)); });
  if (!control) return control.error();
  control_ = std::move(*control);
  runtime_.on_session([this](const std::string& handle) { keep_session(handle); });
  if (auto started = runtime_.start(take_session()); !started) return started;
  listen_to_signals();
  jobs_.open();
  keep_watchdog();
  notify_.ready("node " + config_.node);
  tell_status();
  log_(Level::info, "ballot " BALLOT_VERSION " serves",
       {{"node", config_.node},
        {"backend", config_.coordination.backend},
        {"jobs", std::to_string(jobs_.set().definitions.size())},
        {"jobs_dir", config_.jobs_dir},
        {"config", std::filesystem::exists(config_.file) ? config_.file : "none"}});
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

/// Before anything is asked of the store, so that nobody leaves on behalf of a session that is gone on with.
library::Resume Daemon::take_session() {
  const auto taken = session_.begin();
  if (taken == SessionLock::Taken::no_file)
    log_(Level::warn, "cannot open " + lock_path(session_.path()) + "; a crash is not handed over at once", {});
  if (taken != SessionLock::Taken::by_other) return library::Resume::allowed;
  log_(Level::warn, "`ballot resign` still works for the daemon before: the session of that one is not gone on with",
       {});
  return library::Resume::refused;
}

/// For `ballot resign`, which a supervisor or the runner calls after a crash: after a clean stop there is nothing to
/// do.
void Daemon::keep_session(const std::string& handle) {
  if (handle.empty() && stop_ == Stop::closes) return session_.remove();
  const bool left = handle.empty() && stop_ == Stop::leaves;
  const auto written = left ? session_.leave(runtime_.deadline(), io::boot_id()) : session_.keep(handle);
  if (!written) log_(Level::warn, written.error().what + "; a crash is not handed over at once", {});
}

void Daemon::listen_to_signals() {
  runtime_.loop().on_signal(SIGTERM, [this] { stop(config_.on_stop); });
  runtime_.loop().on_signal(SIGINT, [this] { stop(config_.on_stop); });
  runtime_.loop().on_signal(SIGUSR2, [this] { stop({config::OnStop::Kind::leave}); });
  runtime_.loop().on_signal(SIGUSR1, [this] { log_(Level::debug, "SIGUSR1 means nothing here", {}); });
  runtime_.loop().on_signal(SIGHUP, [this] { jobs_.reload("SIGHUP"); });
}

/// A second signal does not wait for runs.
void Daemon::stop(config::OnStop how) {
  using Kind = config::OnStop::Kind;
  const bool again = stop_ != Stop::none;
  if (again && how.kind == Kind::wait) how.kind = Kind::kill;
  stop_ = how.kind == Kind::leave ? Stop::leaves : Stop::closes;
  log_(Level::info, again ? "stopping at once" : "stopping",
       {{"open_runs", std::to_string(runtime_.core().views().open_runs())}});
  notify_.stopping();
  notify_.status("stopping");
  runtime_.stop(how, [this] { log_(Level::info, "stopped", {}); });
}

/// What `systemctl status` shows.
void Daemon::tell_status() {
  if (!notify_.is_enabled()) return;
  views_.status([this](const library::NodeStatus& status) {
    if (stop_ != Stop::none) return;
    status_due_.arm(io::read_clocks().steady + (status.schedules ? status_interval : first_status_interval));
    std::string text = library::summary_of(status);
    if (text == told_status_) return;
    notify_.status(text);
    told_status_ = std::move(text);
  });
}

void Daemon::keep_watchdog() {
  const auto interval = io::watchdog_interval();
  if (!interval) return;
  notify_.watchdog();
  watchdog_.arm(io::read_clocks().steady + *interval / 2);
}

}  // namespace ballot::app
