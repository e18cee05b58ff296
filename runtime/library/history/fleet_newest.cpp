#include "library/history/fleet_newest.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "library/history/fleet_ledger.hpp"
#include "library/history/fleet_pages.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"

namespace ballot::library {
namespace {

using io::Message;
using storage::PlacedRow;

constexpr std::ptrdiff_t asked_of_an_older = 16;  // at once
// That are asked for beyond what is wanted: where several ledgers have a job's last wanted row, the one that counts may
// come after another one's last row.
constexpr std::int64_t copies = 2;

/// Rows of ledgers and of the store, whether they count or not: of one job after the other, newest first.
struct NewestRows {
  std::vector<PlacedRow> rows;
  /// Jobs of which some ledger may have more, and the last of their rows that is here; none: it is not known which row
  /// is their newest.
  std::map<std::string, std::optional<storage::Position>> unfinished;
};

/// What a node has answered, by job: messages with rows.
using ListsOfJobs = std::map<std::string, Message>;
using Lists = std::map<std::string, ListsOfJobs>;  // by ledger

Lists by_ledger(const std::vector<FleetAnswers::Answer>& answers) {
  Lists all;
  for (const auto& answer : answers) {
    ListsOfJobs& lists = all[answer.ledger];
    for (Message& list : answer.message.objects("lists")) {
      const std::string job = list.text("job").value_or("");
      lists.emplace(job, std::move(list));
    }
  }
  return all;
}

/// Of nodes that only know pages of a history: one a job.
Result<void> add_older(FleetAnswers& fleet, const std::set<std::string>& older, const storage::Filter& filter,
                       Lists& lists) {
  for (const std::string& ledger : older)
    for (auto from = filter.jobs.begin(); from != filter.jobs.end();) {
      const auto to = from + std::min(filter.jobs.end() - from, asked_of_an_older);
      FleetAnswers::Questions questions;
      storage::Filter of_job = filter;
      for (auto job = from; job != to; ++job) {
        of_job.jobs = {*job};
        questions.emplace_back(ledger, page_question(of_job, std::nullopt, *filter.limit));
      }
      const auto answers = fleet.ask(questions);
      if (!answers) return answers.error();
      for (const auto& answer : *answers) {
        const auto rows = answer.message.objects("rows");
        if (!rows.empty()) lists[ledger].emplace(rows.front().text("job").value_or(""), answer.message);
      }
      if (fleet.find_missing(ledger)) break;
      lists[ledger];
      from = to;
    }
  std::erase_if(lists, [&](const auto& one) { return fleet.find_missing(one.first); });
  return {};
}

using RowsOfJobs = std::map<std::string, std::vector<PlacedRow>>;

RowsOfJobs evidence_in(const FleetAnswers& fleet, const storage::Filter& filter) {
  RowsOfJobs rows;
  for (PlacedRow& one : placed(fleet.evidence(), store_source))
    if (matches(filter, one.row)) rows[one.row.job].push_back(std::move(one));
  return rows;
}

/// `evidence`, `filter`: of one job, whose rows are added. A ledger whose rows are as many as were asked for may have
/// more: what comes after its last one is not known.
void add_merged(FleetAnswers& fleet, const Lists& lists, std::vector<PlacedRow> evidence, const storage::Filter& filter,
                NewestRows& newest) {
  const std::string& job = filter.jobs.front();
  std::vector<std::string> sources{store_source};
  for (const auto& [ledger, of_jobs] : lists) sources.push_back(ledger);
  storage::PageMerge pages(sources);
  pages.add(store_source, std::move(evidence), true);
  bool is_all = true;
  for (const auto& [ledger, of_jobs] : lists) {
    const auto list = of_jobs.find(job);
    auto rows = list == of_jobs.end() ? Result<std::vector<PlacedRow>>(std::vector<PlacedRow>())
                                      : placed_rows(list->second, ledger, filter, std::nullopt);
    if (!rows) {
      fleet.lose(ledger, rows.error().what);
      pages.leave_out(ledger);
      continue;
    }
    const bool is_last = std::ssize(*rows) < *filter.limit;
    is_all = is_all && is_last;
    pages.add(ledger, *std::move(rows), is_last);
  }
  auto rows = pages.take(std::numeric_limits<std::int64_t>::max());
  if (!is_all) newest.unfinished[job] = rows.empty() ? std::nullopt : std::optional(rows.back().at);
  std::move(rows.begin(), rows.end(), std::back_inserter(newest.rows));
}

/// Of as many jobs as can be asked for at once.
Result<NewestRows> newest_of(FleetAnswers& fleet, const storage::Filter& filter) {
  Message asked = to_message(filter);
  std::set<std::string> older;
  const auto answers =
      fleet.ask_all(asked.set("do", std::string("ledger")).set("ask", std::string("newest_rows")), older);
  if (!answers) return answers.error();
  Lists lists = by_ledger(*answers);
  if (const auto added = add_older(fleet, older, filter, lists); !added) return added.error();
  RowsOfJobs evidence = evidence_in(fleet, filter);
  NewestRows newest;
  storage::Filter of_job = filter;
  for (const std::string& job : filter.jobs) {
    of_job.jobs = {job};
    add_merged(fleet, lists, std::move(evidence[job]), of_job, newest);
  }
  return newest;
}

}  // namespace

Result<void> read_newest(FleetAnswers& fleet, storage::Filter filter, const ShowRows& show, const WalkRows& walk,
                         const LedgerView::VisitPlacedRow& visit) {
  const std::vector<std::string> jobs = std::move(filter.jobs);
  const std::int64_t most = std::clamp<std::int64_t>(filter.limit.value_or(page_rows), 1, page_rows);
  std::map<std::string, std::int64_t> shown;
  bool goes_on = true;
  const auto visit_first = [&](const Row& row, const storage::Position& at) {
    if (shown[row.job] == most) return true;
    ++shown[row.job];
    return goes_on = visit(row, at);
  };
  filter.limit = std::min(most + copies, page_rows);
  filter.after.reset();
  for (auto from = jobs.begin(); goes_on && from != jobs.end();) {
    const auto to = from + std::min(jobs.end() - from, static_cast<std::ptrdiff_t>(jobs_at_once(filter)));
    filter.jobs.assign(from, to);
    const auto newest = newest_of(fleet, filter);
    if (!newest) return newest.error();
    if (const auto done = show(newest->rows, filter, visit_first); !done) return done.error();
    for (auto job = newest->unfinished.begin(); goes_on && job != newest->unfinished.end(); ++job) {
      storage::Filter rest = filter;
      rest.jobs = {job->first};
      rest.after = job->second;
      rest.limit = most - shown[job->first];
      if (const auto read = walk(rest, visit_first); !read) return read.error();
    }
    from = to;
  }
  return {};
}

}  // namespace ballot::library
