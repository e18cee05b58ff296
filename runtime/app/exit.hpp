// Exit: how a command ends, as scripts see it.
#pragma once

namespace ballot::app {

enum class Exit : int {
  done = 0,
  failed = 1,          // it failed
  usage = 2,           // unknown command, flag or value
  not_found = 3,       // no such job, run or group; of `status` also: unreachable or misused
  unreachable = 69,    // the daemon or the backend does not answer
  gave_up = 75,        // waited as long as it was to
  configuration = 78,  // a file says what cannot be
};

}  // namespace ballot::app
