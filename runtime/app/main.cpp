#include <iostream>

#include "app/command_line.hpp"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return static_cast<int>(ballot::app::run_command_line(argc, argv));
}
