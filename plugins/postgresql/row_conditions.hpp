// What a filter says of the rows `r`, as conditions of a statement.
#pragma once

#include <string>
#include <vector>

#include "ballot/history_rows.hpp"
#include "where.hpp"

namespace ballot::postgresql {

bool wants_success(const HistoryFilter& filter);
/// But for jobs, groups, the run and the position.
void add_conditions(Where& where, const HistoryFilter& filter);

/// Jobs, or else groups, of which each is looked up by itself.
struct Arms {
  std::string column = {};
  std::vector<std::string> names = {};  // none: all slots are walked over
};
Arms arms_of(const HistoryFilter& filter);

}  // namespace ballot::postgresql
