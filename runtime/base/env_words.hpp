// EnvWords: the variables that whoever triggers a run gives it, as one line of words NAME=VALUE, by name:
// "DAY=2026-01-01 NOTE=two%20words". What is no printable character of ASCII, spaces and '%' are %XX in it, so that
// values of any bytes stay in one line of registers, requests, ledgers and messages, and what is shown of them moves no
// cursor.
//
//   const auto env = read_assignments({"DAY=2026-01-01"});
//   if (const std::string fault = fault_of_env(*env); !fault.empty()) ...
//   request.env = env_words(*env);
//
// Pure values.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/error.hpp"

namespace ballot {

using Variables = std::map<std::string, std::string, std::less<>>;

inline constexpr std::size_t most_env_bytes = 1024;  // of all: NAME=VALUE, each with one for its end

/// [A-Za-z_][A-Za-z0-9_]*.
bool is_variable_name(std::string_view text);
/// ballot sets it (BALLOT_...), or the loader goes by it before the program does (LD_..., GLIBC_TUNABLES).
bool is_reserved_variable(std::string_view name);

/// What is wrong with them as variables of a trigger, with the name of the first that is; "" where nothing is.
std::string fault_of_env(const Variables& env);

std::string env_words(const Variables& env);
/// None: it is no such text, as env_words() writes it.
std::optional<Variables> parse_env_words(std::string_view words);
/// "NAME=VALUE" each. invalid: one has no '=', or a name comes twice.
Result<Variables> read_assignments(const std::vector<std::string>& texts);

}  // namespace ballot
