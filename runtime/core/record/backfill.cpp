#include "core/record/backfill.hpp"

#include <algorithm>
#include <charconv>

#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::string_view nothing_left = "-";
constexpr std::int64_t longest_offset = longest_span / a_second;

std::int64_t seconds_after(WallTime first, WallTime at) { return (at - first) / a_second; }

/// Without the first instant.
std::string offsets_text(const SlotRanges& ranges) {
  std::string text;
  for (const SlotRange& range : ranges) {
    text += (text.empty() ? "" : ",") + std::to_string(seconds_after(ranges.front().from, range.from));
    if (range.to > range.from) text += "-" + std::to_string(seconds_after(ranges.front().from, range.to));
  }
  return text;
}

bool are_in_order(const SlotRanges& ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].from > ranges[i].to) return false;
    if (i > 0 && ranges[i].from <= ranges[i - 1].to) return false;
  }
  return true;
}

/// A range, and the comma after it.
SlotRange take_range(std::string_view& text, WallTime first, Words& words) {
  const std::string_view whole = text.substr(0, text.find(','));
  words.require(whole.size() + 1 != text.size());  // nothing is behind the last comma
  text.remove_prefix(std::min(whole.size() + 1, text.size()));
  const std::size_t dash = std::min(whole.find('-'), whole.size());
  Words from{whole.substr(0, dash)}, to{whole.substr(std::min(dash + 1, whole.size()))};
  SlotRange range;
  range.from = range.to = first + a_second * from.number<std::int64_t>(0, longest_offset);
  if (dash < whole.size()) range.to = first + a_second * to.number<std::int64_t>(0, longest_offset);
  words.require(from.ok && to.ok && range.to <= last_time);
  return range;
}

std::string shortened(const std::string& author) {
  std::string text = valid_utf8(author);
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  while (text.size() > longest_backfill_author) {
    while ((text.back() & 0xc0) == 0x80) text.pop_back();
    text.pop_back();
  }
  return text;
}

}  // namespace

std::string_view fault_of(const SlotRanges& ranges) {
  if (ranges.empty()) return "it names no slots";
  if (!are_in_order(ranges)) return "its slots are not in order";
  if (ranges.back().to - ranges.front().from > longest_span)
    return "its slots lie further apart than 100 years: ask for a shorter time";
  if (ranges.size() <= most_slot_ranges && offsets_text(ranges).size() <= longest_slot_ranges) return "";
  return "its slots lie in more ranges, with others between them, than a register has room for: ask for a shorter "
         "time, or for all slots of it";
}

std::string to_text(const SlotRanges& ranges) { return format_slot(ranges.front().from) + " " + offsets_text(ranges); }

SlotRanges read_slot_ranges(Words& words) {
  const WallTime first = words.time();
  words.require(first.time_since_epoch() % a_second == Millis(0));
  const std::size_t end = std::min(words.rest.find(' '), words.rest.size());
  std::string_view text = words.rest.substr(0, end);
  words.rest.remove_prefix(std::min(end + 1, words.rest.size()));
  words.require(!text.empty() && text.size() <= longest_slot_ranges);
  SlotRanges ranges;
  while (words.ok && !text.empty()) ranges.push_back(take_range(text, first, words));
  words.require(words.ok && ranges.size() <= most_slot_ranges && are_in_order(ranges) && ranges.front().from == first);
  return words.ok ? ranges : SlotRanges();
}

void Backfill::begin(WallTime slot) {
  std::erase_if(left, [&](const SlotRange& range) { return range.to <= slot; });
  if (!left.empty()) left.front().from = std::max(left.front().from, slot + a_second);
  ++begun;
}

std::string to_text(const Backfill& backfill) {
  std::string text = backfill.id.text() + " " + format_millis(backfill.at);
  text += " " + std::to_string(backfill.parallel) + " " + std::to_string(backfill.begun) + " ";
  text += backfill.left.empty() ? std::string(nothing_left) : to_text(backfill.left);
  const std::string by = shortened(backfill.by);
  return by.empty() ? text : text + " " + by;
}

Backfill read_backfill(Words& words) {
  Backfill backfill;
  backfill.id = words.keep(RunId::parse(words.word()));
  backfill.at = words.time();
  backfill.parallel = words.number<int>(1, most_parallel);
  backfill.begun = words.number<std::uint32_t>(0, largest_count);
  const std::string_view next = words.rest.substr(0, words.rest.find(' '));
  if (next == nothing_left)
    words.word();
  else
    backfill.left = read_slot_ranges(words);
  backfill.by = words.line();
  return backfill;
}

}  // namespace ballot::core
