#include "storage/retention.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "storage/row_columns.hpp"
#include "storage/transaction.hpp"

namespace ballot::storage {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto slice_time = std::chrono::milliseconds(20);
constexpr int slice_rows = 2000;
constexpr std::int64_t row_bytes = 256;  // about what a row takes, its index entries included
constexpr std::int64_t any_job = 0;      // in table `horizon`
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// Where the run ids (UUID version 7) of a time begin.
std::string first_run_id(WallTime time) {
  const auto millis = static_cast<std::uint64_t>(std::max<std::int64_t>(time.time_since_epoch().count(), 0));
  std::string id;
  for (int shift = 40; shift >= 0; shift -= 8) id += static_cast<char>(millis >> shift & 0xff);
  return id;
}

/// A job's runs, newest first; of newer versions' statuses there are few.
std::string runs_of_job_sql() {
  const std::string of_job =
      "SELECT slot, run_id FROM ledger INDEXED BY ledger_job WHERE job_id = ?1 AND run_id IS NOT NULL AND status ";
  std::string sql;
  for (int status = 0; status <= static_cast<int>(Status::missed); ++status)
    sql += of_job + "= " + std::to_string(status) + " UNION ALL ";
  return sql + of_job + "> 9 ORDER BY slot DESC";
}
static_assert(static_cast<int>(Status::missed) == 9);

/// A condition: the thing with this key has not been marked after change ?3.
std::string unmarked(const std::string& key) {
  return " AND NOT EXISTS (SELECT 1 FROM mark WHERE (kind, one, two, three, mark.id) = (" + key +
         ") AND mark.change > ?3)";
}

}  // namespace

Retention::Retention(LedgerFile& file, Limits limits)
    : file_(file),
      limits_(limits),
      older_(file.database(),
             "SELECT id, run_id, attempt, ifnull(slot_until, slot), change FROM ledger INDEXED BY ledger_slot"
             " WHERE slot < ?1 AND status > 2 AND change <= ?3"
             " AND max(slot, ifnull(slot_until, slot), ifnull(ended_at, slot)) < ?1 ORDER BY slot LIMIT ?2"),
      oldest_(file.database(),
              "SELECT id, run_id, attempt, ifnull(slot_until, slot), change FROM ledger INDEXED BY ledger_slot"
              " WHERE status > 2 ORDER BY slot LIMIT ?1"),
      older_of_job_(file.database(),
                    "SELECT id, run_id, attempt, ifnull(slot_until, slot), change FROM ledger INDEXED BY ledger_job"
                    " WHERE job_id = ?1 AND status IN (3, 4, 5, 6, 7, 8, 9) AND slot < ?2 AND change <= ?4"
                    " UNION ALL SELECT id, run_id, attempt, ifnull(slot_until, slot), change"
                    " FROM ledger INDEXED BY ledger_job"
                    " WHERE job_id = ?1 AND status > 9 AND slot < ?2 AND change <= ?4 LIMIT ?3"),
      runs_of_job_(file.database(), runs_of_job_sql()),
      delete_row_(file.database(), "DELETE FROM ledger WHERE id = ?1"),
      delete_output_(file.database(),
                     "DELETE FROM output WHERE run_id = ?1 AND attempt = ?2 RETURNING length(head) + length(tail)"),
      delete_terms_(file.database(),
                    "DELETE FROM term WHERE (group_id, epoch) IN"
                    " (SELECT group_id, epoch FROM term WHERE ended_at < ?1" +
                        unmarked("1, group_id, epoch, 0, x''") + " LIMIT ?2)"),
      delete_orphans_(file.database(),
                      "DELETE FROM output WHERE rowid IN (SELECT o.rowid FROM output AS o WHERE o.run_id < ?1"
                      " AND NOT EXISTS (SELECT 1 FROM ledger WHERE ledger.run_id = o.run_id"
                      " AND substr(ledger.run_id, 16) = substr(o.run_id, 16)) LIMIT ?2)"),
      delete_definitions_(file.database(),
                          "DELETE FROM definition WHERE id IN (SELECT id FROM definition INDEXED BY definition_until"
                          " WHERE until < ?1" +
                              unmarked("2, definition.id, 0, 0, x''") + " LIMIT ?2)"),
      delete_pauses_(file.database(),
                     "DELETE FROM pause WHERE (job_id, group_id, since) IN (SELECT job_id, group_id, since FROM pause"
                     " INDEXED BY pause_until WHERE until < ?1" +
                         unmarked("3, job_id, group_id, since, x''") + " LIMIT ?2)"),
      delete_requests_(file.database(),
                       "DELETE FROM request WHERE id IN (SELECT id FROM request INDEXED BY request_at WHERE at < ?1" +
                           unmarked("4, 0, 0, 0, request.id") + " LIMIT ?2)"),
      delete_answers_(file.database(),
                      "DELETE FROM answer WHERE request_id IN (SELECT request_id FROM answer INDEXED BY answer_at"
                      " WHERE at < ?1 AND NOT EXISTS (SELECT 1 FROM request WHERE request.id = request_id) LIMIT ?2)"),
      raise_horizon_(file.database(), raise_horizon) {}

bool Retention::slice(WallTime now, std::int64_t sent) {
  sent_ = sent;
  static constexpr Stage after[] = {Stage::terms, Stage::runs, Stage::size, Stage::vacuum, Stage::age};
  if (!work(now - limits_.keep)) return true;
  stage_ = after[static_cast<int>(stage_)];
  return stage_ != Stage::age;
}

