#include "app/candidates/candidate_program.hpp"

#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "app/client/ledger_access.hpp"
#include "app/options/places.hpp"
#include "io/clocks.hpp"
#include "library/backend_choice.hpp"

namespace ballot::app {
namespace {

constexpr Millis closing_patience{3000};  // for the store to confirm that the session has ended

library::SessionFile about_candidate(const config::Config& config, const std::string& group,
                                     const std::string& candidate) {
  library::SessionFile file = library::about_session(config, candidate.empty() ? config.node : candidate);
  file.group = group;
  return file;
}

}  // namespace

CandidateSession::CandidateSession(const config::Config& config, const std::string& group, const std::string& candidate)
    : kept(library::candidate_session_path(config, group, candidate.empty() ? config.node : candidate),
           about_candidate(config, group, candidate)),
      anew(kept.begin() == library::SessionLock::Taken::by_other) {}

void CandidateSession::add_to(io::ChildGuardSettings& settings) {
  settings.resign = {own_file(), "resign", "--session", kept.path()};
  settings.session_file = kept.path();
  settings.lock = kept.lock().descriptor();
}

CandidateProgram::CandidateProgram(const config::Config& config, CandidateSettings settings, Log log)
    : config_(config),
      settings_(std::move(settings)),
      log_(std::move(log)),
      closing_timer_(loop_.context(), [this] { give_up_closing(); }) {
  if (settings_.candidate.empty()) settings_.candidate = config.node;
}

CandidateProgram::~CandidateProgram() = default;

Exit CandidateProgram::run() {
  ::signal(SIGPIPE, SIG_IGN);
  const auto plugin = library::find_backend(config_);
  if (!plugin) {
    fail(settings_.command, plugin.error());
    return Exit::configuration;
  }
  std::error_code ignored;
  std::filesystem::create_directories(config_.state_dir, ignored);  // where a backend may keep what it remembers
  io::CampaignerSettings settings;
  settings.candidate = settings_.candidate;
  settings.group = settings_.group;
  settings.version = BALLOT_VERSION;
  settings.session_timeout = config_.coordination.session_timeout.value_or(Millis(0));
  settings.stop_grace = settings_.stop_grace;
  settings.backend = library::backend_settings(config_);
  for (const config::PlacedGroup& placed : config_.groups) settings.groups.push_back(placed.group);
  settings.anew = settings_.session && settings_.session->anew;
  const auto log = [this](Level level, std::string_view text, const LogFields& fields) { say(level, text, fields); };
  campaigner_ = std::make_unique<io::Campaigner>(
      loop_, std::move(settings), **plugin, log,
      io::CampaignerHandlers{[this](const core::CandidateStatus& before) { on_changed(before); },
                             [this](const BackendEvent& event) {
                               keep_session(event);
                               on_answer(event);
                             }});
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    loop_.on_signal(signal, [this, signal] { on_signal(signal); });
  loop_.on_signal(SIGUSR1, [this] { say(Level::debug, "SIGUSR1 means nothing here"); });
  begin();
  if (auto started = campaigner_->start(); !started) {
    fail(settings_.command, started.error());
    return Exit::configuration;
  }
  campaigner_->enter();
  loop_.run();
  campaigner_.reset();
  if (settings_.session) settings_.session->kept.remove_all();
  return exit_.value_or(Exit::failed);
}

/// Where no file can be made, whoever comes next waits for the end of the lease.
void CandidateProgram::keep_session(const BackendEvent& event) {
  if (!settings_.session) return;
  const auto* opened = std::get_if<backend::SessionOpened>(&event.what);
  Result<void> written;
  if (opened) written = settings_.session->kept.keep(opened->handle);
  if (std::holds_alternative<backend::SessionClosed>(event.what)) settings_.session->kept.remove();
  if (!written) say(Level::debug, written.error().what + "; a crash is not handed over at once");
}

void CandidateProgram::on_changed(const core::CandidateStatus& before) {
  say_change(before);
  if (status().refused && !before.refused) {
    const bool permitted = status().cause != Cause::auth_failed && !campaigner_->is_moved();
    if (permitted)
      fail(settings_.command, {Errc::conflict, status().trouble + "; --candidate-id names this candidate"});
    else
      fail(settings_.command, {Errc::refused, status().trouble});
    finish(permitted ? Exit::failed : Exit::configuration);
  }
  on_status(before);
  if (!finishing() || status().state != core::CandidateStatus::State::closed) return;
  status().unconfirmed ? give_up_closing() : loop_.stop();
}

void CandidateProgram::say_change(const core::CandidateStatus& before) const {
  const core::CandidateStatus& now = status();
  if (now.failures != before.failures && now.failures > 0 && !finishing() && !now.refused)
    say(now.failures == 1 ? Level::error : Level::debug, "election failed: " + now.trouble);
  if (now.connected && !before.connected && before.failures > 0) say(Level::info, "the backend is back");
  const LogFields epoch{{"epoch", std::to_string(std::max(now.epoch, before.epoch))}};
  if (now.epoch != 0 && before.epoch == 0) say(Level::info, "leads", epoch);
  if (now.epoch == 0 && before.epoch != 0) {
    const bool asked = before.state == core::CandidateStatus::State::leaving || finishing();
    LogFields fields = epoch;
    fields.emplace_back("cause", std::string(to_string(now.cause)));
    say(asked ? Level::info : Level::warn, "leads no more", fields);
  }
  if (now.unfit != before.unfit && now.connected && before.connected)
    now.unfit.empty() ? say(Level::info, "fit to lead again") : say(Level::warn, "not fit to lead: " + now.unfit);
  if (now.in_doubt && !before.in_doubt) say(Level::warn, "leadership is in doubt: a renewal is overdue", epoch);
  if (now.state == core::CandidateStatus::State::following && before.state == core::CandidateStatus::State::outside)
    say(Level::info, "campaigns");
}

void CandidateProgram::finish(Exit exit) {
  if (finishing()) return;
  exit_ = exit;
  closing_timer_.arm(io::read_clocks().steady + closing_patience);
  campaigner_->close();
  if (status().state == core::CandidateStatus::State::closed) loop_.stop();
}

/// The lease runs out by itself.
void CandidateProgram::give_up_closing() {
  say(Level::error, "the backend does not confirm the resignation: the next leader waits for the end of the lease");
  if (exit_ == Exit::done) exit_ = Exit::unreachable;
  loop_.stop();
}

void CandidateProgram::say(Level level, std::string_view text, const LogFields& more) const {
  LogFields fields{{"candidate", settings_.candidate}, {"group", settings_.group}};
  add_fields(fields);
  fields.insert(fields.end(), more.begin(), more.end());
  log_(level, text, fields);
}

}  // namespace ballot::app
