#include "storage/keyed_rows.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "storage/guarded.hpp"

namespace ballot::storage {
namespace {

constexpr std::int64_t rows_at_once = 1000;
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

const std::string attempt_sql =
    std::string("SELECT ") + row_columns +
    " FROM ledger INDEXED BY ledger_run WHERE substr(run_id, 16) = substr(?1, 16) AND run_id = ?1 AND attempt = ?2";

/// Calls `read` for one key after the other, and `visit` for their rows, until it says false.
template <class Key, class Read, class Visit>
void read_each(Database& db, const std::vector<Key>& keys, const Read& read, const Visit& visit) {
  for (auto key = keys.begin(); key != keys.end();) {
    std::vector<NumberedRow> rows;
    {
      const Snapshot one_moment(db);
      for (; key != keys.end() && std::ssize(rows) < rows_at_once; ++key) {
        auto of_key = read(*key);
        std::move(of_key.begin(), of_key.end(), std::back_inserter(rows));
      }
    }
    for (const NumberedRow& row : rows)
      if (!visit(row)) return;
  }
}

/// The rows of slots, or else of more slots with the first of them.
class RowsOfSlots {
 public:
  RowsOfSlots(Database& db, const ReadPage& page, const Selection& of_one_job, std::int64_t most_of_a_key)
      : page_(page),
        most_of_a_key_(most_of_a_key),
        find_(db, "SELECT id FROM name WHERE text = ?1"),
        slots_(db, history_sql(of_one_job)),
        around_(db, ranges_sql()) {}

  std::vector<NumberedRow> read(const RowKey& key) {
    const auto job = id_of(key.job);
    if (!job) return {};
    auto rows = page_(slots_.start(key.slot, key.until + Millis(1), lowest, lowest, most_of_a_key_, *job));
    if (!rows.empty() && rows.back().row.slot == key.slot) return rows;
    for (NumberedRow& row : page_(around_.start(std::string_view(key.job), key.slot)))
      if (row.row.slot < key.slot) rows.push_back(std::move(row));
    return rows;
  }

 private:
  std::optional<std::int64_t> id_of(const std::string& job) {
    const auto [known, is_new] = ids_.try_emplace(job);
    if (!is_new) return known->second;
    if (Cursor found = find_.start(std::string_view(job)); found.step()) known->second = found.number(0);
    return known->second;
  }

  const ReadPage& page_;
  const std::int64_t most_of_a_key_;
  Statement find_, slots_, around_;
  std::map<std::string, std::optional<std::int64_t>> ids_;  // of jobs
};

}  // namespace

void read_newest(Database& db, const ReadPage& page, const Selection& of_one_job, const std::vector<std::int64_t>& jobs,
                 const Filter& filter, const VisitPlacedRow& visit) {
  Statement query(db, history_sql(of_one_job));
  const std::int64_t since = filter.since ? filter.since->time_since_epoch().count() : lowest;
  const WallTime until = filter.until.value_or(WallTime(Millis(highest)));
  read_each(
      db, jobs,
      [&](std::int64_t job) {
        return page(query.start(since, until, lowest, lowest, filter.limit.value_or(highest), job));
      },
      [&](const NumberedRow& one) {
        return visit(one.row, {one.row.slot, one.row.attempt, one.id});
      });
}

void read_rows_of(Database& db, const ReadPage& page, const Selection& of_one_job, const std::vector<RowKey>& keys,
                  std::int64_t most_of_a_key, const VisitRow& visit) {
  Statement attempts(db, attempt_sql);
  std::optional<RowsOfSlots> slots;
  const auto read = [&](const RowKey& key) {
    if (key.run) return page(attempts.start(id_blob(*key.run), key.attempt));
    if (!slots) slots.emplace(db, page, of_one_job, most_of_a_key);
    return slots->read(key);
  };
  read_each(db, keys, read, [&](const NumberedRow& one) { return visit(one.row); });
}

}  // namespace ballot::storage
