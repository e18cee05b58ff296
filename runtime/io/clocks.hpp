// The clocks and the names of this machine. The only place of the runtime that reads a clock.
//
// Threads: any.
#pragma once

#include <string>

#include "ballot/time.hpp"

namespace ballot::io {

/// CLOCK_REALTIME and CLOCK_BOOTTIME, cut to milliseconds.
Now read_clocks();

/// When this machine was booted, by the kernel's account, to the second. A step of the wall clock moves it.
WallTime boot_time();

/// Of this boot of the machine; "" where the kernel does not say.
std::string boot_id();

/// Of the machine, over boots (/etc/machine-id); "" where it has none.
std::string machine_id();

std::string host_name();

}  // namespace ballot::io
