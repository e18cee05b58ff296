// A job's env_file.
#include <algorithm>

#include "harness.hpp"
#include "io/env_file.hpp"

namespace ballot::fuzz::env_file_harness {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// As the file would have it; a value that has both kinds of quotes goes without any.
std::string file_of(const Variables& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    const char* const quote = value.find('\'') == std::string::npos  ? "'"
                              : value.find('"') == std::string::npos ? "\""
                                                                     : "";
    text.append(name).append("=").append(quote).append(value).append(quote).append("\n");
  }
  return text;
}

/// An error says where, and never what is there: it may be a secret.
void look_at_error(std::string_view what, std::string_view input) {
  require(what.starts_with("line "), "an error names a line", what);
  const std::size_t end = what.find(' ', 5);
  const auto line = std::stoul(std::string(what.substr(5, end - 5)));
  const auto lines = static_cast<std::size_t>(std::count(input.begin(), input.end(), '\n')) + 1;
  require(line >= 1 && line <= lines, "the line is one of the file's", what);
  constexpr std::string_view texts[] = {" is no NAME=VALUE", " sets a variable that ballot itself sets",
                                        " has a quote that is not closed, or something behind it",
                                        " contains a NUL byte"};
  require(std::find(std::begin(texts), std::end(texts), what.substr(end)) != std::end(texts),
          "an error says nothing of what the file contains", what);
}

}  // namespace

BALLOT_FUZZ(env_file) {
  const auto read = io::parse_env_file(input);
  if (!read) return look_at_error(read.error().what, input);
  for (const auto& [name, value] : *read) {
    require(!name.empty() && name.find_first_of(std::string_view("=\0 ", 3)) == std::string::npos, "a name is one",
            name);
    require(value.find_first_of(std::string_view("\0\n", 2)) == std::string::npos, "a value is of one line", value);
  }
  const std::string text = file_of(*read);
  const auto again = io::parse_env_file(text);
  require(again && *again == *read, "what is written is read as the same", text);
}

}  // namespace ballot::fuzz::env_file_harness
