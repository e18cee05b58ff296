#include "core/store/namespace_state.hpp"

#include <algorithm>

#include "base/wall_text.hpp"
#include "core/record/move_marks.hpp"

namespace ballot::core {
namespace {

const Register* find(const std::vector<Register>& records, std::string_view name) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const Register& one) { return one.name == name; });
  return found == records.end() ? nullptr : &*found;
}

/// "by root on db1 at 2026-07-01T12:00:00.000Z".
std::string origin_of(const MoveMark& mark) {
  return (mark.by.empty() ? "" : "by " + mark.by + " ") + "at " + format_millis(mark.at);
}

std::string moved_text(const Register& record) {
  const auto mark = parse_move_mark(record.value);
  if (!mark) return "this namespace was moved to another store (" + mark.error().what + "): nothing is launched here";
  return std::string(was_moved) + (mark->to.empty() ? "another store" : mark->to) + " (" + origin_of(*mark) +
         "): nothing is launched here; name the new store in ballot.toml";
}

std::string export_text(const Register& record) {
  const auto mark = parse_move_mark(record.value);
  return "this namespace is being moved (" + (mark ? origin_of(*mark) : mark.error().what) +
         "): nothing is launched until `ballot store export` has ended; where it was killed, run it again, or give "
         "the move up by `ballot store reopen`";
}

std::string import_text(const Register& record) {
  const auto mark = parse_move_mark(record.value);
  return "an import into this namespace has not ended (begun " + (mark ? origin_of(*mark) : mark.error().what) +
         "): nothing is launched until it has; where it was killed, run `ballot store import` of the same file again";
}

}  // namespace

NamespaceState namespace_state(const std::vector<Register>& records) {
  NamespaceState state;
  if (const Register* const epochs = find(records, epoch_mark)) {
    const auto mark = parse_epoch_mark(epochs->value);
    if (mark)
      state.epoch_base = mark->base;
    else
      state = {NamespaceState::Use::held, std::string(epoch_mark) + ": " + mark.error().what, 0};
  }
  const auto hold = [&state](std::string why) { state.use = NamespaceState::Use::held, state.why = std::move(why); };
  if (const Register* const mark = find(records, export_mark)) hold(export_text(*mark));
  if (const Register* const mark = find(records, import_mark)) hold(import_text(*mark));
  if (const Register* const mark = find(records, moved_mark)) {
    state.use = NamespaceState::Use::moved;
    state.why = moved_text(*mark);
  }
  return state;
}

}  // namespace ballot::core
