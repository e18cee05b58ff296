// Why a run was begun, as texts of the store say it. A release that does not know a word would take the whole register,
// or the outcome, for unreadable: what it does not know is `manual` for it, and a field of its own says more to those
// who do.
//
// Pure.
#pragma once

#include <string_view>

#include "ballot/run.hpp"

namespace ballot::core {

/// The key of that field, or the word.
inline constexpr std::string_view backfill_word = "backfill";

/// The word that releases before this one know, too.
inline std::string_view older_word_of(Trigger trigger) {
  return to_string(trigger == Trigger::backfill ? Trigger::manual : trigger);
}

}  // namespace ballot::core
