#include "library/shown/ledger_answers.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/wall_text.hpp"
#include "library/history/definition_wire.hpp"
#include "library/history/fleet_definitions.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"
#include "library/history/request_wire.hpp"
#include "library/shown/cursor.hpp"
#include "library/shown/definition_values.hpp"
#include "library/shown/values.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr Millis shown_unless_asked = std::chrono::days(7);

std::string text_in(const Message& asked, const char* key) { return asked.text(key).value_or(""); }

/// The list that a cursor is of: what was asked for, however long its pages are.
std::string asked_list(const Message& asked) {
  Message list = asked;
  return io::encode(list.set("cursor", {}).set("limit", {}).set("timeout_ms", {}).set("defined", {}));
}

Result<storage::Filter> shown_filter(const Message& asked, WallTime now) {
  auto filter = filter_from(asked);
  if (filter && !filter->since && !filter->run) filter->since = now - shown_unless_asked;
  return filter;
}

/// A row with what the view knows of it beside the row.
Message shown_row(const LedgerView& ledger, const Row& row) {
  Message one = shown(row);
  return ledger.is_evidence(row) ? one.set("evidence", std::string("store")) : one;
}

using UnknownJobs = std::map<std::string, Error>;  // why each is none, as far as is known

/// Of the jobs that are asked for those that nobody who answers knows, at most `most`.
Result<UnknownJobs> unknown_jobs(LedgerView& ledger, const Message& asked, std::size_t most) {
  const std::vector<std::string> defined = asked.texts("defined");
  UnknownJobs unknown;
  for (const std::string& job : asked.texts("jobs")) {
    if (std::find(defined.begin(), defined.end(), job) != defined.end() || unknown.contains(job)) continue;
    const auto is_known = ledger.knows_job(job);
    if (!is_known) return is_known.error();
    if (*is_known) continue;
    const auto instances = ledger.instances_of(job);
    if (!instances) return instances.error();
    if (!instances->empty()) continue;
    unknown.emplace(job, not_known(ledger, "no job " + job + " is loaded here, nor in the ledger" +
                                               (ledger.is_of_fleet() ? " of a node that answers" : "")));
    if (unknown.size() == most) break;
  }
  return unknown;
}

/// Each job that is asked for must be one: a name that is mistyped is not shown as a job that never ran.
Result<void> require_jobs(LedgerView& ledger, const Message& asked) {
  const auto unknown = unknown_jobs(ledger, asked, 1);
  if (!unknown) return unknown.error();
  return unknown->empty() ? Result<void>() : unknown->begin()->second;
}

/// Of several jobs those that are none cost the others nothing: only where none is known that is an error.
Result<UnknownJobs> require_some(LedgerView& ledger, const Message& asked, const std::vector<std::string>& jobs) {
  auto unknown = unknown_jobs(ledger, asked, jobs.size());
  if (unknown && unknown->size() == jobs.size()) return unknown->at(jobs.front());
  return unknown;
}

void mark_unknown(Message& one, const UnknownJobs& unknown, const std::string& job) {
  if (const auto found = unknown.find(job); found != unknown.end()) one.set("unknown", found->second.what);
}

Result<Message> shown_history(LedgerView& ledger, const Message& asked, WallTime now) {
  if (const auto known = require_jobs(ledger, asked); !known) return known.error();
  if (const auto known = require_nodes(ledger, asked.texts("nodes")); !known) return known.error();
  auto filter = shown_filter(asked, now);
  if (!filter) return filter.error();
  filter->limit = std::clamp<std::int64_t>(filter->limit.value_or(default_rows), 1, most_rows);
  const std::string list = asked_list(asked);
  if (const auto cursor = asked.text("cursor")) {
    const auto place = cursor_place(*cursor, list);
    if (!place) return place.error();
    filter->after = position_from(*place);
  }
  std::vector<Message> rows;
  const auto next = ledger.history(*filter, [&](const Row& row) {
    rows.push_back(shown_row(ledger, row));
    return true;
  });
  if (!next) return next.error();
  Message answer;
  answer.set("rows", std::move(rows)).set("next", {});
  if (*next) answer.set("next", cursor_text(to_message(**next), list));
  if (asked.flag("states").value_or(false)) answer.set("states", states_of(ledger));
  return answer;
}

