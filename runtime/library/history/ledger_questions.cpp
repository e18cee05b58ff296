#include "library/history/ledger_questions.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "library/backfill/shown_backfill.hpp"
#include "library/history/definition_wire.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/history/request_wire.hpp"
#include "library/history/wire_values.hpp"
#include "library/shown/ledger_answers.hpp"

namespace ballot::library {
namespace {

using io::Message;

std::string argument(const Message& asked, const char* key) { return asked.text(key).value_or(""); }

Error without(const char* key) {
  return {Errc::invalid, std::string("a question of the ledger without '") + key + "'"};
}

template <class Answer, class Write>
Result<Message> answered(const Result<Answer>& answer, Write write) {
  if (!answer) return answer.error();
  Message message;
  write(message, *answer);
  return message;
}

Result<storage::Filter> page_filter(const Message& asked) {
  auto filter = filter_from(asked);
  if (filter) filter->limit = std::clamp<std::int64_t>(filter->limit.value_or(page_rows), 1, page_rows);
  return filter;
}

/// A row with what the view knows of it beside the row.
Message message_of(const LedgerView& ledger, const Row& row) {
  Message message = to_message(row);
  if (ledger.is_evidence(row)) message.set("evidence", true);
  return message;
}

std::vector<Message> messages_of(const LedgerView& ledger, const std::vector<Row>& rows) {
  std::vector<Message> all;
  for (const Row& row : rows) all.push_back(message_of(ledger, row));
  return all;
}

/// With its place, by which nodes merge each other's pages.
Message message_of(const LedgerView& ledger, const Row& row, const storage::Position& at) {
  Message message = message_of(ledger, row);
  message.set("id", at.id);
  if (!at.ledger.empty()) message.set("ledger", at.ledger);
  return message;
}

Result<Message> answer_history(LedgerView& ledger, const Message& asked) {
  const auto filter = page_filter(asked);
  if (!filter) return filter.error();
  std::vector<Message> rows;
  const auto end = ledger.walk(*filter, [&](const Row& row, const storage::Position& at) {
    return rows.push_back(message_of(ledger, row, at)), true;
  });
  return answered(end, [&](Message& message, const std::optional<storage::Position>& next) {
    message.set("rows", std::move(rows));
    if (next) message.set("next", std::vector{to_message(*next)});
  });
}

/// A list of rows a job.
Result<Message> answer_newest_rows(LedgerView& ledger, const Message& asked) {
  const auto filter = page_filter(asked);
  if (!filter) return filter.error();
  if (filter->jobs.size() > jobs_at_once(*filter))
    return Error{Errc::invalid, "a question of the ledger with too many jobs"};
  std::map<std::string, std::vector<Message>> rows;
  const auto read = ledger.newest_rows(*filter, [&](const Row& row, const storage::Position& at) {
    return rows[row.job].push_back(message_of(ledger, row, at)), true;
  });
  if (!read) return read.error();
  std::vector<Message> lists;
  for (auto& [job, of_job] : rows) lists.push_back(Message().set("job", job).set("rows", std::move(of_job)));
  return Message().set("lists", std::move(lists));
}

Result<Message> answer_usual_times(LedgerView& ledger, const Message& asked) {
  const auto jobs = asked.texts("jobs");
  if (jobs.size() > names_at_once) return Error{Errc::invalid, "a question of the ledger with too many jobs"};
  const auto now = asked.integer("now");
  return answered(ledger.usual_times(jobs, now ? WallTime(Millis(*now)) : io::read_clocks().wall),
                  [](Message& message, const std::vector<UsualTime>& times) {
                    std::vector<Message> all;
                    for (const UsualTime& one : times) all.push_back(to_message(one));
                    message.set("times", std::move(all));
                  });
}

Result<Message> answer_changes(LedgerView& ledger, const Message& asked) {
  const auto filter = page_filter(asked);
  if (!filter) return filter.error();
  std::vector<Row> rows;
  const auto take = [&](const Row& row) { return rows.push_back(row), std::ssize(rows) < page_rows; };
  const auto next = ledger.changes(*filter, asked.integer("after_change").value_or(0), take);
  return answered(next, [&](Message& message, std::int64_t change) {
    message.set("rows", to_messages(rows)).set("sequence", change);
  });
}

Result<Message> answer_requests(LedgerView& ledger, const Message& asked) {
  auto filter = request_filter_from(asked);
  if (!filter) return filter.error();
  filter->limit = std::clamp<std::int64_t>(filter->limit.value_or(page_rows), 1, page_rows);
  std::vector<Message> rows;
  const auto take = [&](const RequestRow& request) { return rows.push_back(to_message(request)), true; };
  return answered(ledger.requests(*filter, take),
                  [&](Message& message, const std::optional<storage::RequestPosition>& next) {
                    message.set("requests", std::move(rows));
                    if (next) message.set("next", std::vector{to_message(*next)});
                  });
}

Result<Message> answer_definitions(LedgerView& ledger, const Message& asked) {
  auto filter = definition_filter_from(asked);
  if (!filter) return filter.error();
  filter->limit = std::clamp<std::int64_t>(filter->limit.value_or(page_rows), 1, page_rows);
  std::vector<Message> rows;
  const auto take = [&](const storage::BegunDefinition& one) { return rows.push_back(to_message(one)), true; };
  return answered(ledger.definitions(*filter, take),
                  [&](Message& message, const std::optional<storage::DefinitionPosition>& next) {
                    message.set("definitions", std::move(rows));
                    if (next) message.set("next", std::vector{to_message(*next)});
                  });
}

Result<Message> answer_sequence(LedgerView& ledger, const Message&) {
  return answered(ledger.sequence(), [](Message& message, std::int64_t change) { message.set("sequence", change); });
}

Result<Message> answer_at(LedgerView& ledger, const Message& asked) {
  const auto slot = slot_from(asked);
  if (!slot) return without("slot");
  return answered(ledger.at(argument(asked, "job"), *slot), [&](Message& message, const std::vector<Row>& rows) {
    message.set("rows", messages_of(ledger, rows));
  });
}

Result<Message> answer_rows_of(LedgerView& ledger, const Message& asked) {
  const auto objects = asked.objects("keys");
  if (objects.size() > names_at_once) return Error{Errc::invalid, "a question of the ledger with too many keys"};
  std::vector<RowKey> keys;
  for (const Message& one : objects) {
    auto key = row_key_from(one);
    if (!key) return Error{Errc::invalid, "a question of the ledger with a key that cannot be read"};
    keys.push_back(*std::move(key));
  }
  return answered(ledger.rows_of(keys),
                  [](Message& message, const std::vector<Row>& rows) { message.set("rows", to_messages(rows)); });
}

Result<Message> answer_last_rows(LedgerView& ledger, const Message& asked) {
  const auto jobs = asked.texts("jobs");
  if (jobs.size() > names_at_once) return Error{Errc::invalid, "a question of the ledger with too many jobs"};
  return answered(ledger.last_rows(jobs),
                  [](Message& message, const std::vector<Row>& rows) { message.set("rows", to_messages(rows)); });
}

Result<Message> answer_evidence(LedgerView& ledger, const Message&) {
  return answered(ledger.evidence(), [&](Message& message, const std::vector<Row>& rows) {
    message.set("rows", to_messages(rows)).set("states", states_of(ledger)).set("leads", ledger.leads());
    std::vector<Message> pauses;
    for (const RequestRow& pause : ledger.pauses()) pauses.push_back(to_message(pause));
    if (!pauses.empty()) message.set("pauses", std::move(pauses));
  });
}

/// A job of which a run waits for its next attempt is queued, whatever came of the last one, and whatever was skipped
/// meanwhile.
void note_waiting(const std::vector<std::string>& jobs, const std::vector<std::string>& waiting,
                  std::vector<std::string>& statuses) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool waits = std::find(waiting.begin(), waiting.end(), jobs[i]) != waiting.end();
    if (waits && statuses[i] != to_string(Status::running)) statuses[i] = to_string(Status::queued);
  }
}

