#include "library/history/fleet_newest.hpp"

#include <algorithm>
#include <iterator>
#include <map>
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

/// What a node has answered, by job.
struct NewestRows {
  std::string ledger;
  std::map<std::string, Message> lists;
};

std::vector<NewestRows> by_ledger(const std::vector<FleetAnswers::Answer>& answers) {
  std::vector<NewestRows> all;
  for (const auto& answer : answers) {
    all.push_back({answer.ledger, {}});
    for (Message& list : answer.message.objects("lists")) {
      const std::string job = list.text("job").value_or("");
      all.back().lists.emplace(job, std::move(list));
    }
  }
  return all;
}

using RowsOfJobs = std::map<std::string, std::vector<PlacedRow>>;

RowsOfJobs evidence_in(const FleetAnswers& fleet, const storage::Filter& filter) {
  RowsOfJobs rows;
  for (PlacedRow& one : placed(fleet.evidence(), store_source))
    if (matches(filter, one.row)) rows[one.row.job].push_back(std::move(one));
  return rows;
}

/// `evidence`, `filter`: of one job. A ledger whose rows are as many as were asked for may have more: what comes after
/// its last one is not known.
std::vector<PlacedRow> merged(FleetAnswers& fleet, const std::vector<NewestRows>& answers,
                              std::vector<PlacedRow> evidence, const storage::Filter& filter) {
  std::vector<std::string> sources{store_source};
  for (const NewestRows& one : answers) sources.push_back(one.ledger);
  storage::PageMerge pages(sources);
  pages.add(store_source, std::move(evidence), true);
  for (const NewestRows& one : answers) {
    const auto list = one.lists.find(filter.jobs.front());
    auto rows = list == one.lists.end() ? Result<std::vector<PlacedRow>>(std::vector<PlacedRow>())
                                        : placed_rows(list->second, one.ledger, filter, std::nullopt);
    if (!rows) {
      fleet.lose(one.ledger, rows.error().what);
      pages.leave_out(one.ledger);
      continue;
    }
    const bool is_all = std::ssize(*rows) < *filter.limit;
    pages.add(one.ledger, *std::move(rows), is_all);
  }
  return pages.take(*filter.limit);
}

/// As many jobs as can be asked for at once.
Result<std::vector<PlacedRow>> candidates_of(FleetAnswers& fleet, const storage::Filter& filter) {
  Message asked = to_message(filter);
  const auto answers = fleet.ask_all(asked.set("do", std::string("ledger")).set("ask", std::string("newest_rows")));
  if (!answers) return answers.error();
  const std::vector<NewestRows> lists = by_ledger(*answers);
  RowsOfJobs evidence = evidence_in(fleet, filter);
  std::vector<PlacedRow> candidates;
  storage::Filter of_job = filter;
  for (const std::string& job : filter.jobs) {
    of_job.jobs = {job};
    auto rows = merged(fleet, lists, std::move(evidence[job]), of_job);
    std::move(rows.begin(), rows.end(), std::back_inserter(candidates));
  }
  return candidates;
}

}  // namespace

Result<void> read_newest(FleetAnswers& fleet, storage::Filter filter, const ShowNewest& show) {
  const std::vector<std::string> jobs = std::move(filter.jobs);
  filter.limit = std::clamp<std::int64_t>(filter.limit.value_or(page_rows), 1, page_rows);
  for (auto from = jobs.begin(); from != jobs.end();) {
    const auto to = from + std::min(jobs.end() - from, static_cast<std::ptrdiff_t>(jobs_at_once(filter)));
    filter.jobs.assign(from, to);
    const auto candidates = candidates_of(fleet, filter);
    if (!candidates) return candidates.error();
    const auto goes_on = show(*candidates, filter);
    if (!goes_on) return goes_on.error();
    if (!*goes_on) return {};
    from = to;
  }
  return {};
}

}  // namespace ballot::library
