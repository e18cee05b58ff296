#include "app/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.hpp"
#include "app/print/escape.hpp"
#include "config/names.hpp"

namespace ballot::app {
namespace {

constexpr std::size_t longest_message = 400;

/// What follows the command's name in an error, of no more than a few lines whatever was typed.
Exit misused(const std::string& command, const std::string& text, Exit exit = Exit::usage) {
  std::string shown = escaped(text, Escape::plain);
  if (shown.size() > longest_message) shown = shown.substr(0, longest_message) + "[...]";
  std::cerr << command << ": " << shown << "; see `" << command << " --help`\n";
  return exit;
}

void print_help(std::ostream& out) {
  std::size_t width = 0;
  for (const Command& command : commands()) width = std::max(width, command.name.size());
  out << "ballot: cron for a fleet of machines\n\nUsage: ballot COMMAND [FLAGS]\n\nCommands:\n";
  for (const Command& command : commands())
    out << "  " << command.name << std::string(width + 2 - command.name.size(), ' ') << command.summary << '\n';
  out << "\n`ballot COMMAND --help` shows its flags.\n";
}

Exit unknown_command(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Command& command : commands()) known.push_back(command.name);
  if (name.starts_with('-')) return misused("ballot", "no command follows '" + std::string(name) + "'");
  return misused("ballot", "unknown command '" + std::string(name) + "'" + config::suggestion(name, known));
}

/// The flags of a command, with their dashes.
std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::string unknown_argument(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining(true);
  const std::string first = rest.empty() ? std::string() : rest.front();
  if (!first.starts_with('-')) return "one argument too many: '" + first + "'";
  const std::string flag = first.substr(0, first.find('='));
  const std::vector<std::string> flags = flags_of(command);
  return "unknown flag '" + flag + "'" +
         config::suggestion(flag, std::vector<std::string_view>(flags.begin(), flags.end()));
}

/// Of a command that is called with none of its subcommands.
std::string missing_subcommand(CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* const one : command.get_subcommands(nullptr)) names.push_back(one->get_name());
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  for (const std::string& word : command.remaining())
    if (!word.starts_with('-')) return "unknown subcommand '" + word + "': one of " + known;
  return "a subcommand is missing: one of " + known;
}

/// Takes what follows `--` away.
std::optional<std::vector<std::string>> cut_child(std::vector<std::string>& arguments) {
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end()) return std::nullopt;
  std::vector<std::string> child(mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  return child;
}

Exit run(const Command& command, std::vector<std::string> arguments) {
  CLI::App app{std::string(command.summary)};
  app.name("ballot " + std::string(command.name));
  Words words;
  if (!command.setup) words.child = cut_child(arguments);
  words.flags = arguments;
  const Run run = command.setup ? command.setup(app) : command.setup_with_words(app, words);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return Exit::done;
  } catch (const CLI::ExtrasError&) {
    return misused(app.get_name(), unknown_argument(app), command.misused);
  } catch (const CLI::RequiredError& error) {
    const bool has_none = app.get_require_subcommand_min() > 0 && app.get_subcommands().empty();
    return misused(app.get_name(), has_none ? missing_subcommand(app) : error.what(), command.misused);
  } catch (const CLI::ParseError& error) {
    return misused(app.get_name(), error.what(), command.misused);
  }
  return run();
}

/// Flags that stand before the command: so many words.
std::size_t leading_flags(const std::vector<std::string>& words) {
  std::size_t count = 0;
  while (count < words.size() && words[count].starts_with("--") && words[count] != "--") {
    const std::string& flag = words[count];
    const bool has_value = flag != "--debug" && flag != "--dry-run" && flag.find('=') == std::string::npos;
    count += has_value ? 2 : 1;
  }
  return count;
}

/// The flags before the command come after all of its own.
Exit dispatch(std::vector<std::string> words) {
  if (words.empty()) {
    print_help(std::cerr);
    return Exit::usage;
  }
  if (words[0] == "--help" || words[0] == "-h") {
    print_help(std::cout);
    return Exit::done;
  }
  if (words[0] == "--version") words[0] = "version";
  if (words[0] == "elect" || words[0] == "elec") words[0] = "election";
  const std::size_t flags = leading_flags(words);
  if (flags >= words.size()) return unknown_command(words[0]);
  const auto middle = words.begin() + static_cast<std::ptrdiff_t>(flags);
  const auto known = commands();
  const auto command = std::find_if(known.begin(), known.end(), [&](const Command& c) { return c.name == *middle; });
  if (command == known.end()) return unknown_command(*middle);
  std::vector<std::string> arguments(middle + 1, words.end());
  arguments.insert(std::find(arguments.begin(), arguments.end(), "--"), words.begin(), middle);
  return run(*command, std::move(arguments));
}

}  // namespace

Exit run_command_line(int argc, const char* const* argv) {
  const Exit exit = dispatch({argv + std::min(argc, 1), argv + argc});
  if (std::cout.flush()) return exit;
  std::cerr << "ballot: cannot write the output: is the disk full, or the pipe closed?\n";
  return exit == Exit::done ? Exit::failed : exit;
}

}  // namespace ballot::app
