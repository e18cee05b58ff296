#include "app/reports/simulation_report.hpp"

#include <algorithm>
#include <ostream>

#include "app/print/escape.hpp"
#include "app/print/format.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

using namespace simulation;

constexpr std::size_t shown_hours = 8, shown_minutes = 5, shown_jobs = 20, shown_slots = 8;
constexpr std::size_t widest_fleet = 4;  // nodes that have a column each

Cell optional_slot(const std::optional<WallTime>& at) { return at ? Cell(SlotTime{*at}) : Cell(); }
Cell wait_cell(Millis wait) { return wait > Millis(0) ? Cell(wait) : Cell(); }
Layout layout() { return {Format::table, false, terminal_width(), terminal_colors()}; }

void head_line(std::ostream& out, std::string_view name, const std::string& text) {
  constexpr std::size_t width = 12;
  out << name << std::string(width - name.size(), ' ') << escaped(text, Escape::plain) << '\n';
}

std::string more(std::size_t left, const std::string& what) {
  return "and " + std::to_string(left) + " more " + what + (left == 1 ? "" : "s") + ": --all, or --format json\n";
}

void print_head(std::ostream& out, const Simulated& of) {
  const Fleet& fleet = of.fleet;
  const Report& report = of.report;
  head_line(out, "simulated", format_seconds(report.from) + " to " + format_seconds(report.until));
  head_line(out, "files", of.folder + ": " + numbered(report.jobs, "job") + ", " + numbered(report.groups, "group"));
  std::string nodes = numbered(std::ssize(fleet.nodes), "node");
  nodes += fleet.max_running > 0 ? ", max_running " + std::to_string(fleet.max_running) : ", no max_running";
  head_line(out, "fleet", nodes + ", session_timeout " + format_duration(fleet.session_timeout));
  head_line(out, "run times", run_times_text(of));
  if (!of.no_history.empty()) head_line(out, "history", "none is read: " + of.no_history);
  head_line(out, "slots",
            std::to_string(report.slots) + ", of which " + std::to_string(not_run(report.outcomes)) + " did not run; " +
                numbered(report.starts, "start"));
  const auto peak = [](const Peak& one) {
    return std::to_string(one.most) + (one.at ? ", at " + format_slot(*one.at) : "");
  };
  head_line(out, "at once", peak(report.running));
  head_line(out, "waiting", peak(report.waiting));
}

void print_outcomes(std::ostream& out, const Report& report) {
  RecordWriter table(out, {{"status", "STATUS", Tint::by_word}, {"reason", "REASON"}, {"slots", "SLOTS"}}, layout());
  for (const Outcome& one : all_outcomes(report))
    table.row({word(to_string(one.status)), word(reason_text(one)), one.slots});
  table.finish();
}

void print_node_loads(std::ostream& out, const Report& report) {
  RecordWriter table(
      out, {{"node", "NODE"}, {"groups", "LEADS"}, {"starts", "STARTS"}, {"most", "AT ONCE"}, {"at", "FIRST AT"}},
      layout());
  for (const NodeReport& node : report.nodes)
    table.row({node.node, node.groups, node.starts, node.running.most, optional_slot(node.running.at)});
  table.finish();
}

void print_hours(std::ostream& out, const Simulated& of, Extent extent) {
  const Report& report = of.report;
  std::vector<const HourReport*> hours;
  for (const HourReport& hour : report.hours)
    if (extent == Extent::all || hour.starts + hour.not_run + hour.most_running > 0) hours.push_back(&hour);
  const auto all = hours.size();
  if (extent == Extent::chosen && all > shown_hours) {
    const auto busier = [](const HourReport* a, const HourReport* b) {
      return std::pair(-a->starts, a->hour) < std::pair(-b->starts, b->hour);
    };
    std::sort(hours.begin(), hours.end(), busier);
    hours.resize(shown_hours);
    std::sort(hours.begin(), hours.end(), [](const auto* a, const auto* b) { return a->hour < b->hour; });
  }
  const bool by_node = of.fleet.nodes.size() > 1 && of.fleet.nodes.size() <= widest_fleet;
  std::vector<Column> columns{
      {"hour", "HOUR"}, {"starts", "STARTS"}, {"running", "AT ONCE"}, {"waiting", "WAITING"}, {"not_run", "NOT RUN"}};
  if (by_node)
    for (const FleetNode& node : of.fleet.nodes) columns.push_back({node.name, node.name});
  RecordWriter table(out, std::move(columns), layout());
  for (const HourReport* hour : hours) {
    std::vector<Cell> cells{SlotTime{hour->hour}, hour->starts, hour->most_running, hour->most_waiting, hour->not_run};
    if (by_node) cells.insert(cells.end(), hour->by_node.begin(), hour->by_node.end());
    table.row(std::move(cells));
  }
  table.finish();
  if (hours.size() < all) out << more(all - hours.size(), "hour");
}