/// As shown_history(), of what people asked.
Result<Message> shown_requests(LedgerView& ledger, const Message& asked, WallTime now) {
  if (const auto known = require_nodes(ledger, asked.texts("nodes")); !known) return known.error();
  auto filter = request_filter_from(asked);
  if (!filter) return filter.error();
  if (!filter->since && !filter->run) filter->since = now - shown_unless_asked;
  filter->limit = std::clamp<std::int64_t>(filter->limit.value_or(default_rows), 1, most_rows);
  const std::string list = asked_list(asked);
  if (const auto cursor = asked.text("cursor")) {
    const auto place = cursor_place(*cursor, list);
    if (!place) return place.error();
    filter->after = request_position_from(*place);
  }
  std::vector<Message> rows;
  const auto next =
      ledger.requests(*filter, [&](const RequestRow& request) { return rows.push_back(shown(request)), true; });
  if (!next) return next.error();
  Message answer;
  answer.set("requests", std::move(rows)).set("next", {});
  if (*next) answer.set("next", cursor_text(to_message(**next), list));
  return answer;
}

/// As shown_history(), of definitions that began. A job that is gone may have no rows, and has its definitions all the
/// same: only where there is nothing to show it must be known.
Result<Message> shown_definitions(LedgerView& ledger, const Message& asked, WallTime now) {
  if (const auto known = require_nodes(ledger, asked.texts("nodes")); !known) return known.error();
  auto filter = definition_filter_from(asked);
  if (!filter) return filter.error();
  if (!filter->since) filter->since = now - shown_unless_asked;
  filter->limit = std::clamp<std::int64_t>(filter->limit.value_or(default_rows), 1, most_rows);
  filter->of.clear();
  const std::string list = asked_list(asked);
  if (const auto cursor = asked.text("cursor")) {
    const auto place = cursor_place(*cursor, list);
    if (!place) return place.error();
    filter->after = definition_position_from(*place);
  }
  std::vector<Message> changes;
  const auto next = read_definition_changes(ledger, *filter,
                                            [&](const auto& change) { return changes.push_back(shown(change)), true; });
  if (!next) return next.error();
  if (const auto known = changes.empty() ? require_jobs(ledger, asked) : Result<void>(); !known) return known.error();
  Message answer;
  answer.set("definitions", std::move(changes)).set("next", {});
  if (*next) answer.set("next", cursor_text(to_message(**next), list));
  return answer;
}

/// The jobs that are asked for, each once.
Result<std::vector<std::string>> strip_jobs(const Message& asked) {
  std::vector<std::string> jobs = asked.texts("jobs");
  if (jobs.empty() || jobs.size() > most_strips)
    return Error{Errc::invalid, "job: from 1 to " + std::to_string(most_strips) + " jobs are to be named"};
  std::set<std::string> seen;
  std::erase_if(jobs, [&](const std::string& job) { return !seen.insert(job).second; });
  return jobs;
}

struct Strip {
  std::vector<Message> rows;
  std::optional<WallTime> last;  // slot
  std::int64_t read = 0;         // rows
};

/// Of each job's last slots (of those from `since` on, before `until`) the row of the last attempt; of a job whose runs
/// are tried again twice as many rows are read, and no more.
Result<Message> shown_strips(LedgerView& ledger, const Message& asked, WallTime) {
  const auto jobs = strip_jobs(asked);
  if (!jobs) return jobs.error();
  const auto unknown = require_some(ledger, asked, *jobs);
  if (!unknown) return unknown.error();
  const auto most = std::clamp<std::int64_t>(asked.integer("last").value_or(default_strip), 1, most_in_strip);
  auto filter = filter_from(asked);
  if (!filter) return filter.error();
  std::map<std::string, Strip> found;
  filter->jobs = *jobs;
  std::erase_if(filter->jobs, [&](const std::string& job) { return unknown->contains(job); });
  for (const std::int64_t rows : {most, 2 * most}) {
    if (filter->jobs.empty()) break;
    for (const std::string& job : filter->jobs) found[job] = {};
    filter->limit = rows;
    const auto read = ledger.newest_rows(*filter, [&](const Row& row, const auto&) {
      Strip& strip = found[row.job];
      ++strip.read;
      if (row.slot == strip.last || std::ssize(strip.rows) == most) return true;
      strip.last = row.slot;
      strip.rows.push_back(shown_row(ledger, row));
      return true;
    });
    if (!read) return read.error();
    std::erase_if(filter->jobs, [&](const std::string& job) {
      const Strip& strip = found[job];
      return strip.read < rows || std::ssize(strip.rows) == most;
    });
  }
  std::vector<Message> strips;
  for (const std::string& job : *jobs) {
    strips.push_back(Message().set("job", job).set("rows", std::move(found[job].rows)));
    mark_unknown(strips.back(), *unknown, job);
  }
  return Message().set("strips", std::move(strips));
}

