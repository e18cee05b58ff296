// SignalledCommand: `ballot election run`: a command that is told by signals whether it leads. It starts at once, as a
// follower, and when it ends this ends, with its code.
//
// Thread: the main one.
#pragma once

#include <string>

#include "app/candidate_program.hpp"
#include "io/keeper.hpp"

namespace ballot::app {

class SignalledCommand final : public CandidateProgram {
 public:
  struct Signals {
    int won = 0;                            // on winning
    io::OnLost on_lost = io::OnLost::tell;  // as the keeper has it
  };

  SignalledCommand(const config::Config& config, CandidateSettings settings, Signals signals, io::Keeper& keeper,
                   Log log);
  ~SignalledCommand() override { keeper_.detach(); }

 private:
  void begin() override;
  void on_status(const core::CandidateStatus& before) override;
  void on_signal(int signal) override;
  void tell_won();
  void tell_lost();
  void leave();
  void on_ended(io::ChildEnd end);

  const Signals signals_;
  io::Keeper& keeper_;
  io::BootTimer timer_;
  pid_t pid_ = 0;
  bool told_ = false;           // it knows that it leads
  SteadyTime patient_until_{};  // a child that does not catch the signal yet has that long
};

}  // namespace ballot::app