void print_minutes(std::ostream& out, const Report& report) {
  RecordWriter table(
      out, {{"minute", "MINUTE"}, {"due", "DUE"}, {"starts", "STARTS"}, {"longest_wait", "LONGEST WAIT"}}, layout());
  for (std::size_t i = 0; i < std::min(report.busiest.size(), shown_minutes); ++i) {
    const MinuteReport& one = report.busiest[i];
    table.row({SlotTime{one.minute}, one.due, one.starts, wait_cell(one.longest_wait)});
  }
  table.finish();
}

void print_limits(std::ostream& out, const Report& report) {
  if (report.limits.empty()) return;
  out << '\n';
  RecordWriter table(out,
                     {{"limit", "LIMIT"},
                      {"max_running", "MAX_RUNNING"},
                      {"waited", "WAITED"},
                      {"missed", "MISSED"},
                      {"longest", "LONGEST"},
                      {"most", "AT ONCE"},
                      {"at", "FIRST AT"}},
                     layout());
  for (const LimitReport& one : report.limits)
    table.row({one.kind + " " + one.name, std::int64_t{one.max_running}, one.waits.slots, one.missed,
               wait_cell(one.waits.longest), one.waiting.most, optional_slot(one.waiting.at)});
  table.finish();
}

std::string outcomes_text(const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& one : outcomes) {
    if (one.status == Status::succeeded) continue;
    const std::string_view what = one.reason == Reason::none ? to_string(one.status) : to_string(one.reason);
    text.append(text.empty() ? "" : ", ").append(std::to_string(one.slots) + " ").append(what);
  }
  return text;
}

bool is_noted(const JobReport& job) {
  const auto is_well = [](const Outcome& one) { return one.status == Status::succeeded; };
  return longest_of(job.waits).slots > 0 || !std::all_of(job.outcomes.begin(), job.outcomes.end(), is_well);
}

void print_jobs(std::ostream& out, const Report& report, Extent extent) {
  std::vector<const JobReport*> jobs;
  for (const JobReport& job : report.all_jobs)
    if (extent == Extent::all || is_noted(job)) jobs.push_back(&job);
  if (jobs.empty()) return;
  out << '\n';
  RecordWriter table(out,
                     {{"job", "JOB"},
                      {"takes", "TAKES"},
                      {"slots", "SLOTS"},
                      {"waited", "WAITED"},
                      {"longest", "LONGEST"},
                      {"for", "FOR"},
                      {"otherwise", "OTHERWISE"}},
                     layout());
  const std::size_t shown = extent == Extent::all ? jobs.size() : std::min(jobs.size(), shown_jobs);
  for (std::size_t i = 0; i < shown; ++i) {
    const JobReport& job = *jobs[i];
    const LongestWait wait = longest_of(job.waits);
    table.row({job.job, job.takes ? Cell(*job.takes) : Cell(), job.slots, wait.slots, wait_cell(wait.longest),
               wait.slots > 0 ? word(to_string(wait.what)) : Cell(), word(outcomes_text(job.outcomes))});
  }
  table.finish();
  if (shown < jobs.size()) out << more(jobs.size() - shown, "job");
}

void print_late(std::ostream& out, const LossReport& loss, std::size_t most) {
  RecordWriter table(
      out, {{"job", "JOB"}, {"slot", "SLOT"}, {"started", "STARTED"}, {"late", "LATE"}, {"for", "WAITED FOR"}},
      layout());
  const std::size_t shown = std::min(loss.late_slots.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const LateSlot& one = loss.late_slots[i];
    table.row({one.job, SlotTime{one.slot}, SlotTime{one.started_at}, one.late, word(to_string(one.waited_for))});
  }
  table.finish();
  const auto all = static_cast<std::size_t>(loss.late_slot_count);
  if (shown < all) out << "and " << all - shown << " more\n";
}

