// ballot slow [JOB...]: runs that took, or take, longer than 95 of 100 of their job's successes.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/options/options.hpp"
#include "app/print/local_times.hpp"
#include "base/short_id.hpp"
#include "io/clocks.hpp"
#include "library/history/pace.hpp"

namespace ballot::app {
namespace {

constexpr std::int64_t successes_read = 2'000;  // of a job: of one that runs more often the newest

struct SlowOptions {
  ConfigOptions config;
  Format format = Format::table;
  TimeOption time = TimeOption::utc;
  storage::Filter filter;
  ScopeOptions scope;
};

/// Of those that go on so far; none: it has not begun.
std::optional<Millis> time_of(const Row& row, WallTime now) {
  if (row.duration) return row.duration;
  return row.status == Status::running && row.started_at ? std::optional(now - *row.started_at) : std::nullopt;
}

std::vector<Column> slow_columns() {
  return {{"job", "JOB", Tint::plain, Room::stays},
          {"slot", "SLOT"},
          {"status", "STATUS", Tint::by_word},
          {"duration_ms", "TOOK", Tint::plain, Room::stays},
          {"percentile_ms", "95 OF 100", Tint::plain, Room::stays},
          {"usual_ms", "USUAL"},
          {"node", "NODE"},
          {"run_id", "RUN"},
          {"attempt"},
          {"successes"}};
}

struct SlowRun {
  Row row;
  Millis took{0};
};

/// What is listed, and of which jobs no more can be said.
struct Compared {
  std::size_t too_few = 0;        // jobs of which too few successes are known
  std::set<std::string> untimed;  // jobs with runs of which it is not known here how long they took
  std::set<std::string> unread;   // jobs of which the first slow run could not be read
};

/// The runs that are long enough to be slow, by their jobs.
Result<std::map<std::string, std::vector<SlowRun>>> long_runs(library::LedgerView& ledger, const SlowOptions& options,
                                                              WallTime now, Compared& compared) {
  storage::Filter filter = options.filter;
  filter.statuses = {Status::running, Status::succeeded, Status::failed, Status::timed_out, Status::killed};
  filter.limit = std::nullopt;
  std::map<std::string, std::vector<SlowRun>> runs;
  const auto read = ledger.history(filter, [&](const Row& row) {
    const auto took = time_of(row, now);
    if (took && *took > library::least_slowness) runs[row.job].push_back({row, *took});
    if (!took && ledger.is_evidence(row)) compared.untimed.insert(row.job);
    return true;
  });
  if (!read) return read.error();
  return runs;
}

Result<std::optional<library::Pace>> pace_of(library::LedgerView& ledger, const std::string& job,
                                             const library::UsualTime& usual, WallTime now) {
  std::vector<Row> rows;
  storage::Filter filter{.jobs = {job},
                         .statuses = {Status::succeeded},
                         .since = now - library::pace_days,
                         .until = usual.until(now),
                         .limit = successes_read};
  const auto read = [&] { return ledger.history(filter, [&](const Row& row) { return rows.push_back(row), true; }); };
  if (const auto done = read(); !done) return done.error();
  if (rows.size() < library::least_successes) {
    filter.since = filter.until;
    filter.until.reset();
    filter.limit = library::least_successes;
    if (const auto done = read(); !done) return done.error();
  }
  return library::pace_of(rows, usual, now);
}

void write(const SlowRun& run, const library::Pace& pace, const SlowOptions& options, const LocalTimes& times,
           RecordWriter& out) {
  const bool is_table = options.format == Format::table;
  const RunId& id = *run.row.run;
  out.row({run.row.job, times.slot(run.row.job, run.row.slot), std::string(to_string(run.row.status)), run.took,
           pace.percentile, pace.usual, word(run.row.node), Uncut{is_table ? short_id(id) : id.text()},
           std::int64_t{run.row.attempt}, static_cast<std::int64_t>(pace.runs)});
}

/// Newest first, of all jobs.
Result<Compared> list(library::LedgerView& ledger, const SlowOptions& options, const LocalTimes& times,
                      RecordWriter& out) {
  const WallTime now = io::read_clocks().wall;
  Compared compared;
  auto runs = long_runs(ledger, options, now, compared);
  if (!runs) return runs.error();
  std::vector<std::pair<SlowRun, library::Pace>> slow;
  std::size_t at = 0;
  std::vector<std::string> jobs;
  for (const auto& [job, all] : *runs) jobs.push_back(job);
  const auto usual = ledger.usual_times(jobs, now);
  if (!usual) return usual.error();
  for (auto& [job, all] : *runs) {
    if ((*usual)[at].unread) compared.unread.insert(job);
    const auto pace = pace_of(ledger, job, (*usual)[at++], now);
    if (!pace) return pace.error();
    if (!*pace) ++compared.too_few;
    for (SlowRun& run : all)
      if (*pace && library::is_slow(run.took, **pace)) slow.emplace_back(std::move(run), **pace);
  }
  std::stable_sort(slow.begin(), slow.end(),
                   [](const auto& a, const auto& b) { return a.first.row.slot > b.first.row.slot; });
  for (const auto& [run, pace] : slow) write(run, pace, options, times, out);
  return compared;
}

/// Of many the first ones.
std::string names_of(const std::set<std::string>& jobs) {
  constexpr std::size_t most = 5;
  std::string text;
  std::size_t named = 0;
  for (const std::string& job : jobs) {
    if (named++ == most) return text + " and " + std::to_string(jobs.size() - most) + " more";
    text += (text.empty() ? "" : ", ") + job;
  }
  return text;
}

Result<void> resolve(SlowOptions& options, const config::Config& config, library::LedgerView& ledger) {
  for (const std::string& job : options.filter.jobs)
    if (auto known = require_job(job, config, ledger); !known) return known;
  auto all = with_instances(std::move(options.filter.jobs), ledger);
  if (!all) return all.error();
  options.filter.jobs = *std::move(all);
  return {};
}

Exit run(SlowOptions& options) {
  if (const auto fits = require_span(options.filter.since, options.filter.until); !fits)
    return fail("slow", fits.error());
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto ledger = open_ledger(*config, options.scope.scope());
  if (!ledger) return fail("slow", ledger.error());
  if (const auto known = resolve(options, *config, **ledger); !known) return fail("slow", known.error());
  if (!options.filter.since) options.filter.since = io::read_clocks().wall - std::chrono::hours(24);
  RecordWriter out(std::cout, slow_columns(), stdout_layout(options.format));
  const auto compared = list(**ledger, options, LocalTimes(options.time, *config), out);
  if (!compared) return fail("slow", compared.error());
  remark_missing(out, **ledger, *config);
  out.finish();
  name_missing("slow", **ledger);
  if (const auto untimed = names_of(compared->untimed); !untimed.empty())
    std::cerr << "ballot slow: runs of " << untimed
              << " are not compared: only a node that does not answer knows how long they took\n";
  if (const auto unread = names_of(compared->unread); !unread.empty())
    std::cerr << "ballot slow: since when the runs of " << unread
              << " are slow could not be read: they are held against runs that are known to be older\n";
  if (compared->too_few > 0)
    std::cerr << "ballot slow: of " << compared->too_few << (compared->too_few == 1 ? " job" : " jobs")
              << " with runs of more than a second fewer than " << library::least_successes
              << " successes of the last 30 days are known: too few to say\n";
  return Exit::done;
}

}  // namespace

Run setup_slow(CLI::App& command) {
  auto options = std::make_shared<SlowOptions>();
  SlowOptions& to = *options;
  add_config_options(command, to.config);
  add_format_option(command, to.format);
  add_time_option(command, to.time);
  add_strings(command, "JOB", to.filter.jobs, "only these jobs");
  add_value(command, "--since TIME", "slots from this time on, 24 h ago",
            [&to](const std::string& text) { return take(parse_time(text), to.filter.since); });
  add_value(command, "--until TIME", "slots before this time",
            [&to](const std::string& text) { return take(parse_time(text), to.filter.until); });
  add_scope_options(command, to.scope, ScopeFlags::local);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
