#include "library/history/file_ledger.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "io/clocks.hpp"
#include "library/history/history_audit.hpp"
#include "library/settings.hpp"

namespace ballot::library {
namespace {

constexpr std::size_t most_findings = 1000;
constexpr std::size_t piece_size = 256 * 1024;
constexpr std::int64_t most_rows_of_a_key = 100;
constexpr std::size_t most_rows_of_keys = 20'000;

bool is_open(const Row& row) { return !is_final(row.status); }

audit::Basics basics_of(storage::LedgerBasics read, WallTime kept_since) {
  audit::Basics basics;
  for (auto& one : read.definitions) {
    audit::InForce definition{std::move(one.row), one.first_epoch, one.change};
    if (one.sealed) definition.sealed = *one.sealed;
    basics.definitions[definition.row.job].push_back(std::move(definition));
  }
  for (TermRow& term : read.terms) {
    const std::pair key(term.group, term.epoch);
    basics.terms.emplace(key, std::move(term));
  }
  if (read.pauses_since) basics.pauses = {std::move(read.pauses), *read.pauses_since};
  basics.kept_since = std::max(kept_since, read.kept_since);
  basics.job_kept_since = {read.jobs_kept.begin(), read.jobs_kept.end()};
  return basics;
}

/// Of an attempt that has ended. Another node's row comes with the number of bytes, which that node alone keeps; that
/// of a run which is lost says nothing of what it printed.
ShownOutput output_of(const Row& row, const Output& kept, std::int64_t from, const std::string& node) {
  using Place = ShownOutput::Place;
  const bool is_kept = kept.total_bytes > 0 || (row.output_bytes == 0 && row.status != Status::lost);
  const bool is_own = row.node.empty() || row.node == node;
  return {is_kept  ? Place::here
          : is_own ? Place::lost
                   : Place::elsewhere,
          row.node, piece_of(kept, from, piece_size), kept.total_bytes, true};
}

}  // namespace

LedgerPlace ledger_place(const config::Config& config) {
  return {config.history.path, runner_socket(config), config.node, config.history.keep};
}

Result<std::unique_ptr<LedgerView>> FileLedger::open(LedgerPlace place, std::function<bool()> goes_on) {
  if (place.wait_until_opened) place.wait_until_opened(goes_on);
  auto reader = storage::Reader::open(place.path, goes_on);
  // The question may be fine where there is no file: not_found is for what it asks about.
  if (!reader && reader.error().code == Errc::not_found) return Error{Errc::io, reader.error().what};
  if (!reader) return reader.error();
  return std::unique_ptr<LedgerView>(new FileLedger(std::move(place), *std::move(reader), std::move(goes_on)));
}

RowKey key_of(const Row& row) {
  if (row.run) return {row.run, row.attempt};
  return {std::nullopt, 0, row.job, row.slot, row.slot_until.value_or(row.slot)};
}

Result<std::optional<storage::Position>> FileLedger::walk(const storage::Filter& filter, const VisitPlacedRow& visit) {
  return reader_.walk(filter, visit);
}

Result<void> FileLedger::newest_rows(storage::Filter filter, const VisitPlacedRow& visit) {
  return reader_.newest(filter, visit);
}

Result<std::vector<Row>> FileLedger::rows_of(const std::vector<RowKey>& keys) {
  std::vector<Row> rows;
  const std::set<RowKey> each(keys.begin(), keys.end());
  const auto read = reader_.rows_of({each.begin(), each.end()}, most_rows_of_a_key, [&](const Row& row) {
    rows.push_back(row);
    return rows.size() <= most_rows_of_keys;
  });
  if (!read) return read.error();
  if (rows.size() > most_rows_of_keys)
    return Error{Errc::unavailable, "a question about more rows than are read for one: ask about fewer slots"};
  return rows;
}

Result<std::vector<Row>> FileLedger::last_rows(const std::vector<std::string>& jobs) {
  std::vector<Row> rows;
  for (const std::string& job : jobs) {
    auto last = reader_.last(job);
    if (!last) return last.error();
    if (*last) rows.push_back(**std::move(last));
  }
  return rows;
}

Result<std::int64_t> FileLedger::sequence() { return reader_.sequence(); }

Result<std::int64_t> FileLedger::changes(const storage::Filter& filter, std::int64_t since, const VisitRow& visit) {
  return reader_.changes(filter, since, visit);
}

Result<std::vector<Row>> FileLedger::at(const std::string& job, WallTime slot) { return reader_.at(job, slot); }

Result<std::vector<std::string>> FileLedger::last_statuses(const std::vector<std::string>& jobs) {
  const auto last = reader_.last_words(jobs);
  if (!last) return last.error();
  std::vector<std::string> texts;
  for (const auto& [status, reason] : *last) texts.push_back(reason.empty() ? status : status + ": " + reason);
  return texts;
}

Result<std::optional<storage::RequestPosition>> FileLedger::requests(const storage::RequestFilter& filter,
                                                                     const VisitRequest& visit) {
  return reader_.requests(filter, visit);
}

Result<std::optional<storage::DefinitionPosition>> FileLedger::definitions(const storage::DefinitionFilter& filter,
                                                                           const storage::VisitDefinition& visit) {
  return reader_.definitions(filter, visit);
}

Result<std::vector<RunId>> FileLedger::find_run(const std::string& suffix) { return reader_.find_run(suffix); }

Result<runner::Shown> FileLedger::ask_runner(const runner::AttemptId& attempt, std::int64_t from) {
  if (!live_) {
    auto live = LiveOutput::connect(place_.runner_socket);
    if (!live) return live.error();
    live_ = std::move(*live);
  }
  auto shown = live_->ask(attempt, from, goes_on_);
  if (!shown) live_.reset();
  return shown;
}

/// Of a function of this process, or else as the runner says.
Result<runner::Shown> FileLedger::ask_executor(const runner::AttemptId& attempt, std::int64_t from) {
  if (place_.functions)
    if (auto shown = place_.functions->show(attempt, from)) return *std::move(shown);
  return ask_runner(attempt, from);
}

/// What an attempt that has ended had printed, where the ledger has it for good.
std::optional<ShownOutput> FileLedger::recorded_output(const runner::AttemptId& attempt, std::int64_t from) {
  const auto row = attempt_row(*this, attempt.run, attempt.attempt);
  if (!row || !is_final(row->status) || row->status == Status::lost) return std::nullopt;
  const auto kept = reader_.output(attempt.run, attempt.attempt);
  const bool is_all = kept && (kept->total_bytes > 0 || row->output_bytes == 0);
  return is_all ? std::optional(output_of(*row, *kept, from, place_.node)) : std::nullopt;
}

/// Else whoever executes it first: it has what goes on, and what has ended until the ledger has it.
Result<ShownOutput> FileLedger::output(const runner::AttemptId& attempt, std::int64_t from) {
  if (auto recorded = recorded_output(attempt, from)) return *std::move(recorded);
  auto shown = ask_executor(attempt, from);
  if (shown && shown->known)
    return ShownOutput{ShownOutput::Place::here, place_.node, OutputPiece{shown->begin, std::move(shown->bytes)},
                       shown->total, shown->ended};
  const auto row = attempt_row(*this, attempt.run, attempt.attempt);
  if (!row) return row.error();
  if (!is_open(*row)) {
    const auto kept = reader_.output(attempt.run, attempt.attempt);
    return kept ? Result<ShownOutput>(output_of(*row, *kept, from, place_.node)) : kept.error();
  }
  const bool is_here = row->node.empty() || row->node == place_.node;
  if (is_here && !shown && !place_.is_live && shown.error().code == Errc::not_found)
    return Error{Errc::unavailable, "the run had not ended when the daemon here did, and " + shown.error().what +
                                        ": what it printed is not known until the daemon is back"};
  if (is_here && !shown) return shown.error();
  return ShownOutput{is_here ? ShownOutput::Place::here : ShownOutput::Place::elsewhere, row->node, {from, ""}, from};
}

std::vector<MissingNode> FileLedger::missing() const {
  std::vector<MissingNode> nodes;
  if (auto trouble = place_.trouble ? place_.trouble() : std::nullopt) nodes.push_back(*std::move(trouble));
  if (!not_compared_.empty())
    nodes.push_back(
        {place_.node, {}, "its ledger is not held against the fleet's history: " + not_compared_, "history"});
  return nodes;
}

Result<std::vector<TermRow>> FileLedger::terms(const std::string& group) { return reader_.terms(group); }

Result<std::vector<TermRow>> FileLedger::terms_since(WallTime since, std::int64_t most) {
  return reader_.terms_since(since, most);
}

Result<std::vector<std::string>> FileLedger::instances_of(const std::string& name) {
  return reader_.instances_of(name);
}

Result<bool> FileLedger::knows_job(const std::string& name) { return reader_.knows_job(name); }
Result<bool> FileLedger::knows_group(const std::string& name) { return reader_.knows_group(name); }
Result<std::optional<WallTime>> FileLedger::kept_since(const std::string& job) { return reader_.kept_since(job); }

Result<std::vector<std::string>> FileLedger::jobs_of(const std::vector<std::string>& groups) {
  return reader_.jobs_of(groups);
}

Result<AuditResult> FileLedger::audit(const std::vector<std::string>& jobs, const audit::Scope& scope) {
  // Neither rows that are about to be deleted count, nor those that an older ballot has deleted without a record of it.
  const WallTime kept_since = io::read_clocks().wall - place_.keep;
  AuditResult result;
  const auto add = [&result](audit::Finding finding) {
    ++result.finding_count;
    if (result.findings.size() < most_findings) result.findings.push_back(std::move(finding));
  };
  auto audit = std::make_unique<audit::Audit>(audit::Basics{}, scope, add);
  const auto begin = [&](storage::LedgerBasics read) {
    audit = std::make_unique<audit::Audit>(basics_of(std::move(read), kept_since), scope, add);
  };
  const auto read = reader_.scan(jobs, begin, [&](const Row& row, std::int64_t change) { audit->add(row, change); });
  if (!read) return read.error();
  audit->finish();
  if (place_.history) {
    const auto compared = place_.history([&](History& history) {
      return audit_against(history, {place_.path, place_.node, kept_since}, *this, jobs, scope, add);
    });
    not_compared_ = compared ? "" : compared.error().what;
  }
  for (const auto& [numbers, total] : audit->totals()) result.totals.push_back(total);
  result.undefined = audit->undefined();
  result.departed = audit->departed();
  return result;
}

Result<Row> attempt_row(LedgerView& ledger, const RunId& run, const std::optional<std::int64_t>& attempt) {
  std::optional<Row> found;
  const auto page = ledger.history({.run = run, .limit = std::nullopt}, [&](const Row& row) {
    const bool is_asked_for = !attempt || row.attempt == *attempt;
    if (is_asked_for && (!found || row.status != Status::queued)) found = row;
    return !found || found->status == Status::queued;
  });
  if (!page) return page.error();
  if (found) return *std::move(found);
  const std::string where = ledger.is_of_fleet() ? "the ledgers of the nodes that answer" : "this node's ledger";
  return not_known(ledger, "run " + run.text() + " has no attempt " + (attempt ? std::to_string(*attempt) + " " : "") +
                               "in " + where);
}

}  // namespace ballot::library
