#include "app/client/remote_ledger.hpp"

#include <algorithm>
#include <limits>

#include "io/control_client.hpp"
#include "library/history/definition_wire.hpp"
#include "library/history/fleet_terms.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/history/request_wire.hpp"
#include "library/history/wire_values.hpp"

namespace ballot::app {
namespace {

using io::Message;
using library::question;

constexpr Millis first_patience = std::chrono::seconds(5);
constexpr Millis patience = std::chrono::seconds(40);  // the daemon gives up before
constexpr Millis audit_patience = std::chrono::minutes(11);
constexpr std::ptrdiff_t usual_times_at_once = 100;  // jobs: the daemon has its time for each question

}  // namespace

Result<Message> RemoteLedger::ask(Message asked) {
  if (scope_.is_fleet) asked.set("scope", std::string("fleet"));
  if (!scope_.node.empty()) asked.set("node", scope_.node);
  auto answer = io::ask_once(socket_, asked, asked.text("ask") == "audit" ? audit_patience : patience);
  if (!answer) return answer;
  is_of_fleet_ = answer->text("scope") == "fleet";
  if (auto failure = answer->text("history_failure")) history_failure_ = *std::move(failure);
  if (const auto text = answer->text("as_of"))
    if (const auto as_of = parse_wall(*text)) as_of_ = std::min(as_of_.value_or(*as_of), *as_of);
  for (const Message& one : answer->objects("missing")) {
    library::MissingNode node = library::missing_from(one);
    const std::string name = node.node;
    missing_.try_emplace(name, std::move(node));
  }
  return answer;
}

std::vector<library::MissingNode> RemoteLedger::missing() const {
  std::vector<library::MissingNode> nodes;
  for (const auto& [name, node] : missing_) nodes.push_back(node);
  return nodes;
}

/// The answer's rows; notes which of them are evidence.
Result<std::vector<Row>> RemoteLedger::take_rows(const Message& answer) {
  auto rows = library::rows_from(answer, "rows");
  if (!rows) return rows;
  const auto objects = answer.objects("rows");
  for (std::size_t i = 0; i < rows->size(); ++i) note_evidence((*rows)[i], objects[i].flag("evidence").value_or(false));
  return rows;
}

Result<std::vector<Row>> RemoteLedger::ask_rows(const Message& question) {
  const auto answer = ask(question);
  return answer ? take_rows(*answer) : answer.error();
}

Result<library::WhyAnswer> RemoteLedger::why(const library::WhyAsked& asked, const library::WhyFacts& by_files) {
  Message question = library::to_message(asked);
  if (by_files.is_known) question.set("defined_here", true);
  if (by_files.scheduled) question.set("scheduled", std::int64_t{by_files.scheduled->time_since_epoch().count()});
  const auto answer = ask(std::move(question));
  if (!answer) return answer.error();
  auto rows = take_rows(*answer);
  return rows ? Result<library::WhyAnswer>(library::why_answer_from(*answer, *std::move(rows))) : rows.error();
}

Result<std::int64_t> RemoteLedger::try_sequence() const {
  const auto answer = io::ask_once(socket_, question("sequence"), first_patience);
  return answer ? Result<std::int64_t>(answer->integer("sequence").value_or(0)) : answer.error();
}

Result<std::int64_t> RemoteLedger::sequence() {
  const auto answer = ask(question("sequence"));
  return answer ? Result<std::int64_t>(answer->integer("sequence").value_or(0)) : answer.error();
}

Result<std::optional<storage::Position>> RemoteLedger::walk(const storage::Filter& filter,
                                                            const VisitPlacedRow& visit) {
  storage::Filter rest = filter;
  std::int64_t left = filter.limit.value_or(std::numeric_limits<std::int64_t>::max());
  std::optional<storage::Position> next = filter.after;
  while (left > 0) {
    rest.limit = std::min(left, library::page_rows);
    Message asked = library::to_message(rest);
    const auto answer = ask(asked.set("do", std::string("ledger")).set("ask", std::string("history")));
    if (!answer) return answer.error();
    const auto rows = take_rows(*answer);
    if (!rows) return rows.error();
    next.reset();
    for (const Message& position : answer->objects("next")) next = library::position_from(position);
    const auto objects = answer->objects("rows");
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const Row& row = (*rows)[i];
      const storage::Position at{row.slot, row.attempt, objects[i].integer("id").value_or(0),
                                 objects[i].text("ledger").value_or("")};
      if (!visit(row, at)) return std::optional(at);
    }
    if (!next) return next;
    left -= std::ssize(*rows);
    rest.after = next;
  }
  return next;
}

