// Command: one word after `ballot`. Each has a file in commands/, a function that declares it here, and a line in the
// table of main_table.cpp.
//
//   Run setup_version(CLI::App& command) {
//     auto options = std::make_shared<ConfigOptions>();
//     add_config_options(command, *options);
//     return [options] { return print_version(*options); };
//   }
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/exit.hpp"

namespace CLI {
class App;
}

namespace ballot::app {

/// What the command does once its flags are read. Data goes to std::cout, all else to stderr.
using Run = std::function<Exit()>;

/// What follows the command's name.
struct Words {
  std::vector<std::string> flags;                 // and arguments, up to `--`
  std::optional<std::vector<std::string>> child;  // what follows it, byte for byte; none: there is no `--`
};

struct Command {
  std::string_view name;
  std::string_view summary;
  /// Declares the flags. What it returns is called after they are read.
  Run (*setup)(CLI::App& command) = nullptr;
  /// The same, of a command that runs another one, or whose flags hang on which backends the words name.
  Run (*setup_with_words)(CLI::App& command, const Words& words) = nullptr;
  Exit misused = Exit::usage;  // how it ends where a flag is wrong
};

/// Every command, in the order of the help.
std::span<const Command> commands();

}  // namespace ballot::app
