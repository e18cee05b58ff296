#include "library/why/run_in_the_way.hpp"

#include <algorithm>
#include <iterator>

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

std::vector<Row> read(const storage::Filter& filter, LedgerView& ledger) {
  std::vector<Row> rows;
  (void)ledger.history(filter, [&](const Row& row) { return rows.push_back(row), true; });
  return rows;
}

std::vector<Row> runs_before(const Row& slot, LedgerView& ledger) {
  return read({.jobs = {slot.job}, .statuses = storage::run_statuses(), .until = slot.slot, .limit = rows_looked_at},
              ledger);
}

/// What a run's row is while the run goes on, or may be between two attempts.
std::vector<Status> unended_statuses() {
  return {Status::queued, Status::claimed, Status::running, Status::failed, Status::timed_out, Status::lost};
}

/// "run R of slot S on N, started T, which has not ended.", with more sentences where it waits for an attempt.
std::string run_text(const RunSpan& run, std::vector<Row> rows, const AttemptToCome& to_come,
                     const DescribesWait& describe) {
  const std::string text = "run " + short_id(run.run) + " of slot " + format_slot(run.slot) + place_text(run);
  std::erase_if(rows, [&](const Row& row) { return row.run != run.run; });
  std::optional<std::int64_t> next = run.next_attempt;
  if (!next && run.may_go_on) next = to_come(run.run);
  if (next) return text + ", which waits for attempt " + std::to_string(*next) + "." + describe(rows, *next);
  if (!run.ended) return text + ", which has not ended.";
  return text + ", ended " + format_millis(*run.ended) + ".";
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

std::string waited_past_text(const Row& missed, WallTime until, LedgerView& ledger, const AttemptToCome& to_come,
                             const DescribesWait& describe) {
  const std::vector<Row> rows = runs_before(missed, ledger);
  const std::vector<RunSpan> spans = spans_of(rows);
  const RunSpan* const run = run_in_the_way(spans, missed.slot, to_come);
  if (!run || run->begun.value_or(run->slot) > until || (run->ended && *run->ended < until)) return {};
  return " It waited for " + run_text(*run, rows, to_come, describe);
}

std::string in_the_way_text(const Row& passed, LedgerView& ledger, const AttemptToCome& to_come,
                            const DescribesWait& describe) {
  const std::vector<Row> rows = runs_before(passed, ledger);
  const std::vector<RunSpan> spans = spans_of(rows);
  const RunSpan* const run = run_in_the_way(spans, passed.slot, to_come);
  if (!run) return {};
  const bool had_waited = passed.reason == Reason::queue_full && run->begun && *run->begun > passed.slot;
  return (had_waited ? " Before it had waited " : " In the way was ") + run_text(*run, rows, to_come, describe);
}

std::vector<RunSpan> runs_under_way(const std::vector<RunSpan>& spans, const AttemptToCome& to_come) {
  std::vector<RunSpan> runs;
  std::copy_if(spans.begin(), spans.end(), std::back_inserter(runs), [&](const RunSpan& span) {
    const bool has_begun = span.attempt > 0 || span.next_attempt;
    return has_begun && (!span.ended || span.next_attempt || (span.may_go_on && to_come(span.run)));
  });
  return runs;
}

std::string waits_for_runs_text(const std::string& job, int bound, LedgerView& ledger, const AttemptToCome& to_come,
                                const DescribesWait& describe) {
  const std::vector<Row> rows = read({.jobs = {job}, .statuses = unended_statuses(), .limit = rows_looked_at}, ledger);
  const std::vector<RunSpan> runs = runs_under_way(spans_of(rows), to_come);
  if (runs.empty() || std::ssize(runs) < bound) return {};
  const std::string first = run_text(runs.back(), rows, to_come, describe);
  if (runs.size() == 1) return " It waits for " + first;
  return " It waits for one of " + std::to_string(runs.size()) + " runs of the job to end, the first of them " + first;
}

}  // namespace ballot::library
