// The text of an open run in a job's register: its id, then a word `key=value` for each field. Fields of a newer
// version are kept as they were read. Pure; used by register.cpp.
#pragma once

#include <string>

#include "core/record/register.hpp"

namespace ballot::core {

struct Words;

std::string to_text(const OpenRun& run);
OpenRun read_open_run(Words& words);

}  // namespace ballot::core
