// ballot pause, resume, repair: JOB, or --group G. Each returns when it is done. A pause of a job that runs on each
// node stands in the store, for nodes that come later; those that live are asked whether they follow it. Its end is
// reckoned here, once for all of them.
#include <iostream>
#include <memory>

#include "app/client/ask.hpp"
#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/jobs/away_instance.hpp"
#include "app/options/time_words.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "library/asked_terms.hpp"

namespace ballot::app {
namespace {

struct PauseOptions {
  ConfigOptions config;
  std::string job, group;
  std::optional<WallTime> lasts_until, until;  // by --for, by --until
  std::string reason;
  Patience patience;
};

/// A time of day is the next one: a pause is to come.
Result<WallTime> parse_end(const std::string& text) {
  constexpr std::chrono::hours whole_day{24};
  const WallTime now = io::read_clocks().wall;
  if (const auto time = parse_wall(text)) return *time;
  const bool is_time_of_day = text.size() > 2 && text[2] == ':';
  if (const auto time = parse_time_words(text, now)) return is_time_of_day && *time <= now ? *time + whole_day : *time;
  return Error{Errc::invalid, "must be a time such as 2025-03-09T07:00:00Z, 22:30 or tomorrow 07:00 (in UTC), not " +
                                  config::in_quotes(text)};
}

Result<WallTime> parse_length(const std::string& text) {
  const auto span = parse_duration(text);
  if (span && *span > Millis(0)) return io::read_clocks().wall + *span;
  return Error{Errc::invalid, "must be a duration such as 90m, 2h or 3d, not " + config::in_quotes(text)};
}

std::string with_line_end(std::string text) {
  if (!text.empty()) text += '\n';
  return text;
}

/// A daemon of a release before would not read the end: it does not know the word, and says so.
io::Message question(const char* what, const PauseOptions& options) {
  io::Message request;
  const auto until = options.until ? options.until : options.lasts_until;
  request.set("do", std::string(until || !options.reason.empty() ? library::pause_with_terms : what));
  if (until) request.set("until", format_millis(*until));
  if (!options.reason.empty()) request.set("reason", options.reason);
  return request;
}

Result<io::Message> ask(const config::Config& config, const char* what, const PauseOptions& options,
                        const std::string& job, const std::string& run) {
  io::Message request = question(what, options);
  request.set("job", job);
  if (!run.empty()) request.set("run", run);
  return send_request(config, std::move(request), options.patience);
}

/// First for those that come later: what is paused then stays so. `instances`: of nodes that live.
Exit run_for_all(const char* what, const PauseOptions& options, const config::Config& config,
                 const std::vector<std::string>& instances) {
  const auto stands = ask(config, what, options, options.job, "");
  if (!stands) return fail(what, stands.error());
  const bool pauses = std::string_view(what) == "pause";
  const std::string pause = pauses ? stands->text("run").value_or("") : "";
  std::string done, remaining;  // pauses, of which resume says it
  Exit exit = Exit::done;
  for (const std::string& instance : instances) {
    const auto followed = ask(config, what, options, instance, pause);
    if (followed) {
      done += " " + instance;
      if (!pauses) remaining += followed->text("text").value_or("");
      if (!remaining.empty() && !remaining.ends_with('\n')) remaining += '\n';
    } else if (followed.error().code != Errc::not_found)  // its node's files do not have the job
      exit =
          fail(what, with_silence({followed.error().code, instance + ": " + followed.error().what}, instance, config));
  }
  if (pauses) remaining = with_line_end(stands->text("text").value_or(""));
  std::cout << (pauses ? "paused:" : "resumed:") << done << ", and other nodes when they come\n" << remaining;
  return exit;
}

Exit run(const char* what, const PauseOptions& options) {
  if (options.job.empty() == options.group.empty())
    return fail(what, {Errc::invalid, "needs either a job's name or --group; see --help"});
  if (options.until && options.lasts_until)
    return fail(what, {Errc::invalid, "either --for or --until says when the pause ends, not both"});
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  if (!options.job.empty() && std::string_view(what) != "repair") {
    const auto instances = living_instances(*config, options.job);
    if (!instances) return fail(what, instances.error());
    if (*instances) return run_for_all(what, options, *config, **instances);
  }
  io::Message request = question(what, options);
  request.set("job", options.job).set("group", options.group);
  return ask_daemon(what, *config, std::move(request), options.patience);
}

Run setup_pausing(const char* what, CLI::App& command) {
  auto options = std::make_shared<PauseOptions>();
  add_config_options(command, options->config);
  add_string(command, "JOB", options->job, "the job's name");
  add_string(command, "--group NAME", options->group, "all jobs of this group instead");
  if (std::string_view(what) == "pause") {
    PauseOptions& to = *options;
    add_value(command, "--for DURATION", "it ends by itself after so long, as 2h",
              [&to](const std::string& text) { return take(parse_length(text), to.lasts_until); });
    add_value(command, "--until TIME", "it ends by itself then",
              [&to](const std::string& text) { return take(parse_end(text), to.until); });
    add_string(command, "--reason WORDS", to.reason, "why: one line, which lists and the history show");
  }
  add_timeout_option(command, options->patience);
  return [options, what] { return run(what, *options); };
}

}  // namespace

Run setup_pause(CLI::App& command) { return setup_pausing("pause", command); }
Run setup_resume(CLI::App& command) { return setup_pausing("resume", command); }
Run setup_repair(CLI::App& command) { return setup_pausing("repair", command); }

}  // namespace ballot::app
