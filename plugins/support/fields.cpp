#include "support/fields.hpp"

#include <algorithm>
#include <charconv>

namespace ballot::support {

Fields fields_of(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const auto space = line.find(' ');
    if (space != std::string_view::npos) fields.emplace(line.substr(0, space), line.substr(space + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

std::string field_of(const Fields& fields, std::string_view key) {
  const auto found = fields.find(key);
  return found == fields.end() ? std::string() : found->second;
}

std::int64_t number_of(const Fields& fields, std::string_view key, std::int64_t most) {
  const std::string text = field_of(fields, key);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::clamp<std::int64_t>(value, 0, most);
}

void FieldWriter::put(std::string_view key, std::string_view value) {
  text_.append(key).push_back(' ');
  std::replace_copy(value.begin(), value.end(), std::back_inserter(text_), '\n', ' ');
  text_.push_back('\n');
}

}  // namespace ballot::support
