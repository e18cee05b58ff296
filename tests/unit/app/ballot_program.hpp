// The program itself, as a shell runs it.
#pragma once

#include "support/process/run_program.hpp"

namespace ballot::testing {

/// `ballot` with these arguments, and nothing in its environment but what is given.
inline Ran ballot(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
  arguments.insert(arguments.begin(), BALLOT_PROGRAM);
  return run_program(std::move(arguments), std::move(environment));
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace ballot::testing
