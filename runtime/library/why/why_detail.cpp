#include "library/why/why_detail.hpp"

#include <algorithm>

#include "base/duration.hpp"
#include "base/short_id.hpp"
#include "base/wall_text.hpp"
#include "library/why/lost_run.hpp"
#include "library/why/upstream_text.hpp"

namespace ballot::library {
namespace {

constexpr const char* starts = " It starts between ";
constexpr std::int64_t most_in_group = 64;  // runs

/// As the daemon left it in place of an output.
std::string why_not_started(const Row& row, LedgerView& ledger) {
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

std::string lost_term(const Row& row, LedgerView& ledger) {
  const auto terms = ledger.terms(row.group);
  if (!terms) return {};
  const auto term = std::find_if(terms->begin(), terms->end(), [&](const TermRow& t) { return t.epoch == row.epoch; });
  return term == terms->end() ? "" : " It ran under " + term_text(*term) + ".";
}

/// Of nodes whose ledgers were not asked there may be terms between two that are known. Epochs do not tell: many stores
/// count other things by them too.
std::string terms_between(const LedgerView& ledger) {
  std::string nodes;
  for (const MissingNode& node : ledger.missing()) nodes += (nodes.empty() ? "" : ", ") + node.node;
  if (nodes.empty()) return {};
  const bool is_one = nodes.find(',') == std::string::npos;
  return " Between them there may be terms of " + nodes + ", which " + (is_one ? "has" : "have") + " not answered.";
}

/// The terms around the slot, newest first.
std::string terms_around(const Row& row, LedgerView& ledger) {
  const auto terms = ledger.terms(row.group);
  if (!terms) return {};
  std::string text;
  const TermRow* after = nullptr;
  bool has_before = false;
  for (const TermRow& term : *terms) {
    if (term.elected_at > row.slot) {
      after = &term;
      continue;
    }
    has_before = true;
    text = " Before it was " + term_text(term) +
           (ledger.missing().empty() ? "." : ", as far as the nodes that answer know.");
    break;
  }
  if (after) text += " Elected after it was node " + after->node + ", " + format_millis(after->elected_at) + ".";
  return text + (after && has_before ? terms_between(ledger) : "");
}

/// The one node that has not answered, where it was heard of last before that; null: it is none, or one of several.
const MissingNode* silent_since(const std::vector<MissingNode>& missing, WallTime at) {
  if (missing.size() != 1 || !missing.front().last_heard || *missing.front().last_heard > at) return nullptr;
  return &missing.front();
}

bool is_loss(const TermRow& term) {
  return term.cause == Cause::none || term.cause == Cause::expired || term.cause == Cause::superseded;
}

/// Terms of the node between `from` and `until` would be in no answer.
bool may_have_led_unheard(const MissingNode& node, WallTime from, WallTime until) {
  if (!node.last_heard) return true;
  if (node.heard_by == "ledger" || node.heard_by == "history") return *node.last_heard < until;
  const bool is_sure = node.heard_by == "answer" || node.heard_by == "election";
  return !is_sure || *node.last_heard >= from;
}

/// Which term wrote the job's register last before this one took it up; none: no ledger that was asked says it.
/// Terms of one node that follow each other have one row, with the last one's epoch: of these it is an earlier one.
/// A row of a term that took over what another node's had begun is found by the definition's digest alone.
std::optional<std::uint64_t> writer_before(const TermRow& term, const Row& row, LedgerView& ledger,
                                           const KnownJob& job) {
  constexpr std::int64_t most = 1000;
  std::vector<storage::DefinitionKey> keys;
  if (!job.digest.empty()) keys.push_back({row.job, job.digest});
  (void)ledger.definitions({.jobs = {row.job}}, [&](const storage::BegunDefinition& one) {
    return keys.push_back({one.row.job, one.row.digest}), true;
  });
  std::optional<std::uint64_t> before;
  if (keys.empty()) return before;
  (void)ledger.definitions({.of = std::move(keys), .limit = most}, [&](const storage::BegunDefinition& one) {
    const bool has_term = one.row.before < term.epoch && term.epoch <= one.row.epoch;
    if (has_term && one.row.before > 0 && one.row.group == term.group) before = one.row.before;
    return !before;
  });
  return before;
}

/// Of a slot that was left unclaimed by none of the terms that are known. `last`: of these the last one before the
/// slot; null: none is. `after`: the first one after it. `epoch`: of the term in between, where that is known.
std::string unknown_leader_text(const TermRow* last, const TermRow& after, std::optional<std::uint64_t> epoch,
                                const LedgerView& ledger) {
  const std::vector<MissingNode> missing = ledger.missing();
  std::string nodes;
  for (const MissingNode& node : missing) nodes += (nodes.empty() ? "" : ", ") + node.node;
  std::string text = " A node led the group then" + (epoch ? ", in term " + std::to_string(*epoch) : "") +
                     ", and its term was over before it had claimed the slot. Which node that was, and what became of "
                     "its term, is not known here";
  if (missing.empty())
    text += ": that is in the ledger of that node.";
  else
    text += std::string(" before the ") + (missing.size() == 1 ? "ledger" : "ledgers") + " of " + nodes + ", which " +
            (missing.size() == 1 ? "has" : "have") + " not answered, can be read.";
  if (last) text += " The last term before the slot that is known is " + term_text(*last) + ".";
  return text + " Node " + after.node + " was elected after it, " + format_millis(after.elected_at) +
         ", and did not catch the slot up.";
}

/// Of a slot that its leader left unclaimed, what became of that leader's term, where it tells; else "".
std::string unclaimed_text(const Row& row, LedgerView& ledger, const KnownJob& job) {
  const auto terms = ledger.terms(row.group);
  if (!terms) return {};
  const TermRow *last = nullptr, *after = nullptr;
  for (const TermRow& term : *terms)
    if (term.elected_at > row.slot)
      after = &term;
    else if (!last)
      last = &term;
  const TermRow* covering = last && last->ended_at && *last->ended_at < row.slot ? nullptr : last;
  if (covering && covering->ended_at && covering->cause == Cause::unreachable)
    return " The store did not answer the node that led the group then, so no claim could be confirmed: it was " +
           term_text(*covering) + ".";
  if (!after || row.epoch < after->epoch) return {};  // the term that covers it has settled it
  const std::vector<MissingNode> missing = ledger.missing();
  std::optional<std::uint64_t> writer = writer_before(*after, row, ledger, job);
  const bool is_sure = covering && (covering->ended_at || writer == covering->epoch);
  if (writer && last && *writer <= last->epoch) writer.reset();
  if (writer && !is_sure) covering = nullptr;
  const bool may_be_another =
      covering && !is_sure && std::any_of(missing.begin(), missing.end(), [&](const MissingNode& node) {
        return may_have_led_unheard(node, covering->elected_at, after->elected_at);
      });
  const MissingNode* const silent = silent_since(missing, after->elected_at);
  const bool is_unknown = !covering && !silent && (writer || !missing.empty());
  if (may_be_another || is_unknown) return unknown_leader_text(last, *after, writer, ledger);
  if (covering ? !is_loss(*covering) : !silent) return {};
  const std::string leader = covering ? term_text(*covering)
                                      : "by all that is known node " + silent->node + ", last heard of " +
                                            format_millis(*silent->last_heard) +
                                            (silent->heard_by == "record" ? " or later" : "");
  const bool is_alone = !ledger.is_of_fleet() && !is_sure;
  return (is_alone ? " As far as this node's ledger alone knows, the node that led the group then ("
                   : " The node that led the group then (") +
         leader +
         ") had lost it without giving it up: it died, or stood still. Its lease was not over yet, and nobody else "
         "could claim the slot before it was. Node " +
         after->node + " was elected after that, " + format_millis(after->elected_at) +
         ", and did not catch the slot up.";
}

/// The row does not keep it: the deadline is that of the job as it is now, where that explains how long the run took.
std::string deadline_text(const Row& row, const std::optional<JobFacts>& job) {
  const auto deadline = job ? job->deadline : std::nullopt;
  if (!deadline || *deadline <= Millis(0)) return {};
  const bool has_changed = row.duration && *row.duration < *deadline;
  return " The job's deadline is " + format_duration(*deadline) + (has_changed ? " now; it was shorter then." : ".");
}

/// The row does not keep its calendars: they are those of the job as it is now, where these leave out the day.
std::string calendar_text(const Row& row, const std::optional<JobFacts>& job) {
  const std::string why = job ? job->plan.why_left_out(row.slot) : "";
  if (why.empty()) return job ? " They are others now, and allow that day." : "";
  const bool is_last = !row.slot_until || *row.slot_until == row.slot;
  const std::string last = is_last ? "" : job->plan.why_left_out(*row.slot_until);
  return " " + why + (last.empty() || last == why ? "." : ", and of the last of these slots, " + last + ".");
}

/// The row does not keep what was expected of the run: that is what the job's file says now.
std::string unexpected_text(const Row& row, const std::optional<JobFacts>& job) {
  if (!job || !row.run || !row.started_at) return {};
  std::string text;
  const Millis within = job->expects.expect_within, late_after = job->expects.late_after;
  if (within > Millis(0) && row.duration && *row.duration > within)
    text += " It took longer than the " + format_duration(within) + " that the job expects (expect_within).";
  const bool is_due_by_slot = row.trigger == Trigger::schedule || row.trigger == Trigger::catch_up;
  const Millis late = *row.started_at - row.slot - job->jitter;
  if (late_after > Millis(0) && is_due_by_slot && row.attempt == 1 && job->after.empty() && late > late_after)
    text += " It began " + format_duration(late) + " late; the job expects at most " + format_duration(late_after) +
            " (late_after).";
  return text;
}

/// Of a slot that waits: those of its job that wait before it, and begin before.
std::string slots_before_text(WallTime slot, const KnownJob& job) {
  std::vector<WallTime> before = job.waiting;
  std::erase_if(before, [&](WallTime one) { return one >= slot; });
  if (before.empty()) return {};
  const std::string first = format_slot(*std::min_element(before.begin(), before.end()));
  if (before.size() == 1) return " The slot of " + first + " waits before it.";
  return " " + std::to_string(before.size()) + " slots of the job wait before it, the first of them that of " + first +
         ".";
}

/// Of a slot for which its own job has room: which runs of its group take up the places there.
std::string room_text(LedgerView& ledger, const KnownJob& job) {
  if (!job.facts || job.group_max_running == 0) return {};
  std::vector<Row> rows;
  const storage::Filter filter{
      .groups = {job.facts->group}, .statuses = {Status::claimed, Status::running}, .limit = most_in_group};
  (void)ledger.history(filter, [&](const Row& row) { return rows.push_back(row), true; });
  if (std::ssize(rows) < job.group_max_running || !rows.back().run) return {};
  const Row& first = rows.back();
  return " It waits for room: group " + job.facts->group +
         " has max_running = " + std::to_string(job.group_max_running) + ", and " +
         (rows.size() == 1 ? "" : std::to_string(rows.size()) + " runs of it go on, the first of them ") + "run " +
         short_id(*first.run) + " of slot " + format_slot(first.slot) + " of job " + first.job +
         (first.node.empty() ? "" : " on " + first.node) + (rows.size() == 1 ? " goes on." : ".");
}

std::string waits_text(const Row& waiting, LedgerView& ledger, const KnownJob& job, const DescribesWait& describe) {
  const bool may_allow = job.facts && job.facts->concurrency == Concurrency::allow;
  const int bound = may_allow ? job.facts->max_running : 1;
  std::string text = waits_for_runs_text(waiting.job, bound, ledger, job.to_come, describe);
  if (text.empty()) text = room_text(ledger, job);
  return text + slots_before_text(waiting.slot, job);
}

/// Of a slot that the leader of its time has passed over itself.
std::string misfire_text(const Row& row, LedgerView& ledger) {
  const auto terms = ledger.terms(row.group);
  if (!terms) return {};
  const auto term = std::find_if(terms->begin(), terms->end(), [&](const TermRow& t) { return t.epoch == row.epoch; });
  if (term == terms->end() || term->elected_at >= row.slot) return {};
  return " Node " + term->node +
         " led the group when it was due, and could not start it at once: there was no room under a max_running, a run "
         "of a "
         "backfill went on, or the node or the store stood still for a while.";
}

bool may_be_repeated(const Row& row) {
  return row.run && (row.status == Status::failed || row.status == Status::timed_out || row.status == Status::lost) &&
         row.reason != Reason::lost_limit && row.reason != Reason::permanent;
}

}  // namespace

std::optional<JobFacts> facts_of(const schedule::DefinitionPtr& definition) {
  if (!definition) return std::nullopt;
  const Job& job = definition->job;
  return JobFacts{job.deadline,
                  job.retries,
                  job.details->retry_delay,
                  job.details->retry_max_delay,
                  job.details->retry_backoff,
                  job.guarantee == Guarantee::at_most_once,
                  job.details->after,
                  job.details->after_status,
                  job.details->has_slots_of_first,
                  !job.schedule.empty(),
                  job.enabled,
                  job.start_deadline,
                  definition->plan,
                  *job.details->expects,
                  job.jitter,
                  job.name,
                  *job.group,
                  *job.timezone,
                  definition->plan.days().is_default() ? std::vector<std::string>() : *job.schedule,
                  job.concurrency,
                  job.details->queue_limit,
                  job.max_running};
}

namespace {

/// Of a slot that waited for a run of its own job until it was too late. It says all that the rule says.
std::string too_late_text(const Row& missed, LedgerView& ledger, const KnownJob& job, const DescribesWait& describe) {
  if (missed.run || !job.facts || job.facts->concurrency == Concurrency::allow) return {};
  const Millis deadline = job.facts->start_deadline;
  const std::string text = waited_past_text(missed, missed.slot + deadline, ledger, job.to_come, describe);
  if (text.empty()) return {};
  return text + " By then it was too late: the job has start_deadline = " + format_duration(deadline) +
         ". A job whose slots must wait for longer sets a longer one.";
}

std::string detail_of_reason(const Row& row, LedgerView& ledger, const KnownJob& job) {
  const bool waits = row.status == Status::queued && !row.run;
  if (std::string text = upstream_text(row, ledger, job); !text.empty()) return text;
  const DescribesWait describe = [&](const std::vector<Row>& rows, std::int64_t next) {
    return retry_text(rows, next, job);
  };
  if (waits) return waits_text(row, ledger, job, describe);
  if (row.reason == Reason::overlap || row.reason == Reason::queue_full)
    return in_the_way_text(row, ledger, job.to_come, describe);
  if (row.reason == Reason::start_deadline) return too_late_text(row, ledger, job, describe);
  if (row.reason == Reason::deadline) return deadline_text(row, job.facts);
  if (row.reason == Reason::cannot_start && row.run) return why_not_started(row, ledger);
  if (row.reason == Reason::leadership_lost) return lost_term(row, ledger);
  if (row.reason == Reason::no_leader) return terms_around(row, ledger);
  if (row.reason == Reason::unclaimed) return unclaimed_text(row, ledger, job);
  if (row.reason == Reason::misfire && !row.run) return misfire_text(row, ledger);
  if (row.reason == Reason::calendar) return calendar_text(row, job.facts);
  return {};
}

}  // namespace

std::string why_detail(const Row& row, LedgerView& ledger, const KnownJob& job) {
  return detail_of_reason(row, ledger, job) + unexpected_text(row, job.facts);
}

std::string held_back_text(const Row& row, LedgerView& ledger, const KnownJob& job) {
  return upstream_text(row, ledger, job).empty() ? lost_run_text(row, ledger, job.facts) : "";
}

/// A wait is up to a tenth longer than said.
std::string retry_text(const std::vector<Row>& rows, std::int64_t next, const KnownJob& known) {
  const std::optional<JobFacts>& job = known.facts;
  if (!job || job->retries == 0) return {};
  const auto longest = static_cast<double>(job->retry_max_delay.count());
  double delay = static_cast<double>(job->retry_delay.count());
  for (std::int64_t attempt = 2; attempt < next && delay < longest; ++attempt) delay *= job->retry_backoff;
  delay = std::min(delay, longest);
  const auto before =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.attempt == next - 1 && row.ended_at; });
  std::string text;
  if (before != rows.end()) {
    const WallTime from = *before->ended_at + Millis(static_cast<std::int64_t>(delay));
    const WallTime until = from + Millis(static_cast<std::int64_t>(delay / 10)) + std::chrono::seconds(1);
    const bool is_late = known.now && *known.now > until + std::chrono::seconds(1);
    const std::string begins = is_late ? " It was to start between " : known.is_held ? " It is due between " : starts;
    text = begins + format_seconds(from) + " and " + format_seconds(until);
    text += is_late && !known.is_held ? ", and has not, as far as is known here." : ".";
    if (known.store_is_silent) text += " The store does not answer this node, and nothing starts here before it does.";
  }
  const std::int64_t left = std::max<std::int64_t>(job->retries + 2 - next, 1);
  return text + " With retries = " + std::to_string(job->retries) + ", " + std::to_string(left) +
         (left == 1 ? " attempt is" : " attempts are") + " left.";
}

