// A simulation's report as one HTML file: no script, no other file, light or dark as the reader's system is.
#include <algorithm>
#include <ostream>

#include "app/print/escape.hpp"
#include "app/reports/simulation_report.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

using namespace simulation;

constexpr std::size_t charted_hours = 31 * 24;  // of longer spans days are charted
constexpr std::size_t listed_hours = 24;
constexpr std::int64_t chart_height = 200, bar_width = 4;
constexpr std::size_t colours = 6;

constexpr std::string_view style =
    R"(:root{color-scheme:light dark;--ink:#1c2024;--soft:#60646c;--line:#d9d9e0;--paper:#fff;
--n0:#0d74ce;--n1:#ab6400;--n2:#218358;--n3:#8145b5;--n4:#ca244d;--n5:#60646c}
@media(prefers-color-scheme:dark){:root{--ink:#edeef0;--soft:#b0b4ba;--line:#363a3f;--paper:#111113;
--n0:#70b8ff;--n1:#ffca16;--n2:#3dd68c;--n3:#d19dff;--n4:#ff949d;--n5:#b0b4ba}}
body{margin:2rem auto;max-width:64rem;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}p{margin:.3rem 0}.soft{color:var(--soft)}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.2rem 1rem .2rem 0;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:600}td.n,th.n{text-align:right}
svg{width:100%;height:200px;border-bottom:1px solid var(--line)}.key{display:inline-block;width:.7em;height:.7em;margin:0 .3em 0 1em}
)";

