#include "library/why/run_in_the_way.hpp"

#include <algorithm>

#include "base/short_id.hpp"
#include "base/wall_text.hpp"

namespace ballot::library {
namespace {

constexpr std::int64_t rows_looked_at = 64;

bool may_have_another(const Row& row) {
  return row.status == Status::failed || row.status == Status::timed_out || row.status == Status::lost;
}

void note_attempt(const Row& row, RunSpan& span) {
  span.first_attempt = row.attempt;
  if (span.attempt >= row.attempt) return;
  span.attempt = row.attempt;
  span.node = row.node;
  span.attempt_begun = row.started_at;
}

/// Where and since when it goes on, or did: of a later attempt also where the run began.
std::string place_text(const RunSpan& run) {
  std::string text;
  const bool is_later = run.attempt > 1;
  if (is_later && run.first_attempt == 1 && run.begun)
    text += ", begun on " + run.begun_on + " at " + format_millis(*run.begun);
  if (is_later) text += ", in attempt " + std::to_string(run.attempt);
  if (!run.node.empty()) text += " on " + run.node;
  if (run.attempt_begun) text += ", started " + format_millis(*run.attempt_begun);
  return text;
}

}  // namespace

std::vector<RunSpan> spans_of(const std::vector<Row>& rows) {
  std::vector<RunSpan> spans;
  for (const Row& row : rows) {
    if (!row.run) continue;
    auto span = std::find_if(spans.begin(), spans.end(), [&](const RunSpan& one) { return one.run == *row.run; });
    if (span == spans.end()) {
      span = spans.insert(spans.end(), RunSpan());
      span->run = *row.run, span->slot = row.slot;
      span->ended = row.ended_at, span->may_go_on = may_have_another(row);
    }
    if (row.status == Status::queued && row.attempt > 1) span->next_attempt = row.attempt;
    if (row.started_at && (!span->begun || *row.started_at < *span->begun))
      span->begun = row.started_at, span->begun_on = row.node;
    if (row.status != Status::queued) note_attempt(row, *span);
  }
  return spans;
}

const RunSpan* run_in_the_way(const std::vector<RunSpan>& spans, WallTime slot, const AttemptToCome& to_come) {
  const RunSpan* later = nullptr;
  for (const RunSpan& span : spans) {
    if (span.slot >= slot) continue;
    const bool goes_on = !span.ended || *span.ended >= slot || (span.may_go_on && to_come(span.run));
    if (!goes_on) continue;
    if (span.begun.value_or(span.slot) <= slot) return &span;
    if (!later) later = &span;
  }
  return later;
}

std::string in_the_way_text(const Row& passed, LedgerView& ledger, const AttemptToCome& to_come,
                            const DescribesWait& describe) {
  std::vector<Row> rows;
  const storage::Filter filter{
      .jobs = {passed.job}, .statuses = storage::run_statuses(), .until = passed.slot, .limit = rows_looked_at};
  (void)ledger.history(filter, [&](const Row& row) { return rows.push_back(row), true; });
  const std::vector<RunSpan> spans = spans_of(rows);
  const RunSpan* const run = run_in_the_way(spans, passed.slot, to_come);
  if (!run) return {};
  std::string text =
      " In the way was run " + short_id(run->run) + " of slot " + format_slot(run->slot) + place_text(*run);
  std::erase_if(rows, [&](const Row& row) { return row.run != run->run; });
  std::optional<std::int64_t> next = run->next_attempt;
  if (!next && run->may_go_on) next = to_come(run->run);
  if (next) return text + ", which waits for attempt " + std::to_string(*next) + "." + describe(rows, *next);
  if (!run->ended) return text + ", which has not ended.";
  return text + ", ended " + format_millis(*run->ended) + ".";
}

}  // namespace ballot::library
