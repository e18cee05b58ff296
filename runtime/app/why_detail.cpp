#include "app/why_detail.hpp"

#include <algorithm>

#include "app/ask.hpp"
#include "app/run_in_the_way.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

/// As the daemon left it in place of an output.
std::string why_not_started(const Row& row, library::LedgerView& ledger) {
  constexpr std::string_view begin = "[ballot: ", end = "]\n";
  const auto output = ledger.output({*row.run, row.attempt}, 0);
  if (!output) return {};
  const std::string& text = output->piece.bytes;
  if (!text.starts_with(begin) || !text.ends_with(end)) return {};
  return " It " + text.substr(begin.size(), text.size() - begin.size() - end.size()) + ".";
}

std::string term_text(const TermRow& term) {
  std::string text = "term " + std::to_string(term.epoch) + " of node " + term.node;
  if (term.ended_at) text += ", which ended " + format_millis(*term.ended_at);
  if (term.cause != Cause::none) text += " (" + std::string(to_string(term.cause)) + ")";
  return text;
}

std::string lost_term(const Row& row, library::LedgerView& ledger) {
  const auto terms = ledger.terms(row.group);
  if (!terms) return {};
  const auto term = std::find_if(terms->begin(), terms->end(), [&](const TermRow& t) { return t.epoch == row.epoch; });
  return term == terms->end() ? "" : " It ran under " + term_text(*term) + ".";
}

/// Terms between two that are known: of nodes whose ledgers were not asked, or have lost them.
std::string terms_between(std::uint64_t before, std::uint64_t after, const library::LedgerView& ledger) {
  if (after <= before + 1) return {};
  const bool is_one = after == before + 2;
  std::string text = is_one
                         ? " Between them lies term " + std::to_string(before + 1)
                         : " Between them lie terms " + std::to_string(before + 1) + " to " + std::to_string(after - 1);
  text += ", of which no ledger that was asked knows";
  std::string nodes;
  for (const library::MissingNode& node : ledger.missing()) nodes += (nodes.empty() ? "" : ", ") + node.node;
  return text + (nodes.empty()
                     ? "."
                     : "; not answered " + std::string(nodes.find(',') == nodes.npos ? "has " : "have ") + nodes + ".");
}

/// The terms around the slot, newest first.
std::string terms_around(const Row& row, library::LedgerView& ledger) {
  const auto terms = ledger.terms(row.group);
  if (!terms) return {};
  std::string text;
  const TermRow* after = nullptr;
  std::uint64_t before = 0;
  for (const TermRow& term : *terms) {
    if (term.elected_at > row.slot) {
      after = &term;
      continue;
    }
    before = term.epoch;
    text = " Before it was " + term_text(term) +
           (ledger.missing().empty() ? "." : ", as far as the nodes that answer know.");
    break;
  }
  if (after) text += " Elected after it was node " + after->node + ", " + format_millis(after->elected_at) + ".";
  return text + (after && before > 0 ? terms_between(before, after->epoch, ledger) : "");
}

/// The row does not keep it: the deadline is that of the job as it is now, where that explains how long the run took.
std::string deadline_text(const Row& row, const schedule::DefinitionPtr& definition) {
  const auto deadline = definition ? definition->job.deadline : std::nullopt;
  if (!deadline || *deadline <= Millis(0)) return {};
  const bool has_changed = row.duration && *row.duration < *deadline;
  return " The job's deadline is " + format_duration(*deadline) + (has_changed ? " now; it was shorter then." : ".");
}

bool may_be_repeated(const Row& row) {
  return row.run && (row.status == Status::failed || row.status == Status::timed_out || row.status == Status::lost) &&
         row.reason != Reason::lost_limit && row.reason != Reason::permanent;
}

}  // namespace

std::string why_detail(const Row& row, library::LedgerView& ledger, const config::Config& config,
                       const schedule::DefinitionPtr& definition) {
  const bool waits = row.status == Status::queued && !row.run;
  if (waits || row.reason == Reason::overlap || row.reason == Reason::queue_full)
    return in_the_way_text(
        row, ledger, [&](const RunId& run) { return ask_next_attempt(config, run); },
        [&](const std::vector<Row>& rows, std::int64_t next) { return retry_text(rows, next, definition); });
  if (row.reason == Reason::deadline) return deadline_text(row, definition);
  if (row.reason == Reason::cannot_start && row.run) return why_not_started(row, ledger);
  if (row.reason == Reason::leadership_lost) return lost_term(row, ledger);
  if (row.reason == Reason::no_leader) return terms_around(row, ledger);
  return {};
}

/// A wait is up to a tenth longer than said.
std::string retry_text(const std::vector<Row>& rows, std::int64_t next, const schedule::DefinitionPtr& definition) {
  if (!definition || definition->job.retries == 0) return {};
  const Job& job = definition->job;
  double delay = static_cast<double>(job.details->retry_delay.count());
  for (std::int64_t attempt = 2; attempt < next && delay < static_cast<double>(job.details->retry_max_delay.count());
       ++attempt)
    delay *= job.details->retry_backoff;
  delay = std::min(delay, static_cast<double>(job.details->retry_max_delay.count()));
  const auto before =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.attempt == next - 1 && row.ended_at; });
  std::string text;
  if (before != rows.end()) {
    const WallTime from = *before->ended_at + Millis(static_cast<std::int64_t>(delay));
    text = " It starts between " + format_seconds(from) + " and " +
           format_seconds(from + Millis(static_cast<std::int64_t>(delay / 10)) + std::chrono::seconds(1)) + ".";
  }
  const std::int64_t left = std::max<std::int64_t>(job.retries + 2 - next, 1);
  return text + " With retries = " + std::to_string(job.retries) + ", " + std::to_string(left) +
         (left == 1 ? " attempt is" : " attempts are") + " left.";
}

NextAttempt ask_next_attempt(const config::Config& config, const RunId& run) {
  const auto open = ask_open_run(config, run.text());
  return open ? open->integer("attempt") : std::nullopt;
}

std::string what_follows(const Row& last, const schedule::DefinitionPtr& definition, const NextAttempt& next) {
  if (!may_be_repeated(last)) return {};
  if (next && *next > last.attempt) return " Attempt " + std::to_string(*next) + " follows.";
  if (last.status == Status::lost) {
    const bool is_at_most_once = definition && definition->job.guarantee == Guarantee::at_most_once;
    return is_at_most_once ? " No other attempt follows: the job has guarantee = \"at-most-once\"."
                           : " No other attempt follows.";
  }
  if (!definition) return {};
  const int retries = definition->job.retries;
  if (retries == 0) return " No other attempt follows: the job has no retries.";
  if (last.attempt > retries)
    return " No other attempt follows: it was the last, with retries = " + std::to_string(retries) + ".";
  return " Another attempt may follow: retries = " + std::to_string(retries) + ".";
}

}  // namespace ballot::app
