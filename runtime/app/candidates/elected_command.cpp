#include "app/candidates/elected_command.hpp"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

using State = core::CandidateStatus::State;

constexpr Millis pause{1000};    // before a child that failed, or was not elected, is run again
constexpr Millis on_time{1000};  // a tick is made up for where it is later

std::uint64_t seed() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

/// As a shell reports it.
int code_of(const io::ChildEnd& end) {
  switch (end.kind) {
    case io::ChildEnd::Kind::exited: return end.value;
    case io::ChildEnd::Kind::signalled: return 128 + end.value;
    default: return end.value == ENOENT ? 127 : 126;
  }
}

std::string end_text(const io::ChildEnd& end) {
  switch (end.kind) {
    case io::ChildEnd::Kind::exited: return "exit code " + std::to_string(end.value);
    case io::ChildEnd::Kind::signalled: return "signal " + std::to_string(end.value);
    case io::ChildEnd::Kind::too_late: return "not started: the lease was about to end";
    default: break;
  }
  if (end.value == EPIPE) return "cannot be started: the guard was killed";
  return std::string("cannot be started: ") + std::strerror(end.value);
}

CandidateSettings candidate_settings(const RunOptions& options, bool cron, CandidateSession& session) {
  return {cron ? "run cron" : "run once", options.candidate, options.group, options.kill_grace, &session};
}

}  // namespace

ElectedCommand::ElectedCommand(const config::Config& config, const RunOptions& options,
                               std::optional<schedule::Plan> plan, CandidateSession& session, io::ChildGuard& guard,
                               Log log)
    : CandidateProgram(config, candidate_settings(options, plan.has_value(), session), std::move(log)),
      options_(options),
      guard_(guard),
      plan_(std::move(plan)),
      random_(seed()),
      boot_timer_(loop().context(), [this] { advance(); }),
      patience_timer_(loop().context(),
                      [this] {
                        if (finishing()) return;
                        say(Level::error, "does not lead within --max-wait");
                        finish(Exit::gave_up);
                      }),
      wall_timer_(loop().context(), [this](io::Woken) { advance(); }) {
  if (plan_) ticks_.emplace(*plan_, group(), candidate());
}

void ElectedCommand::begin() {
  guard_.attach(loop().context(),
                {[this](pid_t pid) { on_started(pid); }, [this](io::ChildEnd end) { on_ended(end); }});
  if (options_.max_wait) patience_timer_.arm(io::read_clocks().steady + *options_.max_wait);
}

void ElectedCommand::add_fields(LogFields& fields) const {
  if (!run_.empty()) fields.emplace_back("run", run_);
  if (slot_) fields.emplace_back("slot", format_seconds(*slot_));
}

void ElectedCommand::on_status(const core::CandidateStatus& before) {
  update_guard(before);
  const core::CandidateStatus& now = status();
  if (now.leads() && !before.leads()) {
    patience_timer_.disarm();
    if (ticks_) {
      core::Actions out;
      ticks_->lead(now.epoch, campaigner().last_request(), out);
      campaigner().perform(std::move(out));
    }
  }
  if (ticks_ && !now.leads() && before.leads()) {
    ticks_->drop();
    said_more_ = false;
  }
  if (now.connected) failing_ = false;
  if (now.failures > before.failures) on_failure();
  if (now.asked_to_leave && !before.asked_to_leave) {
    say(Level::warn, "asked to leave");
    if (child_ != Child::waiting) guard_.end(SIGTERM);
  }
  advance();
}

/// The guard enforces the lease also where this process is stopped.
void ElectedCommand::update_guard(const core::CandidateStatus& before) {
  const core::CandidateStatus& now = status();
  const bool has_term = now.epoch != 0;
  if (has_term && (before.epoch == 0 || now.deadline != before.deadline)) guard_.lease(now.deadline, now.grace);
  if (has_term || before.epoch == 0) return;
  if (elected_ && child_ != Child::waiting) guard_.lost();
  if (child_ == Child::waiting) run_.clear();
}

void ElectedCommand::on_failure() {
  failing_ = true;
  if (finishing() || stop_signal_ != 0) return;
  if (options_.on_election_failure == ElectionPolicy::exit && child_ == Child::waiting) finish(Exit::gave_up);
  if (ticks_ && !unelected_from_) unelected_from_ = io::read_clocks().wall;
}

void ElectedCommand::on_signal(int signal) {
  say(Level::info, "stopping", {{"signal", std::to_string(signal)}});
  if (stop_signal_ == 0) stop_signal_ = signal;
  if (child_ == Child::waiting) return finish(static_cast<Exit>(128 + signal));
  guard_.end(signal);
}

void ElectedCommand::advance() {
  if (finishing() || stop_signal_ != 0) return;
  const Now now = io::read_clocks();
  if (status().asked_to_leave && child_ == Child::waiting) return hand_over();
  if (ticks_)
    advance_cron(now);
  else
    advance_once(now);
  arm(now);
}