Result<Message> shown_usual(LedgerView& ledger, const Message& asked, WallTime now) {
  const auto jobs = strip_jobs(asked);
  if (!jobs) return jobs.error();
  const auto unknown = require_some(ledger, asked, *jobs);
  if (!unknown) return unknown.error();
  const auto times = ledger.usual_times(*jobs, now);
  if (!times) return times.error();
  std::vector<Message> usual;
  for (std::size_t i = 0; i < jobs->size(); ++i) {
    const UsualTime& one = (*times)[i];
    usual.push_back(Message().set("job", (*jobs)[i]).set("basis", std::string(to_string(one.basis))));
    usual.back().set("usual_ms", {}).set("runs", static_cast<std::int64_t>(one.runs));
    if (one.is_known()) usual.back().set("usual_ms", std::int64_t{one.takes.count()});
    if (one.slower_since) usual.back().set("slower_since", format_slot(*one.slower_since));
    if (one.unread) usual.back().set("slower_since_failure", one.unread->why);
    mark_unknown(usual.back(), *unknown, (*jobs)[i]);
  }
  return Message().set("usual", std::move(usual));
}

Result<Message> shown_run(LedgerView& ledger, const Message& asked, WallTime) {
  const std::string name = text_in(asked, "run");
  const auto found = ledger.find_run(name);
  if (!found) return found.error();
  const std::string where = ledger.is_of_fleet() ? " in the ledgers of the nodes that answer" : " in this ledger";
  if (found->empty())
    return not_known(ledger, (RunId::parse(name) ? "there is no run " : "no run ends with ") + name + where);
  if (found->size() > 1) {
    std::string text = "several runs end with " + name + ":";
    for (const RunId& run : *found) text += " " + run.text();
    return Error{Errc::invalid, text};
  }
  std::vector<Row> rows;
  const auto read = ledger.history({.run = found->front(), .limit = std::nullopt},
                                   [&](const Row& row) { return rows.push_back(row), true; });
  if (!read) return read.error();
  if (rows.empty()) return not_known(ledger, "there is no run " + found->front().text() + where);
  std::vector<Message> attempts;
  for (const Row& row : rows) attempts.push_back(shown_row(ledger, row));
  return shown_row(ledger, rows.front()).set("attempts", std::move(attempts));
}

/// How slots have ended, by hour, by day or all: a run's by its last attempt, which comes first.
class SlotCounts {
 public:
  explicit SlotCounts(CountPer per) : per_(per) {}

  /// False: there are too many counts.
  bool add(const Row& row) {
    if (row.slot != slot_) runs_.clear(), slot_ = row.slot;
    const WallTime from = begin_of(per_, row.slot);
    Count& count = counts_[{from, row.job, std::string(to_string(row.status)), std::string(to_string(row.reason))}];
    const bool is_last = !row.run || runs_.insert(*row.run).second;
    if (is_last) count.slots += row.slots;
    if (is_last && row.attempt > 0 && row.status != Status::succeeded)
      last_.try_emplace({row.run, row.attempt + 1}, &count);
    if (row.attempt > 0) ++count.attempts;
    return counts_.size() <= most_counts;
  }

  /// Of rows that are not all: a run of which another attempt has followed has not come to that.
  Result<void> leave_out_followed(LedgerView& ledger) {
    for (auto from = last_.begin(); from != last_.end();) {
      std::vector<RowKey> keys;
      for (; from != last_.end() && keys.size() < names_at_once; ++from) keys.push_back(from->first);
      const auto followed = ledger.rows_of(keys);
      if (!followed) return followed.error();
      for (const Row& row : *followed)
        if (const auto last = last_.extract(key_of(row)); !last.empty()) --last.mapped()->slots;
    }
    return {};
  }

  bool add(const RunCount& runs) {
    Count& count =
        counts_[{runs.from, runs.job, std::string(to_string(runs.status)), std::string(to_string(runs.reason))}];
    count.slots += runs.runs;
    count.attempts += runs.attempts;
    return counts_.size() <= most_counts;
  }

  /// `since`: where all of them begin.
  std::vector<Message> shown(WallTime since) const {
    std::vector<Message> all;
    for (const auto& [key, count] : counts_) {
      const auto& [from, job, status, reason] = key;
      Message one;
      if (per_ == CountPer::hour)
        one.set("hour", format_slot(from));
      else
        one.set("from", per_ == CountPer::all ? format_millis(since) : format_slot(from));
      one.set("job", job).set("status", status).set("reason", word_or_null(reason));
      one.set("slots", count.slots).set("attempts", count.attempts);
      all.push_back(std::move(one));
    }
    return all;
  }
  bool is_too_long() const { return counts_.size() > most_counts; }

