#include "core/record/chained_slot.hpp"

#include <algorithm>

#include "base/fnv.hpp"
#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t time_bytes = 6;  // of a UUID of version 7

std::string_view bytes_of(const RunId& id) { return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()}; }

}  // namespace

RunId ChainedSlot::run(std::string_view job) const {
  if (is_first) return trigger;
  RunId id = trigger;
  std::uint64_t hash = 0;
  for (std::size_t i = time_bytes; i < id.bytes.size(); ++i, hash >>= 8) {
    if (hash == 0) hash = Fnv().add(static_cast<unsigned char>(i)).add(bytes_of(trigger)).add_whole(job).value() >> 8;
    id.bytes[i] = static_cast<std::uint8_t>(hash & 0xff);
  }
  id.bytes[6] = static_cast<std::uint8_t>(0x70 | (id.bytes[6] & 0x0f));
  id.bytes[8] = static_cast<std::uint8_t>(0x80 | (id.bytes[8] & 0x3f));
  return id;
}

const ChainedSlot* find(const RareList<ChainedSlot>& slots, const RunId& trigger) {
  const auto it =
      std::find_if(slots.begin(), slots.end(), [&](const ChainedSlot& slot) { return slot.trigger == trigger; });
  return it == slots.end() ? nullptr : &*it;
}

std::string_view fault_of(const RareList<ChainedSlot>& slots) {
  if (slots.size() > chained_limit) return "it has too many slots of triggered chains";
  for (const ChainedSlot& slot : slots)
    if (find(slots, slot.trigger) != &slot) return "it has a slot of a triggered chain twice";
  return {};
}

std::string to_text(const ChainedSlot& slot) {
  return slot.trigger.text() + " " + format_slot(slot.slot) + (slot.is_first ? " first" : " next") +
         (slot.ended ? " " + std::string(to_string(*slot.ended)) : "");
}

ChainedSlot read_chained_slot(Words& words) {
  ChainedSlot slot;
  slot.trigger = words.keep(RunId::parse(words.word()));
  slot.slot = words.time();
  slot.is_first = words.one_of("first", true, "next", false);
  if (!words.rest.empty()) slot.ended = words.keep(Named<Status>::parse(words.word()));
  words.require(!slot.ended || is_final(*slot.ended));
  return slot;
}

}  // namespace ballot::core
