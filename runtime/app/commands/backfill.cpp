// ballot backfill JOB --since TIME [--until TIME]: runs past slots of a job again, oldest first; --dry-run lists them,
// --stop begins no more of them. Which slots have not succeeded the daemon asks the ledgers of the fleet.
#include <iostream>
#include <memory>

#include "app/client/ask.hpp"
#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/jobs/away_instance.hpp"
#include "app/options/options.hpp"
#include "app/print/escape.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

constexpr std::int64_t most_parallel = 16;

struct BackfillOptions {
  ConfigOptions config;
  std::string job;
  std::optional<WallTime> since, until;
  bool failed = false, missed = false, all = false, dry_run = false, stop = false;
  std::optional<std::int64_t> parallel;
  Patience patience;
};

Result<io::Message> backfill_question(const BackfillOptions& options) {
  io::Message request;
  request.set("do", "backfill").set("job", options.job);
  const int which = int{options.failed} + int{options.missed} + int{options.all};
  const bool names_slots = options.since || options.until || which > 0 || options.parallel || options.dry_run;
  if (options.stop && names_slots) return Error{Errc::invalid, "--stop ends the whole backfill: it takes no slots"};
  if (options.stop) return request.set("stop", true);
  if (!options.since) return Error{Errc::invalid, "needs --since, or --stop; see --help"};
  if (which > 1) return Error{Errc::invalid, "one of --failed, --missed and --all at most"};
  if (const auto span = require_span(options.since, options.until); !span) return span.error();
  request.set("since", format_millis(*options.since));
  if (options.until) request.set("until", format_millis(*options.until));
  if (which > 0) request.set("which", std::string(options.failed ? "failed" : options.missed ? "missed" : "all"));
  if (options.parallel) request.set("parallel", *options.parallel);
  if (options.dry_run) request.set("dry_run", true);
  return request;
}

Exit run(const BackfillOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto request = backfill_question(options);
  if (!request) return fail("backfill", request.error());
  if (const auto known = require_node_of(options.job, *config); !known) return fail("backfill", known.error());
  const auto answer = send_request(*config, *std::move(request), options.patience);
  if (!answer)
    return fail("backfill", with_silence(with_guess(answer.error(), options.job, "", *config), options.job, *config));
  for (const io::Message& one : answer->objects("slots"))
    std::cout << escaped(one.text("slot").value_or("") + "  " + one.text("why").value_or(""), Escape::plain) << "\n";
  if (const auto text = answer->text("text"); text && !text->empty()) std::cout << *text << "\n";
  return Exit::done;
}

}  // namespace

Run setup_backfill(CLI::App& command) {
  auto options = std::make_shared<BackfillOptions>();
  BackfillOptions& to = *options;
  add_config_options(command, options->config);
  add_string(command, "JOB", options->job, "the job's name", Need::required);
  add_value(command, "--since TIME", "slots from this time on",
            [&to](const std::string& text) { return take(parse_time(text), to.since); });
  add_value(command, "--until TIME", "slots before this time; up to now unless said",
            [&to](const std::string& text) { return take(parse_time(text), to.until); });
  add_switch(command, "--failed", options->failed, "only slots whose last run did not succeed");
  add_switch(command, "--missed", options->missed, "only slots that did not run");
  add_switch(command, "--all", options->all, "also slots that have succeeded");
  add_value(command, "--parallel N", "at most N of its runs at once (1)", [&to](const std::string& text) {
    const std::string fault = take(parse_number(text, 1), to.parallel);
    return fault.empty() && *to.parallel > most_parallel ? "must be at most " + std::to_string(most_parallel) : fault;
  });
  add_switch(command, "--dry-run", options->dry_run, "list the slots and why, and run none");
  add_switch(command, "--stop", options->stop, "begin no more slots of the one that goes on");
  add_timeout_option(command, options->patience);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
