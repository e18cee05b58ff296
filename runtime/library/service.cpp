#include "library/service.hpp"

#include <filesystem>
#include <utility>

#include "base/failpoint.hpp"
#include "http/daemon_routes.hpp"
#include "io/clocks.hpp"
#include "library/named_files.hpp"
#include "library/runner_place.hpp"
#include "library/settings.hpp"

namespace ballot::library {
namespace {

constexpr Millis keep_interval{1000};

SessionFile about_service(const config::Config& config, const NodeSettings& node) {
  SessionFile file = about_session(config, config.node);
  file.runner_socket = node.engine.runner.socket_path;
  return file;
}

LedgerPlace place_of_ledger(const config::Config& config, const NodeSettings& node) {
  LedgerPlace place = ledger_place(config);
  place.functions = node.engine.function_outputs;
  return place;
}

/// Settings with the program that the runner starts when this process is gone. The session file has all that the
/// program needs, so that it gets no flag or variable of this process.
NodeSettings with_successor(NodeSettings node, const std::string& program, const std::string& session) {
  if (program.empty() || node.engine.runner.socket_path.empty()) return node;
  runner::Successor& successor = node.engine.runner.successor;
  successor.argv = {program, "resign", "--session", session};
  if (const char* const failpoints = BALLOT_FAILPOINT_ENVIRONMENT) successor.environment = {failpoints};
  successor.lock = lock_path(session);
  return node;
}

}  // namespace

Service::Service(const config::Config& config, ServiceSettings settings, Log log)
    : config_(config),
      control_key_(std::move(settings.control_key)),
      log_(std::move(log)),
      session_(session_path(config.run_dir), about_service(config, settings.node)),
      ledger_lock_(config.history.path, settings.ledger_keys),
      ledger_place_(place_of_ledger(config, settings.node)),
      metrics_(BALLOT_VERSION),
      counter_(config.node, metrics_),
      node_(with_successor(std::move(settings.node), settings.handover_program, session_.path()), log_),
      keep_again_(node_.loop().context(), [this] { write_session(); }),
      jobs_(node_, config::JobsDir(config.jobs_dir, std::move(settings.jobs), {config.file, config.groups}), log_),
      roles_({config.control_groups.operators, config.control_groups.viewers}),
      answers_(node_, jobs_, {config.node, config.coordination.backend, ledger_place_, fleet_settings(config), log_}),
      scrape_(
          node_, metrics_,
          {config.http.job_metrics, [this](auto done, const auto& beside) { answers_.status(std::move(done), beside); },
           [this] { return http_ ? http_->counts() : web::HttpServer::Counts(); }}) {
  if (!config.http.listen.empty()) node_.add_observer(counter_.observer());
  node_.on_session([this](const std::string& handle) { keep_session(handle); });
}

Result<void> Service::start() try {
  auto started = start_parts();
  if (!started) undo_start();
  return started;
} catch (...) {
  undo_start();
  throw;
}

void Service::undo_start() {
  http_.reset();
  control_.reset();
  answers_.close();
  jobs_.close();
  node_.close();
  release_folder();
}

Result<void> Service::start_parts() {
  // What refuses the configuration comes before anything is made.
  if (const auto trusted = check_folders(config_); !trusted) return trusted;
  if (const auto possible = node_.check_backend(); !possible) return possible;
  for (const FileFault& fault : check_named_files(config_)) {
    if (fault.stops) return fault.error;
    log_(Level::warn, fault.error.what, {});
  }
  if (const auto made = make_folders(config_); !made) return made;
  if (const auto listens = listen(); !listens) return listens;
  if (const auto listens = listen_http(); !listens) return listens;
  const auto resume = take_session();
  if (!resume) return resume.error();
  if (const auto taken = take_ledger(); !taken) return taken;
  if (const auto placed = check_runner_place(); !placed) return placed;
  if (const auto started = node_.start(*resume); !started) return started;
  if (const auto readable = read_history(); !readable) return readable;
  answers_.start();
  jobs_.open();
  log_(Level::info, "ballot " BALLOT_VERSION " serves",
       {{"node", config_.node},
        {"backend", config_.coordination.backend},
        {"jobs", std::to_string(jobs_.set().definitions.size())},
        {"jobs_dir", config_.jobs_dir.empty() ? "none" : config_.jobs_dir},
        {"config", std::filesystem::exists(config_.file) ? config_.file : "none"}});
  return {};
}

Result<void> Service::listen() {
  if (config_.control_socket.empty()) return {};
  warn_of_groups(roles_.resolve());
  auto control = io::ControlServer::listen(
      loop().context(), config_.control_socket, roles_,
      [this](const io::Question& question, const io::Reply& reply) { answers_.answer(question, reply); });
  if (!control) return Error{control.error().code, control.error().what + "; " + control_key_ + " sets another one"};
  control_ = std::move(*control);
  return {};
}

Result<void> Service::listen_http() {
  if (config_.http.listen.empty()) return {};
  web::HttpHost host{[this](std::function<void()> task) { loop().post(std::move(task)); },
                     [this](const io::Question& question, const io::Reply& reply) { answer_http(question, reply); },
                     {config_.control_groups.operators, config_.control_groups.viewers},
                     web::daemon_routes(metrics_),
                     io::host_name(),
                     log_,
                     [this](const std::string& text) { node_.report("http", text); }};
  auto http = web::HttpServer::start(config_.http, std::move(host));
  if (!http) return http.error();
  http_ = std::move(*http);
  node_.advertise(http_->url());
  log_(Level::info, "the API listens", {{"listen", config_.http.listen}, {"url", http_->url()}});
  return {};
}

/// What the API asks that no client of the control socket has a use for, and the same questions.
void Service::answer_http(const io::Question& question, const io::Reply& reply) {
  if (question.message.text("do") == "metrics") return scrape_.take([reply] { reply.finish({}); });
  answers_.answer(question, reply);
}

void Service::warn_of_groups(const std::vector<std::string>& unknown) const {
  for (const std::string& group : unknown)
    log_(Level::warn, "this machine has no group " + group + ": nobody has a role by it ([control] of ballot.toml)",
         {});
}

void Service::reload(const std::string& why) {
  warn_of_groups(roles_.resolve());
  if (http_) http_->reload();
  jobs_.reload(why);
}

/// Takes the session's lock. It comes before the first question to the store, so that no `ballot resign` ends a session
/// that goes on; and before the runner is reached, so that none is taken from another daemon of this folder.
Result<Resume> Service::take_session() {
  const auto taken = session_.begin();
  if (taken == SessionLock::Taken::in_use)
    return Error{Errc::conflict, "another ballot runs in " + config_.run_dir + " (it has locked " +
                                     lock_path(session_.path()) +
                                     "): stop that one, or give this one a state_dir and a run_dir of its own"};
  if (taken == SessionLock::Taken::no_file)
    log_(Level::warn, "cannot open " + lock_path(session_.path()) + "; a crash is not handed over at once", {});
  if (taken != SessionLock::Taken::by_other) return Resume::allowed;
  log_(Level::warn, "`ballot resign` still works for the daemon before: the session of that one is not gone on with",
       {});
  return Resume::refused;
}

/// Takes the ledger's lock. Without a place for a lock the ledger is used without one: a full or read-only disk stops
/// no job.
Result<void> Service::take_ledger() {
  const auto taken = ledger_lock_.take();
  if (taken || taken.error().code == Errc::conflict || taken.error().code == Errc::refused) return taken;
  log_(Level::warn, taken.error().what + "; that nobody else writes the ledger is not checked", {});
  return {};
}

/// Refuses to start beside a runner of another run_dir. That the link to it cannot be made stops no job.
Result<void> Service::check_runner_place() {
  const auto kept = keep_runner_place(config_.state_dir, runner_socket(config_));
  if (kept || kept.error().code == Errc::conflict) return kept;
  log_(Level::warn, kept.error().what + "; a change of run_dir is not noticed", {});
  return {};
}

/// Questions of the fleet are answered by its history, unless [NAME] read = "local": that is being tried then.
Result<void> Service::read_history() {
  HistoryChoice choice = history_choice(config_);
  if (choice.plugin.empty()) return {};
  const auto read = choice.options.find("read");
  if (read != choice.options.end() && read->second == OptionValue(std::string("local"))) return {};
  const auto plugin = find_history(config_.plugin_dir, choice);
  if (!plugin) return plugin.error();
  history_ = std::make_unique<HistoryReaders>(**plugin, std::move(choice),
                                              [this] { return node_.feed_state().value_or(FeedState()).sent; });
  answers_.answer_from(*history_);
  return {};
}

/// Writes the session file for `ballot resign`, which a supervisor or the runner calls after a crash. A clean stop
/// removes the file.
void Service::keep_session(const std::string& handle) {
  keep_again_.disarm();
  handle_ = handle;
  if (handle.empty() && stop_ == Stop::closes) return session_.remove();
  const bool left = handle.empty() && stop_ == Stop::leaves;
  const auto written = left ? session_.leave(node_.deadline(), io::boot_id()) : session_.keep(handle);
  if (written) return;
  log_(Level::warn, written.error().what + "; a crash is not handed over at once", {});
  if (!left) keep_again_.arm(io::read_clocks().steady + keep_interval);
}

/// Writes the session file once the lock is free: its holder, a `ballot resign` for the daemon before, ends soon.
void Service::write_session() {
  if (session_.keep(handle_)) return log_(Level::info, "the session is kept: a crash is handed over at once", {});
  keep_again_.arm(io::read_clocks().steady + keep_interval);
}

/// The first call decides whether the daemon leaves its session: groups that are handed over cannot be left any more.
void Service::stop(config::OnStop how) {
  using Kind = config::OnStop::Kind;
  const bool again = stop_ != Stop::none;
  if (!again) stop_ = how.kind == Kind::leave ? Stop::leaves : Stop::closes;
  if (stop_ == Stop::leaves) how.kind = Kind::leave;
  if (stop_ == Stop::closes && how.kind == Kind::leave) how.kind = Kind::kill;
  log_(Level::info, again && how.kind != Kind::wait ? "stopping at once" : "stopping",
       {{"open_runs", std::to_string(node_.core().views().open_runs())}});
  node_.stop(how, [this] {
    if (stop_ == Stop::closes && session_.is_over()) session_.remove();  // one that was lost before the stop
    log_(Level::info, "stopped", {});
  });
}

std::int64_t Service::close() {
  const std::int64_t lost_rows = node_.close();
  release_folder();
  return lost_rows;
}

/// Releases the locks of the folder. The ledger's comes first, as a daemon that waits for the session's lock takes the
/// ledger's next.
void Service::release_folder() {
  ledger_lock_.release();
  session_.lock().release();
}

Result<void> Service::run() {
  const auto ran = node_.run();
  http_.reset();  // both ask the node
  control_.reset();
  answers_.close();
  keep_again_.disarm();
  return ran;
}

}  // namespace ballot::library