Result<std::vector<library::UsualTime>> RemoteLedger::usual_times(const std::vector<std::string>& jobs, WallTime now) {
  std::vector<library::UsualTime> all;
  for (auto from = jobs.begin(); from != jobs.end();) {
    const auto to = from + std::min<std::ptrdiff_t>(jobs.end() - from, usual_times_at_once);
    Message asked = question("usual_times");
    asked.set("jobs", std::vector<std::string>(from, to)).set("now", std::int64_t{now.time_since_epoch().count()});
    const auto answer = ask(std::move(asked));
    if (!answer) return answer.error();
    const auto times = answer->objects("times");
    if (std::ssize(times) != to - from) return Error{Errc::corrupt, "the daemon left jobs out of its answer"};
    for (const Message& one : times) all.push_back(library::usual_time_from(one));
    from = to;
  }
  return all;
}

Result<std::int64_t> RemoteLedger::changes(const storage::Filter& filter, std::int64_t since, const VisitRow& visit) {
  while (true) {
    Message asked = library::to_message(filter);
    asked.set("do", std::string("ledger")).set("ask", std::string("changes")).set("after_change", since);
    const auto answer = ask(asked);
    if (!answer) return answer.error();
    const auto rows = library::rows_from(*answer, "rows");
    if (!rows) return rows.error();
    since = answer->integer("sequence").value_or(since);
    for (const Row& row : *rows)
      if (!visit(row)) return since;
    if (std::ssize(*rows) < library::page_rows) return since;
  }
}

Result<std::vector<Row>> RemoteLedger::at(const std::string& job, WallTime slot) {
  Message asked = question("at");
  return ask_rows(asked.set("job", job).set("slot", std::int64_t{slot.time_since_epoch().count()}));
}

Result<std::vector<Row>> RemoteLedger::rows_of(const std::vector<RowKey>& keys) {
  std::vector<Message> objects;
  for (const RowKey& key : keys) objects.push_back(library::to_message(key));
  Message asked = question("rows_of");
  return ask_rows(asked.set("keys", std::move(objects)));
}

Result<std::vector<Row>> RemoteLedger::last_rows(const std::vector<std::string>& jobs) {
  Message asked = question("last_rows");
  return ask_rows(asked.set("jobs", jobs));
}

Result<std::vector<std::string>> RemoteLedger::last_statuses(const std::vector<std::string>& jobs) {
  std::vector<std::string> all;
  for (auto from = jobs.begin(); from != jobs.end();) {
    const auto to = from + std::min<std::ptrdiff_t>(jobs.end() - from, library::names_at_once);
    Message asked = question("last_statuses");
    const auto answer = ask(asked.set("jobs", std::vector<std::string>(from, to)));
    if (!answer) return answer.error();
    const auto statuses = answer->texts("statuses"), by_store = answer->texts("evidence");
    if (std::ssize(statuses) != to - from) return Error{Errc::corrupt, "the daemon left jobs out of its answer"};
    all.insert(all.end(), statuses.begin(), statuses.end());
    by_store_.insert(by_store.begin(), by_store.end());
    for (Message& one : answer->objects("states")) said_states_.push_back(std::move(one));
    from = to;
  }
  return all;
}

Result<std::optional<storage::RequestPosition>> RemoteLedger::requests(const storage::RequestFilter& filter,
                                                                       const VisitRequest& visit) {
  storage::RequestFilter rest = filter;
  for (std::int64_t left = filter.limit.value_or(std::numeric_limits<std::int64_t>::max()); left > 0;) {
    rest.limit = std::min(left, library::page_rows);
    Message asked = library::to_message(rest);
    const auto answer = ask(asked.set("do", std::string("ledger")).set("ask", std::string("requests")));
    if (!answer) return answer.error();
    rest.after.reset();
    for (const Message& position : answer->objects("next")) rest.after = library::request_position_from(position);
    for (const Message& one : answer->objects("requests")) {
      const auto request = library::request_from(one);
      if (!request) return request.error();
      if (!visit(*request)) return std::optional<storage::RequestPosition>();
      --left;
    }
    if (!rest.after) return rest.after;
  }
  return rest.after;
}

