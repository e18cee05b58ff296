#include "http/exchange.hpp"

#include <algorithm>

namespace ballot::web {
namespace {

const std::string* find_value(const Pairs& pairs, std::string_view name) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [name](const auto& pair) { return pair.first == name; });
  return found == pairs.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view to_string(Method method) {
  constexpr std::string_view words[] = {"GET", "POST", "PUT", "DELETE"};
  return words[static_cast<std::size_t>(method)];
}

const std::string& HttpRequest::parameter(std::string_view name) const {
  static const std::string none;
  const std::string* const found = find_value(parameters, name);
  return found == nullptr ? none : *found;
}

std::optional<std::string> HttpRequest::header(std::string_view name) const {
  const std::string* const found = find_value(headers, name);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

Result<io::Message> AnswerLine::message() const {
  if (const auto* const made = std::get_if<io::Message>(&content)) return *made;
  return io::decode(std::get<std::string>(content));
}

std::string AnswerLine::text() const {
  if (const auto* const made = std::get_if<io::Message>(&content)) return io::encode(*made);
  return std::get<std::string>(content);
}

}  // namespace ballot::web
