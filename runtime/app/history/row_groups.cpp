#include "app/history/row_groups.hpp"

namespace ballot::app {

bool RowGroups::add(const Row& row) {
  const bool is_paused = row.reason == Reason::paused;
  const auto before = paused_.find(row.job);
  const bool is_same = before != paused_.end() && is_paused && rows_[before->second].paused_by == row.paused_by &&
                       rows_[before->second].resumed_by == row.resumed_by;
  if (is_same) {
    Row& group = rows_[before->second];
    if (!group.slot_until) group.slot_until = group.slot;
    group.slot = row.slot;
    group.slots += row.slots;
    return true;
  }
  if (before != paused_.end()) paused_.erase(before);
  if (most_ && static_cast<std::int64_t>(rows_.size()) >= *most_) return false;
  rows_.push_back(row);
  if (is_paused) paused_[row.job] = rows_.size() - 1;
  return true;
}

std::vector<std::string> RowGroups::begun() const {
  std::vector<std::string> jobs;
  for (const auto& [job, row] : paused_) jobs.push_back(job);
  return jobs;
}

}  // namespace ballot::app
