// The commands of `ballot`: one line each.
#include <array>

#include "app/command.hpp"
#include "app/commands/commands.hpp"

namespace ballot::app {

std::span<const Command> commands() {
  static constexpr std::array table{
      Command{"check", "find everything that is wrong with job files and ballot.toml", setup_check},
      Command{"schedule", "show when an expression is due", setup_schedule},
      Command{"history", "list what became of every slot", setup_history},
      Command{"output", "print what a run printed", setup_output},
      Command{"why", "explain what became of a slot", setup_why},
      Command{"version", "print the version, the plugin ABI and the plugins found", setup_version},
  };
  return table;
}

}  // namespace ballot::app
