#include "library/history/fleet_pages.hpp"

#include <algorithm>
#include <tuple>

#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_wire.hpp"

namespace ballot::library {

using io::Message;
using storage::Account;
using storage::PlacedRow;

namespace {

template <class T, class U>
bool is_one_of(const std::vector<T>& values, const U& value) {
  return values.empty() || std::any_of(values.begin(), values.end(), [&](const T& one) { return value == one; });
}

}  // namespace

bool matches(const storage::Filter& filter, const Row& row) {
  return is_one_of(filter.jobs, row.job) && is_one_of(filter.groups, row.group) && is_one_of(filter.nodes, row.node) &&
         is_one_of(filter.statuses, row.status) && is_one_of(filter.reasons, row.reason) &&
         (!filter.run || row.run == filter.run) && (!filter.since || row.slot >= *filter.since) &&
         (!filter.until || row.slot < *filter.until);
}

bool covers(const Row& row, const std::string& job, WallTime slot) {
  return row.job == job && row.slot <= slot && slot <= row.slot_until.value_or(row.slot);
}

std::vector<PlacedRow> placed(const std::vector<Account>& evidence, const std::string& ledger) {
  std::vector<PlacedRow> rows;
  for (const Account& one : evidence) rows.push_back({one.row, {one.row.slot, one.row.attempt, 0, ledger}});
  std::stable_sort(rows.begin(), rows.end(), [](const PlacedRow& a, const PlacedRow& b) {
    return std::tie(a.row.slot, a.row.attempt) > std::tie(b.row.slot, b.row.attempt);
  });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].at.id = static_cast<std::int64_t>(rows.size() - i);
  return rows;
}

bool is_after(const storage::Position& at, const std::optional<storage::Position>& after) {
  return !after || std::tie(at.slot, at.attempt, at.id) < std::tie(after->slot, after->attempt, after->id);
}

Result<std::vector<PlacedRow>> placed_rows(const Message& answer, const std::string& ledger,
                                           const storage::Filter& filter, std::optional<storage::Position> after) {
  std::vector<PlacedRow> rows;
  for (const Message& one : answer.objects("rows")) {
    auto row = row_from(one);
    if (!row) return row.error();
    const storage::Position at{row->slot, row->attempt, one.integer("id").value_or(0), ledger};
    if (row->job.empty() || row->slot_until.value_or(row->slot) < row->slot)
      return Error{Errc::corrupt, "it answers with a row that cannot be"};
    if (!matches(filter, *row)) return Error{Errc::corrupt, "it answers with a row that was not asked for"};
    if (!is_after(at, after) || std::ssize(rows) >= page_rows) return Error{Errc::corrupt, "its rows come in no order"};
    after = at;
    rows.push_back({*std::move(row), at});
  }
  return rows;
}

Message page_question(storage::Filter filter, const std::optional<storage::Position>& after, std::int64_t most) {
  filter.after = after;
  filter.limit = most;
  Message asked = to_message(filter);
  return asked.set("do", std::string("ledger")).set("ask", std::string("history"));
}

}  // namespace ballot::library
