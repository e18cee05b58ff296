#include "app/log/log_line.hpp"

#include <array>

#include "app/print/escape.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

constexpr std::array<std::string_view, 6> level_words{"trace", "debug", "info", "warn", "error", "fatal"};
constexpr std::array<std::string_view, 6> level_heads{"TRACE", "DEBUG", "INFO ", "WARN ", "ERROR", "FATAL"};
constexpr std::array<std::string_view, 6> level_colours{"\033[2m",  "\033[36m", "\033[32m",
                                                        "\033[33m", "\033[31m", "\033[1;31m"};
constexpr std::string_view faint = "\033[2m", normal = "\033[0m";
constexpr std::size_t column_of_fields = 44;  // where the fields begin, if the text leaves room

/// A value as logfmt has it: bare where it can be.
void append_value(std::string& to, std::string_view value) {
  const std::string text = escaped(value, Escape::quoted);
  if (!value.empty() && text == value && value.find_first_of(" =") == std::string_view::npos)
    to += value;
  else
    (((to += '"') += text) += '"');
}

}  // namespace

std::string human_line(const LogLine& line, Colours colours) {
  const auto paint = [&](std::string_view colour) { return colours == Colours::on ? colour : std::string_view(); };
  const auto level = static_cast<std::size_t>(line.level);
  std::string out;
  ((out += paint(faint)) += format_millis(line.time)) += paint(normal);
  (((out += ' ') += paint(level_colours[level])) += level_heads[level]) += paint(normal);
  return (out += ' ') += human_text(line, colours);
}

std::string human_text(const LogLine& line, Colours colours) {
  const auto paint = [&](std::string_view colour) { return colours == Colours::on ? colour : std::string_view(); };
  const std::string text = escaped(line.text, Escape::plain);
  std::string out = text;
  if (!line.fields.empty() && text.size() < column_of_fields) out.append(column_of_fields - text.size(), ' ');
  for (const auto& [key, value] : line.fields) {
    ((((out += ' ') += paint(faint)) += key) += '=') += paint(normal);
    append_value(out, value);
  }
  return out;
}

std::string json_line(const LogLine& line) {
  std::string out = "{\"time\":\"" + format_millis(line.time) + "\",\"level\":\"";
  ((out += level_words[static_cast<std::size_t>(line.level)]) += "\",\"msg\":") += json_text(line.text);
  for (const auto& [key, value] : line.fields) (((out += ',') += json_text(key)) += ':') += json_text(value);
  return out += '}';
}

std::string raw_line(const LogLine& line) {
  std::string out = "time=" + format_millis(line.time) + " level=";
  (out += level_words[static_cast<std::size_t>(line.level)]) += " msg=";
  append_value(out, line.text);
  for (const auto& [key, value] : line.fields) {
    ((out += ' ') += key) += '=';
    append_value(out, value);
  }
  return out;
}

}  // namespace ballot::app
