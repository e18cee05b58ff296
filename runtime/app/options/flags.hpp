// The flags and arguments of a command: the one place that knows CLI11, whose headers cost more to compile than all
// that a command does. Knows nothing of what the flags mean. Threads: the main one.
//   add_string(command, "JOB", options->job, "the job's name", Need::required);
//   add_value(command, "--timeout DURATION", "how long to wait", [&](const std::string& text) { return take(text); });
//   add_switch(command, "--wait", options->wait, "wait for the run's end");
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ballot::app {

enum class Need { optional, required };

/// A flag (`--name VALUE`, the second word being for the help) or an argument (`NAME`) with one value. `take` says what
/// is wrong with it; "": nothing.
CLI::Option* add_value(CLI::App& command, const std::string& flag, const std::string& help,
                       std::function<std::string(const std::string&)> take, Need need = Need::optional);

/// A flag that takes a list: repeated, or at commas. `take` gets each.
CLI::Option* add_list(CLI::App& command, const std::string& flag, const std::string& help,
                      std::function<std::string(const std::string&)> take);

/// A flag or argument whose value is taken as it is.
void add_string(CLI::App& command, const std::string& flag, std::string& to, const std::string& help,
                Need need = Need::optional);
void add_string(CLI::App& command, const std::string& flag, std::optional<std::string>& to, const std::string& help);

/// An argument, or a flag with one value, that may be repeated.
void add_strings(CLI::App& command, const std::string& flag, std::vector<std::string>& to, const std::string& help);

/// A flag without a value.
void add_switch(CLI::App& command, const std::string& flag, bool& to, const std::string& help);

/// A flag without a value that calls `f`, which throws nothing.
void add_switch(CLI::App& command, const std::string& flag, const std::string& help, std::function<void()> f);

/// Lives as long as `command`.
CLI::App& add_subcommand(CLI::App& command, const std::string& name, const std::string& summary);
void require_one_subcommand(CLI::App& command);
/// Other words for a subcommand.
void add_aliases(CLI::App& subcommand, const std::vector<std::string>& names);

/// What the help of `command` ends with.
void set_footer(CLI::App& command, const std::string& text);

/// Once the command line is read: whether it named this subcommand, or this flag.
bool is_chosen(const CLI::App& subcommand);
bool is_given(const CLI::Option& flag);

}  // namespace ballot::app
