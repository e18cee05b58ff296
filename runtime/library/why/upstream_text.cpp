#include "library/why/upstream_text.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/duration.hpp"
#include "base/short_id.hpp"
#include "base/wall_text.hpp"
#include "core/event.hpp"
#include "core/record/register.hpp"
#include "library/shown/values.hpp"
#include "library/why/chain_jobs.hpp"
#include "library/why/why_text.hpp"

namespace ballot::library {
namespace {

constexpr std::int64_t rows_of_a_slot = 32;
constexpr std::size_t longest_chain = 64;

/// The row's slot is a trigger's: a schedule's slots are whole seconds.
bool is_of_trigger(const Row& row) {
  return row.trigger == Trigger::chain || row.slot != std::chrono::floor<std::chrono::seconds>(row.slot);
}

/// The last attempt of the latest slot that a schedule wanted; for one of a trigger, of the latest slot at all.
std::optional<Row> latest(const std::string& job, WallTime slot, bool is_any, LedgerView& ledger) {
  std::optional<Row> latest;
  const storage::Filter filter{.jobs = {job}, .until = slot + Millis(1), .limit = rows_of_a_slot};
  (void)ledger.history(filter, [&](const Row& row) {
    if (!latest && (is_any || core::is_of_slot(row))) latest = row;
    return !latest;
  });
  return latest;
}

/// Of a job that one comes after, what became of its latest slot at or before that one's.
struct ParentSlot {
  enum class State { undefined, none, unsettled, paused, open, to_be_retried, as_asked, otherwise };
  std::string job;
  State state = State::none;
  std::optional<WallTime> slot = {};
  std::optional<Row> row = {};               // its last attempt
  std::optional<std::int64_t> to_come = {};  // the attempt that follows
  const ChainJob* known = nullptr;