Result<Message> answer_last_statuses(LedgerView& ledger, const Message& asked) {
  auto jobs = asked.texts("jobs");
  if (jobs.size() > names_at_once) return Error{Errc::invalid, "a question of the ledger with too many jobs"};
  auto found = ledger.last_statuses(jobs);
  if (!found) return found.error();
  note_waiting(jobs, asked.texts("waiting"), *found);
  return answered(found, [&](Message& message, const std::vector<std::string>& statuses) {
    const std::set<std::string> by_store = ledger.known_by_store();
    message.set("statuses", statuses).set("states", states_of(ledger));
    message.set("evidence", std::vector<std::string>(by_store.begin(), by_store.end()));
  });
}

Result<Message> answer_find_run(LedgerView& ledger, const Message& asked) {
  return answered(ledger.find_run(argument(asked, "suffix")), [](Message& message, const std::vector<RunId>& runs) {
    std::vector<std::string> texts;
    for (const RunId& run : runs) texts.push_back(run.text());
    message.set("runs", std::move(texts));
  });
}

Result<Message> answer_output(LedgerView& ledger, const Message& asked) {
  const auto run = RunId::parse(argument(asked, "run"));
  const auto attempt = asked.integer("attempt");
  if (!run || !attempt) return without(run ? "attempt" : "run");
  if (*attempt < 1 || *attempt > std::numeric_limits<int>::max())
    return Error{Errc::not_found, "there is no attempt " + std::to_string(*attempt)};
  const auto shown = ledger.output({*run, static_cast<int>(*attempt)}, asked.integer("from").value_or(0));
  return shown ? Result<Message>(to_message(*shown)) : shown.error();
}

