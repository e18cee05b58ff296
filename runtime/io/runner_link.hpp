// RunnerLink: the state of the connection to the runner, for those who have children there.
#pragma once

namespace ballot::io {

enum class RunnerLink {
  broken,    // what was sent may not have arrived, and what the runner says does not
  taken_up,  // to the same runner: what its inventory does not name never started
  begun,     // to a runner that was not there before: what the one before had is lost
};

}  // namespace ballot::io
