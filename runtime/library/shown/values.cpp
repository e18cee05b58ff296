#include "library/shown/values.hpp"

#include <map>
#include <utility>

#include "base/env_words.hpp"
#include "base/wall_text.hpp"
#include "library/backfill/shown_backfill.hpp"
#include "library/held/stored_states.hpp"
#include "library/history/standing_pauses.hpp"

namespace ballot::library {
namespace {

using io::Message;
using Value = Message::Value;

Value slot_or_null(const std::optional<WallTime>& slot) { return slot ? Value(format_slot(*slot)) : Value(); }
Value whole_or_null(const std::optional<int>& number) { return number ? Value(std::int64_t{*number}) : Value(); }
Value number_or_null(std::uint64_t number) { return number == 0 ? Value() : Value(static_cast<std::int64_t>(number)); }

/// Such a job may be paused: who leads it knows.
bool is_unsure(std::string_view state, std::string_view leader, std::string_view node) {
  return (state == "active" || state.empty()) && leader != node;
}

const char* text_of(NodeStatus::Session session) {
  constexpr const char* texts[] = {"none", "in doubt", "open"};
  return texts[static_cast<std::size_t>(session)];
}

std::vector<std::string> shown_env(std::string_view words) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : parse_env_words(words).value_or(Variables())) texts.push_back(name + "=" + value);
  return texts;
}

}  // namespace

Value time_or_null(const std::optional<WallTime>& time) { return time ? Value(format_millis(*time)) : Value(); }
Value word_or_null(std::string_view text) { return text.empty() ? Value() : Value(std::string(text)); }

Message shown(const Row& row) {
  Message shown;
  shown.set("run_id", row.run ? Value(row.run->text()) : Value()).set("job", row.job).set("group", row.group);
  shown.set("slot", format_slot(row.slot)).set("slot_until", slot_or_null(row.slot_until)).set("slots", row.slots);
  shown.set("trigger", word_or_null(to_string(row.trigger))).set("attempt", std::int64_t{row.attempt});
  shown.set("status", word_or_null(to_string(row.status))).set("reason", word_or_null(to_string(row.reason)));
  shown.set("exit_code", whole_or_null(row.exit_code)).set("signal", whole_or_null(row.signal));
  shown.set("started_at", time_or_null(row.started_at)).set("ended_at", time_or_null(row.ended_at));
  shown.set("duration_ms", row.duration ? Value(std::int64_t{row.duration->count()}) : Value());
  shown.set("node", word_or_null(row.node));
  shown.set("epoch", number_or_null(row.epoch)).set("fence", number_or_null(row.fence));
  shown.set("output_bytes", row.output_bytes).set("leftover", word_or_null(to_string(row.leftover)));
  shown.set("triggered_by", word_or_null(row.triggered_by)).set("ended_by", word_or_null(row.ended_by));
  shown.set("paused_by", word_or_null(row.paused_by)).set("resumed_by", word_or_null(row.resumed_by));
  if (row.pause_ends) shown.set("paused_until", format_millis(*row.pause_ends));
  if (!row.pause_reason.empty()) shown.set("pause_reason", row.pause_reason);
  if (!row.env.empty()) shown.set("env", shown_env(*row.env));
  return shown;
}

Message shown(const TermRow& term) {
  Message shown;
  shown.set("group", term.group).set("node", term.node).set("epoch", static_cast<std::int64_t>(term.epoch));
  shown.set("elected_at", format_millis(term.elected_at)).set("ended_at", time_or_null(term.ended_at));
  return shown.set("cause", word_or_null(to_string(term.cause)));
}

