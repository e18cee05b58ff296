#include "app/jobs/shown_job.hpp"

#include <iostream>
#include <sstream>

#include "app/client/ledger_access.hpp"
#include "app/history/history_columns.hpp"
#include "app/print/document.hpp"
#include "app/print/escape.hpp"
#include "app/print/fact_line.hpp"
#include "app/print/format.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

using library::Pause;
using library::pauses_text;

RowSource source_of(const ShownJob& job, const Row& row) {
  return job.of_store.contains(library::key_of(row)) ? RowSource::store : RowSource::ledger;
}

}  // namespace

void print_text(const ShownJob& job, const LocalTimes& times) {
  print_fact("job", job.name + (job.description.empty() ? "" : ": " + job.description));
  const std::string led = !job.leader ? "" : job.leader->empty() ? ", which nobody leads" : ", led by " + *job.leader;
  print_fact("group", job.group + led);
  print_fact("state", job.state_text);
  if (!job.backfill.empty()) print_fact("backfill", job.backfill);
  print_fact("file", job.place ? job.place->file + ":" + std::to_string(job.place->position.line)
                               : "none: the program that embeds ballot defines it");
  if (!job.refused.empty())
    print_fact("refused", "the file as it is since " + job.refused_since + ": " + job.refused +
                              ". Its last good version is in force");
  if (!job.after.empty())
    print_fact("after", joined(job.after) + (job.after_status == "succeeded" ? ", once they have succeeded"
                                             : job.after_status == "failed"  ? ", where they have failed"
                                                                             : ", once they have ended"));
  if (!job.before.empty())
    print_fact("before", joined(job.before) + (job.further.empty() ? "" : "; after these " + joined(job.further)));
  if (!job.trigger_env.empty()) print_fact("trigger_env", joined(job.trigger_env));
  if (!job.expects.empty()) print_fact("expects", job.expects);
  if (job.overdue_since) print_fact("overdue", "since " + format_millis(*job.overdue_since));
  if (job.is_slow) print_fact("slow", "a run takes longer than expected");
  if (!job.timezone.empty()) print_fact("timezone", job.timezone);
  if (!job.calendars.empty()) print_fact("calendars", job.calendars);
  print_fact("digest", job.digest);
  if (job.next.empty()) print_fact("next slots", "none");
  for (std::size_t i = 0; i < job.next.size(); ++i)
    print_fact(i == 0 ? "next slots" : "",
               job.timezone.empty() ? format_slot(job.next[i]) : slot_in_zone(job.next[i], job.timezone));
  if (!job.definition.empty()) std::cout << '\n' << job.definition;
  if (!job.rows) return;
  RecordWriter out(std::cout, history_columns(Format::table), stdout_layout(Format::table));
  std::cout << '\n';
  for (const Row& row : *job.rows) out.row(history_cells(row, Format::table, times, source_of(job, row)));
  out.finish();
}

void print_json(const ShownJob& job, const library::LedgerView* ledger) {
  const auto or_null = [](const std::string& text) { return text.empty() ? Document() : Document(text); };
  Document::Items next, pauses, rows;
  for (const WallTime slot : job.next) next.emplace_back(format_slot(slot));
  for (const Pause& pause : job.pauses) {
    Document one = Document::object();
    one.add("of", pause.of == Pause::Of::group ? "group" : "job");
    one.add("since", pause.since ? Document(format_millis(*pause.since)) : Document()).add("by", or_null(pause.by));
    one.add("until", pause.until ? Document(format_millis(*pause.until)) : Document());
    one.add("reason", or_null(pause.reason));
    pauses.push_back(std::move(one));
  }
  for (const Row& row : job.rows.value_or(std::vector<Row>())) rows.push_back(row_document(row, source_of(job, row)));
  Document shown = Document::object();
  shown.add("job", job.name).add("description", or_null(job.description)).add("group", job.group);
  shown.add("leader", or_null(job.leader.value_or("")))
      .add("state", or_null(job.state))
      .add("pauses", std::move(pauses))
      .add("backfill", or_null(job.backfill));
  shown.add("file", job.place ? Document(job.place->file) : Document());
  shown.add("line", job.place ? Document(std::int64_t{job.place->position.line}) : Document());
  shown.add("timezone", or_null(job.timezone)).add("calendars", or_null(job.calendars));
  shown.add("digest", or_null(job.digest)).add("next_slots", std::move(next));
  Document::Items after(job.after.begin(), job.after.end()), before(job.before.begin(), job.before.end());
  shown.add("trigger_env", Document::Items(job.trigger_env.begin(), job.trigger_env.end()));
  shown.add("after", std::move(after)).add("after_status", or_null(job.after_status)).add("before", std::move(before));
  shown.add("expects", or_null(job.expects)).add("slow", job.is_slow ? Document("yes") : Document());
  shown.add("overdue_since", job.overdue_since ? Document(format_millis(*job.overdue_since)) : Document());
  shown.add("downstream", Document::Items(job.further.begin(), job.further.end()));
  shown.add("refused", or_null(job.refused)).add("refused_since", or_null(job.refused_since));
  shown.add("definition", or_null(job.definition)).add("rows", job.rows ? Document(std::move(rows)) : Document());
  shown.add("missing", missing_document(job.missing));
  if (ledger) add_alone(shown, *ledger);
  std::cout << to_json(shown);
}

}  // namespace ballot::app
