// Terms: those of this node, and when a term was over, as far as they show it. Of other nodes' terms a ledger has
// nothing.
//
// Pure; used by the parts of an audit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ballot/ledger.hpp"

namespace ballot::audit {

inline constexpr Millis clock_difference{11'000};  // of two nodes' clocks: beyond 10 s a node does not lead

/// Of this node, by group and epoch.
using Terms = std::map<std::pair<std::string, std::uint64_t>, TermRow>;

/// No later than that the term was over, by this node's clock: when it ended, and when the next term of this node was
/// elected. None: neither is known.
std::optional<WallTime> over_by(const Terms& terms, const std::string& group, std::uint64_t epoch);

/// The next term of this node was elected before this one had ended, by what it says: its clock was ahead, and has been
/// set back since.
bool was_set_back(const Terms& terms, const std::string& group, std::uint64_t epoch);

/// The term of this node before it had ended later than this one was elected, by what it says: the clock was behind at
/// the election, or had been ahead.
bool was_elected_after_a_step(const Terms& terms, const std::string& group, std::uint64_t epoch);

}  // namespace ballot::audit
