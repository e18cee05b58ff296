#include "support/log_rate.hpp"

#include <algorithm>

namespace ballot::support {

namespace {

std::string_view kind_of(std::string_view text) {
  constexpr std::string_view mark = ": ";
  const std::size_t first = text.find(mark);
  const std::size_t end = first == text.npos ? first : text.find(mark, first + mark.size());
  return text.substr(0, std::min(end, LogRate::kind_size));
}

}  // namespace

std::optional<std::string> LogRate::admit(std::string_view text, SteadyTime now) {
  const std::string_view kind = kind_of(text);
  auto found = kinds_.find(kind);
  if (found == kinds_.end()) {
    if (kinds_.size() >= most_kinds)
      std::erase_if(kinds_, [now](const auto& one) { return one.second.written + pause <= now; });
    if (kinds_.size() >= most_kinds) return std::nullopt;
    kinds_.emplace(kind, Kind{now});
    return std::string(text);
  }
  Kind& known = found->second;
  if (now < known.written + pause) {
    ++known.left_out;
    return std::nullopt;
  }
  std::string line(text);
  if (known.left_out > 0) line += " (and " + std::to_string(known.left_out) + " lines like this before)";
  known = {now};
  return line;
}

}  // namespace ballot::support
