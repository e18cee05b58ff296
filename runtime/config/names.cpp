#include "config/names.hpp"

#include <algorithm>
#include <vector>

#include "base/instance.hpp"

namespace ballot::config {
namespace {

constexpr std::size_t longest_name = 64;
constexpr std::size_t longest_compared = 64;
constexpr std::size_t most_listed = 100;

constexpr bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// One letter or digit, then letters, digits and what is in `others`.
bool is_word(std::string_view text, std::string_view others) {
  if (text.empty() || !is_letter_or_digit(text.front())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter_or_digit(c) || others.find(c) != std::string_view::npos; });
}

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

bool is_name(std::string_view text) { return text.size() <= longest_name && is_word(text, "_-"); }

bool is_node_name(std::string_view text) { return text.size() <= longest_name && is_word(text, "_-."); }

bool is_job_or_instance(std::string_view text) {
  return is_name(common_name(text)) && (!is_instance(text) || is_node_name(node_of_instance(text)));
}

bool is_job_file_name(std::string_view text) {
  constexpr std::string_view ending = ".toml";
  return text.size() > ending.size() && text.ends_with(ending) && is_word(text, "._-");
}

std::string_view nearest(std::string_view text, std::span<const std::string_view> known) {
  if (text.size() > longest_compared) return {};
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(2, text.size() / 3) + 1;
  for (const std::string_view name : known) {
    const std::size_t longer = std::max(text.size(), name.size());
    if (longer - std::min(text.size(), name.size()) >= fewest) continue;
    const std::size_t count = edits(text, name);
    if (count >= fewest || count >= longer) continue;
    fewest = count;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view text, std::span<const std::string_view> known) {
  const std::string_view name = nearest(text, known);
  return name.empty() ? std::string() : "; did you mean '" + std::string(name) + "'?";
}

std::string suggestion(std::string_view text, std::span<const std::string_view> known) {
  std::string out = did_you_mean(text, known);
  if (out.empty()) out = '.';
  if (known.size() > most_listed) return out + " There are " + std::to_string(known.size());
  out += known.size() == 1 ? " Known is " : " Known are ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) out += ", ";
    out += known[i];
  }
  return out;
}

}  // namespace ballot::config