/// A name or a folder, as text of HTML.
std::string html(std::string_view text) {
  std::string out;
  for (const char c : escaped(text, Escape::plain)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

struct Head {
  const char* title;
  bool is_number = false;
};

class Table {
 public:
  Table(std::ostream& out, std::vector<Head> heads) : out_(out), heads_(std::move(heads)) {
    out_ << "<div class=\"scroll\"><table><thead><tr>";
    for (const Head& head : heads_) out_ << (head.is_number ? "<th class=\"n\">" : "<th>") << head.title << "</th>";
    out_ << "</tr></thead><tbody>\n";
  }
  ~Table() { out_ << "</tbody></table></div>\n"; }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void row(const std::vector<std::string>& cells) {
    out_ << "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i)
      out_ << (heads_[i].is_number ? "<td class=\"n\">" : "<td>") << html(cells[i]) << "</td>";
    out_ << "</tr>\n";
  }

 private:
  std::ostream& out_;
  const std::vector<Head> heads_;
};

std::string time_text(const std::optional<WallTime>& at) { return at ? format_slot(*at) : "-"; }
std::string wait_text(Millis wait) { return wait > Millis(0) ? format_duration(wait) : "-"; }
std::string colour(std::size_t node) { return "var(--n" + std::to_string(node % colours) + ")"; }

/// Starts by node, of each hour or day.
std::vector<std::vector<std::int64_t>> charted(const Report& report, std::size_t hours) {
  std::vector<std::vector<std::int64_t>> bars;
  for (std::size_t i = 0; i < report.hours.size(); ++i) {
    if (i % hours == 0) bars.emplace_back(report.nodes.size());
    for (std::size_t node = 0; node < report.nodes.size(); ++node) bars.back()[node] += report.hours[i].by_node[node];
  }
  return bars;
}

void print_chart(std::ostream& out, const Report& report) {
  const bool by_day = report.hours.size() > charted_hours;
  const auto bars = charted(report, by_day ? 24 : 1);
  std::int64_t most = 1;
  for (const auto& bar : bars) {
    std::int64_t sum = 0;
    for (const std::int64_t starts : bar) sum += starts;
    most = std::max(most, sum);
  }
  out << "<h2>Starts by " << (by_day ? "day" : "hour") << " and node</h2>\n<p>";
  for (std::size_t node = 0; node < report.nodes.size(); ++node)
    out << "<span class=\"key\" style=\"background:" << colour(node) << "\"></span>" << html(report.nodes[node].node);
  out << " <span class=\"soft\">most: " << most << "</span></p>\n<svg viewBox=\"0 0 " << std::ssize(bars) * bar_width
      << ' ' << chart_height << "\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Starts by time and node\">";
  std::vector<std::int64_t> below(bars.size());
  for (std::size_t node = 0; node < report.nodes.size(); ++node) {
    out << "<path fill=\"" << colour(node) << "\" d=\"";
    for (std::size_t i = 0; i < bars.size(); ++i) {
      if (bars[i][node] == 0) continue;
      const std::int64_t from = chart_height * below[i] / most;
      const std::int64_t to = chart_height * (below[i] += bars[i][node]) / most;
      if (to > from)
        out << 'M' << static_cast<std::int64_t>(i) * bar_width << ' ' << chart_height - from << 'v' << from - to << "h"
            << bar_width - 1 << 'v' << to - from << 'z';
    }
    out << "\"/>";
  }
  out << "</svg>\n<p class=\"soft\">" << format_seconds(report.from) << " to " << format_seconds(report.until)
      << "</p>\n";
}

void print_outcomes_table(std::ostream& out, const std::vector<Outcome>& outcomes) {
  Table table(out, {{"Status"}, {"Reason"}, {"Slots", true}});
  for (const Outcome& one : outcomes)
    table.row({std::string(to_string(one.status)), std::string(reason_text(one)), std::to_string(one.slots)});
}

void print_node_table(std::ostream& out, const Report& report) {
  out << "<h2>Nodes</h2>\n";
  Table table(out, {{"Node"}, {"Leads", true}, {"Starts", true}, {"At once", true}, {"First at"}});
  for (const NodeReport& node : report.nodes)
    table.row({node.node, std::to_string(node.groups), std::to_string(node.starts), std::to_string(node.running.most),
               time_text(node.running.at)});
}

void print_busiest(std::ostream& out, const Report& report) {
  out << "<h2>Busiest minutes</h2>\n";
  {
    Table table(out, {{"Minute"}, {"Due", true}, {"Starts", true}, {"Longest wait", true}});
    for (const MinuteReport& one : report.busiest)
      table.row(
          {format_slot(one.minute), std::to_string(one.due), std::to_string(one.starts), wait_text(one.longest_wait)});
  }
  std::vector<const HourReport*> hours;
  for (const HourReport& hour : report.hours)
    if (hour.starts + hour.not_run > 0) hours.push_back(&hour);
  std::sort(hours.begin(), hours.end(), [](const HourReport* a, const HourReport* b) {
    return std::pair(-a->starts, a->hour) < std::pair(-b->starts, b->hour);
  });
  hours.resize(std::min(hours.size(), listed_hours));
  out << "<h2>Busiest hours</h2>\n";
  Table table(out, {{"Hour"}, {"Starts", true}, {"At once", true}, {"Waiting", true}, {"Not run", true}});
  for (const HourReport* hour : hours)
    table.row({format_slot(hour->hour), std::to_string(hour->starts), std::to_string(hour->most_running),
               std::to_string(hour->most_waiting), std::to_string(hour->not_run)});
}

void print_limit_table(std::ostream& out, const Report& report) {
  if (report.limits.empty()) return;
  out << "<h2>Waits for a place</h2>\n";
  Table table(out, {{"Limit"},
                    {"max_running", true},
                    {"Waited", true},
                    {"Missed", true},
                    {"Longest", true},
                    {"At once", true},
                    {"First at"}});
  for (const LimitReport& one : report.limits)
    table.row({one.kind + " " + one.name, std::to_string(one.max_running), std::to_string(one.waits.slots),
               std::to_string(one.missed), wait_text(one.waits.longest), std::to_string(one.waiting.most),
               time_text(one.waiting.at)});
}

void print_job_table(std::ostream& out, const Report& report) {
  out << "<h2>Jobs</h2>\n";
  Table table(out, {{"Job"},
                    {"Group"},
                    {"Takes", true},
                    {"Slots", true},
                    {"Starts", true},
                    {"Waited", true},
                    {"Longest", true},
                    {"For"},
                    {"Not run", true}});
  for (const JobReport& job : report.all_jobs) {
    const LongestWait wait = longest_of(job.waits);
    table.row({job.job, job.group, job.takes ? format_duration(*job.takes) : "-", std::to_string(job.slots),
               std::to_string(job.starts), std::to_string(wait.slots), wait_text(wait.longest),
               wait.slots > 0 ? std::string(to_string(wait.what)) : "-", std::to_string(not_run(job.outcomes))});
  }
}

void print_loss_section(std::ostream& out, const LossReport& loss) {
  out << "<h2>" << html(loss.node) << " is lost at " << format_seconds(loss.at) << "</h2>\n<p>"
      << (loss.back_at ? "Back at " + format_seconds(*loss.back_at) : "Not back in the span") << ". "
      << numbered(loss.lost_run_count, "run") << " lost, " << numbered(loss.late_slot_count, "slot") << " late";
  if (loss.late_slot_count > 0) out << " by up to " << format_duration(loss.latest);
  out << ", " << not_run(loss.not_run) << " not run.</p>\n";
  {
    Table table(out, {{"Group"}, {"Led again"}, {"After", true}, {"By"}});
    for (const LedAgain& one : loss.groups)
      table.row({one.group, time_text(one.at), one.at ? format_duration(Millis(*one.at - loss.at)) : "-", one.node});
  }
  if (!loss.lost_runs.empty()) {
    Table table(out, {{"Lost run of"}, {"Slot"}, {"Started"}, {"Started again"}});
    for (const LostRun& one : loss.lost_runs)
      table.row({one.job, format_slot(one.slot), time_text(one.started_at), time_text(one.again_at)});
  }
  if (!loss.late_slots.empty()) {
    Table table(out, {{"Late slot of"}, {"Slot"}, {"Started"}, {"Late", true}, {"Waited for"}});
    for (const LateSlot& one : loss.late_slots)
      table.row({one.job, format_slot(one.slot), format_slot(one.started_at), format_duration(one.late),
                 std::string(to_string(one.waited_for))});
  }
  if (!loss.not_run.empty()) print_outcomes_table(out, loss.not_run);
}

}  // namespace

void print_simulation_page(std::ostream& out, const Simulated& of) {
  const Report& report = of.report;
  out << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width\"><title>ballot simulate</title><style>"
      << style << "</style></head><body>\n<h1>Simulation of " << html(of.folder) << "</h1>\n<p>"
      << format_seconds(report.from) << " to " << format_seconds(report.until) << ": "
      << numbered(std::ssize(report.nodes), "node") << ", " << numbered(report.groups, "group") << ", "
      << numbered(report.jobs, "job") << ", " << numbered(report.slots, "slot") << ", "
      << numbered(report.starts, "start") << ".</p>\n<p class=\"soft\">Run times: " << html(run_times_text(of)) << ".";
  if (!of.no_history.empty()) out << " No history is read: " << html(of.no_history) << ".";
  out << " At most " << numbered(report.running.most, "run") << " at once, and "
      << numbered(report.waiting.most, "slot") << " waiting.</p>\n";
  print_chart(out, report);
  out << "<h2>What became of slots</h2>\n";
  print_outcomes_table(out, all_outcomes(report));
  for (const LossReport& loss : report.losses) print_loss_section(out, loss);
  print_node_table(out, report);
  print_busiest(out, report);
  print_limit_table(out, report);
  print_job_table(out, report);
  out << "</body></html>\n";
}

}  // namespace ballot::app
