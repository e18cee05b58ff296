// ballot history: the ledgers of the fleet, or of this node, newest first; with --follow this node's: the oldest of
// them first, then each row as it is written or changes; with --requests what people asked, with --definitions which
// definitions of jobs began. ballot history migrate: see app/history/history_migration.hpp.
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/history/definition_columns.hpp"
#include "app/history/history_columns.hpp"
#include "app/history/history_migration.hpp"
#include "app/history/request_columns.hpp"
#include "app/history/row_groups.hpp"
#include "app/jobs/loaded_jobs.hpp"
#include "app/options/options.hpp"
#include "app/output/output_follower.hpp"
#include "app/print/fact_line.hpp"
#include "library/history/fleet_definitions.hpp"
#include "library/history/standing_pauses.hpp"

namespace ballot::app {
namespace {

constexpr std::int64_t rows_of_a_pause = 200;  // that are read at a time

struct HistoryOptions {
  ConfigOptions config;
  Format format = Format::table;
  storage::Filter filter;
  std::string run;
  bool failed = false;
  bool follow = false;
  bool requests = false;
  bool definitions = false;
  ScopeOptions scope;
  TimeOption time = TimeOption::utc;
};

/// Every name that is asked for must be one.
Result<void> resolve(HistoryOptions& options, const config::Config& config, library::LedgerView& ledger) {
  for (const std::string& job : options.filter.jobs)
    if (auto known = require_job(job, config, ledger); !known) return known;
  for (const std::string& group : options.filter.groups)
    if (auto known = require_group(group, config, ledger); !known) return known;
  if (const auto known = library::require_nodes(ledger, options.filter.nodes); !known) return known;
  for (auto* const names : {&options.filter.jobs, &options.filter.groups}) {
    auto all = with_instances(std::move(*names), ledger);
    if (!all) return all.error();
    *names = *std::move(all);
  }
  if (options.run.empty()) return {};
  const auto run = find_run(ledger, config, options.run);
  if (!run) return run.error();
  options.filter.run = *run;
  return {};
}

Result<void> follow(library::LedgerView& ledger, const HistoryOptions& options, const LocalTimes& times,
                    RecordWriter& out) {
  auto seen = ledger.sequence();
  if (!seen) return seen.error();
  std::vector<Row> last;
  const auto page = ledger.history(options.filter, [&](const Row& row) { return last.push_back(row), true; });
  if (!page) return page.error();
  for (auto row = last.rbegin(); row != last.rend(); ++row) out.row(history_cells(*row, options.format, times));
  const auto print = [&](const Row& row) { return out.row(history_cells(row, options.format, times)), true; };
  while (out.flush(), wait_while_read()) {
    const auto now = ledger.sequence();
    if (!now) return now.error();
    if (*now < *seen) seen = std::int64_t{0};  // the ledger was begun anew
    seen = ledger.changes(options.filter, *seen, print);
    if (!seen) return seen.error();
  }
  return {};
}

/// Where `groups` has no place for a row, that row's; none: there are no more.
Result<std::optional<storage::Position>> fill(library::LedgerView& ledger, storage::Filter filter, RowGroups& groups) {
  while (true) {
    std::optional<storage::Position> full;
    const auto end = ledger.walk(filter, [&](const Row& row, const storage::Position& at) {
      if (!groups.add(row)) full = at;
      return !full;
    });
    if (!end) return end.error();
    if (full || !*end) return full;
    filter.after = *end;
  }
}

/// In a table the slots of a pause are one row, so that they do not push out all others: all of them, whatever the
/// limit.
Result<std::vector<Row>> listed(library::LedgerView& ledger, storage::Filter filter) {
  RowGroups groups(filter.limit);
  const auto full = fill(ledger, filter, groups);
  if (!full) return full.error();
  if (!*full) return groups.rows();
  filter.after = *full;
  filter.limit = std::max<std::int64_t>(filter.limit.value_or(0), rows_of_a_pause);
  for (const std::string& job : groups.begun()) {
    filter.jobs = {job};
    if (const auto rest = fill(ledger, filter, groups); !rest) return rest.error();
  }
  return groups.rows();
}

Result<void> list(library::LedgerView& ledger, const HistoryOptions& options, const config::Config& config,
                  const LocalTimes& times, RecordWriter& out) {
  bool shows_open = false;
  std::string env;  // of the one run that is shown
  const auto print = [&](const Row& row) {
    shows_open = shows_open || !is_final(row.status);
    if (options.filter.run) env = *row.env;
    const auto source = ledger.is_evidence(row) ? RowSource::store : RowSource::ledger;
    return write_row(out, row, options.format, times, source), true;
  };
  if (options.format == Format::table) {
    const auto rows = listed(ledger, options.filter);
    if (!rows) return rows.error();
    for (const Row& row : *rows) print(row);
  } else if (const auto end = ledger.history(options.filter, print); !end) {
    return end.error();
  }
  remark_missing(out, ledger, config);
  out.finish();
  if (options.format == Format::table && !env.empty()) print_fact("env", env);
  name_missing("history", ledger);
  if (shows_open) warn_of_open_rows("history", ledger);
  return {};
}

/// What is of rows only, and whether the time can be.
Result<void> check(const HistoryOptions& options) {
  const auto& filter = options.filter;
  const char* const flag = options.failed             ? "--failed"
                           : !filter.statuses.empty() ? "--status"
                           : !filter.reasons.empty()  ? "--reason"
                           : options.follow           ? "--follow"
                                                      : nullptr;
  if (options.requests && options.definitions)
    return Error{Errc::invalid, "--requests and --definitions are two questions: ask one at a time"};
  if (options.requests && flag) return Error{Errc::invalid, std::string("--requests goes without ") + flag};
  const char* const of_rows = flag ? flag : options.run.empty() ? nullptr : "--run";
  if (options.definitions && of_rows) return Error{Errc::invalid, std::string("--definitions goes without ") + of_rows};
  return require_span(filter.since, filter.until);
}

/// No later request that is shown ends one of the pauses. `requests`: newest first.
bool may_be_over(const std::vector<RequestRow>& requests) {
  std::set<std::pair<std::string, std::string>> resumed;
  for (const RequestRow& one : requests) {
    if (one.kind == "resume" && one.result == "done") resumed.emplace(one.job, one.group);
    const bool is_standing = one.kind == "pause" && one.result == "done" && !library::is_of_store(one);
    if (is_standing && !resumed.contains({one.job, one.group})) return true;
  }
  return false;
}

Result<void> list_requests(library::LedgerView& ledger, const HistoryOptions& options, const config::Config& config,
                           const LocalTimes& times) {
  const storage::Filter& rows = options.filter;
  const storage::RequestFilter filter{.jobs = rows.jobs,
                                      .groups = rows.groups,
                                      .nodes = rows.nodes,
                                      .run = rows.run,
                                      .since = rows.since,
                                      .until = rows.until,
                                      .limit = rows.limit};
  std::vector<RequestRow> requests;
  const auto end =
      ledger.requests(filter, [&](const RequestRow& request) { return requests.push_back(request), true; });
  if (!end) return end.error();
  RecordWriter out(std::cout, request_columns(options.format), stdout_layout(options.format));
  for (const RequestRow& request : requests) write_request(out, request, options.format, times);
  remark_missing(out, ledger, config);
  out.finish();
  name_missing("history", ledger);
  if (may_be_over(requests) && !ledger.missing().empty())
    std::cerr
        << "ballot history: a pause that is shown as the last word may be over: a resume that such a node has done "
           "is not shown. `ballot jobs` says what is paused now\n";
  return {};
}

/// A job that is gone may have no rows, and has its definitions all the same: only where there is nothing to show the
/// names must be known.
Result<void> list_definitions(library::LedgerView& ledger, HistoryOptions& options, const config::Config& config,
                              const LocalTimes& times) {
  const auto known = resolve(options, config, ledger);
  const storage::Filter& rows = options.filter;
  const storage::DefinitionFilter filter{.jobs = rows.jobs,
                                         .groups = rows.groups,
                                         .nodes = rows.nodes,
                                         .since = rows.since,
                                         .until = rows.until,
                                         .limit = rows.limit};
  std::vector<storage::DefinitionChange> changes;
  const auto end = library::read_definition_changes(
      ledger, filter, [&](const auto& change) { return changes.push_back(change), true; });
  if (!end) return end.error();
  if (changes.empty() && !known) return known.error();
  const config::JobsDir jobs = load_jobs(config);
  RecordWriter out(std::cout, definition_columns(options.format), stdout_layout(options.format));
  for (const auto& change : changes) out.row(definition_cells(change, jobs, options.format, times));
  remark_missing(out, ledger, config);
  out.finish();
  name_missing("history", ledger);
  if (!options.scope.is_local && !config.fleet.history.empty())
    std::cerr << "ballot history: definitions are those of "
              << (ledger.is_of_fleet() ? "the nodes' ledgers" : "this node's ledger")
              << ": the fleet's history is not asked for them\n";
  return {};
}

Exit run(HistoryOptions& options) {
  if (const auto fits = check(options); !fits) return fail("history", fits.error());
  if (options.failed)
    options.filter.statuses.insert(options.filter.statuses.end(), storage::ended_badly.begin(),
                                   storage::ended_badly.end());
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto ledger = open_ledger(*config, options.follow ? LedgerScope() : options.scope.scope());
  if (!ledger) return fail("history", ledger.error());
  const LocalTimes times(options.time, *config);
  if (options.definitions) {
    const auto listed = list_definitions(**ledger, options, *config, times);
    return listed ? Exit::done : fail("history", listed.error());
  }
  if (const auto known = resolve(options, *config, **ledger); !known) return fail("history", known.error());
  if (options.requests) {
    const auto listed = list_requests(**ledger, options, *config, times);
    return listed ? Exit::done : fail("history", listed.error());
  }
  RecordWriter out(std::cout, history_columns(options.format), stdout_layout(options.format, options.follow));
  const auto done =
      options.follow ? follow(**ledger, options, times, out) : list(**ledger, options, *config, times, out);
  return done ? Exit::done : fail("history", done.error());
}

void add_names(CLI::App& command, const std::string& flag, const std::string& help, std::vector<std::string>& to) {
  add_list(command, flag, help, [&to](const std::string& text) { return to.push_back(text), std::string(); });
}

template <class E>
std::vector<std::string_view> all_words(E last) {
  std::vector<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (const auto text = to_string(static_cast<E>(i)); !text.empty()) words.push_back(text);
  return words;
}

template <class E>
void add_words(CLI::App& command, const std::string& flag, std::vector<E>& to,
               std::optional<E> (*parse)(std::string_view), E last) {
  add_list(command, flag, "only rows of that " + flag.substr(2, flag.find(' ') - 2) + ", a list",
           [&to, parse, last](const std::string& text) {
             E word{};
             const std::string wrong =
                 text.empty() ? "needs a value" : take(parse_word(text, parse, all_words(last)), word);
             to.push_back(word);
             return wrong;
           });
}

}  // namespace

Run setup_history(CLI::App& command) {
  auto options = std::make_shared<HistoryOptions>();
  HistoryOptions& to = *options;
  add_config_options(command, to.config);
  add_format_option(command, to.format);
  add_time_option(command, to.time);
  add_strings(command, "JOB", to.filter.jobs, "only these jobs, as with --job");
  add_names(command, "--job LIST", "only these jobs, a list", to.filter.jobs);
  add_names(command, "--group LIST", "only these groups, a list", to.filter.groups);
  add_names(command, "--node LIST", "only what these nodes did, a list", to.filter.nodes);
  add_words(command, "--status LIST", to.filter.statuses, parse_status, Status::missed);
  add_switch(command, "--failed", to.failed, "only failed, timed_out, killed and lost runs");
  add_words(command, "--reason LIST", to.filter.reasons, parse_reason, last_reason);
  add_value(command, "--since TIME", "slots from this time on",
            [&to](const std::string& text) { return take(parse_time(text), to.filter.since); });
  add_value(command, "--until TIME", "slots before this time",
            [&to](const std::string& text) { return take(parse_time(text), to.filter.until); });
  add_string(command, "--run RUN", to.run, "only this run: its last 6 or more digits");
  add_value(command, "--limit N", "at most so many rows, 50",
            [&to](const std::string& text) { return take(parse_number(text, 1), to.filter.limit); });
  add_switch(command, "--requests", to.requests, "what people asked, who, and what came of it");
  add_switch(command, "--definitions", to.definitions, "how definitions of jobs have changed");
  add_switch(command, "--follow", to.follow, "go on with this node's rows as they change");
  add_scope_options(command, to.scope, ScopeFlags::local);
  CLI::App* const migrate = &add_subcommand(command, "migrate", "makes or updates the tables of the fleet's history");
  auto place = std::make_shared<ConfigOptions>();
  add_config_options(*migrate, *place);
  return [options, migrate, place] { return migrate->parsed() ? migrate_history(*place) : run(*options); };
}

}  // namespace ballot::app