Result<std::optional<storage::DefinitionPosition>> RemoteLedger::definitions(const storage::DefinitionFilter& filter,
                                                                             const storage::VisitDefinition& visit) {
  storage::DefinitionFilter rest = filter;
  for (std::int64_t left = filter.limit.value_or(std::numeric_limits<std::int64_t>::max()); left > 0;) {
    rest.limit = std::min(left, library::page_rows);
    Message asked = library::to_message(rest);
    const auto answer = ask(asked.set("do", std::string("ledger")).set("ask", std::string("definitions")));
    if (!answer) return answer.error();
    rest.after.reset();
    for (const Message& position : answer->objects("next")) rest.after = library::definition_position_from(position);
    for (const Message& one : answer->objects("definitions")) {
      const auto definition = library::definition_from(one);
      if (!definition) return definition.error();
      if (!visit(*definition)) return rest.after;
      --left;
    }
    if (!rest.after) return rest.after;
  }
  return rest.after;
}

Result<std::vector<RunId>> RemoteLedger::find_run(const std::string& suffix) {
  Message asked = question("find_run");
  const auto texts = ask_names(asked.set("suffix", suffix), "runs");
  if (!texts) return texts.error();
  std::vector<RunId> runs;
  for (const std::string& text : *texts)
    if (const auto run = RunId::parse(text)) runs.push_back(*run);
  return runs;
}

Result<library::ShownOutput> RemoteLedger::output(const runner::AttemptId& attempt, std::int64_t from) {
  Message asked = question("output");
  asked.set("run", attempt.run.text()).set("attempt", std::int64_t{attempt.attempt}).set("from", from);
  const auto answer = ask(asked);
  return answer ? library::output_from(*answer) : answer.error();
}

Result<std::vector<TermRow>> RemoteLedger::terms(const std::string& group) {
  return ask_terms(question("terms").set("group", group));
}

Result<std::vector<TermRow>> RemoteLedger::terms_since(WallTime since, std::int64_t most) {
  return ask_terms(library::question_of_terms_since(since, most));
}

Result<std::vector<TermRow>> RemoteLedger::ask_terms(const Message& asked) {
  const auto answer = ask(asked);
  if (!answer) return answer.error();
  std::vector<TermRow> terms;
  for (const Message& one : answer->objects("terms")) {
    auto term = library::term_from(one);
    if (!term) return term.error();
    terms.push_back(*std::move(term));
  }
  return terms;
}

Result<std::vector<std::string>> RemoteLedger::ask_names(const Message& asked, const std::string& list) {
  const auto answer = ask(asked);
  return answer ? Result<std::vector<std::string>>(answer->texts(list)) : answer.error();
}

Result<bool> RemoteLedger::ask_known(const std::string& call, const std::string& name) {
  Message asked = question(call);
  const auto answer = ask(asked.set("name", name));
  return answer ? Result<bool>(answer->flag("known").value_or(false)) : answer.error();
}

Result<std::vector<std::string>> RemoteLedger::instances_of(const std::string& name) {
  Message asked = question("instances_of");
  return ask_names(asked.set("name", name), "names");
}

Result<bool> RemoteLedger::knows_job(const std::string& name) { return ask_known("knows_job", name); }
Result<bool> RemoteLedger::knows_group(const std::string& name) { return ask_known("knows_group", name); }

Result<std::optional<WallTime>> RemoteLedger::kept_since(const std::string& job) {
  Message asked = question("kept_since");
  const auto answer = ask(asked.set("job", job));
  return answer ? Result<std::optional<WallTime>>(library::instant_of(*answer, "kept_since")) : answer.error();
}

Result<std::vector<std::string>> RemoteLedger::jobs_of(const std::vector<std::string>& groups) {
  Message asked = question("jobs_of");
  return ask_names(asked.set("groups", groups), "names");
}

Result<library::AuditResult> RemoteLedger::audit(const std::vector<std::string>& jobs, const audit::Scope& scope) {
  Message asked = library::to_message(storage::Filter{.jobs = jobs, .since = scope.since, .until = scope.until});
  const auto answer = ask(asked.set("do", std::string("ledger")).set("ask", std::string("audit")));
  return answer ? library::audit_from(*answer) : answer.error();
}

}  // namespace ballot::app
