// FleetLedger: runs, what they printed, terms, names, and the audit.
#include <algorithm>
#include <set>

#include "library/history/audit_sum.hpp"
#include "library/history/fleet_ledger.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"
#include "storage/run_search.hpp"

namespace ballot::library {
namespace {

using io::Message;
using Answer = FleetAnswers::Answer;
using storage::Account;

constexpr Millis audit_patience = std::chrono::minutes(9);
constexpr int as_executed = 3;  // the worth of the executing node's own word

/// What an answer says of an attempt's output, by whether it can be believed; below 0: it cannot. `executing`: the node
/// that the attempt's row names; "": there is no row, or none that names a node.
int worth(const ShownOutput& shown, const std::string& ledger, bool is_own, const std::string& executing) {
  if (!executing.empty() && shown.node != executing) return -1;
  if (shown.place == ShownOutput::Place::elsewhere) return 1;
  if (shown.node == ledger || (is_own && shown.total > 0)) return as_executed;
  if (executing.empty()) return shown.node.empty() ? 0 : -1;
  return shown.total > 0 ? 2 : 0;
}

}  // namespace

// ---- runs and names

Result<std::vector<RunId>> FleetLedger::find_run(const std::string& suffix) {
  gather({});
  Message asked = question("find_run");
  const auto answers = fleet_.ask_all(asked.set("suffix", suffix));
  if (!answers) return answers.error();
  std::set<RunId> runs;
  const std::string digits = storage::run_digits(suffix);
  const auto is_asked_for = [&](const std::optional<RunId>& run) {
    return run && !digits.empty() && storage::run_digits(run->text()).ends_with(digits);
  };
  for (const Answer& answer : *answers)
    for (const std::string& text : answer.message.texts("runs")) {
      const auto run = RunId::parse(text);
      if (is_asked_for(run))
        runs.insert(*run);
      else
        fleet_.lose(answer.ledger, "it answers with a run that was not asked for");
    }
  for (const Account& one : fleet_.evidence())
    if (is_asked_for(one.row.run)) runs.insert(*one.row.run);
  return std::vector<RunId>(runs.begin(), runs.end());
}

/// The row of the attempt that counts, or evidence of it. Without a node: nobody who answers knows.
Result<Row> FleetLedger::executed(const runner::AttemptId& attempt) {
  gather({});
  auto accounts = accounts_of({{.run = attempt.run, .attempt = attempt.attempt}});
  if (!accounts) return accounts.error();
  for (const Account& one : merged(*std::move(accounts)))
    if (one.row.run == attempt.run && one.row.attempt == attempt.attempt) return one.row;
  return Row();
}

/// Only the node that has executed the attempt has what it printed: where that node answers, and does not have it, it
/// is lost. One that waits has printed nothing, wherever it will be executed.
Result<ShownOutput> FleetLedger::output(const runner::AttemptId& attempt, std::int64_t from) {
  Message asked = question("output");
  asked.set("run", attempt.run.text()).set("attempt", std::int64_t{attempt.attempt}).set("from", from);
  const auto answers = fleet_.ask_all(asked);
  if (!answers && answers.error().code != Errc::not_found) return answers.error();
  const auto row = executed(attempt);
  if (!row) return row.error();
  const std::string& executing = row->node;
  std::optional<ShownOutput> best;
  int most = -1;
  for (const Answer& answer : answers ? *answers : std::vector<Answer>()) {
    auto shown = output_from(answer.message);
    if (!shown) fleet_.lose(answer.ledger, shown.error().what);
    const int value = shown ? worth(*shown, answer.ledger, fleet_.is_own(answer.ledger), executing) : -1;
    if (value <= most) continue;
    most = value;
    best = *std::move(shown);
  }
  if (!best && row->status == Status::queued) return ShownOutput{ShownOutput::Place::here, "", {from, ""}, from};
  if (!best && !executing.empty()) best = ShownOutput{ShownOutput::Place::elsewhere, executing, {from, ""}, from};
  const MissingNode* const silent = best && most < as_executed ? fleet_.find_missing(best->node) : nullptr;
  if (best && !silent) {
    const std::vector<std::string> answering = fleet_.ledgers();
    const bool has_been_asked = std::find(answering.begin(), answering.end(), best->node) != answering.end();
    const bool is_elsewhere = best->place == ShownOutput::Place::elsewhere;
    if (is_elsewhere && has_been_asked && is_final(row->status)) best->place = ShownOutput::Place::lost;
    return *std::move(best);
  }
  const std::vector<MissingNode> missing = fleet_.missing();
  if (!best && !missing.empty())
    return Error{Errc::unavailable, "no node that answers knows the run; these have not answered: " + text_of(missing)};
  if (!best) return answers ? Error{Errc::not_found, "no node knows the run"} : answers.error();
  return Error{Errc::unavailable, "the run is one of node " + best->node +
                                      ", which alone has what it printed, and does not answer: " + silent->why};
}

Result<std::vector<TermRow>> FleetLedger::terms(const std::string& group) {
  Message asked = question("terms");
  const auto answers = fleet_.ask_all(asked.set("group", group));
  if (!answers) return answers.error();
  std::map<std::uint64_t, TermRow, std::greater<>> terms;
  for (const Answer& answer : *answers)
    for (TermRow& term : objects_of(answer, "terms", term_from)) {
      const bool is_leaders = term.node == answer.ledger;
      const auto [known, fresh] = terms.try_emplace(term.epoch, term);
      // No other node knows better than this one what it led itself.
      if (!fresh && is_leaders && !fleet_.is_own(known->second.node)) known->second = std::move(term);
    }
  std::vector<TermRow> all;
  for (auto& [epoch, term] : terms) all.push_back(std::move(term));
  return all;
}

Result<std::vector<std::string>> FleetLedger::names(const Message& question, const char* list) {
  const auto answers = fleet_.ask_all(question);
  if (!answers) return answers.error();
  std::set<std::string> names;
  for (const Answer& answer : *answers)
    for (std::string& name : answer.message.texts(list)) names.insert(std::move(name));
  return std::vector<std::string>(names.begin(), names.end());
}

Result<std::vector<std::string>> FleetLedger::instances_of(const std::string& name) {
  Message asked = question("instances_of");
  return names(asked.set("name", name), "names");
}

Result<bool> FleetLedger::known(const char* call, const std::string& name) {
  Message asked = question(call);
  const auto answers = fleet_.ask_all(asked.set("name", name));
  if (!answers) return answers.error();
  return std::any_of(answers->begin(), answers->end(),
                     [](const Answer& one) { return one.message.flag("known").value_or(false); });
}

Result<bool> FleetLedger::knows_job(const std::string& name) {
  const auto is_known = known("knows_job", name);
  if (!is_known || *is_known) return is_known;
  gather({name});
  return std::any_of(fleet_.evidence().begin(), fleet_.evidence().end(),
                     [&](const Account& one) { return one.row.job == name; });
}

Result<bool> FleetLedger::knows_group(const std::string& name) { return known("knows_group", name); }

Result<std::vector<std::string>> FleetLedger::jobs_of(const std::vector<std::string>& groups) {
  Message asked = question("jobs_of");
  return names(asked.set("groups", groups), "names");
}

/// A node that hangs is found out before: an audit may take long.
Result<AuditResult> FleetLedger::audit(const std::vector<std::string>& jobs, const audit::Scope& scope) {
  if (const auto living = fleet_.ask_all(question("sequence")); !living) return living.error();
  Message asked = to_message(storage::Filter{.jobs = jobs, .since = scope.since, .until = scope.until});
  const auto answers =
      fleet_.ask_all(asked.set("do", std::string("ledger")).set("ask", std::string("audit")), audit_patience);
  if (!answers) return answers.error();
  AuditSum sum;
  for (const Answer& answer : *answers) {
    auto one = audit_from(answer.message);
    if (!one) {
      fleet_.lose(answer.ledger, one.error().what);
      continue;
    }
    sum.add(*std::move(one), answer.ledger);
  }
  return sum.take();
}

}  // namespace ballot::library
