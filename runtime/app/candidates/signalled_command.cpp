#include "app/candidates/signalled_command.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "io/clocks.hpp"
#include "io/leader_file.hpp"

namespace ballot::app {

SignalledCommand::SignalledCommand(const config::Config& config, CandidateSettings settings, Child child,
                                   io::ChildGuard& guard, Log log)
    : CandidateProgram(config, std::move(settings), std::move(log)),
      child_(std::move(child)),
      guard_(guard),
      timer_(loop().context(), [this] { win(); }) {}

SignalledCommand::~SignalledCommand() {
  guard_.detach();
  ::unlink(child_.epoch_file.c_str());
}

/// What a candidate before has left of its epoch is none.
void SignalledCommand::begin() {
  ::unlink(child_.epoch_file.c_str());
  guard_.attach(loop().context(), {[this](pid_t pid) {
                                     pid_ = pid;
                                     say(Level::info, "child started", {{"pid", std::to_string(pid)}});
                                     win();
                                   },
                                   [this](io::ChildEnd end) { on_ended(end); }});
  guard_.start({"BALLOT_GROUP=" + group(), "BALLOT_NODE=" + candidate(), "BALLOT_EPOCH_FILE=" + child_.epoch_file},
               SteadyTime::max(), {});
}

void SignalledCommand::on_status(const core::CandidateStatus& before) {
  const core::CandidateStatus& now = status();
  if (now.epoch == 0 && before.epoch != 0) lose();
  if (child_leads_ && now.deadline != before.deadline) guard_.lease(now.deadline, now.grace);
  if (now.asked_to_leave && !before.asked_to_leave) leave();
  if (now.leads() && !child_leads_) win();
}

/// A child that ends with the term is awaited: its end is the end of all this.
void SignalledCommand::leave() {
  const bool ends = child_leads_ && child_.on_lost != io::OnLost::signal;
  lose();
  if (ends) return;
  campaigner().leave();
  campaigner().enter();
}

void SignalledCommand::lose() {
  timer_.disarm();
  if (!std::exchange(child_leads_, false)) return;
  ::unlink(child_.epoch_file.c_str());
  guard_.lost();
}

/// Once the term before is over, and the child is there.
void SignalledCommand::win() {
  const core::CandidateStatus& now = status();
  if (!now.leads() || now.asked_to_leave || child_leads_ || pid_ == 0) return;
  if (io::read_clocks().steady < now.acts_from) return timer_.arm(now.acts_from);
  child_leads_ = true;
  if (const auto written = io::replace_file(child_.epoch_file, std::to_string(now.epoch) + "\n"); !written)
    say(Level::error, written.error().what + "; the child does not find its epoch");
  guard_.lease(now.deadline, now.grace);
  guard_.won();
}

void SignalledCommand::on_signal(int signal) {
  say(Level::info, "stopping", {{"signal", std::to_string(signal)}});
  guard_.end(signal);
}

void SignalledCommand::on_ended(io::ChildEnd end) {
  pid_ = 0;
  timer_.disarm();
  const bool exited = end.kind == io::ChildEnd::Kind::exited;
  const bool signalled = end.kind == io::ChildEnd::Kind::signalled;
  const int code = exited ? end.value : signalled ? 128 + end.value : end.value == ENOENT ? 127 : 126;
  say(code == 0 ? Level::info : Level::error, "child ended", {{"code", std::to_string(code)}});
  finish(static_cast<Exit>(code));
}

}  // namespace ballot::app