namespace {

/// A repair starts no attempt that waited, and a leader that did not know of it has made no row of it.
std::string dropped_by_repair(const Row& last, LedgerView& ledger) {
  if (!last.ended_at) return {};
  std::string text;
  (void)ledger.requests({.jobs = {last.job}, .kinds = {"repair"}, .since = last.ended_at}, [&](const RequestRow& one) {
    const bool has_repaired = one.result == "done" && !one.text.starts_with("nothing to repair");
    if (has_repaired) text = " No other attempt follows: the job was repaired since then, " + format_seconds(one.at);
    return text.empty();
  });
  return text.empty() ? text : text + ", and a repair starts no attempt that waited.";
}

}  // namespace

std::string what_follows(const Row& last, LedgerView& ledger, const std::optional<JobFacts>& job,
                         const std::optional<std::int64_t>& next) {
  if (!may_be_repeated(last)) return {};
  if (next && *next > last.attempt) return " Attempt " + std::to_string(*next) + " follows.";
  if (last.status == Status::lost) {
    return job && job->is_at_most_once ? " No other attempt follows: the job has guarantee = \"at-most-once\"."
                                       : " No other attempt follows.";
  }
  if (!job) return {};
  const int retries = job->retries;
  if (retries == 0) return " No other attempt follows: the job has no retries.";
  if (last.attempt > retries)
    return " No other attempt follows: it was the last, with retries = " + std::to_string(retries) + ".";
  if (const std::string dropped = dropped_by_repair(last, ledger); !dropped.empty()) return dropped;
  return " Another attempt may follow: retries = " + std::to_string(retries) + ".";
}

}  // namespace ballot::library
