// SignalledCommand: `ballot election run`: a command that is sent signals when it wins and loses. It starts at once, as
// a follower, and when it ends this ends, with its code.
//
// Thread: the main one.
#pragma once

#include <string>

#include "app/candidate_program.hpp"
#include "io/child_guard.hpp"

namespace ballot::app {

class SignalledCommand final : public CandidateProgram {
 public:
  struct Signals {
    int won = 0;                              // on winning
    io::OnLost on_lost = io::OnLost::signal;  // as the guard has it
  };

  SignalledCommand(const config::Config& config, CandidateSettings settings, Signals signals, io::ChildGuard& guard,
                   Log log);
  ~SignalledCommand() override { guard_.detach(); }

 private:
  void begin() override;
  void on_status(const core::CandidateStatus& before) override;
  void on_signal(int signal) override;
  void signal_won();
  void signal_lost();
  void leave();
  void on_ended(io::ChildEnd end);

  const Signals signals_;
  io::ChildGuard& guard_;
  io::BootTimer timer_;
  pid_t pid_ = 0;
  bool child_leads_ = false;    // it knows that it leads
  SteadyTime patient_until_{};  // a child that does not catch the signal yet has that long
};

}  // namespace ballot::app
