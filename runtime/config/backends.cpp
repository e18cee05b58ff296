#include "config/backends.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "config/overrides.hpp"

namespace ballot::config {

Position position_of(const OptionProblem& problem, const BackendTable& table) {
  const auto found = table.positions.find(problem.key);
  return found != table.positions.end() ? found->second : table.position;
}

std::string variable_of(std::string_view backend, std::string_view key) {
  std::string name = "BALLOT_" + std::string(backend) + "_" + std::string(key);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

std::string flag_of(std::string_view backend, std::string_view key) {
  std::string flag = "--" + std::string(backend) + "-" + std::string(key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

OptionValue parse_option(const OptionKey& key, const std::string& text) {
  return key.type == OptionType::list ? OptionValue(split_list(text)) : OptionValue(text);
}

}  // namespace ballot::config