 private:
  struct Count {
    std::int64_t slots = 0, attempts = 0;
  };
  CountPer per_;
  WallTime slot_{};
  std::set<RunId> runs_;           // of that slot
  std::map<RowKey, Count*> last_;  // what would follow the attempts that runs are counted by
  std::map<std::tuple<WallTime, std::string, std::string, std::string>, Count> counts_;
};

Result<CountPer> period_asked(const Message& asked) {
  const std::string per = asked.text("per").value_or("hour");
  if (per == "hour") return CountPer::hour;
  if (per == "day") return CountPer::day;
  if (per == "all") return CountPer::all;
  return Error{Errc::invalid, "per: '" + per + "' is not a period: hour, day or all"};
}

Result<Message> shown_summary(LedgerView& ledger, const Message& asked, WallTime now) {
  if (const auto known = require_jobs(ledger, asked); !known) return known.error();
  if (const auto known = require_nodes(ledger, asked.texts("nodes")); !known) return known.error();
  auto filter = shown_filter(asked, now);
  if (!filter) return filter.error();
  const auto per = period_asked(asked);
  if (!per) return per.error();
  filter->limit = static_cast<std::int64_t>(most_counts) + 1;
  SlotCounts summary(*per);
  const auto read = ledger.summary(
      *filter, *per, [&](const Row& row) { return summary.add(row); },
      [&](const RunCount& count) { return summary.add(count); });
  if (!read) return read.error();
  if (summary.is_too_long())
    return Error{Errc::invalid, "the summary has more than " + std::to_string(most_counts) +
                                    " counts; ask by the day or for all of it (per=day, per=all), for fewer jobs, "
                                    "or a shorter time"};
  if (!filter->statuses.empty() || !filter->reasons.empty())
    if (const auto done = summary.leave_out_followed(ledger); !done) return done.error();
  return Message().set(*per == CountPer::hour ? "hours" : "counts", summary.shown(filter->since.value_or(WallTime())));
}

/// `next`: that was elected after it.
Message shown_term(const TermRow& term, const TermRow* next) {
  Message one = shown(term);
  if (next != nullptr && term.ended_at.value_or(WallTime::max()) > next->elected_at)
    one.set("ended_at", format_millis(next->elected_at));
  return one;
}

Result<Message> shown_terms(LedgerView& ledger, const Message& asked, WallTime) {
  const auto terms = ledger.terms(text_in(asked, "group"));
  if (!terms) return terms.error();
  std::vector<Message> all;
  const TermRow* next = nullptr;
  const auto most = asked.integer("limit").value_or(std::numeric_limits<std::int64_t>::max());
  for (const TermRow& term : *terms) {
    if (std::ssize(all) >= most) break;
    all.push_back(shown_term(term, next));
    next = &term;
  }
  return Message().set("terms", std::move(all));
}

/// Of all groups; of a term that is over as shown_terms() has it.
Result<Message> shown_terms_since(LedgerView& ledger, const Message& asked, WallTime now) {
  const auto since = asked.integer("since");
  const auto most = std::clamp<std::int64_t>(asked.integer("limit").value_or(default_terms), 1, most_rows);
  const auto terms = ledger.terms_since(since ? WallTime(Millis(*since)) : now - shown_unless_asked, most + 1);
  if (!terms) return terms.error();
  std::vector<Message> all;
  std::map<std::string, const TermRow*> next;
  for (const TermRow& term : *terms) {
    if (std::ssize(all) == most) break;
    all.push_back(shown_term(term, std::exchange(next[term.group], &term)));
  }
  return Message().set("terms", std::move(all)).set("left_out", std::ssize(*terms) > most);
}

struct ShownCall {
  std::string_view name;
  Result<Message> (*answer)(LedgerView&, const Message&, WallTime);
};
constexpr ShownCall shown_calls[] = {
    {"history", shown_history},         {"strips", shown_strips}, {"run", shown_run},
    {"summary", shown_summary},         {"terms", shown_terms},   {"requests", shown_requests},
    {"definitions", shown_definitions}, {"usual", shown_usual},   {"terms_since", shown_terms_since}};

}  // namespace

Result<Message> answer_shown(LedgerView& ledger, const Message& asked, WallTime now) {
  const std::string name = text_in(asked, "ask");
  for (const ShownCall& call : shown_calls)
    if (call.name == name) return call.answer(ledger, asked, now);
  return Error{Errc::invalid, "the daemon cannot be asked for '" + name +
                                  "' of its ledger in public form; it may be older than whoever asks"};
}

}  // namespace ballot::library
