#include "app/candidates/leader_file_program.hpp"

#include <unistd.h>

#include "io/clocks.hpp"
#include "io/leader_file.hpp"

namespace ballot::app {

LeaderFileProgram::LeaderFileProgram(const config::Config& config, CandidateSettings settings, std::string path,
                                     Log log)
    : CandidateProgram(config, std::move(settings), std::move(log)),
      path_(std::move(path)),
      timer_(loop().context(), [this] { write(); }) {}

LeaderFileProgram::~LeaderFileProgram() { remove(); }

/// What an earlier process left goes once it is void.
void LeaderFileProgram::begin() {
  if (!io::check_leader_file(path_, group(), io::read_clocks().steady, io::boot_id())) ::unlink(path_.c_str());
}

void LeaderFileProgram::on_status(const core::CandidateStatus& before) {
  const core::CandidateStatus& now = status();
  if (!now.leads() || now.asked_to_leave) remove();
  if (now.asked_to_leave && !before.asked_to_leave) {
    campaigner().leave();
    campaigner().enter();
  } else if (now.leads() && (!before.leads() || now.deadline != before.deadline)) {
    write();
  }
}

void LeaderFileProgram::write() {
  const core::CandidateStatus& now = status();
  if (!now.leads() || now.asked_to_leave) return;
  const Now time = io::read_clocks();
  if (time.steady < now.acts_from) return timer_.arm(now.acts_from);
  const auto written = io::write_leader_file(path_, {group(), candidate(), now.epoch, io::boot_id(), now.deadline,
                                                     time.wall + (now.deadline - time.steady), time.wall});
  stands_ = true;
  if (!written) say(Level::error, written.error().what);
}

void LeaderFileProgram::remove() {
  timer_.disarm();
  if (std::exchange(stands_, false)) ::unlink(path_.c_str());
}

/// Before it resigns: the next leader's file comes after this one has gone.
void LeaderFileProgram::on_signal(int signal) {
  say(Level::info, "stopping", {{"signal", std::to_string(signal)}});
  remove();
  finish(Exit::done);
}

}  // namespace ballot::app
