#include "http/header_values.hpp"

namespace ballot::web {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// What comes before the separator, which is taken off `text` with it.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trimmed(part);
}

bool has_no_weight(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string parameter = lower_case(take_part(parameters, ';'));
    if (parameter.starts_with("q=0")) return parameter.find_first_not_of("0.", 2) == std::string::npos;
  }
  return false;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool accepts_coding(std::string_view header, std::string_view coding) {
  while (!header.empty()) {
    std::string_view parameters = take_part(header, ',');
    if (lower_case(take_part(parameters, ';')) == coding) return !has_no_weight(parameters);
  }
  return false;
}

bool is_media_type(std::string_view header, std::string_view type) {
  return lower_case(take_part(header, ';')) == type;
}

}  // namespace ballot::web