void ElectedCommand::advance_once(Now now) {
  if (child_ != Child::waiting || now.steady < not_before_) return;
  const bool anyway = failing_ && options_.on_election_failure == ElectionPolicy::run_anyway;
  if (campaigner().candidacy().may_act(now))
    start(std::nullopt, campaigner().candidacy().launch_not_after());
  else if (anyway)
    start(std::nullopt, SteadyTime::max());
}

void ElectedCommand::advance_cron(Now now) {
  core::Actions out;
  ticks_->on_time(now, campaigner().last_request(), out);
  campaigner().perform(std::move(out));
  const bool anyway = failing_ && options_.on_election_failure == ElectionPolicy::run_anyway;
  if (anyway && child_ == Child::waiting) return run_unelected(now);
  const bool ending = child_ == Child::printing || child_ == Child::over;
  if (ending || !campaigner().candidacy().may_act(now) || ticks_->state() != core::Ticks::State::ready) return;
  const core::Ticks::Look look = ticks_->look(now);
  if (look.due) settle_due(now, look);
}

/// A tick is claimed before its child is started, and one that finds the last child running is passed over.
void ElectedCommand::settle_due(Now now, const core::Ticks::Look& look) {
  pass_over(look);
  if (child_ == Child::waiting) return claim(now, *look.due);
  say_passed(*look.due, said_up_to_);
  core::Actions out;
  ticks_->skip(*look.due, campaigner().last_request(), out);
  campaigner().perform(std::move(out));
}

/// While the store refuses writes the same ticks are found again with each attempt.
void ElectedCommand::pass_over(const core::Ticks::Look& look) {
  if (look.passed_more && !said_more_) say(Level::warn, "ticks are missed: nobody led for more than 5m");
  said_more_ = look.passed_more;
  const WallTime said = said_up_to_;
  for (const WallTime slot : look.passed) say_passed(slot, said);
}

void ElectedCommand::say_passed(WallTime slot, WallTime said) {
  if (slot <= said) return;
  said_up_to_ = std::max(said_up_to_, slot);
  say(Level::warn, child_ == Child::waiting ? "tick missed" : "tick skipped: the child is still running",
      {{"tick", format_seconds(slot)}});
}

void ElectedCommand::claim(Now now, WallTime slot) {
  run_ = random_.run_id(now.wall).text();
  core::Actions out;
  ticks_->claim(slot, run_, campaigner().last_request(), out);
  campaigner().perform(std::move(out));
}

void ElectedCommand::on_answer(const BackendEvent& event) {
  if (!ticks_) return;
  const Now now = io::read_clocks();
  const std::string trouble = ticks_->trouble();
  core::Actions out;
  std::optional<WallTime> claimed;
  if (const auto* wrote = std::get_if<backend::Wrote>(&event.what))
    claimed = ticks_->on(now, *wrote, campaigner().last_request(), out);
  else if (const auto* read = std::get_if<backend::ReadDone>(&event.what))
    claimed = ticks_->on(now, *read, campaigner().last_request(), out);
  else
    return;
  campaigner().perform(std::move(out));
  if (ticks_->trouble() != trouble && !ticks_->trouble().empty()) say(Level::error, ticks_->trouble());
  if (claimed) on_claimed(now, *claimed);
  advance();
}

/// The claim is confirmed: its child runs in this term, or not at all.
void ElectedCommand::on_claimed(Now now, WallTime slot) {
  if (finishing() || stop_signal_ != 0) return say(Level::warn, "tick missed", {{"tick", format_seconds(slot)}});
  if (now.wall - slot > on_time)
    say(Level::info, "tick made up for", {{"tick", format_seconds(slot)}, {"late", format_duration(now.wall - slot)}});
  start(slot, campaigner().candidacy().launch_not_after());
}

/// The backend is away, and the command is to run all the same: each candidate by itself.
void ElectedCommand::run_unelected(Now now) {
  if (!unelected_from_) unelected_from_ = now.wall;
  const std::vector<WallTime> anchors(plan_->everies().size(), *unelected_from_);
  const auto slot = plan_->next(*unelected_from_, anchors);
  if (!slot || slot->at > now.wall) return;
  unelected_from_ = slot->at;
  run_ = random_.run_id(now.wall).text();
  if (slot->is_due() && now.wall - slot->at <= core::Ticks::oldest) start(slot->at, SteadyTime::max());
}

