// A group as a file says it, and where: of two that differ the second is an error.
#pragma once

#include <map>
#include <string>

#include "ballot/job.hpp"
#include "config/backends.hpp"

namespace ballot::config {

struct PlacedGroup {
  Group group;
  Position position;
  std::map<std::string, BackendTable> tables = {};  // group.options, as placed
};

}  // namespace ballot::config