void print_lost(std::ostream& out, const LossReport& loss, std::size_t most) {
  RecordWriter table(out, {{"job", "JOB"}, {"slot", "SLOT"}, {"started", "STARTED"}, {"again", "STARTED AGAIN"}},
                     layout());
  const std::size_t shown = std::min(loss.lost_runs.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const LostRun& one = loss.lost_runs[i];
    table.row({one.job, SlotTime{one.slot}, optional_slot(one.started_at), optional_slot(one.again_at)});
  }
  table.finish();
  const auto all = static_cast<std::size_t>(loss.lost_run_count);
  if (shown < all) out << "and " << all - shown << " more\n";
}

void print_loss(std::ostream& out, const LossReport& loss, Extent extent) {
  const std::size_t most = extent == Extent::all ? SIZE_MAX : shown_slots;
  out << "\nnode " << loss.node << " is lost at " << format_seconds(loss.at)
      << (loss.back_at ? ", and back at " + format_seconds(*loss.back_at) : ", and not back in the span") << ": "
      << numbered(loss.lost_run_count, "run") << " lost, " << numbered(loss.late_slot_count, "slot") << " late";
  if (loss.late_slot_count > 0) out << " by up to " << format_duration(loss.latest);
  out << ", " << not_run(loss.not_run) << " not run";
  if (!loss.not_run.empty()) out << " (" << outcomes_text(loss.not_run) << ")";
  out << '\n';
  RecordWriter table(out, {{"group", "GROUP"}, {"again", "LED AGAIN"}, {"after", "AFTER"}, {"by", "BY"}}, layout());
  for (const LedAgain& one : loss.groups)
    table.row({one.group, optional_slot(one.at), one.at ? Cell(Millis(*one.at - loss.at)) : Cell(), word(one.node)});
  table.finish();
  if (!loss.lost_runs.empty()) out << "\nlost runs:\n", print_lost(out, loss, most);
  if (!loss.late_slots.empty()) out << "\nlate slots:\n", print_late(out, loss, most);
}

}  // namespace

std::string numbered(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::vector<Outcome> all_outcomes(const Report& report) {
  std::vector<Outcome> all;
  std::int64_t running = 0, queued = 0;
  for (const JobReport& job : report.all_jobs) running += job.running_at_end, queued += job.waiting_at_end;
  if (queued > 0) all.push_back({Status::queued, Reason::none, queued});
  if (running > 0) all.push_back({Status::running, Reason::none, running});
  all.insert(all.end(), report.outcomes.begin(), report.outcomes.end());
  return all;
}

std::string_view reason_text(const Outcome& outcome) {
  return is_final(outcome.status) ? to_string(outcome.reason) : "at the end";
}

std::string run_times_text(const Simulated& of) {
  std::int64_t known = 0;
  for (const JobReport& job : of.report.all_jobs) known += job.takes ? 1 : 0;
  const std::int64_t assumed = std::ssize(of.report.all_jobs) - known;
  std::string text;
  if (known > 0)
    text = numbered(known, "job") + (of.no_history.empty() ? " by the history or --run-time" : " by --run-time");
  if (assumed > 0)
    text += (text.empty() ? "" : ", ") + numbered(assumed, "job") +
            " assumed: " + format_duration(of.fleet.run_times.assumed);
  return text;
}

std::int64_t not_run(const std::vector<Outcome>& outcomes) {
  std::int64_t slots = 0;
  for (const Outcome& one : outcomes) {
    const bool is_unrun = one.status == Status::skipped || one.status == Status::missed;
    if (is_unrun && one.reason != Reason::calendar && one.reason != Reason::dst_gap) slots += one.slots;
  }
  return slots;
}

LongestWait longest_of(const WaitsByKind& waits) {
  LongestWait found;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (static_cast<WaitFor>(i) == WaitFor::upstream) continue;
    found.slots += waits[i].slots;
    if (waits[i].longest > found.longest) found.longest = waits[i].longest, found.what = static_cast<WaitFor>(i);
  }
  return found;
}

void print_simulation(std::ostream& out, const Simulated& of, Extent extent) {
  print_head(out, of);
  out << '\n';
  print_outcomes(out, of.report);
  out << '\n';
  print_node_loads(out, of.report);
  out << '\n';
  print_hours(out, of, extent);
  out << '\n';
  print_minutes(out, of.report);
  print_limits(out, of.report);
  print_jobs(out, of.report, extent);
  for (const LossReport& loss : of.report.losses) print_loss(out, loss, extent);
}

}  // namespace ballot::app
