#include "storage/ledger_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>

#include "base/failpoint.hpp"
#include "storage/row_columns.hpp"
#include "storage/schema.hpp"
#include "storage/transaction.hpp"

namespace ballot::storage {
namespace {

constexpr int pages_due = 8000;             // 32 MB of log: pages written again and again go to the database once
constexpr int pages_too_many = 16000;       // 64 MB: a reader was in the way for long
constexpr std::size_t most_names = 10'000;  // whose ids are kept in memory
constexpr Millis truncate_wait{50};

// `lost` and `halted` are guesses of who knows no better: they never replace a row that has ended.
constexpr std::string_view upsert_row =
    "INSERT INTO ledger (change, run_id, job_id, group_id, slot, slot_until, slots, trigger, attempt, status, reason,"
    " exit_code, signal, started_at, ended_at, duration_ms, node_id, epoch, fence, output_bytes, leftover)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)"
    " ON CONFLICT DO UPDATE SET change = excluded.change, job_id = excluded.job_id, group_id = excluded.group_id,"
    " slot = excluded.slot, slot_until = excluded.slot_until, slots = excluded.slots, trigger = excluded.trigger,"
    " status = excluded.status, reason = excluded.reason, exit_code = excluded.exit_code, signal = excluded.signal,"
    " started_at = excluded.started_at, ended_at = excluded.ended_at, duration_ms = excluded.duration_ms,"
    " node_id = excluded.node_id, epoch = excluded.epoch, fence = excluded.fence,"
    " output_bytes = excluded.output_bytes, leftover = excluded.leftover"
    " WHERE NOT ((excluded.status = 7 OR excluded.reason = 26) AND ledger.status > 2)";
static_assert(static_cast<int>(Status::lost) == 7 && static_cast<int>(Status::running) == 2);
static_assert(static_cast<int>(Reason::halted) == 26);

// What became of a slot when it was due, whatever a backfill has made of it since.
constexpr std::string_view find_slot =
    "SELECT 1 FROM ledger WHERE job_id = ?1 AND slot = ?2 AND trigger <> 6"
    " UNION ALL SELECT 1 FROM ledger WHERE job_id = ?1 AND slot_until >= ?2 AND slot < ?2 LIMIT 1";

constexpr std::string_view find_range =
    "SELECT ifnull(sum(slots), 0), max(ifnull(slot_until, slot)) FROM ledger WHERE job_id = ?1 AND slot BETWEEN ?2 AND "
    "?3 AND trigger <> 6";
static_assert(static_cast<int>(Trigger::backfill) == 6);

std::optional<Blob> optional_id_blob(const std::optional<RunId>& id) {
  return id ? std::optional(id_blob(*id)) : std::nullopt;
}
template <class Enum>
requires std::is_enum_v<Enum>
int number(Enum value) { return static_cast<int>(value); }
std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

LedgerFile::LedgerFile(const std::string& path, Millis lock_wait, Marks marks)
    : lock_wait_(lock_wait),
      kept_marks_(marks),
      db_(open_ledger(path, lock_wait)),
      find_name_(db_, "SELECT id FROM name WHERE text = ?1"),
      insert_name_(db_, "INSERT INTO name (text) VALUES (?1)"),
      insert_word_(db_, "INSERT OR IGNORE INTO word VALUES (?1, ?2, ?3)"),
      find_slot_(db_, find_slot),
      find_range_(db_, find_range),
      upsert_row_(db_, upsert_row),
      upsert_term_(db_, "INSERT OR REPLACE INTO term VALUES (?1, ?2, ?3, ?4, ?5, ?6)"),
      upsert_pause_(
          db_,
          "INSERT INTO pause (job_id, group_id, since, until, node_id, by, change) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
          " ON CONFLICT DO UPDATE SET until = ifnull(excluded.until, until), node_id = excluded.node_id"),
      upsert_terms_(db_, "INSERT OR REPLACE INTO pause_terms VALUES (?1, ?2, ?3, ?4, ?5)"),
      delete_terms_(db_, "DELETE FROM pause_terms WHERE (job_id, group_id, since) = (?1, ?2, ?3)"),
      insert_request_(db_, "INSERT OR REPLACE INTO request VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"),
      upsert_answer_(db_, "INSERT OR REPLACE INTO answer VALUES (?1, ?2, ?3, ?4)"),
      upsert_output_(db_, "INSERT OR REPLACE INTO output VALUES (?1, ?2, ?3, ?4, ?5)"),
      save_change_(db_, marks == Marks::kept ? "UPDATE meta SET value = ?1 WHERE key IN ('change', 'seen', 'marks')"
                                             : "UPDATE meta SET value = ?1 WHERE key IN ('change', 'seen')"),
      definitions_(db_),
      known_(db_),
      marks_(db_),
      change_(db_.number("SELECT value FROM meta WHERE key = 'change'")) {
  const auto on_commit = [](void* context, sqlite3*, const char*, int pages) {
    auto* log = static_cast<Log*>(context);
    if (pages < log->pages) log->checkpoint_at = pages_due;  // it began again
    log->pages = pages;
    log->folded = false;
    return SQLITE_OK;
  };
  log_.checkpoint_at = pages_due;
  sqlite3_wal_hook(db_.handle(), on_commit, &log_);
  mark_opening();
  Statement names(db_, "SELECT id FROM name");  // jobs are among them
  Cursor name = names.start();
  while (name.step()) touched_jobs_.insert(name.number(0));
}

/// Rows that are written from here on are another process's than those before, or may be. What no definition is as old
/// as tells nothing any more.
void LedgerFile::mark_opening() {
  Transaction transaction(db_);
  if (!knows_all_writes(db_)) {  // an older ballot may have gone by others, and have recorded no pauses
    db_.run("DELETE FROM definition");
    db_.run("UPDATE meta SET value = (SELECT value FROM meta WHERE key = 'change') WHERE key = 'pauses'");
  }
  bring_marks_up_to_date();
  Statement(db_, "INSERT INTO opening VALUES (?1)").run(++change_);
  db_.run("DELETE FROM opening WHERE change < (SELECT min(renewed) FROM definition)");
  if (kept_marks_ == Marks::kept) {
    Statement(db_, "INSERT INTO opened VALUES (?1, randomblob(16))").run(change_);
    db_.run("DELETE FROM opened WHERE change < (SELECT change FROM opened ORDER BY change DESC LIMIT 1 OFFSET 999)");
  }
  save_change_.run(change_);
  transaction.commit();
}

void LedgerFile::bring_marks_up_to_date() {
  if (kept_marks_ == Marks::none) return db_.run("DELETE FROM mark; UPDATE meta SET value = -1 WHERE key = 'marks'");
  if (!has_all_marks(db_)) change_ = ChangeMarks::set_all(db_, change_);
}

void LedgerFile::begin_horizon(WallTime kept_since) { Statement(db_, raise_horizon).run(0, kept_since); }

void LedgerFile::mark(const MarkKey& key) {
  if (kept_marks_ == Marks::kept) marks_.set(key, ++change_);
}

void LedgerFile::write(std::span<const Record> records, Sync sync) {
  if (records.empty() && (sync == Sync::later || synced_)) return;
  if (sync == Sync::now) db_.run("PRAGMA synchronous = FULL");
  Transaction transaction(db_);
  if (BALLOT_FAILS("storage.write")) db_.fail(errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE);
  for (const Record& record : records) std::visit([this](const auto& value) { write(value); }, record);
  if (records.empty()) ++change_;  // SQLite writes no page that says the same, and syncs nothing where it writes none
  save_change_.run(change_);
  transaction.commit();
  if (sync == Sync::now) db_.run("PRAGMA synchronous = NORMAL");
  synced_ = sync == Sync::now;
}

void LedgerFile::write(const Row& row) {
  const std::int64_t job = id_of(row.job);
  upsert_row_.run(++change_, optional_id_blob(row.run), job, id_of(row.group), row.slot, row.slot_until, row.slots,
                  number(row.trigger), row.attempt, number_of("status", row.status), number_of("reason", row.reason),
                  row.exit_code, row.signal, row.started_at, row.ended_at, row.duration, id_of(row.node),
                  number(row.epoch), number(row.fence), row.output_bytes, number(row.leftover));
  touched_jobs_.insert(job);
}

void LedgerFile::write(const TermRow& term) {
  const std::int64_t group = id_of(term.group);
  upsert_term_.run(group, number(term.epoch), id_of(term.node), term.elected_at, term.ended_at, number(term.cause));
  mark({Marked::term, group, number(term.epoch)});
}

void LedgerFile::write(const OutputRecord& record) {
  const Output& output = record.output;
  if (output.total_bytes == 0) return;
  upsert_output_.run(id_blob(record.run), record.attempt, output.total_bytes, Blob{output.head}, Blob{output.tail});
  mark({Marked::output, record.attempt, 0, 0, id_blob(record.run)});
}

void LedgerFile::write(const EvidenceRow& evidence) {
  Row row = evidence.row;
  if (row.slot_until) leave_out_known(row);
  if (row.slots > 0 && !find_slot_.start(id_of(row.job), row.slot).step()) write(row);
}

void LedgerFile::write(const DefinedRow& defined) {
  const DefinitionRow& definition = defined.row;
  const auto id = definitions_.write(
      definition, {id_of(definition.job), id_of(definition.group), id_of(definition.node)}, ++change_);
  mark({Marked::definition, id});
}

void LedgerFile::write(const KnownRow& known) {
  if (known.of == KnownRow::Of::store)
    known_.write(known, 0, ++change_);
  else
    known_.write(known, id_of(known.name), change_);
}

void LedgerFile::write(const PauseRow& pause) {
  const std::int64_t job = pause.job.empty() ? 0 : id_of(pause.job), group = id_of(pause.group);
  upsert_pause_.run(job, group, pause.from, pause.until, id_of(pause.node), std::string_view(pause.by), change_);
  if (pause.ends || !pause.reason.empty())
    upsert_terms_.run(job, group, pause.from, pause.ends, std::string_view(pause.reason));
  else
    delete_terms_.run(job, group, pause.from);
  mark({Marked::pause, job, group, pause.from.time_since_epoch().count()});
}

void LedgerFile::write(const RequestRow& request) {
  insert_request_.run(id_blob(request.id), std::string_view(request.kind), request.job.empty() ? 0 : id_of(request.job),
                      request.group.empty() ? 0 : id_of(request.group), optional_id_blob(request.run),
                      id_of(request.node), request.at, std::string_view(request.by));
  if (!request.env.empty())
    Statement(db_, "INSERT OR REPLACE INTO trigger_env VALUES (?1, ?2)")
        .run(id_blob(request.id), std::string_view(request.env));
  mark({Marked::request, 0, 0, 0, id_blob(request.id)});
}

void LedgerFile::write(const AnswerRow& answer) {
  upsert_answer_.run(id_blob(answer.id), std::string_view(answer.result), std::string_view(answer.text), answer.at);
  mark({Marked::request, 0, 0, 0, id_blob(answer.id)});
}

/// Of a range the first slots may have rows of their own: the daemon was killed before the others were stored.
void LedgerFile::leave_out_known(Row& range) {
  Cursor known = find_range_.start(id_of(range.job), range.slot, range.slot_until);
  if (!known.step() || known.number(0) == 0) return;
  range.slots -= known.number(0);
  range.slot = known.time(1) + std::chrono::seconds(1);
  if (range.slots > 1) return;
  range.slot = *range.slot_until;
  range.slot_until.reset();
}

/// With the word of what this version does not know: whoever reads the file may.
template <class Enum>
int LedgerFile::number_of(std::string_view kind, const Named<Enum>& value) {
  if (!value.is_known()) insert_word_.run(kind, value.number(), value.text());
  return value.number();
}

std::int64_t LedgerFile::id_of(const std::string& name) {
  if (const auto known = names_.find(name); known != names_.end()) return known->second;
  std::int64_t id = 0;
  if (Cursor found = find_name_.start(std::string_view(name)); found.step()) id = found.number(0);
  if (id == 0) {
    insert_name_.run(std::string_view(name));
    id = sqlite3_last_insert_rowid(db_.handle());
  }
  if (names_.size() >= most_names) names_.clear();
  names_.emplace(name, id);
  return id;
}

void LedgerFile::release_memory() {
  names_ = {};
  sqlite3_db_release_memory(db_.handle());
}

void LedgerFile::checkpoint_if_due() {
  if (log_.pages < log_.checkpoint_at) return;
  checkpoint(log_.pages < pages_too_many ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE);
  log_.checkpoint_at = log_.pages + pages_due;
}

void LedgerFile::checkpoint() { checkpoint(SQLITE_CHECKPOINT_PASSIVE); }

void LedgerFile::checkpoint(int mode) {
  if (mode == SQLITE_CHECKPOINT_TRUNCATE) db_.wait_for_locks(truncate_wait);
  int in_log = 0, moved = 0;
  const int code = sqlite3_wal_checkpoint_v2(db_.handle(), nullptr, mode, &in_log, &moved);
  if (mode == SQLITE_CHECKPOINT_TRUNCATE) db_.wait_for_locks(lock_wait_);
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) db_.fail(code);
  if (code != SQLITE_OK || in_log != moved) return;
  log_.folded = synced_ = true;
}

}  // namespace ballot::storage
