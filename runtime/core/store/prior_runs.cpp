#include "core/store/prior_runs.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "core/record/outcome.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t most_kept = 1000, most_kept_listed = 100'000;

}  // namespace

void PriorRuns::on_load(const std::vector<Row>& rows, const std::string& node) {
  if (std::exchange(is_loaded_, true)) return;
  for (const Row& row : rows)
    if (is_open_row(row, node))
      open_rows_.push_back(row);
    else
      recorded_[{*row.run, row.attempt}] = row;
}

bool PriorRuns::on_inventory(const Inventory& inventory) {
  inventory_ = inventory;
  return std::exchange(is_inventoried_, true);
}

void PriorRuns::on_gone(const runner::AttemptId& id) {
  std::erase_if(inventory_.running, [&](const runner::Running& running) { return running.id == id; });
}

std::vector<Row> PriorRuns::take_unclaimed_rows() {
  std::vector<Row> unclaimed;
  const auto is_claimed = [](const Row& row) { return row.fence != 0; };
  std::copy_if(open_rows_.begin(), open_rows_.end(), std::back_inserter(unclaimed), std::not_fn(is_claimed));
  std::erase_if(open_rows_, std::not_fn(is_claimed));
  return unclaimed;
}

std::vector<Row> PriorRuns::take_open_rows() { return std::exchange(open_rows_, {}); }

void PriorRuns::learn_outcomes(const std::vector<Register>& records) {
  for (const Register& record : records) {
    auto row = parse_outcome(record.value);
    if (!row) continue;
    const runner::AttemptId id{*row->run, row->attempt};
    if (outcomes_.emplace(id, std::move(*row)).second) learnt_.push_back(id);
  }
}

void PriorRuns::keep_outcome(const ballot::Record& record, bool listed) {
  auto row = parse_outcome(record.value);
  if (!row) return;
  const runner::AttemptId id{*row->run, row->attempt};
  std::erase(learnt_, id);
  if (std::find(kept_.begin(), kept_.end(), id) == kept_.end()) kept_.push_back(id);
  outcomes_.insert_or_assign(id, std::move(*row));
  for (const std::size_t most = listed ? most_kept_listed : most_kept; kept_.size() > most; kept_.pop_front())
    outcomes_.erase(kept_.front());
}

void PriorRuns::forget_outcomes() {
  for (const runner::AttemptId& id : std::exchange(learnt_, {})) outcomes_.erase(id);
}

}  // namespace ballot::core
