#include "config/crontab/crontab_names.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/fnv.hpp"
#include "config/names.hpp"

namespace ballot::config {
namespace {

using CommandWords = std::vector<std::string_view>;

constexpr std::size_t longest_stem = 48;  // leaves room for a hash and a number
constexpr std::string_view ends_of_commands = ";&|(){}`\n";

/// They only prepare for what comes after them, or ask whether it is to run.
constexpr std::array<std::string_view, 16> asides{".",    ":",   "[",   "[[",    "cd",   "echo", "export", "false",
                                                  "kill", "pwd", "set", "sleep", "test", "true", "ulimit", "umask"};
/// They stand before the command that they run, with options and amounts of their own.
constexpr std::array<std::string_view, 22> wrappers{
    "!",     "chronic", "command", "do",   "else", "env",         "exec", "flock", "if",      "ionice", "nice",
    "nohup", "setsid",  "stdbuf",  "sudo", "su",   "systemd-cat", "then", "time",  "timeout", "until",  "while"};
/// What they run says more than they do.
constexpr std::array<std::string_view, 12> interpreters{"bash", "dash",   "java",    "ksh",  "node", "perl",
                                                        "php",  "python", "python3", "ruby", "sh",   "zsh"};

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Words of each simple command: blanks part words; quotes are seen as letters of no name.
std::vector<CommandWords> simple_commands(std::string_view text) {
  std::vector<CommandWords> commands(1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t;&|(){}`\n", begin), text.size());
    if (end > begin) commands.back().push_back(text.substr(begin, end - begin));
    if (end < text.size() && ends_of_commands.find(text[end]) != std::string_view::npos && !commands.back().empty())
      commands.emplace_back();
    begin = end + 1;
  }
  return commands;
}

std::string_view file_of(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path.substr(path.find_last_of('/') + 1);
}

std::string_view without_ending(std::string_view name) {
  for (const std::string_view ending : {".sh", ".py", ".pl", ".rb", ".php", ".js", ".jar", ".bash"})
    if (name.size() > ending.size() && name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

bool is_assignment(std::string_view word) {
  const std::size_t sign = word.find('=');
  return sign != std::string_view::npos && is_variable_name(word.substr(0, sign));
}

/// An option, an amount as of `timeout 5m`, a redirection, an assignment.
bool is_no_program(std::string_view word) {
  return word.starts_with('-') || (word[0] >= '0' && word[0] <= '9') ||
         word.find_first_of("<>") != std::string_view::npos || is_assignment(word);
}

/// Without what stands before the program.
CommandWords from_program(const CommandWords& words) {
  auto word = words.begin();
  std::string_view wrapper;
  for (; word != words.end(); ++word) {
    if (is_one_of(*word, wrappers)) {
      wrapper = *word;
    } else if (wrapper == "flock" && !word->starts_with('-')) {
      wrapper = {};  // the file of the lock
    } else if (wrapper == "sudo" && *word == "-u" && word + 1 != words.end()) {
      ++word;
    } else if (!is_no_program(*word)) {
      break;
    }
  }
  return {word, words.end()};
}

std::string_view first_argument(const CommandWords& words) {
  const auto found = std::find_if(words.begin() + 1, words.end(), [](auto word) { return !is_no_program(word); });
  return found == words.end() ? std::string_view() : *found;
}

std::string stem_of(const CommandWords& words) {
  const std::string_view program = without_ending(file_of(words.front()));
  const std::string_view argument = file_of(first_argument(words));
  if (argument.empty()) return std::string(program);
  if (program == "run-parts") return std::string(program) + "-" + std::string(argument);
  return std::string(is_one_of(program, interpreters) ? without_ending(argument) : program);
}

/// Letters and digits as they are, all else as one '-' between them.
std::string as_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (is_letter_or_digit(c) || (c == '_' && !name.empty()))
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  name.resize(std::min(name.size(), longest_stem));
  while (name.ends_with('-')) name.pop_back();
  return name;
}

/// The first simple command that is more than an aside; else the first.
std::string name_of_command(std::string_view command) {
  CommandWords chosen;
  for (const CommandWords& words : simple_commands(command)) {
    CommandWords program = from_program(words);
    if (program.empty()) continue;
    const bool aside = is_one_of(program.front(), asides);
    if (chosen.empty() || !aside) chosen = std::move(program);
    if (!aside) break;
  }
  const std::string name = chosen.empty() ? "" : as_name(stem_of(chosen));
  return name.empty() ? "job" : name;
}

std::string hash_of(std::string_view first, std::string_view second) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint64_t value = Fnv().add_whole(first).add_whole(second).value();
  value ^= value >> 32;
  std::string text;
  for (int i = 0; i < 6; ++i, value >>= 4) text += digits[value & 15];
  return text;
}

}  // namespace

std::string CrontabNames::add(std::string_view prefix, std::string_view command, std::string_view schedule) {
  const std::string own = name_of_command(command), before = as_name(prefix);
  const std::string stem = before.empty() || own.starts_with(before) ? own : as_name(before + "-" + own);
  std::string name = stem;
  if (taken_.contains(name)) name = stem + "-" + hash_of(command, "");
  if (taken_.contains(name)) name = stem + "-" + hash_of(command, schedule);
  const std::string again = name;
  for (int i = 2; taken_.contains(name); ++i) name = again + "-" + std::to_string(i);
  taken_.insert(name);
  return name;
}

}  // namespace ballot::config
