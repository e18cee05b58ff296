// What a program says of a job or a group, as the text of a job file: so its keys are read, checked and explained as a
// file's are; and which field of the program's each place in the text is.
#pragma once

#include <string>
#include <vector>

#include "ballot/runtime.hpp"
#include "config/diagnostics.hpp"

namespace ballot::library {

struct ProgramText {
  std::string text;
  std::vector<std::string> fields;  // of its first lines, one a line; all others are those of `keys`

  /// "schedule"; "keys, line 2".
  std::string place_of(config::Position at) const;
};

/// The function's name is the job's.
ProgramText text_of(const JobSpec& job);
ProgramText text_of_group(const std::string& name, const std::string& keys);

}  // namespace ballot::library
