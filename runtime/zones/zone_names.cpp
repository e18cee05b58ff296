#include "zones/zone_names.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <utility>
#include <vector>

namespace ballot::zones {
namespace {

constexpr std::size_t longest_name = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }
char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_part(std::string_view part) {
  return !part.empty() && is_letter(part.front()) && std::all_of(part.begin(), part.end(), [](char c) {
    return is_letter(c) || is_decimal(c) || c == '_' || c == '-' || c == '+';
  });
}

/// How many letters must be added, dropped or replaced to make one of the other.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (lower_case(left[i]) == lower_case(right[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// Zones ("Z NAME ...") and links ("L TARGET NAME") of the compact form of the database.
std::optional<std::string_view> name_in(std::string_view line) {
  const bool link = line.starts_with("L ");
  if (!link && !line.starts_with("Z ")) return std::nullopt;
  line.remove_prefix(2);
  if (link) return line.substr(std::min(line.find(' '), line.size() - 1) + 1);
  return line.substr(0, line.find(' '));
}

}  // namespace

bool is_zone_name(std::string_view text) {
  if (text.size() > longest_name || text == "localtime" || text == "posixrules") return false;
  if (text == "UTC0") return false;  // which cctz takes for UTC
  if (text.starts_with("posix/") || text.starts_with("right/")) return false;
  for (auto slash = text.find('/'); slash != std::string_view::npos; slash = text.find('/')) {
    if (!is_part(text.substr(0, slash))) return false;
    text.remove_prefix(slash + 1);
  }
  return is_part(text);
}

std::optional<std::string> nearest_zone_name(std::string_view text) {
  if (text.empty() || text.size() > longest_name) return std::nullopt;
  const char* folder = std::getenv("TZDIR");  // as cctz does
  std::ifstream names(std::string(folder != nullptr ? folder : "/usr/share/zoneinfo") + "/tzdata.zi");
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(1, text.size() / 4) + 1;
  for (std::string line; std::getline(names, line);) {
    const auto name = name_in(line);
    if (!name) continue;
    if (const std::size_t found = distance(text, *name); found < least) least = found, nearest = *name;
  }
  return nearest;
}

}  // namespace ballot::zones
