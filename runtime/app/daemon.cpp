#include "app/daemon.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/places.hpp"
#include "base/failpoint.hpp"
#include "io/clocks.hpp"
#include "library/backend_choice.hpp"
#include "library/settings.hpp"

namespace ballot::app {
namespace {

constexpr Millis status_interval{10'000}, first_status_interval{1000};

SessionFile about_daemon(const config::Config& config) {
  SessionFile file = about_session(config, config.node);
  file.runner_socket = library::runner_socket(config);
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

library::NodeSettings node_settings(const config::Config& config, bool dry_run, const KeptSession& session) {
  auto settings = library::node_settings(config, {runner_file(), sendmail_file(), ping_file()});
  settings.engine.version = BALLOT_VERSION;
  settings.engine.control = config.control_socket;
  settings.engine.dry_run = dry_run;
  if (const char* const credentials = ::getenv("CREDENTIALS_DIRECTORY")) settings.engine.credentials = credentials;
  settings.engine.runner.successor = successor(session);
  return settings;
}

}  // namespace

Daemon::Daemon(config::Config config, bool dry_run, Log log)
    : config_(std::move(config)),
      log_(std::move(log)),
      session_(session_path(config_.run_dir), about_daemon(config_)),
      node_(node_settings(config_, dry_run, session_), log_),
      jobs_(node_, {config_.jobs_dir, library::job_settings(config_), {config_.file, config_.groups}}, log_),
      answers_(node_, jobs_, {config_.node, config_.coordination.backend}),
      watchdog_(node_.loop().context(), [this] { keep_watchdog(); }),
      status_due_(node_.loop().context(), [this] { tell_status(); }),
      views_(node_),
      notify_(io::SdNotify::from_environment()) {}

Exit Daemon::run() {
  ::umask(027);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write
  if (const auto plugin = library::find_backend(config_); !plugin) {
    log_(Level::fatal, plugin.error().what, {{"backend", config_.coordination.backend}});
    return Exit::configuration;
  }
  if (const auto made = library::make_folders(config_); !made) return fail(made.error());
  if (const auto started = start(); !started) return fail(started.error());
  const auto ran = node_.run();
  control_.reset();  // it asks the node
  const bool has_lost_rows = node_.close() > 0;
  if (!ran) log_(Level::fatal, ran.error().what, {{"node", config_.node}});
  return ran && !has_lost_rows ? Exit::done : Exit::failed;
}

Exit Daemon::fail(const Error& error) const {
  log_(Level::fatal, error.what, {});
  return error.code == Errc::refused || error.code == Errc::invalid ? Exit::configuration : Exit::failed;
}

Result<void> Daemon::start() {
  auto control = io::ControlServer::listen(
      node_.loop().context(), config_.control_socket,
      [this](const io::Request& request, io::Reply reply) { answers_.answer(request, std::move(reply)); });
  if (!control) return control.error();
  control_ = std::move(*control);
  node_.on_session([this](const std::string& handle) { keep_session(handle); });
  if (auto started = node_.start(take_session()); !started) return started;
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
  const auto written = left ? session_.leave(node_.deadline(), io::boot_id()) : session_.keep(handle);
  if (!written) log_(Level::warn, written.error().what + "; a crash is not handed over at once", {});
}

void Daemon::listen_to_signals() {
  node_.loop().on_signal(SIGTERM, [this] { stop(config_.on_stop); });
  node_.loop().on_signal(SIGINT, [this] { stop(config_.on_stop); });
  node_.loop().on_signal(SIGUSR2, [this] { stop({config::OnStop::Kind::leave}); });
  node_.loop().on_signal(SIGUSR1, [this] { log_(Level::debug, "SIGUSR1 means nothing here", {}); });
  node_.loop().on_signal(SIGHUP, [this] { jobs_.reload("SIGHUP"); });
}

/// A second signal does not wait for runs.
void Daemon::stop(config::OnStop how) {
  using Kind = config::OnStop::Kind;
  const bool again = stop_ != Stop::none;
  if (again && how.kind == Kind::wait) how.kind = Kind::kill;
  stop_ = how.kind == Kind::leave ? Stop::leaves : Stop::closes;
  log_(Level::info, again ? "stopping at once" : "stopping",
       {{"open_runs", std::to_string(node_.core().views().open_runs())}});
  notify_.stopping();
  notify_.status("stopping");
  node_.stop(how, [this] { log_(Level::info, "stopped", {}); });
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
