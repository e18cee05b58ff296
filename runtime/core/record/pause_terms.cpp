#include "core/record/pause_terms.hpp"

#include <algorithm>
#include <utility>

#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::string_view no_end = "-";

/// Also those of the eighth bit, as U+009B, with which a terminal can be made to do things.
bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

}  // namespace

std::string_view fault_of(const PauseTerms& terms) {
  if (terms.reason.size() > longest_reason) return "its reason is longer than 256 bytes";
  if (has_control_character(terms.reason))
    return "its reason has a control character, as a line break or a tab: it has to be one line of plain text";
  if (!is_plain(terms.reason)) return "its reason is not UTF-8";
  if (terms.ends && (*terms.ends < first_time || *terms.ends > last_time)) return "its end is after the year 9999";
  return "";
}

std::string terms_line(WallTime paused_at, const PauseTerms& terms) {
  std::string text = format_millis(paused_at) + " " + (terms.ends ? format_millis(*terms.ends) : std::string(no_end));
  if (!terms.reason.empty()) text += " " + terms.reason;
  return text;
}

std::optional<PauseTerms> read_terms(Words& words, const std::optional<WallTime>& paused_at) {
  PauseTerms terms;
  const WallTime of = words.time();
  if (words.rest == no_end || words.rest.starts_with("- "))
    words.word();
  else
    terms.ends = words.time();
  terms.reason = words.line();
  words.require(fault_of(terms).empty());
  return of == paused_at ? std::optional(std::move(terms)) : std::nullopt;
}

}  // namespace ballot::core
