// The program `ballot`: how its heap gives memory back, and the command line.
#include <malloc.h>

#include <iostream>

#include "app/command_line.hpp"

int main(int argc, char** argv) {
  // What is free at the end of the heap of a thread goes back to the system. Else glibc keeps ever more of it, as soon
  // as something large was freed once: the lists of a hundred thousand jobs.
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
  // Small chunks that are freed are joined at once, not all of them at the next large allocation: after a thousand runs
  // that takes milliseconds, at the beginning of the next thousand.
  ::mallopt(M_MXFAST, 0);
  std::ios::sync_with_stdio(false);
  return static_cast<int>(ballot::app::run_command_line(argc, argv));
}
