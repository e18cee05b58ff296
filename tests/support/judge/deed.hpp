// Deed: what a test did to a node, or asked of it. Daemons of tests keep theirs; the checker takes from them what it
// may expect.
//
//   {"KILL"} {"STOP"} {"CONT"} {"TERM"}    a signal to the daemon
//   {"start"}                              the daemon, again
//   {"fault"} ... {"healed"}               something else is wrong with it, or (of no node) with the store
//   {"halt", GROUP or JOB}                 its store went back, or its register was spoiled; a repair ends it
//   {"edit", FILE}                         a job file, while the daemon runs
//   {"pause", "tick"} and so on            a command, as it was typed
#pragma once

#include <string>
#include <vector>

#include "ballot/time.hpp"

namespace ballot::testing {

struct Deed {
  std::string node;  // "": of no node
  std::vector<std::string> words;
  WallTime from{}, until{};  // of a command: when it was asked, and when answered
  bool done = true;          // of a command: it was answered with 0
};

}  // namespace ballot::testing