  bool goes_on() const {
    return state == State::none || state == State::unsettled || state == State::open || state == State::to_be_retried;
  }
};

bool is_as_asked(Status status, AfterStatus asked) {
  if (!is_final(status) || status == Status::skipped || status == Status::missed) return false;
  return asked == AfterStatus::ended || (asked == AfterStatus::succeeded) == (status == Status::succeeded);
}

/// A pause that stands passes the slot, which has no row before it is over.
bool is_passed(const ChainJob& job, WallTime slot) {
  if (job.pauses.empty()) return false;
  const auto since = paused_since(job.pauses), until = paused_until(job.pauses);
  return (!since || slot >= *since) && (!until || slot <= *until);
}

ParentSlot parent_slot(const std::string& name, WallTime until, AfterStatus asked, bool is_any, LedgerView& ledger,
                       const KnownJob& job) {
  using State = ParentSlot::State;
  ParentSlot parent{name};
  const auto found = job.chain.find(name);
  if (found != job.chain.end()) parent.known = &found->second;
  if (parent.known && !parent.known->facts) return parent.state = State::undefined, parent;
  parent.row = latest(name, until, is_any, ledger);
  if (parent.row) parent.slot = std::min(until, parent.row->slot_until.value_or(parent.row->slot));
  if (!is_any && parent.known && parent.known->facts->is_enabled) {
    const bool is_counted = parent.known->facts->plan.everies().empty();
    const auto scheduled = last_slot(parent.known->facts->plan, until);
    const bool counts = scheduled && (!parent.known->since || *scheduled > *parent.known->since);
    const bool is_later = counts && (!parent.slot || *scheduled > *parent.slot);
    const bool may_be_later = !is_counted && (!parent.slot || *parent.slot < until);
    if ((is_later || may_be_later) && is_passed(*parent.known, scheduled.value_or(until)))
      return parent.state = State::paused, parent.slot = scheduled, parent.row.reset(), parent;
    if (is_later) return parent.state = State::unsettled, parent.slot = scheduled, parent.row.reset(), parent;
  }
  if (!parent.row) return parent;
  const Row& row = *parent.row;
  if (row.run && job.to_come) parent.to_come = job.to_come(*row.run);
  if (parent.to_come && *parent.to_come <= row.attempt) parent.to_come.reset();
  parent.state = parent.to_come                   ? State::to_be_retried
                 : !is_final(row.status)          ? State::open
                 : is_as_asked(row.status, asked) ? State::as_asked
                                                  : State::otherwise;
  return parent;
}

/// `is_any`: of a slot of a trigger, for which whatever its parents ran last counts.
std::vector<ParentSlot> parents_of(const JobFacts& facts, WallTime slot, bool is_any, LedgerView& ledger,
                                   const KnownJob& job) {
  std::vector<ParentSlot> parents;
  for (const std::string& name : facts.after)
    parents.push_back(parent_slot(name, slot, facts.after_status, is_any, ledger, job));
  return parents;
}

std::string row_text(const Row& row) {
  std::string text;
  if (row.status == Status::running)
    text = " runs" + (row.started_at ? " since " + format_millis(*row.started_at) : "");
  else if (!is_final(row.status))
    text = " is " + std::string(to_string(row.status));
  else
    text = (row.run ? " " : " was ") + std::string(row.status.description());
  if (row.reason != Reason::none) text += ": " + std::string(row.reason.description());
  if (row.reason == Reason::exit_code && row.exit_code) text += " " + std::to_string(*row.exit_code);
  if (row.ended_at) text += ", ended " + format_millis(*row.ended_at);
  if (row.run) text += " (run " + short_id(*row.run) + (row.node.empty() ? "" : " on " + row.node) + ")";
  return text;
}

std::string retry_of(const ParentSlot& parent, const KnownJob& job) {
  std::string text = "; attempt " + std::to_string(*parent.to_come);
  if (!parent.known) return text + " follows";
  text += " of " + std::to_string(parent.known->facts->retries + 1) + " follows";
  KnownJob of = job;
  of.facts = parent.known->facts;
  const std::string when = retry_text({*parent.row}, *parent.to_come, of);
  const std::size_t end = when.find(". ");
  constexpr std::string_view begin = " It starts ";
  return when.starts_with(begin) && end != std::string::npos
             ? text + " " + when.substr(begin.size(), end - begin.size())
             : text;
}

/// "job extract, whose slot T failed: exit_code 3, ended T (run R on N)"
std::string text_of(const ParentSlot& parent, const KnownJob& job) {
  using State = ParentSlot::State;
  const std::string name = "job " + parent.job;
  const std::string slot = parent.slot ? format_slot(*parent.slot) : "";
  switch (parent.state) {
    case State::undefined:
      return name + ", which is not in force: no job file defines it, or `ballot check` says what is wrong there";
    case State::none: {
      const std::string why = why_no_slots(job.chain, parent.job);
      return name + ", which has no slot at or before it yet" + (parent.known && !why.empty() ? ": " + why : "");
    }
    case State::unsettled: return name + ", whose slot " + slot + " is not recorded yet";
    case State::paused:
      return name + ", which is " + pauses_text(parent.known->pauses) +
             (slot.empty() ? "" : ", and passes its slot " + slot);
    case State::open:
    case State::as_asked:
    case State::otherwise: return name + ", whose slot " + slot + row_text(*parent.row);
    case State::to_be_retried: return name + ", whose slot " + slot + row_text(*parent.row) + retry_of(parent, job);
  }
  return name;
}

/// When it was settled that the parent's slot is none as asked.
WallTime decided_at(const ParentSlot& parent) {
  if (parent.row && parent.row->ended_at) return *parent.row->ended_at;
  return parent.slot.value_or(WallTime{});
}

/// The one that decided first; null: none is known to have.
const ParentSlot* decider_of(const std::vector<ParentSlot>& parents) {
  const ParentSlot* first = nullptr;
  for (const ParentSlot& parent : parents) {
    if (parent.goes_on() || parent.state == ParentSlot::State::as_asked) continue;
    if (!first || decided_at(parent) < decided_at(*first)) first = &parent;
  }
  return first;
}

/// By way of what, up to the first cause: ", because of job extract, whose slot ...".
std::string causes_of(ParentSlot parent, LedgerView& ledger, const KnownJob& job) {
  std::string text;
  for (std::size_t i = 0; i < longest_chain; ++i) {
    const bool is_of_chain =
        parent.row && (parent.row->reason == Reason::upstream || parent.row->reason == Reason::no_definition);
    if (!is_of_chain || !parent.known || !parent.slot) break;
    const auto parents = parents_of(*parent.known->facts, *parent.slot, is_of_trigger(*parent.row), ledger, job);
    const ParentSlot* const next = decider_of(parents);
    if (!next) break;
    text += ", because of " + text_of(*next, job);
    parent = ParentSlot(*next);
  }
  return text;
}

std::string others_text(const std::vector<ParentSlot>& parents, const ParentSlot* but, std::string_view begin,
                        const KnownJob& job) {
  std::string text;
  for (const ParentSlot& parent : parents)
    if (&parent != but) text += std::string(begin) + text_of(parent, job) + ".";
  return text;
}

std::string_view wanted(AfterStatus asked) {
  switch (asked) {
    case AfterStatus::succeeded: return "a success";
    case AfterStatus::failed: return "a failure";
    case AfterStatus::ended: break;
  }
  return "a run that has ended";
}

/// Why what is known of the parent's slot is not what the job asks for; the rule, where that is not known.
std::string rule_text(const ParentSlot* parent, AfterStatus asked) {
  if (!parent || parent->state != ParentSlot::State::otherwise)
    return " " + std::string(rule_of(Status::skipped, Reason::upstream));
  const Status status = parent->row->status;
  const std::string became = status == Status::succeeded ? "succeeded"
                             : status == Status::skipped ? "was skipped"
                             : status == Status::missed  ? "was missed"
                                                         : "did not succeed";
  return " Its parent " + parent->job + " " + became + ", and this job runs only after " + std::string(wanted(asked)) +
         " (after_status).";
}

std::string skipped_text(const std::vector<ParentSlot>& parents, LedgerView& ledger, const KnownJob& job) {
  const ParentSlot* const first = decider_of(parents);
  const std::string rule = rule_text(first, job.facts->after_status);
  if (!first) return others_text(parents, nullptr, " It comes after ", job) + rule;
  return " It was skipped because of " + text_of(*first, job) + causes_of(*first, ledger, job) + "." + rule +
         others_text(parents, first, " It also comes after ", job);
}

std::string waiting_text(const std::vector<ParentSlot>& parents, const KnownJob& job) {
  std::string text;
  for (const ParentSlot& parent : parents)
    if (parent.goes_on()) text += " It waits for " + text_of(parent, job) + ".";
  if (text.empty()) return {};
  for (const ParentSlot& parent : parents)
    if (!parent.goes_on()) text += " It also comes after " + text_of(parent, job) + ".";
  return text;
}

/// Of jobs whose slots had not ended by then.
std::string late_text(const std::vector<ParentSlot>& parents, WallTime last_start, const KnownJob& job) {
  std::string text;
  for (const ParentSlot& parent : parents) {
    const bool ended_late = parent.row && parent.row->ended_at && *parent.row->ended_at > last_start;
    if (!parent.goes_on() && !ended_late) continue;
    text += " Until then it waited for " + text_of(parent, job) + ".";
  }
  return text;
}

/// The row's slot comes after no other job's slot.
bool is_by_hand(const Row& row) { return !core::is_of_slot(row) && row.trigger != Trigger::chain; }

}  // namespace

std::string upstream_text(const Row& row, LedgerView& ledger, const KnownJob& job) {
  if (!job.facts || job.facts->after.empty() || is_by_hand(row)) return {};
  const bool waits = row.status == Status::queued && !row.run;
  const bool missed = row.status == Status::missed;
  const bool has_begun = row.run && row.started_at;
  const bool is_late = missed && row.reason == Reason::start_deadline;
  const bool is_undefined = missed && row.reason == Reason::no_definition;
  if (!waits && !has_begun && !is_late && !is_undefined && row.reason != Reason::upstream) return {};
  const WallTime slot = row.slot_until.value_or(row.slot);
  const std::vector<ParentSlot> parents = parents_of(*job.facts, slot, is_of_trigger(row), ledger, job);
  if (waits) return waiting_text(parents, job);
  if (is_late && job.facts->has_slots_of_first) return {};
  if (is_late) return late_text(parents, slot + job.facts->start_deadline, job);
  if (row.reason == Reason::upstream) return skipped_text(parents, ledger, job);
  if (has_begun) return others_text(parents, nullptr, " It came after ", job);
  std::string text;
  for (const ParentSlot& parent : parents)
    if (parent.state == ParentSlot::State::undefined) text += " It comes after " + text_of(parent, job) + ".";
  return text;
}

std::vector<io::Message> shown_upstream(const Row& row, LedgerView& ledger, const KnownJob& job) {
  std::vector<io::Message> shown;
  if (!job.facts || is_by_hand(row)) return shown;
  for (const ParentSlot& parent :
       parents_of(*job.facts, row.slot_until.value_or(row.slot), is_of_trigger(row), ledger, job)) {
    const Row* const of = parent.row ? &*parent.row : nullptr;
    io::Message one;
    one.set("job", parent.job).set("slot", word_or_null(parent.slot ? format_slot(*parent.slot) : ""));
    one.set("status", of ? word_or_null(to_string(of->status))
                         : word_or_null(parent.state == ParentSlot::State::paused ? "paused" : ""));
    one.set("reason", of ? word_or_null(to_string(of->reason)) : word_or_null(""));
    one.set("run_id", word_or_null(of && of->run ? of->run->text() : ""));
    one.set("node", word_or_null(of ? of->node : ""));
    shown.push_back(std::move(one));
  }
  return shown;
}

}  // namespace ballot::library
