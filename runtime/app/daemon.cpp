#include "app/daemon.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <utility>

#include "app/options/places.hpp"
#include "io/clocks.hpp"
#include "library/backend_choice.hpp"
#include "library/runtime_maker.hpp"

namespace ballot::app {
namespace {

constexpr Millis status_interval{10'000}, first_status_interval{1000};
constexpr Millis status_patience{2000};  // a loop that is busy for longer is asked again
constexpr Millis ended_bound = std::chrono::hours(1);

std::unique_ptr<Runtime> make_runtime(const config::Config& config, bool dry_run, const Log& log) {
  RuntimeSettings settings;
  settings.handover_program = own_file();
  settings.dry_run = dry_run;
  settings.log = log;
  if (const char* const credentials = ::getenv("CREDENTIALS_DIRECTORY")) settings.credentials_dir = credentials;
  return library::RuntimeMaker::make(
      {config, {runner_file(), sendmail_file(), ping_file()}, "run_dir or [control] socket", false},
      std::move(settings));
}

}  // namespace

Daemon::Daemon(config::Config config, bool dry_run, Log log)
    : config_(std::move(config)),
      log_(std::move(log)),
      notify_(io::SdNotify::from_environment()),
      watchdog_(loop_.context(), [this] { keep_watchdog(); }),
      status_due_(loop_.context(), [this] { tell_status(); }),
      runtime_(make_runtime(config_, dry_run, log_)) {}

Exit Daemon::run() {
  ::umask(027);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write
  if (const auto plugin = library::find_backend(config_); !plugin) {
    log_(Level::fatal, plugin.error().what, {{"backend", config_.coordination.backend}});
    return Exit::configuration;
  }
  runtime_->on_ended([this](const Result<void>&) { loop_.post([this] { loop_.stop(); }); });
  listen_to_signals();
  if (const auto started = runtime_->start(); !started) return fail(started.error());
  notify_.ready("node " + config_.node);
  keep_watchdog();
  tell_status();
  loop_.run();
  const auto ended = runtime_->stop({.bound = ended_bound});
  if (ended) return Exit::done;
  const Errc code = ended.error().code;
  if (code == Errc::conflict || code == Errc::refused)  // the ledger has said itself what it has lost
    log_(Level::fatal, ended.error().what, {{"node", config_.node}});
  return code == Errc::refused ? Exit::configuration : Exit::failed;
}

Exit Daemon::fail(const Error& error) const {
  log_(Level::fatal, error.what, {});
  return error.code == Errc::refused || error.code == Errc::invalid ? Exit::configuration : Exit::failed;
}

/// What comes while the runtime starts counts once it has.
void Daemon::listen_to_signals() {
  loop_.on_signal(SIGTERM, [this] { stop(config_.on_stop); });
  loop_.on_signal(SIGINT, [this] { stop(config_.on_stop); });
  loop_.on_signal(SIGUSR2, [this] { stop({config::OnStop::Kind::leave}); });
  loop_.on_signal(SIGUSR1, [this] { log_(Level::debug, "SIGUSR1 means nothing here", {}); });
  loop_.on_signal(SIGHUP, [this] { static_cast<void>(runtime_->reload("SIGHUP")); });
}

/// A second signal does not wait for runs.
void Daemon::stop(config::OnStop how) {
  using Kind = config::OnStop::Kind;
  is_stopping_ = true;
  notify_.stopping();
  notify_.status("stopping");
  Runtime::Stop stop;
  if (how.kind == Kind::wait) stop.wait = how.wait;
  stop.leave = how.kind == Kind::leave;
  runtime_->request_stop(stop);
}

/// What `systemctl status` shows.
void Daemon::tell_status() {
  if (!notify_.is_enabled() || is_stopping_) return;
  const auto status = runtime_->status(status_patience);
  const bool schedules = status && status->state != RuntimeStatus::State::not_scheduling;
  status_due_.arm(io::read_clocks().steady + (schedules ? status_interval : first_status_interval));
  if (!status || status->summary == told_status_) return;
  notify_.status(status->summary);
  told_status_ = status->summary;
}

/// While the runtime's loop answers.
void Daemon::keep_watchdog() {
  const auto interval = io::watchdog_interval();
  if (!interval) return;
  if (runtime_->ping(*interval / 2)) notify_.watchdog();
  watchdog_.arm(io::read_clocks().steady + *interval / 2);
}

}  // namespace ballot::app
