#include "app/signalled_command.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

#include "io/clocks.hpp"

namespace ballot::app {
namespace {

constexpr Millis readiness_pause{20};
constexpr Millis patience{1000};  // from the child's start on: programs catch their signals soon, or never

/// Whether the process catches, blocks or ignores the signal, so that it does not die of it.
bool is_ready_for(int signal, pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigCgt:") && !line.starts_with("SigBlk:") && !line.starts_with("SigIgn:")) continue;
    std::uint64_t mask = 0;
    std::istringstream(line.substr(7)) >> std::hex >> mask;
    if (mask & bit) return true;
  }
  return false;
}

}  // namespace

SignalledCommand::SignalledCommand(const config::Config& config, CandidateSettings settings, Signals signals,
                                   io::ChildGuard& guard, Log log)
    : CandidateProgram(config, std::move(settings), std::move(log)),
      signals_(signals),
      guard_(guard),
      timer_(loop().context(), [this] { signal_won(); }) {}

void SignalledCommand::begin() {
  guard_.attach(loop().context(), {[this](pid_t pid) {
                                     pid_ = pid;
                                     patient_until_ = io::read_clocks().steady + patience;
                                     say(Level::info, "child started", {{"pid", std::to_string(pid)}});
                                     signal_won();
                                   },
                                   [this](io::ChildEnd end) { on_ended(end); }});
  guard_.start({"BALLOT_GROUP=" + group(), "BALLOT_NODE=" + candidate()}, SteadyTime::max(), -1, -1);
}

void SignalledCommand::on_status(const core::CandidateStatus& before) {
  const core::CandidateStatus& now = status();
  if (now.epoch == 0 && before.epoch != 0) signal_lost();
  if (child_leads_ && now.deadline != before.deadline) guard_.lease(now.deadline, now.grace);
  if (now.asked_to_leave && !before.asked_to_leave) leave();
  if (now.leads() && !child_leads_) signal_won();
}

/// A child that ends with the term is awaited: its end is the end of all this.
void SignalledCommand::leave() {
  const bool ends = child_leads_ && signals_.on_lost != io::OnLost::signal;
  signal_lost();
  if (ends) return;
  campaigner().leave();
  campaigner().enter();
}

void SignalledCommand::signal_lost() {
  timer_.disarm();
  if (std::exchange(child_leads_, false)) guard_.lost();
}

/// Once the term before is over, and the child is there to receive it.
void SignalledCommand::signal_won() {
  const core::CandidateStatus& now = status();
  if (!now.leads() || now.asked_to_leave || child_leads_ || pid_ == 0) return;
  const SteadyTime time = io::read_clocks().steady;
  if (time < now.acts_from) return timer_.arm(now.acts_from);
  if (!is_ready_for(signals_.won, pid_) && time < patient_until_) return timer_.arm(time + readiness_pause);
  child_leads_ = true;
  guard_.lease(now.deadline, now.grace);
  guard_.signal(signals_.won);
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