void set_terms(Message& message, const std::vector<TermRow>& terms) {
  std::vector<Message> all;
  for (const TermRow& term : terms) all.push_back(to_message(term));
  message.set("terms", std::move(all));
}

Result<Message> answer_terms(LedgerView& ledger, const Message& asked) {
  return answered(ledger.terms(argument(asked, "group")), set_terms);
}

Result<Message> answer_terms_since(LedgerView& ledger, const Message& asked) {
  const auto since = asked.integer("since"), most = asked.integer("most");
  if (!since || !most) return without(since ? "most" : "since");
  constexpr std::int64_t at_once = 10'000;
  return answered(ledger.terms_since(WallTime(Millis(*since)), std::clamp<std::int64_t>(*most, 1, at_once)), set_terms);
}

void set_names(Message& message, const std::vector<std::string>& names) { message.set("names", names); }
void set_known(Message& message, bool known) { message.set("known", known); }

Result<Message> answer_instances_of(LedgerView& ledger, const Message& asked) {
  return answered(ledger.instances_of(argument(asked, "name")), set_names);
}
Result<Message> answer_knows_job(LedgerView& ledger, const Message& asked) {
  return answered(ledger.knows_job(argument(asked, "name")), set_known);
}
Result<Message> answer_knows_group(LedgerView& ledger, const Message& asked) {
  return answered(ledger.knows_group(argument(asked, "name")), set_known);
}
Result<Message> answer_jobs_of(LedgerView& ledger, const Message& asked) {
  return answered(ledger.jobs_of(asked.texts("groups")), set_names);
}

Result<Message> answer_kept_since(LedgerView& ledger, const Message& asked) {
  return answered(ledger.kept_since(argument(asked, "job")), [](Message& message, const std::optional<WallTime>& kept) {
    if (kept) message.set("kept_since", in_ms(*kept));
  });
}

Result<Message> answer_nodes(LedgerView& ledger, const Message&) { return answered(ledger.nodes(), set_names); }

Result<Message> answer_audit(LedgerView& ledger, const Message& asked) {
  const auto filter = filter_from(asked);
  if (!filter) return filter.error();
  const auto result = ledger.audit(filter->jobs, {filter->since, filter->until});
  return result ? Result<Message>(to_message(*result)) : result.error();
}

