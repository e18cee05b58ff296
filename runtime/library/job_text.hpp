// What a program says of a job or a group, as the text of a job file: so its keys are read, checked and explained as a
// file's are.
#pragma once

#include <string>

#include "ballot/runtime.hpp"

namespace ballot::library {

/// The function's name is the job's.
std::string text_of(const JobSpec& job);
std::string text_of_group(const std::string& name, const std::string& keys);

}  // namespace ballot::library
