#include "config/crontab/crontab_setting.hpp"

#include <algorithm>

#include "config/names.hpp"

namespace ballot::config {
namespace {

constexpr std::string_view white = " \t\n\v\f\r";

bool is_white(char c) { return white.find(c) != std::string_view::npos; }

bool is_quote(char c) { return c == '"' || c == '\''; }

std::size_t skip_white(std::string_view line, std::size_t at) {
  while (at < line.size() && is_white(line[at])) ++at;
  return at;
}

/// The name at the front of `line`, and what follows it.
struct SettingName {
  std::string_view name;
  std::size_t end;
};

std::optional<SettingName> read_name(std::string_view line) {
  if (line.empty()) return std::nullopt;
  if (is_quote(line[0])) {
    const std::size_t end = line.find(line[0], 1);
    if (end == std::string_view::npos || line.substr(1, end - 1).find('=') != std::string_view::npos)
      return std::nullopt;
    return SettingName{line.substr(1, end - 1), end + 1};
  }
  std::size_t end = 0;
  while (end < line.size() && line[end] != '=' && !is_white(line[end])) ++end;
  return SettingName{line.substr(0, end), end};
}

/// Cron takes blanks off the end of what was in quotes too, and one more pair of quotes.
std::string trimmed(std::string_view value) {
  while (!value.empty() && is_white(value.back())) value.remove_suffix(1);
  if (value.size() >= 2 && is_quote(value.front()) && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  return std::string(value);
}

}  // namespace

std::optional<std::variant<CrontabSetting, CrontabFault>> read_crontab_setting(std::string_view line) {
  using Read = std::variant<CrontabSetting, CrontabFault>;
  const auto name = read_name(line);
  if (!name) return std::nullopt;
  std::size_t at = skip_white(line, name->end);
  if (at == line.size() || line[at] != '=') return std::nullopt;
  at = skip_white(line, at + 1);
  CrontabSetting setting{std::string(name->name), "", at == line.size()};
  const bool is_named =
      is_variable_name(setting.name);  // else what is no setting may be `@daily = x`, times and a command
  if (setting.bare) return is_named ? std::optional<Read>(std::move(setting)) : std::nullopt;
  const auto fault = [&](std::size_t where, std::string text) {
    return is_named ? std::optional<Read>(CrontabFault{where, std::move(text)}) : std::nullopt;
  };
  if (!is_quote(line[at])) {
    setting.value = trimmed(line.substr(at));
    return Read(std::move(setting));
  }
  const std::size_t end = line.find(line[at], at + 1);
  if (end == std::string_view::npos)
    return fault(at, "the quote is not closed; write " + std::string(1, line[at]) + " at the end too");
  const std::size_t after = skip_white(line, end + 1);
  if (after != line.size())
    return fault(after, "nothing may follow the closing quote, no comment either: cron refuses the line");
  setting.value = trimmed(line.substr(at + 1, end - at - 1));
  return Read(std::move(setting));
}

bool is_mailed_to(std::string_view address) {
  constexpr std::string_view others = "@!:%-.,_+=/";  // but not in front
  return !address.empty() && is_letter_or_digit(address.front()) &&
         std::all_of(address.begin(), address.end(),
                     [&](char c) { return is_letter_or_digit(c) || others.find(c) != std::string_view::npos; });
}

}  // namespace ballot::config
