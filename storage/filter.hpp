// Filter, RequestFilter, Position: what is asked of a ledger, in the words of ballot/history_rows.hpp.
#pragma once

#include "ballot/history_rows.hpp"

namespace ballot::storage {

using Filter = HistoryFilter;
using Position = HistoryPosition;
using ballot::RequestFilter;
using ballot::RequestPosition;

}  // namespace ballot::storage
