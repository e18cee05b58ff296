// RefusedWrites: which writes the store has refused, for want of space perhaps, so that nothing of them happened, and
// since when there are any. What is still wanted is tried again within a second or so.
//
//   writes  | event                                          | next
//   taken   | one is refused                                 | refused, since now: an error is logged
//   refused | one is refused                                 | refused; logged again once a minute
//   refused | the last one that was refused is done          | taken, which is logged
//   refused | another one is done: what was refused for the  | taken, where that was the last of them
//           | last time long ago is not tried any more       |
//   refused | none is refused for 5 s: nobody tries again    | refused: the node writes something to know
//
//   refused.refuse(out, now, "j/backup", "there is no space");
//   if (const auto& refusal = refused.standing()) print(refusal->text, refusal->since);
//
// Pure; knows nothing of what is written. Used by Core only.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "ballot/time.hpp"
#include "core/action.hpp"

namespace ballot::core {

class RefusedWrites {
 public:
  struct Standing {
    WallTime since{};
    std::string text;  // why the last one was refused
  };

  /// The write of this register or record: nothing of it happened, for the reason `text`.
  void refuse(Actions& out, const Now& now, const std::string& name, const std::string& text);
  /// It is in the store.
  void complete(Actions& out, const Now& now, const std::string& name);

  /// Nothing that was refused is tried again: only another write shows whether the store takes any. Once in 5 s.
  bool is_to_be_tried(SteadyTime now);

  /// None: whatever was written last is in the store.
  const std::optional<Standing>& standing() const { return standing_; }

 private:
  std::map<std::string, SteadyTime> refused_;  // by name, when it was refused last
  std::optional<Standing> standing_;
  SteadyTime forgotten_at_{};           // what is not tried any more was, last
  SteadyTime tried_at_{};               // a write was refused, or is to be tried, last
  std::optional<SteadyTime> noted_at_;  // in the log
  bool is_noted_ = false;               // that they stand: their end is logged too
};

}  // namespace ballot::core
