// ballot why JOB [--at TIME]: what became of the job's latest slot, or of the latest one at or before TIME, and by
// which rule. Slots are those of the ledger and, of a loaded job, those of its schedule (but for @every, whose phase
// only its register knows).
#include <algorithm>
#include <iostream>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/ledger_access.hpp"
#include "app/loaded_jobs.hpp"
#include "app/options.hpp"
#include "app/why_text.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"
#include "io/control_client.hpp"

namespace ballot::app {
namespace {

struct WhyOptions {
  ConfigOptions config;
  std::string job;
  std::optional<WallTime> at;
};

/// The last slot at or before `time`. next() ascends with what it is given, so the instant at which it jumps beyond
/// `time` can be searched for.
std::optional<WallTime> last_slot(const schedule::Plan& plan, WallTime time) {
  if (!plan.everies().empty()) return std::nullopt;
  const auto slot_in = [&](WallTime after) {
    const auto slot = plan.next(after, {});
    return slot && slot->at <= time ? std::optional(slot->at) : std::nullopt;
  };
  constexpr Millis longest = std::chrono::years(40);  // a 29 February on a given weekday comes every 28
  Millis back = std::chrono::minutes(1);
  while (!slot_in(time - back)) {
    if (back >= longest) return std::nullopt;
    back = std::min(back * 4, longest);
  }
  WallTime before = time - back, past = time;  // a slot follows `before`, none follows `past`
  while (past - before > Millis(1)) {
    const WallTime middle = before + (past - before) / 2;
    (slot_in(middle) ? before : past) = middle;
  }
  return slot_in(before);
}

/// The rows of the ledger's latest slot at or before `time`, last attempt first.
Result<std::vector<Row>> last_rows(storage::Reader& ledger, const std::string& job, WallTime time) {
  std::optional<Row> newest;
  const auto page = ledger.history({.jobs = {job}, .until = time + Millis(1), .limit = 1},
                                   [&](const Row& row) { return newest = row, false; });
  if (!page) return page.error();
  if (!newest) return std::vector<Row>();
  return ledger.at(job, newest->slot);
}

std::optional<WallTime> scheduled_slot(const std::string& job, const config::Config& config, WallTime time) {
  const config::JobsDir jobs = load_jobs(config);
  const auto definition = jobs.set().definitions.find(job);
  if (definition == jobs.set().definitions.end() || !(*definition)->job.enabled) return std::nullopt;
  return last_slot((*definition)->plan, time);
}

std::size_t text_width() {
  const std::size_t terminal = terminal_width();
  return terminal == 0 ? 80 : std::clamp<std::size_t>(terminal, 40, 100);
}

void explain(const std::vector<Row>& rows) {
  const Row& last = rows.front();
  std::cout << headline(last) << '\n';
  std::string text = circumstances(last);
  if (rows.size() > 1)
    text += " It is the last of " + std::to_string(rows.size()) + " attempts that this ledger knows.";
  std::cout << wrapped(text + " " + std::string(rule_of(last.status, last.reason)), text_width()) << '\n';
}

void explain_nothing(const std::string& job, const std::optional<WallTime>& slot) {
  std::cout << job << ' ' << (slot ? format_slot(*slot) + " not recorded" : "no slot") << '\n';
  constexpr std::string_view no_slot =
      "Neither the schedule nor this node's ledger has a slot of the job up to that time: it runs by `ballot trigger` "
      "only, "
      "is disabled, or its first slot is still to come.";
  std::cout << wrapped(slot ? rule_of_nothing() : no_slot, text_width()) << '\n';
}

/// What waits is in no ledger: the daemon knows, if it is there and leads the job.
bool is_waiting(const config::Config& config, const std::string& job, const std::optional<WallTime>& slot) {
  if (!slot) return false;
  io::Message question;
  question.set("do", "waiting").set("job", job);
  const auto answer = io::ask_once(config.control_socket, question, std::chrono::seconds(2));
  const auto slots = answer ? answer->texts("slots") : std::vector<std::string>();
  return std::find(slots.begin(), slots.end(), format_slot(*slot)) != slots.end();
}

void explain_waiting(const std::string& job, WallTime slot) {
  std::cout << job << ' ' << format_slot(slot) << ' ' << to_string(Status::queued) << '\n'
            << wrapped(rule_of(Status::queued, Reason::none), text_width()) << '\n';
}

WallTime end_of(const std::vector<Row>& rows) { return rows.front().slot_until.value_or(rows.front().slot); }

Exit run(const WhyOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return Exit::configuration;
  auto ledger = open_ledger(*config);
  if (!ledger) return fail("why", ledger.error());
  if (const auto known = require_job(options.job, *config, *ledger); !known) return fail("why", known.error());
  const WallTime time = options.at.value_or(io::read_clocks().wall);
  const auto rows = last_rows(*ledger, options.job, time);
  if (!rows) return fail("why", rows.error());
  const auto slot = scheduled_slot(options.job, *config, time);
  if (!rows->empty() && (!slot || *slot <= end_of(*rows)))
    explain(*rows);
  else if (is_waiting(*config, options.job, slot))
    explain_waiting(options.job, *slot);
  else
    explain_nothing(options.job, slot);
  return Exit::done;
}

}  // namespace

Run setup_why(CLI::App& command) {
  auto options = std::make_shared<WhyOptions>();
  add_config_options(command, options->config);
  add_string(command, "JOB", options->job, "a job's name", Need::required);
  add_value(command, "--at", "the slot at this time, or the last one before it; default: now",
            [to = options.get()](const std::string& text) { return take(parse_time(text), to->at); });
  return [options] { return run(*options); };
}

}  // namespace ballot::app
