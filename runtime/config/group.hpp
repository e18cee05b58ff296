// A group as a file says it, and where: of two that differ the second is an error.
#pragma once

#include "ballot/job.hpp"
#include "config/diagnostics.hpp"

namespace ballot::config {

struct PlacedGroup {
  Group group;
  Position position;
};

}  // namespace ballot::config
