#include "library/why/why_answer.hpp"

#include <algorithm>
#include <map>

#include "base/duration.hpp"
#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "config/other_instance.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/shown/values.hpp"
#include "library/why/chain_jobs.hpp"
#include "library/why/explanation.hpp"
#include "library/why/lost_run.hpp"
#include "library/why/moved_slot.hpp"
#include "library/why/upstream_text.hpp"

namespace ballot::library {
namespace {

using io::Message;

std::optional<Millis> shortest_every(const schedule::Plan& plan) {
  std::optional<Millis> shortest;
  for (const std::string& text : plan.everies())  // "@every 90s"
    if (const auto one = parse_duration(text.substr(text.find(' ') + 1)))
      shortest = std::min(shortest.value_or(*one), *one);
  return shortest;
}

UnrecordedSlot::Schedule schedule_of(const schedule::DefinitionPtr& definition) {
  using Schedule = UnrecordedSlot::Schedule;
  if (!definition) return Schedule::not_loaded;
  if (!definition->job.enabled) return Schedule::disabled;
  if (definition->job.schedule.empty()) return Schedule::none;
  const bool only_reboot = definition->plan.on_reboot() && definition->job.schedule.size() == 1;
  return only_reboot ? Schedule::only_reboot : Schedule::some;
}

/// 0: it has none.
int group_bound(const config::JobSet& set, const std::string& group) {
  const auto found = set.groups.find(std::string(common_name(group)));
  return found == set.groups.end() ? 0 : found->second.max_running;
}

/// Of the run, or of the ledger's latest slot of the job up to the time: last attempt first.
Result<std::vector<Row>> rows_of(LedgerView& ledger, const WhyAsked& asked, WallTime time) {
  std::vector<Row> rows;
  storage::Filter filter{.until = time + Millis(1), .limit = 1};
  if (!asked.job.empty()) filter.jobs = {asked.job};
  if (asked.run) filter.run = asked.run, filter.until.reset(), filter.limit.reset();
  const auto read = ledger.history(filter, [&](const Row& row) { return rows.push_back(row), true; });
  if (!read) return read.error();
  return asked.run || rows.empty() ? rows : ledger.at(asked.job, rows.front().slot);
}

std::vector<std::string> names_of(const std::vector<MissingNode>& missing) {
  std::vector<std::string> names;
  for (const MissingNode& node : missing) names.push_back(node.node);
  return names;
}

/// Until when the last of them is known to have lived; none: not of all.
std::optional<WallTime> last_heard_of(const std::vector<MissingNode>& missing) {
  std::optional<WallTime> last;
  for (const MissingNode& node : missing) {
    if (!node.last_heard || (node.heard_by != "election" && node.heard_by != "answer")) return std::nullopt;
    last = std::max(last, node.last_heard);
  }
  return last;
}

/// What the node that leads the job says of it: this one, or another one that has answered.
struct SaidByLeader {
  std::vector<WallTime> waiting;  // slots that are due and wait
  std::vector<Row> in_question;   // see WhyFacts
};

SaidByLeader said_by_leader(LedgerView& ledger, const WhyFacts& facts) {
  SaidByLeader said{facts.waiting, facts.in_question};
  const std::string& job = facts.slot.job;
  if (!said.waiting.empty() || !said.in_question.empty()) return said;
  if (ledger.is_of_fleet() && ledger.states().empty()) (void)ledger.last_statuses({job});  // a history asks no leader
  for (const LedState& one : ledger.states()) {
    if (one.job != job) continue;
    said.waiting.insert(said.waiting.end(), one.waiting.begin(), one.waiting.end());
    said.in_question.insert(said.in_question.end(), one.in_question.begin(), one.in_question.end());
  }
  return said;
}

/// Slots are settled in their order: the last one before it that waits, where the slot is none of these.
std::optional<WallTime> waits_behind(const std::vector<WallTime>& waiting, WallTime slot) {
  if (std::find(waiting.begin(), waiting.end(), slot) != waiting.end()) return std::nullopt;
  std::optional<WallTime> last;
  for (const WallTime one : waiting)
    if (one < slot) last = std::max(last.value_or(one), one);
  return last;
}

/// As many slots wait as its queue takes.
bool is_full(const std::vector<WallTime>& waiting, const KnownJob& job) {
  return job.facts && job.facts->concurrency == Concurrency::queue && std::ssize(waiting) >= job.facts->queue_limit;
}

/// Of another node's instance, as that node says; "": it is defined there, or has not been asked for.
std::string trouble_of_undefined(LedgerView& ledger, const std::string& job) {
  if (!is_instance(job) || !ledger.is_of_fleet()) return {};
  if (ledger.states().empty()) (void)ledger.last_statuses({job});
  for (const LedState& one : ledger.states())
    if (one.job == job && one.state == not_defined) return one.trouble;
  return {};
}

/// Which attempt of a run is to come: by the leader's word where a ledger has it, else by what is known here.
AttemptToCome to_come_by(LedgerView& ledger, const AttemptToCome& known_here) {
  const auto evidence = ledger.evidence();
  return [known_here, by_leader = attempts_to_come(evidence ? *evidence : std::vector<Row>())](const RunId& run) {
    const auto next = by_leader(run);
    return next ? next : known_here(run);
  };
}

/// The run has begun, or was triggered, and no attempt of it goes on.
bool waits_for_attempt(const WhyAnswer& answer) {
  return answer.next_attempt || answer.rows.front().status == Status::queued;
}

WhyAnswer explain_rows(const std::vector<Row>& rows, LedgerView& ledger, const WhyAsked& asked, const WhyFacts& facts) {
  KnownJob job = facts.job;
  job.to_come = to_come_by(ledger, job.to_come);
  const bool is_halted = facts.slot.state == "halted" || is_move(facts.slot.state);
  const Row& last = rows.front();
  const bool is_paused = facts.slot.state == "paused" && !facts.slot.pauses.empty() && last.trigger != Trigger::manual;
  job.is_held = is_halted || is_paused;
  const Explanation why = explain(rows, ledger, job);
  WhyAnswer answer{last.job, last.slot, "", why.text, rows, why.next_attempt, facts.zone};
  answer.upstream = shown_upstream(last, ledger, job);
  const bool waits = waits_for_attempt(answer);
  const bool may_be_all = waits || (!asked.run && (!asked.at || ledger.is_evidence(last)));
  if (may_be_all && is_halted) answer.text += " " + halted_text(facts.slot);
  if (waits && is_paused) answer.text += " " + held_by_pause_text(facts.slot);
  if (may_be_all) answer.text += refusal_beside(facts.slot, answer.text);
  return answer;
}

/// The run of which nothing is known, and for which a slot waits that is due and nobody has settled; null: there is
/// none.
const Row* run_in_question(const std::vector<Row>& in_question, const WhyFacts& facts, const UnrecordedSlot& slot) {
  const bool is_due = slot.slot && *slot.slot <= slot.now && slot.left_out.empty() &&
                      slot.schedule == UnrecordedSlot::Schedule::some && (!slot.since || *slot.slot > *slot.since);
  const bool may_wait = !facts.job.facts || facts.job.facts->concurrency != Concurrency::allow;
  if (!is_due || !may_wait || (slot.state != "active" && slot.state != "drift")) return nullptr;
  const auto run = std::find_if(in_question.begin(), in_question.end(),
                                [&](const Row& row) { return row.run && row.slot < *slot.slot; });
  return run == in_question.end() ? nullptr : &*run;
}

WhyAnswer explain_nothing(LedgerView& ledger, const WhyAsked& asked, const WhyFacts& facts) {
  UnrecordedSlot slot = facts.slot;
  slot.slot = facts.scheduled;
  slot.at = asked.at;
  slot.missing = names_of(ledger.missing());
  slot.missing_heard = last_heard_of(ledger.missing());
  if (ledger.is_of_fleet()) slot.scope = UnrecordedSlot::Scope::fleet;
  const SaidByLeader said = slot.slot ? said_by_leader(ledger, facts) : SaidByLeader();
  const std::vector<WallTime>& in_turn = said.waiting;
  slot.waits = std::find(in_turn.begin(), in_turn.end(), slot.slot) != in_turn.end();
  const bool is_due = slot.slot && *slot.slot <= slot.now && slot.left_out.empty();
  if (is_due) slot.waits_behind = waits_behind(in_turn, *slot.slot);
  slot.queue_is_full = is_full(in_turn, facts.job);
  slot.undefined_there = trouble_of_undefined(ledger, asked.job);
  const Row* const unknown = run_in_question(said.in_question, facts, slot);
  slot.waits = slot.waits || unknown;
  Explained why = why_nothing(slot);
  Row waiting;
  waiting.job = asked.job;
  waiting.slot = slot.waits_behind.value_or(slot.slot.value_or(WallTime{}));
  waiting.status = Status::queued;
  KnownJob job = facts.job;
  job.to_come = to_come_by(ledger, job.to_come);
  job.waiting = in_turn;
  const std::string detail = slot.waits || slot.waits_behind ? why_detail(waiting, ledger, job) : "";
  // Where it is known for what the slot waits, all that slots wait for is not listed.
  if (unknown)
    why.text = waits_for_text(*unknown);
  else if (slot.waits && !detail.empty())
    why.text = "The slot is due and waits." + detail + " Where it cannot start by its start_deadline it is missed.";
  if (slot.slot && job.facts) why.text += moved_text(*slot.slot, *job.facts);
  if (slot.waits_behind && !detail.empty()) why.text += " Of that one:" + detail;
  why.text += refusal_beside(slot, why.text);
  WhyAnswer answer{asked.job, slot.slot, why.word, why.text, {}, {}, facts.zone};
  waiting.slot = slot.slot.value_or(WallTime{});
  if (why.word == "queued") answer.upstream = shown_upstream(waiting, ledger, job);
  return answer;
}

/// A name that is mistyped is no job that never ran, and no instance of a node that did nothing.
Result<void> require_known(LedgerView& ledger, const WhyAsked& asked, const WhyFacts& facts) {
  const std::string node(node_of_instance(asked.job));
  if (!node.empty() && node != facts.slot.node && ledger.is_of_fleet())
    if (auto known = require_nodes(ledger, {node}); !known) return known;
  if (facts.is_known) return {};
  const auto known = ledger.knows_job(asked.job);
  if (!known) return known.error();
  if (*known) return {};
  return not_known(ledger, "no job " + asked.job + " is loaded here, nor in the ledger" +
                               (ledger.is_of_fleet() ? " of a node that answers" : ""));
}

WallTime end_of(const std::vector<Row>& rows) { return rows.front().slot_until.value_or(rows.front().slot); }

/// A slot of an `@every` was due after that of the rows, and its leader, who alone knows it, has not answered: as far
/// as it is known who leads.
bool may_have_later(const std::vector<Row>& rows, const LedgerView& ledger, const WhyAsked& asked,
                    const WhyFacts& facts) {
  if (asked.run || facts.slot.has_phase || facts.slot.schedule != UnrecordedSlot::Schedule::some) return false;
  if (!facts.every || end_of(rows) + *facts.every > asked.at.value_or(facts.slot.now)) return false;
  const std::vector<MissingNode> missing = ledger.missing();
  const std::string& leader = facts.slot.leader;
  return std::any_of(missing.begin(), missing.end(), [&](const MissingNode& one) {
    return (leader.empty() || one.node == leader) && one.heard_by != "ledger" && one.heard_by != "history";
  });
}

/// The job's last slot up to the time is not known; the rows are of an earlier one.
WhyAnswer explain_later(const std::vector<Row>& rows, LedgerView& ledger, const WhyAsked& asked,
                        const WhyFacts& facts) {
  WhyAnswer answer = explain_nothing(ledger, asked, facts);
  answer.text += " The last slot that is known is that of " + format_slot(end_of(rows)) + ".";
  return answer;
}

}  // namespace

WhyFacts facts_by_files(const WhyAsked& asked, const config::JobSet& set, const std::string& self, WallTime now) {
  const auto found = set.definitions.find(asked.job);
  const schedule::DefinitionPtr own = found == set.definitions.end() ? nullptr : *found;
  const schedule::DefinitionPtr planned = own ? own : config::definition_on(set, self, asked.job);
  WhyFacts facts;
  facts.is_known = planned != nullptr;
  facts.slot.job = asked.job;
  facts.slot.now = now;
  facts.slot.node = self;
  facts.slot.schedule = schedule_of(own);
  facts.job = {facts_of(own), attempts_to_come({}), now};
  if (own) facts.job.chain = chain_jobs(set, asked.job);
  if (own) facts.job.digest = own->digest;
  if (own) facts.job.group_max_running = group_bound(set, *own->job.group);
  if (own && !own->job.details->after.empty()) facts.slot.no_slots = why_no_slots(facts.job.chain, asked.job);
  if (!planned) return facts;
  facts.slot.group = *planned->job.group;
  facts.zone = *planned->job.timezone;
  facts.slot.has_phase = planned->plan.everies().empty();
  facts.every = shortest_every(planned->plan);
  if (planned->job.enabled) facts.scheduled = last_slot(planned->plan, asked.at.value_or(now));
  if (facts.scheduled) facts.slot.left_out = planned->plan.why_left_out(*facts.scheduled);
  if (!own || !own->plan.everies().empty()) return facts;
  if (const auto next = own->plan.next_due(now, {})) facts.slot.next = next->at;
  return facts;
}

void note_stored(const StoredState& stored, UnrecordedSlot& slot) {
  if (stored.word == "active") return;
  slot.state = stored.over(slot.state);
  slot.pauses = stored.pauses;
  if (stored.word == "paused") return;
  slot.trouble = stored.why;
  slot.halted_at = stored.since;
  slot.halted_with_group = stored.of_group;
}

AttemptToCome attempts_to_come(const std::vector<Row>& open) {
  std::map<RunId, std::int64_t> attempts;
  for (const Row& row : open)
    if (row.run && row.status == Status::queued && row.attempt > 1) attempts.emplace(*row.run, row.attempt);
  return [attempts = std::move(attempts)](const RunId& run) {
    const auto found = attempts.find(run);
    return found == attempts.end() ? std::nullopt : std::optional(found->second);
  };
}

Result<std::optional<WhyAnswer>> explain_asked(LedgerView& ledger, const WhyAsked& asked, const WhyFacts& facts) {
  using Answer = std::optional<WhyAnswer>;
  const auto rows = rows_of(ledger, asked, asked.at.value_or(facts.slot.now));
  if (!rows) return rows.error();
  if (asked.run && rows->empty())
    return not_known(ledger, ledger.is_of_fleet() ? "no node that answers has a row of run " + asked.run->text()
                                                  : "this node's ledger has no run " + asked.run->text());
  const bool has_later = !rows->empty() && may_have_later(*rows, ledger, asked, facts);
  if (has_later && facts.is_whole) return Answer(explain_later(*rows, ledger, asked, facts));
  const bool says_all = !rows->empty() && (asked.run || !facts.scheduled || *facts.scheduled <= end_of(*rows));
  if (says_all && !has_later) {
    WhyAnswer answer = explain_rows(*rows, ledger, asked, facts);
    // What holds back the next attempt the store may know alone.
    return facts.is_whole || !waits_for_attempt(answer) ? Answer(std::move(answer)) : Answer();
  }
  if (!facts.is_whole) return Answer();
  if (const auto known = require_known(ledger, asked, facts); !known) return known.error();
  return Answer(explain_nothing(ledger, asked, facts));
}

Message to_message(const WhyAsked& asked) {
  Message question = library::question("why").set("job", asked.job);
  if (asked.run) question.set("run", asked.run->text());
  if (asked.at) question.set("slot", std::int64_t{asked.at->time_since_epoch().count()});
  return question;
}

Message to_message(const WhyAnswer& answer, const LedgerView& ledger) {
  Message message;
  message.set("job", answer.job).set("word", answer.word).set("why", answer.text).set("zone", answer.zone);
  if (answer.slot) message.set("slot", std::int64_t{answer.slot->time_since_epoch().count()});
  if (answer.next_attempt) message.set("next_attempt", *answer.next_attempt);
  if (!answer.upstream.empty()) message.set("upstream", answer.upstream);
  std::vector<Message> rows = to_messages(answer.rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (ledger.is_evidence(answer.rows[i])) rows[i].set("evidence", true);
  return message.set("rows", std::move(rows));
}

WhyAnswer why_answer_from(const Message& message, std::vector<Row> rows) {
  const auto text = [&](const char* key) { return message.text(key).value_or(""); };
  return {text("job"),     slot_from(message),
          text("word"),    text("why"),
          std::move(rows), message.integer("next_attempt"),
          text("zone"),    message.objects("upstream")};
}

Message shown(const WhyAnswer& answer, const std::string& group, const LedgerView& ledger) {
  std::vector<Message> rows;
  for (const Row& row : answer.rows) {
    rows.push_back(shown(row));
    if (ledger.is_evidence(row)) rows.back().set("evidence", std::string("store"));
  }
  Message message;
  if (!rows.empty()) {
    message = rows.front();
  } else {
    Row none;
    none.job = answer.job, none.group = group;
    message = shown(none);
    message.set("slot", answer.slot ? std::optional(format_slot(*answer.slot)) : std::nullopt);
    message.set("status", answer.word).set("reason", {}).set("trigger", {});
  }
  message.set("why", answer.text).set("next_attempt", answer.next_attempt);
  if (!answer.upstream.empty()) message.set("upstream", answer.upstream);
  return message.set("rows", std::move(rows));
}

}  // namespace ballot::library