void ElectedCommand::arm(Now now) {
  SteadyTime steady = SteadyTime::max();
  const auto consider = [&](SteadyTime at) {
    if (at > now.steady) steady = std::min(steady, at);
  };
  consider(not_before_);
  if (status().leads()) consider(status().acts_from);
  if (ticks_ && ticks_->wake()) consider(*ticks_->wake());
  steady != SteadyTime::max() ? boot_timer_.arm(steady) : boot_timer_.disarm();
  if (!ticks_) return;
  std::optional<WallTime> next;
  if (ticks_->state() == core::Ticks::State::ready) next = ticks_->look(now).next;
  if (failing_ && unelected_from_) {
    const auto slot = plan_->next(*unelected_from_, std::vector(plan_->everies().size(), *unelected_from_));
    if (slot) next = slot->at;
  }
  wall_timer_.arm(next.value_or(WallTime::max()));
}

void ElectedCommand::start(std::optional<WallTime> slot, SteadyTime not_after) {
  elected_ = not_after != SteadyTime::max();
  slot_ = slot;
  if (!ticks_) run_ = random_.run_id(io::read_clocks().wall).text();
  std::vector<std::string> variables{"BALLOT_GROUP=" + group(), "BALLOT_NODE=" + candidate(), "BALLOT_RUN_ID=" + run_};
  variables.push_back(elected_ ? "BALLOT_EPOCH=" + std::to_string(status().epoch) : "BALLOT_UNCLAIMED=1");
  if (slot) variables.push_back("BALLOT_SLOT=" + format_slot(*slot));
  child_ = Child::starting;
  const auto closed = [this] { printed(); };
  if (options_.wrap) {
    const auto logger = [this](Level level) {
      return [this, level](std::string_view text, bool continues) {
        early_.push_back({level, std::string(text), continues});
        if (child_ != Child::starting) say_printed();
      };
    };
    out_ = std::make_unique<io::LinePipe>(loop().context(), logger(Level::info), closed);
    err_ = std::make_unique<io::LinePipe>(loop().context(), logger(Level::error), closed);
    guard_.start(variables, not_after,
                 io::ChildPipes{out_->write_end(), err_->write_end(), out_->read_end(), err_->read_end()});
    out_->close_write_end();
    err_->close_write_end();
  } else {
    guard_.start(variables, not_after, {});
  }
}

void ElectedCommand::on_started(pid_t pid) {
  child_ = Child::running;
  say(elected_ ? Level::info : Level::warn, elected_ ? "child started" : "child started unelected",
      {{"pid", std::to_string(pid)}});
  say_printed();
}

/// What the child prints comes another way than that it is there: that is said first.
void ElectedCommand::say_printed() {
  for (const PrintedLine& line : std::exchange(early_, {}))
    say(line.level, line.text, line.continues ? LogFields{{"continues", "true"}} : LogFields{});
}

void ElectedCommand::on_ended(io::ChildEnd end) {
  say_printed();
  end_ = end;
  child_ = Child::printing;
  for (const auto& pipe : {out_.get(), err_.get()})
    if (pipe) pipe->finish();
  printed();
}

void ElectedCommand::printed() {
  if (child_ != Child::printing) return;
  if ((out_ && !out_->closed()) || (err_ && !err_->closed())) return;
  loop().post([this] { over(); });  // a pipe does not see its own end
  child_ = Child::over;
}

void ElectedCommand::over() {
  out_.reset();
  err_.reset();
  child_ = Child::waiting;
  const bool good = end_.kind == io::ChildEnd::Kind::exited && end_.value == 0;
  LogFields fields{{"end", end_text(end_)}};
  if (end_.by_lease) fields.emplace_back("cause", "the term was over");
  say(good ? Level::info : Level::error, "child ended", fields);
  const int code = code_of(end_);
  if (slot_ && end_.kind == io::ChildEnd::Kind::too_late)
    say(Level::warn, "tick missed", {{"tick", format_seconds(*slot_)}});
  run_.clear();
  slot_.reset();
  if (stop_signal_ != 0) return finish(static_cast<Exit>(code));
  if (end_.kind == io::ChildEnd::Kind::cannot_start && end_.value == EPIPE) return finish(Exit::failed);
  const Now now = io::read_clocks();
  if (failing_ && options_.on_election_failure == ElectionPolicy::exit) return finish(Exit::gave_up);
  if (end_.kind != io::ChildEnd::Kind::too_late) follow(good ? options_.on_success : options_.on_error, code, now);
  advance();
}

void ElectedCommand::follow(ChildPolicy policy, int code, Now now) {
  if (code != 0 || !elected_) not_before_ = now.steady + pause;
  switch (policy) {
    case ChildPolicy::exit: return finish(static_cast<Exit>(code));
    case ChildPolicy::reelect: return hand_over();
    case ChildPolicy::rerun: return;
    case ChildPolicy::ignore:
      if (!ticks_) finish(Exit::done);
  }
}

/// Others have the first chance to follow.
void ElectedCommand::hand_over() {
  campaigner().leave();
  campaigner().enter();
}

}  // namespace ballot::app
