// Why a child was not started: nothing was exec'd.
#pragma once

#include <string>

namespace ballot::runner {

struct LaunchFailure {
  std::string stage;  // the step that failed
  int error = 0;      // its errno
};

}  // namespace ballot::runner
