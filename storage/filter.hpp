// Filter, RequestFilter, Position: what is asked of a ledger, in the words of ballot/history_rows.hpp.
#pragma once

#include <array>

#include "ballot/history_rows.hpp"

namespace ballot::storage {

using Filter = HistoryFilter;
using Position = HistoryPosition;
using ballot::RequestFilter;
using ballot::RequestPosition;

/// Of runs that ended badly.
inline constexpr std::array ended_badly{Status::failed, Status::timed_out, Status::killed, Status::lost};

}  // namespace ballot::storage
