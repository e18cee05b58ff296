#include "app/history/headline.hpp"

#include <algorithm>

#include "app/history/history_columns.hpp"
#include "app/print/local_times.hpp"

namespace ballot::app {
namespace {

std::string slots_of(const Row& row, const std::string& zone) {
  const std::string first = slot_in_zone(row.slot, zone);
  if (row.slots <= 1) return first;
  return first + "/" + slot_in_zone(row.slot_until.value_or(row.slot), zone) + " (" + std::to_string(row.slots) +
         " slots)";
}

}  // namespace

std::string headline(const Row& row, const std::string& zone) {
  const bool has_ended = row.status.text() == "ended";  // as the store shows it: see library::as_shown()
  std::string text = row.job + " " + slots_of(row, zone) + " ";
  text += has_ended ? "ended" : row.status.description();
  if (row.reason != Reason::none) text += ": " + row.reason.description();
  if (row.run) text += " (run " + short_id(*row.run) + ")";
  return text;
}

std::string evidence_mark(const Row& row, const std::vector<std::string>& silent_nodes) {
  if (!row.run || !is_final(row.status)) return {};
  const bool is_silent = std::find(silent_nodes.begin(), silent_nodes.end(), row.node) != silent_nodes.end();
  return " (by the store's register; the node that ran it, " + row.node +
         (is_silent ? ", does not answer)" : ", has no row of it)");
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    if (column != 0) {
      const bool fits = column + 1 + word.size() <= width;
      lines += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

}  // namespace ballot::app
