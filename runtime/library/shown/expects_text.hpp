// What a job is expected to keep, as people read it. Pure.
#pragma once

#include <string>

#include "ballot/job.hpp"

namespace ballot::library {

/// "success within 1d2h, runs of at most 30m, a start within 2m"; "": nothing.
std::string expects_text(const Expectations& expects);

}  // namespace ballot::library
