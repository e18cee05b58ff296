#include "core/record/slot_end.hpp"

#include <algorithm>
#include <utility>

#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::string_view between = "..";

}  // namespace

void add(RareList<SlotEnd>& ends, SlotEnd end) {
  const auto after =
      std::find_if(ends.begin(), ends.end(), [&](const SlotEnd& other) { return other.from > end.from; });
  const auto index = after - ends.begin();
  ends.push_back(std::move(end));
  std::rotate(ends.begin() + index, ends.end() - 1, ends.end());
}

const SlotEnd* last_until(const RareList<SlotEnd>& ends, WallTime slot) {
  const SlotEnd* last = nullptr;
  for (const SlotEnd& end : ends)
    if (end.from <= slot) last = &end;
  return last;
}

void bring_back(RareList<SlotEnd>& ends, WallTime second) {
  erase_if(ends, [&](const SlotEnd& end) { return !end.run && end.from > second; });
  for (SlotEnd& end : ends)
    if (!end.run) end.to = std::min(end.to, second);
}

std::string_view fault_of(const RareList<SlotEnd>& ends) {
  if (ends.size() > slot_end_limit) return "it has too many slots that have ended";
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (ends[i].from <= ends[i - 1].to) return "its slots that have ended overlap";
  return {};
}

std::string to_text(const SlotEnd& end) {
  std::string text = format_slot(end.from) + (end.run ? "" : std::string(between) + format_slot(end.to));
  text.append(" ").append(to_string(end.status)).append(" ").append(format_millis(end.ended_at));
  return end.run ? text + " " + end.run->text() : text;
}

SlotEnd read_slot_end(Words& words) {
  SlotEnd end;
  const std::string_view slots = words.word();
  const std::size_t dots = std::min(slots.find(between), slots.size());
  const bool is_range = dots < slots.size();
  Words first{slots.substr(0, dots)}, last{slots.substr(is_range ? dots + between.size() : 0)};
  end.from = first.time();
  end.to = last.time();
  words.require(first.ok && last.ok);
  end.status = words.keep(Named<Status>::parse(words.word()));
  end.ended_at = words.time();
  if (!words.rest.empty()) end.run = words.keep(RunId::parse(words.word()));
  words.require(end.from <= end.to && end.run.has_value() == !is_range);
  return end;
}

}  // namespace ballot::core
