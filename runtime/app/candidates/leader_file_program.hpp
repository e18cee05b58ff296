// LeaderFileProgram: `ballot election file`: a file that exists while this candidate leads, and says until when.
//
// Thread: the main one.
#pragma once

#include <string>

#include "app/candidates/candidate_program.hpp"

namespace ballot::app {

class LeaderFileProgram final : public CandidateProgram {
 public:
  LeaderFileProgram(const config::Config& config, CandidateSettings settings, std::string path, Log log);
  /// The file is gone with it.
  ~LeaderFileProgram() override;

 private:
  void begin() override;
  void on_status(const core::CandidateStatus& before) override;
  void on_signal(int signal) override;
  void write();
  void remove();

  const std::string path_;
  io::BootTimer timer_;
  bool stands_ = false;
};

}  // namespace ballot::app