Message shown(const RequestRow& request) {
  Message shown;
  shown.set("request_id", is_of_store(request) ? Value() : Value(request.id.text()))
      .set("at", format_millis(request.at))
      .set("kind", request.kind);
  shown.set("job", word_or_null(request.job)).set("group", word_or_null(request.group));
  const auto run = run_of(request);
  shown.set("run_id", run ? Value(run->text()) : Value()).set("by", word_or_null(request.by));
  shown.set("node", word_or_null(request.node)).set("result", word_or_null(request.result));
  shown.set("text", word_or_null(request.text)).set("answered_at", time_or_null(request.answered_at));
  if (!request.env.empty()) shown.set("env", shown_env(request.env));
  return is_of_store(request) ? shown.set("evidence", std::string("store")) : shown;
}

std::vector<Message> shown(const std::vector<Row>& rows) {
  std::vector<Message> all;
  for (const Row& row : rows) all.push_back(shown(row));
  return all;
}

Message shown(const core::RunView& run) {
  Message shown;
  shown.set("run_id", run.id.text()).set("job", std::string(run.job)).set("attempt", std::int64_t{run.attempt});
  shown.set("slot", format_slot(run.slot)).set("trigger", std::string(to_string(run.trigger)));
  return shown.set("node", word_or_null(run.node)).set("state", std::string(run.state));
}

Message shown(const core::GroupView& group, const Leader& leader) {
  Message shown;
  shown.set("group", std::string(group.name)).set("leader", word_or_null(leader.node));
  shown.set("state", std::string(group.state)).set("epoch", number_or_null(leader.epoch));
  shown.set("paused", group.epoch == 0 ? Value() : Value(group.paused))
      .set("halted", word_or_null(group.halted))
      .set("drift", group.drift);
  return shown.set("leaderless", group.leaderless || group.without_candidates);
}

Message shown(const NodeStatus& status, const std::string& node, const std::string& backend) {
  std::vector<Message> led, next;
  for (const NodeStatus::Led& group : status.led) {
    Message one;
    one.set("group", group.group).set("epoch", static_cast<std::int64_t>(group.epoch)).set("paused", group.paused);
    one.set("in_doubt", status.session == NodeStatus::Session::in_doubt).set("halted", group.halted);
    led.push_back(std::move(one));
  }
  for (const NodeStatus::NextSlot& slot : status.next) {
    Message one;
    one.set("slot", format_slot(slot.slot)).set("job", slot.job);
    next.push_back(std::move(one));
  }
  Message shown;
  shown.set("session", text_of(status.session)).set("timeout_ms", std::int64_t{status.session_timeout.count()});
  shown.set("jobs", static_cast<std::int64_t>(status.jobs)).set("open_runs", std::int64_t{status.open_runs});
  shown.set("paused_jobs", static_cast<std::int64_t>(status.paused));
  shown.set("overdue_jobs", static_cast<std::int64_t>(status.overdue));
  shown.set("slow_jobs", static_cast<std::int64_t>(status.slow)).set("unmet", status.unmet);
  if (status.backfilled > 0)
    shown.set("backfilled_jobs", static_cast<std::int64_t>(status.backfilled)).set("backfills", status.backfills);
  shown.set("groups", std::move(led)).set("next_slots", std::move(next)).set("degraded", status.degraded);
  shown.set("more_next_slots", static_cast<std::int64_t>(status.next_left_out));
  return shown.set("state", state_text(status)).set("node", node).set("backend", backend);
}

Message shown_pause(std::string_view of, const core::JobView::Pause& pause) {
  Message shown;
  shown.set("of", std::string(of)).set("since", time_or_null(pause.since)).set("by", word_or_null(pause.by));
  return shown.set("until", time_or_null(pause.ends)).set("reason", word_or_null(pause.reason));
}

/// The first of them is that which `paused_at` is of.
void set_terms(Message& job, const core::JobView::Pause& pause) {
  job.set("paused_until", time_or_null(pause.ends)).set("pause_reason", word_or_null(pause.reason));
}

