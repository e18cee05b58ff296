// A simulation's report as JSON.
#include <ostream>

#include "app/print/document.hpp"
#include "app/reports/simulation_report.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

using namespace simulation;

Document json_time(const std::optional<WallTime>& at) { return at ? Document(format_slot(*at)) : Document(); }
Document json_word(std::string_view text) { return text.empty() ? Document() : Document(std::string(text)); }

Document json_of(const std::vector<Outcome>& outcomes) {
  Document::Items items;
  for (const Outcome& one : outcomes) {
    Document document = Document::object();
    document.add("status", json_word(to_string(one.status))).add("reason", json_word(to_string(one.reason)));
    items.push_back(std::move(document.add("slots", one.slots)));
  }
  return items;
}

void add_waits(Document& to, const Waits& waits) {
  to.add("waited", waits.slots).add("total_ms", waits.total.count()).add("longest_ms", waits.longest.count());
  to.add("longest_of", waits.slots > 0 ? json_time(waits.longest_of) : Document());
}

Document json_of(const WaitsByKind& waits) {
  Document::Items items;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (waits[i].slots == 0) continue;
    Document document = Document::object();
    document.add("for", json_word(to_string(static_cast<WaitFor>(i))));
    add_waits(document, waits[i]);
    items.push_back(std::move(document));
  }
  return items;
}

Document json_of(const NodeReport& node) {
  Document document = Document::object();
  document.add("node", node.node).add("groups", node.groups).add("starts", node.starts);
  document.add("most_running", node.running.most).add("most_running_at", json_time(node.running.at));
  return document;
}

Document json_of(const HourReport& hour, const Fleet& fleet) {
  Document::Items by_node;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    Document one = Document::object();
    by_node.push_back(std::move(one.add("node", fleet.nodes[i].name).add("starts", hour.by_node[i])));
  }
  Document document = Document::object();
  document.add("hour", json_time(hour.hour)).add("starts", hour.starts).add("by_node", std::move(by_node));
  document.add("most_running", hour.most_running).add("most_waiting", hour.most_waiting).add("not_run", hour.not_run);
  return document;
}

Document json_of(const MinuteReport& minute) {
  Document document = Document::object();
  document.add("minute", json_time(minute.minute)).add("due", minute.due).add("starts", minute.starts);
  document.add("longest_wait_ms", minute.longest_wait.count());
  return document;
}

Document json_of(const LimitReport& limit) {
  Document document = Document::object();
  document.add("kind", limit.kind).add("name", limit.name).add("max_running", std::int64_t{limit.max_running});
  add_waits(document, limit.waits);
  document.add("missed", limit.missed);
  document.add("most_waiting", limit.waiting.most).add("most_waiting_at", json_time(limit.waiting.at));
  return document;
}

Document json_of(const JobReport& job) {
  Document document = Document::object();
  document.add("job", job.job).add("group", job.group);
  document.add("takes_ms", job.takes ? Document(job.takes->count()) : Document());
  document.add("slots", job.slots).add("starts", job.starts).add("outcomes", json_of(job.outcomes));
  document.add("waits", json_of(job.waits)).add("queued_at_end", job.waiting_at_end);
  document.add("running_at_end", job.running_at_end);
  return document;
}

Document json_of(const LossReport& loss) {
  Document::Items groups, runs, slots;
  for (const LedAgain& one : loss.groups) {
    Document document = Document::object();
    document.add("group", one.group).add("led_again_at", json_time(one.at)).add("node", json_word(one.node));
    groups.push_back(std::move(document));
  }
  for (const LostRun& one : loss.lost_runs) {
    Document document = Document::object();
    document.add("job", one.job).add("slot", json_time(one.slot)).add("started_at", json_time(one.started_at));
    runs.push_back(std::move(document.add("started_again_at", json_time(one.again_at))));
  }
  for (const LateSlot& one : loss.late_slots) {
    Document document = Document::object();
    document.add("job", one.job).add("slot", json_time(one.slot)).add("started_at", json_time(one.started_at));
    document.add("late_ms", one.late.count()).add("waited_for", json_word(to_string(one.waited_for)));
    slots.push_back(std::move(document));
  }
  Document document = Document::object();
  document.add("node", loss.node).add("at", json_time(loss.at)).add("back_at", json_time(loss.back_at));
  document.add("groups", std::move(groups)).add("lost_run_count", loss.lost_run_count);
  document.add("lost_runs", std::move(runs)).add("late_slot_count", loss.late_slot_count);
  document.add("latest_ms", loss.latest.count()).add("late_slots", std::move(slots));
  document.add("not_run", json_of(loss.not_run));
  return document;
}

template <class List>
Document list_of(const List& list) {
  Document::Items items;
  for (const auto& one : list) items.push_back(json_of(one));
  return items;
}

}  // namespace

void print_simulation_json(std::ostream& out, const Simulated& of) {
  const Report& report = of.report;
  Document::Items hours;
  for (const HourReport& hour : report.hours) hours.push_back(json_of(hour, of.fleet));
  Document all = Document::object();
  all.add("from", json_time(report.from)).add("until", json_time(report.until)).add("files", of.folder);
  all.add("max_running", std::int64_t{of.fleet.max_running});
  all.add("session_timeout_ms", of.fleet.session_timeout.count());
  all.add("assumed_run_time_ms", of.fleet.run_times.assumed.count()).add("no_history", json_word(of.no_history));
  all.add("jobs", report.jobs).add("groups", report.groups).add("slots", report.slots).add("starts", report.starts);
  all.add("outcomes", json_of(report.outcomes)).add("waits", json_of(report.waits));
  all.add("most_running", report.running.most).add("most_running_at", json_time(report.running.at));
  all.add("most_waiting", report.waiting.most).add("most_waiting_at", json_time(report.waiting.at));
  all.add("nodes", list_of(report.nodes)).add("hours", std::move(hours));
  all.add("busiest_minutes", list_of(report.busiest)).add("limits", list_of(report.limits));
  all.add("by_job", list_of(report.all_jobs)).add("losses", list_of(report.losses));
  out << to_json(all);
}

}  // namespace ballot::app
