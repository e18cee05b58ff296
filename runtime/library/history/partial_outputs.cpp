#include "library/history/partial_outputs.hpp"

#include <algorithm>
#include <utility>

#include "storage/reader.hpp"

namespace ballot::library {
namespace {

constexpr std::size_t most_attempts = 200;    // the longest running ones
constexpr std::size_t part_size = 32 * 1024;  // of head and tail each

}  // namespace

std::vector<OutputRow> PartialOutputs::take() {
  std::vector<OutputRow> changed;
  auto reader = storage::Reader::open(place_.path, goes_on_);
  auto rows = reader ? reader->open_rows() : Result<std::vector<Row>>(reader.error());
  if (!rows) return changed;
  std::erase_if(
      *rows, [this](const Row& row) { return !row.run || row.status != Status::running || row.node != place_.node; });
  std::sort(rows->begin(), rows->end(), [](const Row& a, const Row& b) { return a.started_at < b.started_at; });
  if (rows->size() > most_attempts) rows->resize(most_attempts);
  auto ledger = rows->empty() ? Result<std::unique_ptr<LedgerView>>(Error{}) : FileLedger::open(place_, goes_on_);
  std::map<runner::AttemptId, std::int64_t> totals;
  for (const Row& row : *rows) {
    if (!ledger) break;
    const runner::AttemptId attempt{*row.run, row.attempt};
    const auto known = totals_.find(attempt);
    std::int64_t total = known == totals_.end() ? 0 : known->second;
    if (auto output = read(**ledger, attempt, total))
      changed.push_back({attempt.run, attempt.attempt, *std::move(output)});
    totals.emplace(attempt, total);
  }
  totals_ = std::move(totals);
  return changed;
}

/// None: it has printed nothing more than what is known, or has ended, so that its ledger has it.
std::optional<Output> PartialOutputs::read(LedgerView& ledger, const runner::AttemptId& attempt,
                                           std::int64_t& known) const {
  const auto news = ledger.output(attempt, known);
  if (!news || news->place != ShownOutput::Place::here || news->ended || news->total <= known) return std::nullopt;
  known = news->total;
  auto head = ledger.output(attempt, 0);
  if (!head || head->piece.begin != 0) return std::nullopt;
  Output output{std::move(head->piece.bytes), "", known};
  if (known <= static_cast<std::int64_t>(output.head.size())) return output;
  output.head.resize(std::min(output.head.size(), part_size));
  auto tail = ledger.output(attempt, std::max<std::int64_t>(known - std::int64_t{part_size}, std::ssize(output.head)));
  if (!tail) return std::nullopt;
  output.tail = std::move(tail->piece.bytes);
  output.total_bytes = std::max(tail->piece.end(), known);
  return output;
}

}  // namespace ballot::library
