// Why a run was begun, as texts of the store say it. A release that does not know a word would take the whole register,
// or the outcome, for unreadable: what it does not know is `manual` for it, and a field `kind` says more to those who
// do.
//
// Pure.
#pragma once

#include "ballot/run.hpp"

namespace ballot::core {

/// Releases before know neither `chain` nor `backfill`.
constexpr Trigger known_before(Trigger trigger) { return trigger > Trigger::rerun ? Trigger::manual : trigger; }

}  // namespace ballot::core
