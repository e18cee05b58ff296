/// \file
/// Options: a backend's own keys of ballot.toml and of job files. A plugin lists them once, in tables of OptionKey;
/// from these ballot checks what is written, with file and line, and makes the flags, the variables and the help.
///
/// \code
///   std::string path_problem(const OptionValue& value) noexcept;
///   constexpr OptionKey keys[] = {{"path", path_problem, OptionType::text, "the folder of locks and registers"}};
/// \endcode
///
/// Plain values, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace ballot {

/// What TOML has for a key.
using OptionValue = std::variant<bool, std::int64_t, std::string, std::vector<std::string>>;

/// A table of keys as written: `[NAME]` of ballot.toml, or `[group.GROUP.NAME]` there and in job files.
using Options = std::map<std::string, OptionValue>;

/// What is wrong with a table.
struct OptionProblem {
  std::string key;   ///< of the table
  std::string text;  ///< for people
};

/// What a flag or a variable makes of its text.
enum class OptionType {
  text,  ///< a string
  list   ///< strings, with commas between them
};

/// Whether a key of [NAME] can be given on the command line too: as --NAME-KEY, with '-' for each '_'.
enum class OptionFlag {
  none,   ///< it cannot
  listed  ///< it can, and the help says so
};

/// A key of a backend's table.
struct OptionKey {
  const char* name;  ///< as written
  /// What is wrong with a value, for people; "": nothing.
  std::string (*problem)(const OptionValue&) noexcept;
  OptionType type = OptionType::text;  ///< of the flag
  const char* help = "";               ///< of the flag: one line
  OptionFlag flag = OptionFlag::none;  ///< whether there is one
};

/// Every problem of a table at once: unknown keys, with those that are allowed, and wrong values.
inline std::vector<OptionProblem> check_options(const Options& options, std::span<const OptionKey> keys) {
  std::vector<OptionProblem> problems;
  std::string allowed;
  for (const OptionKey& key : keys) allowed += (allowed.empty() ? "" : ", ") + std::string(key.name);
  for (const auto& [name, value] : options) {
    std::string text = "unknown key '" + name + "'; allowed: " + (allowed.empty() ? "none" : allowed);
    for (const OptionKey& key : keys)
      if (name == key.name) text = key.problem(value);
    if (!text.empty()) problems.push_back({name, text});
  }
  return problems;
}

}  // namespace ballot
