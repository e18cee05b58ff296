#include "app/command_line.hpp"

int main(int argc, char** argv) { return static_cast<int>(ballot::app::run_command_line(argc, argv)); }
