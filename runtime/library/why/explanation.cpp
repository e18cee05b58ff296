#include "library/why/explanation.hpp"

#include <algorithm>
#include <iterator>

#include "library/why/moved_slot.hpp"
#include "library/why/why_text.hpp"

namespace ballot::library {
namespace {

bool is_of_backfill(const Row& row) { return row.trigger == Trigger::backfill; }

/// Of runs that backfills have made of a slot, each by its last attempt.
std::string again_text(const std::vector<Row>& rows) {
  std::string text;
  std::vector<RunId> told;
  for (const Row& row : rows) {
    if (!row.run || std::find(told.begin(), told.end(), *row.run) != told.end()) continue;
    told.push_back(*row.run);
    text += " A backfill has run the slot again: " + row.status.description();
    if (row.reason != Reason::none) text += ": " + row.reason.description();
    text += ". " + circumstances(row);
  }
  return text;
}

/// What is known beyond the rule names the cause, and comes first; of these reasons it is about what the rule says.
bool goes_on_from_rule(Reason reason) {
  return reason == Reason::no_leader || reason == Reason::calendar || reason == Reason::start_deadline;
}

Explanation explain_run(const std::vector<Row>& rows, LedgerView& ledger, const KnownJob& job) {
  const Row& last = rows.front();
  if (ledger.is_evidence(last)) {
    const bool waits = last.status == Status::queued && last.attempt > 1;
    return {evidence_text(last) + (waits ? retry_text(rows, last.attempt, job) : "") + before_text(rows), {}};
  }
  const auto next = last.run ? job.to_come(*last.run) : std::nullopt;
  const bool is_tried_again = next && *next > last.attempt;
  std::string text = circumstances(last);
  if (!is_tried_again) text += attempts_text(rows, ledger.is_of_fleet() ? "the ledgers know" : "this ledger knows");
  const std::string held_back = held_back_text(last, ledger, job);
  const std::string detail = held_back.empty() ? why_detail(last, ledger, job) : held_back;
  const bool is_of_chain = last.reason == Reason::upstream && job.facts && !job.facts->after.empty();
  const bool may_say_all = last.reason == Reason::cannot_start || last.reason == Reason::no_definition || is_of_chain ||
                           (last.reason == Reason::unclaimed && !last.run) ||
                           (last.reason == Reason::start_deadline && job.facts && job.facts->after.empty());
  const bool says_all = !held_back.empty() || (may_say_all && !detail.empty());
  const std::string rule = says_all ? "" : " " + std::string(rule_of(last));
  text += goes_on_from_rule(last.reason) ? rule + detail : detail + rule;
  if (last.run && job.facts) text += moved_text(last.slot, *job.facts);
  if (last.run) text += what_follows(last, ledger, job.facts, next);
  if (is_tried_again) text += retry_text(rows, *next, job);
  return {text, is_tried_again ? next : std::nullopt};
}

}  // namespace

/// What became of a slot when it was due, and what backfills have made of it since.
Explanation explain(const std::vector<Row>& rows, LedgerView& ledger, const KnownJob& job) {
  std::vector<Row> own, again;
  std::partition_copy(rows.begin(), rows.end(), std::back_inserter(again), std::back_inserter(own), is_of_backfill);
  if (own.empty()) {
    Explanation why = explain_run(rows, ledger, job);
    return {why.text + " It was run by a backfill.", why.next_attempt};
  }
  Explanation why = explain_run(own, ledger, job);
  why.text += again_text(again);
  return why;
}

}  // namespace ballot::library