bool Retention::work(WallTime cutoff) {
  switch (stage_) {
    case Stage::age: return age(cutoff);
    case Stage::terms: return terms(cutoff);
    case Stage::runs: return runs();
    case Stage::size: return size();
    case Stage::vacuum: return vacuum();
  }
  return true;
}

bool Retention::age(WallTime cutoff) {
  const std::vector<Doomed> doomed = list(older_.start(cutoff, slice_rows, sent_));
  return remove(doomed, no_limit, any_job) && doomed.size() < slice_rows;
}

bool Retention::terms(WallTime cutoff) {
  Transaction transaction(file_.database());
  delete_terms_.run(cutoff, slice_rows, sent_);
  const int terms = sqlite3_changes(file_.database().handle());
  const std::string first_kept = first_run_id(cutoff);
  delete_orphans_.run(Blob{first_kept}, slice_rows);
  const int outputs = sqlite3_changes(file_.database().handle());
  delete_definitions_.run(cutoff, slice_rows, sent_);
  const int definitions = sqlite3_changes(file_.database().handle());
  delete_pauses_.run(cutoff, slice_rows, sent_);
  const int pauses = sqlite3_changes(file_.database().handle());
  const int requests = remove_requests(cutoff);
  transaction.commit();
  return std::max({terms, outputs, definitions, pauses, requests}) < slice_rows;
}

/// Requests that were taken up before, with what came of them. How many of the larger number.
int Retention::remove_requests(WallTime cutoff) {
  delete_requests_.run(cutoff, slice_rows, sent_);
  const int requests = sqlite3_changes(file_.database().handle());
  delete_answers_.run(cutoff, slice_rows);
  return std::max(requests, sqlite3_changes(file_.database().handle()));
}

bool Retention::runs() {
  jobs_.merge(file_.take_touched_jobs());
  if (limits_.keep_runs_per_job <= 0) jobs_.clear();
  for (const Clock::time_point begin = Clock::now(); !jobs_.empty() && Clock::now() - begin < slice_time;) {
    const std::int64_t job = *jobs_.begin();
    if (const std::optional<WallTime> oldest = oldest_slot_kept(job)) {
      const std::vector<Doomed> doomed = list(older_of_job_.start(job, *oldest, slice_rows, sent_));
      if (!remove(doomed, no_limit, job) || doomed.size() == slice_rows) return false;
    }
    jobs_.erase(job);
  }
  return jobs_.empty();
}

std::optional<WallTime> Retention::oldest_slot_kept(std::int64_t job) {
  std::set<std::string, std::less<>> same_slot;  // attempts of a run, and runs at one instant
  std::int64_t runs = 0;
  WallTime slot{};
  Cursor row = runs_of_job_.start(job);
  while (row.step()) {
    if (row.time(0) != slot) same_slot.clear();
    slot = row.time(0);
    if (same_slot.emplace(row.blob(1)).second && ++runs == limits_.keep_runs_per_job) return slot;
  }
  return std::nullopt;
}

bool Retention::size() {
  if (limits_.max_size <= 0) return true;
  const std::int64_t excess = used_bytes() - limits_.max_size;
  if (excess <= 0) return true;
  const std::vector<Doomed> doomed = list(oldest_.start(slice_rows));
  remove(doomed, excess, any_job);
  const std::int64_t sent = std::exchange(sent_, all_sent);
  const WallTime oldest(Millis(file_.database().number("SELECT min(slot) FROM ledger")));
  delete_terms_.run(oldest, slice_rows, all_sent);
  remove_requests(oldest);
  sent_ = sent;
  return doomed.empty();
}

bool Retention::vacuum() {
  if (file_.database().number("PRAGMA freelist_count") == 0) return true;
  Transaction transaction(file_.database());
  file_.database().run("PRAGMA incremental_vacuum(256)");
  transaction.commit();
  return false;
}

std::vector<Retention::Doomed> Retention::list(Cursor rows) {
  std::vector<Doomed> doomed;
  while (rows.step())
    doomed.push_back({rows.number(0), std::string(rows.blob(1)), rows.number(2), rows.time(3), rows.number(4)});
  return doomed;
}

bool Retention::remove(const std::vector<Doomed>& doomed, std::int64_t bytes, std::int64_t job) {
  if (doomed.empty()) return true;
  const Clock::time_point begin = Clock::now();
  Transaction transaction(file_.database());
  auto row = doomed.begin();
  WallTime last_slot = WallTime::min();
  for (; row != doomed.end() && bytes > 0 && Clock::now() - begin < slice_time; ++row) {
    delete_row_.run(row->id);
    bytes -= row_bytes;
    if (row->change > sent_) ++unsent_dropped_;
    last_slot = std::max(last_slot, row->last_slot);
    if (row->run.empty()) continue;
    Cursor output = delete_output_.start(Blob{row->run}, row->attempt);
    while (output.step()) bytes -= output.number(0);
  }
  if (row != doomed.begin()) raise_horizon_.run(job, last_slot + Millis(1));
  transaction.commit();
  return row == doomed.end();
}

std::int64_t Retention::used_bytes() {
  Database& db = file_.database();
  return (db.number("PRAGMA page_count") - db.number("PRAGMA freelist_count")) * db.number("PRAGMA page_size");
}

}  // namespace ballot::storage
