#include "http/metric_text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace ballot::web {
namespace {

void add_escaped(std::string& text, std::string_view value) {
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
}

}  // namespace

std::string label_text(const MetricFamily& family, std::initializer_list<std::string_view> values) {
  std::string text;
  append_labels(text, family, values);
  return text;
}

void append_labels(std::string& text, const MetricFamily& family, std::initializer_list<std::string_view> values) {
  std::string_view names = family.labels, comma;
  for (const std::string_view value : values) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    text.append(comma).append(name).append("=\"");
    add_escaped(text, value);
    text += '"';
    comma = ",";
  }
}

void MetricText::begin(const MetricFamily& family) {
  text_.append("# HELP ").append(family.name).append(" ").append(family.help).append("\n");
  text_.append("# TYPE ").append(family.name).append(" ").append(family.type).append("\n");
}

void MetricText::begin_sample(std::string_view name, std::string_view labels) {
  text_.append(name);
  if (!labels.empty()) text_.append("{").append(labels).append("}");
  text_ += ' ';
}

void MetricText::number(std::uint64_t value) {
  char digits[24];
  text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void MetricText::sample(std::string_view name, std::string_view labels, std::uint64_t value) {
  begin_sample(name, labels);
  number(value);
  text_ += '\n';
}

void MetricText::seconds(std::string_view name, std::string_view labels, Millis value) {
  begin_sample(name, labels);
  if (value < Millis(0)) text_ += '-';
  const auto count = static_cast<std::uint64_t>(value < Millis(0) ? -value.count() : value.count());
  number(count / 1000);
  if (const std::uint64_t rest = count % 1000; rest > 0) {
    const char digits[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
    text_.append(digits, sizeof digits);
  }
  text_ += '\n';
}

std::string MetricText::take() { return std::exchange(text_, {}); }

}  // namespace ballot::web
