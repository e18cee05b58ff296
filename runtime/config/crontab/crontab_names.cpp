#include "config/crontab/crontab_names.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/fnv.hpp"
#include "config/crontab/shell_words.hpp"
#include "config/names.hpp"

namespace ballot::config {
namespace {

constexpr std::size_t longest_stem = 48;  // leaves room for a hash and a number
constexpr std::size_t longest_word = 32;  // of an argument that tells anything
constexpr int deepest_shell = 3;          // of `sh -c` within `su -c`

/// Commands that only prepare the command behind them, or test whether it is to run.
constexpr std::array<std::string_view, 28> asides{".",      ":",      "[",    "[[",   "cd",     "echo",   "exit",
                                                  "export", "false",  "grep", "hash", "kill",   "let",    "mountpoint",
                                                  "pgrep",  "pidof",  "ping", "pwd",  "return", "set",    "shift",
                                                  "sleep",  "source", "test", "true", "type",   "ulimit", "umask"};
/// Programs and keywords that stand before the command that they run.
constexpr std::array<std::string_view, 30> wrappers{
    "!",    "chronic", "command",     "cronic", "do",     "doas",    "done",     "else",    "env",    "esac",
    "exec", "fi",      "flock",       "if",     "ionice", "nice",    "nohup",    "runuser", "setsid", "stdbuf",
    "su",   "sudo",    "systemd-cat", "then",   "time",   "timeout", "unbuffer", "until",   "while",  "xvfb-run"};
/// Programs whose script gives the name.
constexpr std::array<std::string_view, 12> interpreters{"bash", "dash",   "java",    "ksh",  "node", "perl",
                                                        "php",  "python", "python3", "ruby", "sh",   "zsh"};
constexpr std::array<std::string_view, 5> shells{"bash", "dash", "ksh", "sh", "zsh"};
constexpr std::array<std::string_view, 8> endings{".sh", ".py", ".pl", ".rb", ".php", ".js", ".jar", ".bash"};

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view file_of(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path.substr(path.find_last_of('/') + 1);
}

std::string_view without_ending(std::string_view name) {
  for (const std::string_view ending : endings)
    if (name.size() > ending.size() && name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

/// Whether a program is the system's, which many lines may use, and not a script of somebody's own.
bool is_common(std::string_view program) {
  const std::string_view folder = program.substr(0, program.find_last_of('/') + 1);
  constexpr std::array<std::string_view, 7> folders{"",           "/bin/",           "/sbin/",          "/usr/bin/",
                                                    "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/"};
  return is_one_of(folder, folders) && without_ending(program) == program;
}

/// The name under which the lists above have a program; "" for a script, which may have the same name.
std::string_view known_name(std::string_view program) {
  return is_common(program) ? file_of(program) : std::string_view();
}

bool is_assignment(std::string_view word) {
  const std::size_t sign = word.find('=');
  return sign != std::string_view::npos && is_variable_name(word.substr(0, sign));
}

/// Whether a word is an option, an amount as of `timeout 5m`, or an assignment.
bool is_no_program(std::string_view word) {
  return word.empty() || word.starts_with('-') || (word[0] >= '0' && word[0] <= '9') || is_assignment(word);
}

/// Whether it only prepares, or tests: also `systemctl is-active x`, `which x`, `perl -e 'sleep ...'`.
bool is_aside(const ShellCommand& command) {
  const std::string_view program = known_name(command.words.front());
  const std::string_view first = command.words.size() > 1 ? std::string_view(command.words[1]) : std::string_view();
  if (program == "systemctl") return first.starts_with("is-");
  if (program == "perl" || program == "python" || program == "python3")
    return (first == "-e" || first == "-c") && command.words.size() > 2 &&
           command.words[2].find("sleep") != std::string::npos;
  return program == "which" || is_one_of(program, asides);
}

/// A command without the wrappers before its program.
ShellCommand from_program(const ShellCommand& command) {
  auto word = command.words.begin();
  std::string_view wrapper;
  for (; word != command.words.end(); ++word) {
    const bool has_user = (wrapper == "sudo" || wrapper == "doas" || wrapper == "runuser") && *word == "-u";
    if (is_one_of(known_name(*word), wrappers)) {
      wrapper = file_of(*word);
    } else if (wrapper == "flock" && !word->starts_with('-')) {
      wrapper = {};  // the file of the lock
    } else if (has_user && word + 1 != command.words.end()) {
      ++word;
    } else if (!is_no_program(*word)) {
      break;
    }
  }
  return {{word, command.words.end()}, command.target};
}

/// The command line behind `-c` of a shell or of su.
std::optional<std::string> inner_command(const ShellCommand& command) {
  const auto begin = std::find_if(command.words.begin(), command.words.end(), [](const std::string& word) {
    return is_one_of(known_name(word), shells) || known_name(word) == "su";
  });
  const auto is_c = [](const std::string& word) { return word.starts_with('-') && word.ends_with('c'); };
  const auto option = std::find_if(begin, command.words.end(), is_c);
  if (option == command.words.end() || option + 1 == command.words.end()) return std::nullopt;
  return *(option + 1);
}

/// The part of a word that goes into a name: the host of a URL, the last part of a path, or the word. "": the word says
/// nothing, or may be a secret.
std::string_view telling_part(std::string_view word) {
  if (const std::size_t scheme = word.find("://"); scheme != std::string_view::npos) {
    word = word.substr(scheme + 3);
    word = word.substr(0, word.find_first_of("/?#"));
    return word.substr(word.find('@') + 1);  // npos + 1: all of it
  }
  if (word.find_first_of("=@: \t\n") != std::string_view::npos) return {};
  word = file_of(word);
  const auto digits = std::count_if(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  const bool has_letter = std::any_of(word.begin(), word.end(), [](char c) { return is_letter_or_digit(c); });
  if (!has_letter || word[0] == '$' || digits >= 8 || word.size() > longest_word || word == "null") return {};
  return word;
}

/// The name of the script that an interpreter runs.
std::string_view script_of(const ShellCommand& command) {
  const auto found = std::find_if(command.words.begin() + 1, command.words.end(),
                                  [](const std::string& word) { return !is_no_program(word); });
  return found == command.words.end() ? std::string_view() : without_ending(telling_part(*found));
}

/// The first argument that is neither an option nor the value of an option of one letter (a path is never taken for a
/// value); without one, the file that the output goes to.
std::string_view argument_of(const ShellCommand& command) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    const bool is_value = command.words[i - 1].size() == 2 && command.words[i - 1].starts_with('-');
    if (is_no_program(word) || (is_value && word.find('/') == std::string::npos)) continue;
    if (const std::string_view part = telling_part(word); !part.empty()) return part;
  }
  return without_ending(telling_part(command.target));
}

std::string stem_of(const ShellCommand& command) {
  const std::string& program = command.words.front();
  const std::string name(without_ending(file_of(program)));
  if (!is_common(program)) return name;
  if (is_one_of(file_of(program), interpreters)) {
    const std::string_view script = script_of(command);
    return script.empty() ? name : std::string(script);
  }
  const std::string_view argument = argument_of(command);
  return argument.empty() || argument.starts_with(name) ? name : name + "-" + std::string(argument);
}

/// A text as a name: letters and digits stay, all other characters between them become one '-'.
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

/// The name made of the first simple command that is no aside; of the first one where all are.
std::string name_of_command(std::string_view text, int depth) {
  ShellCommand chosen;
  for (const ShellCommand& command : shell_commands(text)) {
    if (const auto inner = depth < deepest_shell ? inner_command(command) : std::nullopt)
      return name_of_command(*inner, depth + 1);
    ShellCommand program = from_program(command);
    if (program.words.empty()) continue;
    const bool aside = is_aside(program);
    if (chosen.words.empty() || !aside) chosen = std::move(program);
    if (!aside) break;
  }
  const std::string name = chosen.words.empty() ? "" : as_name(stem_of(chosen));
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
  const std::string own = name_of_command(command, 0), before = as_name(prefix);
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
