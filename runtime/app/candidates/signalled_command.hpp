// SignalledCommand: `ballot election run`: a command that is sent signals when it wins and loses, and finds its epoch
// in a file. It starts at once, as a follower, and when it ends this ends, with its code.
//
// Thread: the main one.
#pragma once

#include <string>

#include "app/candidates/candidate_program.hpp"
#include "io/child_guard.hpp"

namespace ballot::app {

class SignalledCommand final : public CandidateProgram {
 public:
  /// As the guard has them.
  struct Child {
    io::OnLost on_lost = io::OnLost::signal;
    std::string epoch_file = {};
  };

  SignalledCommand(const config::Config& config, CandidateSettings settings, Child child, io::ChildGuard& guard,
                   Log log);
  ~SignalledCommand() override;

 private:
  void begin() override;
  void on_status(const core::CandidateStatus& before) override;
  void on_signal(int signal) override;
  void win();
  void lose();
  void leave();
  void on_ended(io::ChildEnd end);

  const Child child_;
  io::ChildGuard& guard_;
  io::BootTimer timer_;
  pid_t pid_ = 0;
  bool child_leads_ = false;  // it may know that it leads
};

}  // namespace ballot::app
