// StoredStates: whether jobs are paused or halted, as the store has it: of those that another node leads, only that one
// and the store know.
//
// Threads: the main one. Needs what a user may need leave for: the backend's secrets, the store.
//
//   const auto states = StoredStates::read(config);
//   if (states) state = states->of("backup", "default");
#pragma once

#include <map>
#include <string>

#include "ballot/error.hpp"
#include "config/config.hpp"

namespace ballot::app {

class StoredStates {
 public:
  /// Errors: those of Observer.
  static Result<StoredStates> read(const config::Config& config);

  /// "halted", "paused", or "active".
  std::string of(const std::string& job, const std::string& group) const;

 private:
  std::map<std::string, std::string> jobs_, groups_;  // those that are not active
};

}  // namespace ballot::app
