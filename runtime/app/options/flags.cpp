#include "app/options/flags.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "config/names.hpp"
#include "config/overrides.hpp"

namespace ballot::app {
namespace {

/// "--limit N": the flag, and what its value is called in the help. An argument is called by its own name.
struct Spelling {
  std::string name, value;
};

Spelling spelling_of(const std::string& flag) {
  const std::size_t space = flag.find(' ');
  return space == std::string::npos ? Spelling{flag, {}} : Spelling{flag.substr(0, space), flag.substr(space + 1)};
}

}  // namespace

CLI::Option* add_value(CLI::App& command, const std::string& flag, const std::string& help,
                       std::function<std::string(const std::string&)> take, Need need) {
  const Spelling spelling = spelling_of(flag);
  const auto checked = [take = std::move(take), name = spelling.name](const std::string& text) {
    if (const std::string wrong = take(text); !wrong.empty()) throw CLI::ValidationError(name, wrong);
  };
  return command.add_option_function<std::string>(spelling.name, checked, help)
      ->required(need == Need::required)
      ->type_name(spelling.value);
}

CLI::Option* add_list(CLI::App& command, const std::string& flag, const std::string& help,
                      std::function<std::string(const std::string&)> take) {
  const Spelling spelling = spelling_of(flag);
  const auto each = [take = std::move(take), name = spelling.name](const std::vector<std::string>& values) {
    for (const std::string& value : values)
      for (const std::string& part : config::split_list(value))
        if (const std::string wrong = take(part); !wrong.empty()) throw CLI::ValidationError(name, wrong);
  };
  return command.add_option_function<std::vector<std::string>>(spelling.name, each, help)
      ->allow_extra_args(false)
      ->type_name(spelling.value);
}

void add_string(CLI::App& command, const std::string& flag, std::string& to, const std::string& help, Need need) {
  const Spelling spelling = spelling_of(flag);
  command.add_option(spelling.name, to, help)->required(need == Need::required)->type_name(spelling.value);
}

void add_string(CLI::App& command, const std::string& flag, std::optional<std::string>& to, const std::string& help) {
  const Spelling spelling = spelling_of(flag);
  command.add_option(spelling.name, to, help)->type_name(spelling.value);
}

void add_strings(CLI::App& command, const std::string& flag, std::vector<std::string>& to, const std::string& help) {
  const Spelling spelling = spelling_of(flag);
  CLI::Option* const option = command.add_option(spelling.name, to, help)->type_name(spelling.value);
  if (flag.starts_with('-')) option->allow_extra_args(false);
}

void add_switch(CLI::App& command, const std::string& flag, bool& to, const std::string& help) {
  command.add_flag(flag, to, help);
}

void add_switch(CLI::App& command, const std::string& flag, const std::string& help, std::function<void()> f) {
  command.add_flag_function(
      flag, [f = std::move(f)](std::int64_t) { f(); }, help);
}

CLI::App& add_subcommand(CLI::App& command, const std::string& name, const std::string& summary) {
  return *command.add_subcommand(name, summary);
}

void add_aliases(CLI::App& subcommand, const std::vector<std::string>& names) {
  for (const std::string& name : names) subcommand.alias(name);
}

void require_one_subcommand(CLI::App& command) { command.require_subcommand(1); }

void set_footer(CLI::App& command, const std::string& text) { command.footer(text); }

bool is_chosen(const CLI::App& subcommand) { return subcommand.parsed(); }

bool is_given(const CLI::Option& flag) { return flag.count() > 0; }

}  // namespace ballot::app
