// ballot output RUN or JOB: what a run printed, byte for byte; of a job: the last one. Also while it goes on.
#include <iostream>
#include <memory>

#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/history/history_columns.hpp"
#include "app/jobs/subject.hpp"
#include "app/options/options.hpp"
#include "app/output/output_follower.hpp"
#include "app/print/escape.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

struct OutputOptions {
  ConfigOptions config;
  std::string subject;
  std::optional<std::int64_t> attempt;
  bool follow = false;
  ScopeOptions scope;
};

/// The job's run that was begun last. Of one whose node does not answer the store may know no more than its slot.
Result<RunId> last_run(const std::string& job, library::LedgerView& ledger) {
  std::optional<RunId> last;
  std::optional<WallTime> unknown;
  const auto page =
      ledger.history({.jobs = {job}, .statuses = storage::run_statuses(), .limit = std::nullopt}, [&](const Row& row) {
        if (!row.run && !unknown && ledger.is_evidence(row)) unknown = row.slot;
        return last = row.run, !last;
      });
  if (!page) return page.error();
  if (unknown)
    return Error{Errc::unavailable, "the last run of job " + job + ", of slot " + format_slot(*unknown) +
                                        ", is known by the store only: what it printed has the node that executed it" +
                                        (last ? "; of the one before: ballot output " + last->text() : "")};
  if (last) return *last;
  return library::not_known(ledger, ledger.is_of_fleet() ? "no node that answers has a run of job " + job
                                                         : "this node's ledger has no run of job " + job);
}

struct FoundRun {
  RunId run;
  bool is_of_job = false;  // whoever asks has named the job alone
};

Result<FoundRun> find_run_of(const OutputOptions& options, const config::Config& config, library::LedgerView& ledger) {
  const auto subject = find_subject(options.subject, config, ledger);
  if (!subject) return subject.error();
  if (subject->run) return FoundRun{*subject->run};
  const auto last = last_run(subject->job, ledger);
  return last ? Result<FoundRun>(FoundRun{*last, true}) : last.error();
}

/// Which run of the job it is, and how it ended. What it printed stays alone on stdout.
void name_run(const Row& row) {
  std::string text = "run " + short_id(*row.run) + " of slot " + format_slot(row.slot);
  if (row.attempt > 1) text += ", attempt " + std::to_string(row.attempt);
  if (!row.node.empty() && row.status != Status::queued) text += ", on " + row.node;
  text += ": " + std::string(to_string(row.status));
  if (row.reason != Reason::none) text += ": " + std::string(to_string(row.reason));
  std::cerr << "ballot output: " << escaped(text, Escape::plain) << std::endl;
}

/// The run waits for another attempt than its first, and nobody who answers has a row of those before.
bool is_known_by_what_follows(const OutputOptions& options, const Row& row) {
  return !options.attempt && row.status == Status::queued && row.attempt > 1;
}

Exit print(const OutputOptions& options, const library::LedgerView& ledger, OutputFollower& follower) {
  while (true) {
    const auto step = follower.step();
    if (!step) return fail("output", step.error());
    if (*step == OutputStep::elsewhere)
      return fail("output", {Errc::unavailable, "the run is one of node " + follower.node() +
                                                    ", which alone has what it printed: see `ballot output` there"});
    const std::string node = follower.node().empty() ? "the node" : "node " + follower.node();
    if (*step == OutputStep::lost)
      return fail("output",
                  {Errc::io, "what the run printed is lost: " + node + ", which executed it, has it no more"});
    if (*step == OutputStep::unknown)
      return fail("output", library::not_known(ledger, "no ledger that was asked has what the run printed"));
    if (*step == OutputStep::goes_on && options.follow && wait_while_read()) continue;
    if (const auto& as_of = follower.as_of())
      std::cerr << "ballot output: " << escaped(node, Escape::plain)
                << ", which began the run, has no more of it or does not answer: this is what it had printed at "
                << format_seconds(*as_of) << ", by the fleet's history\n";
    return Exit::done;
  }
}

Exit run(const OutputOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto ledger = open_ledger(*config, options.scope.scope());
  if (!ledger) return fail("output", ledger.error());
  const auto run = find_run_of(options, *config, **ledger);
  const auto row = run ? library::attempt_row(**ledger, run->run, options.attempt) : run.error();
  name_missing("output", **ledger);
  if (!row) return fail("output", row.error());
  if (is_known_by_what_follows(options, *row))
    return fail("output", library::not_known(**ledger, "run " + short_id(run->run) + " waits for attempt " +
                                                           std::to_string(row->attempt) +
                                                           ", and no ledger that was asked has the attempts before"));
  if (run->is_of_job || row->status == Status::queued) name_run(*row);
  OutputFollower follower(**ledger, std::cout);
  follower.begin({run->run, row->attempt});
  return print(options, **ledger, follower);
}

}  // namespace

Run setup_output(CLI::App& command) {
  auto options = std::make_shared<OutputOptions>();
  add_config_options(command, options->config);
  add_string(command, "RUN", options->subject, "a run's last 6 or more digits, or a job's name", Need::required);
  add_value(command, "--attempt N", "which attempt; default: the last",
            [to = options.get()](const std::string& text) { return take(parse_number(text, 1), to->attempt); });
  add_scope_options(command, options->scope, ScopeFlags::local_and_node);
  add_switch(command, "--follow", options->follow, "go on with what it prints, until it has ended");
  return [options] { return run(*options); };
}

}  // namespace ballot::app