struct Call {
  std::string_view name;
  Result<Message> (*answer)(LedgerView&, const Message&);
};
constexpr std::array calls{Call{"history", answer_history},
                           Call{"newest_rows", answer_newest_rows},
                           Call{"usual_times", answer_usual_times},
                           Call{"changes", answer_changes},
                           Call{"requests", answer_requests},
                           Call{"definitions", answer_definitions},
                           Call{"sequence", answer_sequence},
                           Call{"at", answer_at},
                           Call{"last_statuses", answer_last_statuses},
                           Call{"rows_of", answer_rows_of},
                           Call{"last_rows", answer_last_rows},
                           Call{"evidence", answer_evidence},
                           Call{"find_run", answer_find_run},
                           Call{"output", answer_output},
                           Call{"terms", answer_terms},
                           Call{"terms_since", answer_terms_since},
                           Call{"instances_of", answer_instances_of},
                           Call{"knows_job", answer_knows_job},
                           Call{"knows_group", answer_knows_group},
                           Call{"jobs_of", answer_jobs_of},
                           Call{"kept_since", answer_kept_since},
                           Call{"nodes", answer_nodes},
                           Call{"audit", answer_audit}};

}  // namespace

std::size_t jobs_at_once(const storage::Filter& filter) {
  return static_cast<std::size_t>(page_rows / std::clamp<std::int64_t>(filter.limit.value_or(page_rows), 1, page_rows));
}

Message question(const std::string& call) {
  Message message;
  return message.set("do", std::string("ledger")).set("ask", call);
}

namespace {

/// A message has lists of texts.
std::vector<std::string> texts_of(const std::vector<WallTime>& slots) {
  std::vector<std::string> texts;
  for (const WallTime slot : slots) texts.push_back(format_slot(slot));
  return texts;
}

std::vector<Message> messages_of(const std::vector<LedPause>& pauses) {
  std::vector<Message> all;
  for (const LedPause& one : pauses) {
    all.push_back(Message().set("of", std::string(one.is_of_group ? "group" : "job")).set("by", one.by));
    if (one.since) all.back().set("since", std::int64_t{one.since->time_since_epoch().count()});
    if (one.until) all.back().set("until", std::int64_t{one.until->time_since_epoch().count()});
    if (!one.reason.empty()) all.back().set("reason", one.reason);
  }
  return all;
}

}  // namespace

std::vector<Message> states_of(const LedgerView& ledger) {
  std::vector<Message> states;
  for (const LedState& one : ledger.states()) {
    states.push_back(Message().set("job", one.job).set("node", one.node).set("state", one.state));
    if (one.paused_at) states.back().set("paused_at", std::int64_t{one.paused_at->time_since_epoch().count()});
    if (!one.paused_by.empty()) states.back().set("paused_by", one.paused_by);
    if (one.is_of_store) states.back().set("evidence", true);
    if (one.next) states.back().set("next", std::int64_t{one.next->time_since_epoch().count()});
    if (!one.trouble.empty()) states.back().set("trouble", one.trouble);
    if (!one.pauses.empty()) states.back().set("pauses", messages_of(one.pauses));
    if (one.is_running) states.back().set("running", true);
    if (one.overdue_since) states.back().set("overdue", std::int64_t{one.overdue_since->time_since_epoch().count()});
    if (one.is_slow) states.back().set("slow", true);
    if (one.backfill) set_position(states.back(), *one.backfill);
    if (!one.waiting.empty()) states.back().set("waiting", texts_of(one.waiting));
    if (!one.in_question.empty()) states.back().set("in_question", to_messages(one.in_question));
  }
  return states;
}

Result<Message> answer_question(LedgerView& ledger, const Message& asked) {
  if (asked.text("form") == "shown") return answer_shown(ledger, asked, io::read_clocks().wall);
  const std::string name = argument(asked, "ask");
  const auto call = std::find_if(calls.begin(), calls.end(), [&](const Call& one) { return one.name == name; });
  if (call != calls.end()) return call->answer(ledger, asked);
  return Error{Errc::invalid, "the daemon cannot be asked for '" + name +
                                  "' of its ledger; it may be older than this "
                                  "command"};
}

bool wants_newest(const Message& asked) {
  const std::string name = argument(asked, "ask");
  return name == "sequence" || name == "output" || name == "audit" || name == "run";
}

}  // namespace ballot::library