/// Of a job that no file here defines, and that another node runs, that node says all.
void set_state(Message& job, const Message& said) {
  const std::string state = said.text("state").value_or("");
  job.set("state", state);
  if (said.flag("evidence").value_or(false)) job.set("state_evidence", std::string("store"));
  if (const auto trouble = said.text("trouble")) job.set("trouble", *trouble);
  if (const auto next = said.integer("next")) job.set("next_slot", format_slot(WallTime(Millis(*next))));
  std::vector<Message> pauses;
  for (const Message& one : said.objects("pauses")) {
    const auto time = [&](const char* key) {
      const auto ms = one.integer(key);
      return ms ? std::optional(WallTime(Millis(*ms))) : std::nullopt;
    };
    const std::string by = one.text("by").value_or(""), reason = one.text("reason").value_or("");
    const core::JobView::Pause pause{time("since"), by, time("until"), reason};
    if (pauses.empty()) set_terms(job, pause);
    pauses.push_back(shown_pause(one.text("of").value_or(""), pause));
  }
  if (!pauses.empty()) job.set("pauses", std::move(pauses));  // a node of before says no more than one
  if (state == not_defined) job.set("next_slot", {});
  if (state != "paused") return;
  const auto since = said.integer("paused_at");
  if (!said.integer("next")) job.set("next_slot", {});  // it has one where its pauses end by themselves
  job.set("paused_at", since ? Value(format_millis(WallTime(Millis(*since)))) : Value());
  job.set("paused_by", word_or_null(said.text("paused_by").value_or("")));
}

/// What it was expected to keep and does not; and how far its backfill is.
void set_unmet(Message& job, const Message& said) {
  (void)job.remove("overdue_since"), (void)job.remove("slow");
  if (const auto at = said.integer("overdue")) job.set("overdue_since", format_millis(WallTime(Millis(*at))));
  if (said.flag("slow").value_or(false)) job.set("slow", true);
  if (const auto position = position_in(said)) set_position(job, *position);
}

/// The node that leads a job comes before the store.
void set_states(std::vector<Message>& jobs, const Message& answer) {
  std::map<std::pair<std::string, std::string>, Message> states;
  for (const Message& one : answer.objects("states"))
    states[{one.text("job").value_or(""), one.text("node").value_or("")}] = one;
  for (Message& job : jobs) {
    const std::string name = job.text("job").value_or("");
    const auto known = job.text("state");
    for (const std::string& by : {job.text("leader").value_or(""), std::string()}) {
      const auto said = states.find({name, by});
      if (said == states.end()) continue;
      const StoredState state{.word = said->second.text("state").value_or("")};
      if (!known || state.over(*known) != *known) set_state(job, said->second);
      if (!by.empty()) set_unmet(job, said->second);
      break;
    }
  }
}

void drop_unsure_states(std::vector<Message>& jobs, std::string_view node) {
  for (Message& job : jobs)
    if (is_unsure(job.text("state").value_or(""), job.text("leader").value_or(""), node)) job.set("state", {});
}

Message shown(const core::JobView& job, std::string_view node) {
  const std::string state = text_of(job);
  Message shown;
  shown.set("job", std::string(job.name)).set("group", std::string(job.group));
  shown.set("leader", word_or_null(job.leader)).set("next_slot", slot_or_null(job.next));
  shown.set("state", is_unsure(state, job.leader, node) ? Value() : Value(state));
  shown.set("trouble", word_or_null(job.trouble)).set("halted_at", time_or_null(job.halted_at));
  shown.set("paused_at", time_or_null(job.paused_at)).set("paused_by", word_or_null(job.paused_by));
  std::vector<Message> pauses;
  if (job.own_pause) pauses.push_back(shown_pause("job", *job.own_pause));
  if (job.group_pause) pauses.push_back(shown_pause("group", *job.group_pause));
  shown.set("paused_until", time_or_null(job.paused_until)).set("pause_reason", word_or_null(job.pause_reason));
  if (job.overdue_since) shown.set("overdue_since", format_millis(*job.overdue_since));
  if (job.is_slow) shown.set("slow", true);
  return shown.set("digest", job.digest.text()).set("pauses", std::move(pauses));
}

}  // namespace ballot::library
