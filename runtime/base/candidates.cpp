#include "base/candidates.hpp"

#include <algorithm>
#include <string>

#include "base/instance.hpp"

namespace ballot {
namespace {

/// Goes back to the last `*` only: of two of them the first one's choice never matters.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

}  // namespace

bool may_lead(const Group& settings, std::string_view node) {
  if (is_instance(settings.name)) return node_of_instance(settings.name) == node;
  return settings.candidates.empty() || std::any_of(settings.candidates.begin(), settings.candidates.end(),
                                                    [&](const std::string& pattern) { return matches(pattern, node); });
}

}  // namespace ballot
