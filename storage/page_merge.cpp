#include "storage/page_merge.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace ballot::storage {
namespace {

/// By their slots and attempts; ledgers are compared by the order of the map.
bool comes_before(const PlacedRow& a, const PlacedRow& b) {
  return std::tie(a.row.slot, a.row.attempt) > std::tie(b.row.slot, b.row.attempt);
}

}  // namespace

std::optional<Position> position_in(const std::string& ledger, const std::optional<Position>& after) {
  if (!after || after->ledger == ledger || after->ledger.empty()) return after;
  using Id = std::numeric_limits<std::int64_t>;
  return Position{after->slot, after->attempt, ledger < after->ledger ? Id::min() : Id::max(), ledger};
}

PageMerge::PageMerge(const std::vector<std::string>& ledgers) {
  for (const std::string& ledger : ledgers) sources_[ledger];
}

std::vector<std::string> PageMerge::wanted() const {
  std::vector<std::string> ledgers;
  for (const auto& [ledger, source] : sources_)
    if (source.rows.empty() && !source.is_done) ledgers.push_back(ledger);
  return ledgers;
}

std::optional<Position> PageMerge::next_page(const std::string& ledger, const std::optional<Position>& after) const {
  const auto source = sources_.find(ledger);
  const bool has_begun = source != sources_.end() && source->second.last;
  return has_begun ? source->second.last : position_in(ledger, after);
}

void PageMerge::add(const std::string& ledger, std::vector<PlacedRow> rows, bool is_last) {
  Source& source = sources_[ledger];
  source.is_done = is_last || rows.empty();
  if (!rows.empty()) source.last = rows.back().at;
  std::move(rows.begin(), rows.end(), std::back_inserter(source.rows));
}

void PageMerge::leave_out(const std::string& ledger) { sources_.erase(ledger); }

std::optional<PlacedRow> PageMerge::next() {
  Source* first = nullptr;
  for (auto& [ledger, source] : sources_) {
    if (source.rows.empty() && !source.is_done) return std::nullopt;
    if (!source.rows.empty() && (!first || comes_before(source.rows.front(), first->rows.front()))) first = &source;
  }
  if (!first) return std::nullopt;
  PlacedRow row = std::move(first->rows.front());
  first->rows.pop_front();
  return row;
}

std::vector<PlacedRow> PageMerge::take(std::int64_t most) {
  std::vector<PlacedRow> rows;
  while (std::ssize(rows) < most)
    if (auto row = next())
      rows.push_back(*std::move(row));
    else
      break;
  return rows;
}

}  // namespace ballot::storage
