#include "http/target.hpp"

#include <algorithm>
#include <optional>

#include "base/utf8.hpp"

namespace ballot::web {
namespace {

constexpr std::size_t most_values = 128;  // a list of 100 jobs, and what is asked of them

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool is_text(std::string_view text) {
  for (std::size_t length = 0; !text.empty(); text.remove_prefix(length)) {
    length = utf8_length(text);
    if (length == 0 || static_cast<unsigned char>(text.front()) < 0x20 || text.front() == 0x7f) return false;
  }
  return true;
}

enum class Plus { itself, space };

std::optional<std::string> decoded(std::string_view text, Plus plus) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' && plus == Plus::space ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1, low = high < 0 ? -1 : digit_of(text[i + 2]);
    if (low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (!is_text(out)) return std::nullopt;
  return out;
}

/// The parts between separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Error invalid_target(const char* text) { return {Errc::invalid, text}; }

}  // namespace

Result<Target> parse_target(std::string_view text, std::string_view base_path) {
  if (!text.starts_with('/')) return invalid_target("the request names no path");
  if (text.find('#') != std::string_view::npos) return invalid_target("the path has a '#'");
  Target target;
  const std::size_t question = text.find('?');
  std::string_view path = text.substr(0, question);
  if (!path.starts_with(base_path) || (path.size() > base_path.size() && path[base_path.size()] != '/'))
    return Error{Errc::not_found, "nothing lies outside of base_path"};
  path.remove_prefix(base_path.size());
  target.is_bare = path.empty();
  if (path.size() > 1)
    for (const std::string_view part : split(path.substr(1), '/')) {
      auto segment = decoded(part, Plus::itself);
      if (!segment || segment->empty() || *segment == "." || *segment == "..")
        return invalid_target("the path has a segment that is empty, \".\", \"..\" or no text");
      target.path.push_back(*std::move(segment));
    }
  if (question == std::string_view::npos || question + 1 == text.size()) return target;
  for (const std::string_view part : split(text.substr(question + 1), '&')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    auto name = decoded(part.substr(0, equals), Plus::space);
    auto value =
        equals == std::string_view::npos ? std::optional(std::string()) : decoded(part.substr(equals + 1), Plus::space);
    if (!name || !value) return invalid_target("the query has a value that is no text, or a '%' without two digits");
    if (target.query.size() == most_values) return invalid_target("the query has more than 128 values");
    target.query.emplace_back(*std::move(name), *std::move(value));
  }
  return target;
}

std::vector<std::string> query_names(std::string_view text) {
  std::vector<std::string> names;
  const std::size_t question = text.find('?');
  if (question == std::string_view::npos) return names;
  for (const std::string_view part : split(text.substr(question + 1), '&'))
    if (auto name = decoded(part.substr(0, part.find('=')), Plus::space)) names.push_back(*std::move(name));
  return names;
}

}  // namespace ballot::web
