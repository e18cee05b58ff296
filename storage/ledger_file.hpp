// LedgerFile: the open ledger as its one writer has it: records go in by their keys, the write-ahead log is kept small.
// Knows nothing of queues, spools and retries. Everything throws SqliteError; after one, throw the object away.
//
// Thread: the writer's.
//
//   LedgerFile file("/var/lib/ballot/history.db", std::chrono::seconds(5));
//   file.write(records, Sync::now);
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "storage/change_marks.hpp"
#include "storage/database.hpp"
#include "storage/definition_table.hpp"
#include "storage/known_tables.hpp"
#include "storage/record.hpp"
#include "storage/statement.hpp"

namespace ballot::storage {

enum class Sync {
  later,  // survives the end of the process; the disk has it after the next checkpoint
  now     // on the disk, with everything written before, when the call returns
};

/// Rows of slots of a job (0: of any) before an instant may be missing.
inline constexpr std::string_view raise_horizon =
    "INSERT INTO horizon VALUES (?1, ?2)"
    " ON CONFLICT (job_id) DO UPDATE SET kept_since = max(kept_since, excluded.kept_since)";

/// Whether it is marked when each thing was recorded last: see ChangeMarks.
enum class Marks { none, kept };

class LedgerFile {
 public:
  LedgerFile(const std::string& path, Millis lock_wait, Marks marks = Marks::none);
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;

  /// Rows of slots before may be missing, of any job: this file is another one than they were written to.
  void begin_horizon(WallTime kept_since);

  /// One transaction: all of them or none.
  void write(std::span<const Record> records, Sync sync);

  /// Moves the write-ahead log into the database if it has grown; a reader in the way is left alone.
  void checkpoint_if_due();
  /// The same at any size, for a quiet moment.
  void checkpoint();
  /// Gives the memory of its caches back: what is needed again is read again.
  void release_memory();
  /// Leaves one file without a log once the object is gone. For an orderly end.
  void fold() { db_.on_close(WalOnClose::is_folded_in); }
  /// False once everything written is in the database itself.
  bool has_wal() const noexcept { return !log_.folded; }

  /// The jobs (their ids) that got rows since the last call.
  std::set<std::int64_t> take_touched_jobs() { return std::exchange(touched_jobs_, {}); }

  Database& database() noexcept { return db_; }

 private:
  /// The write-ahead log, as SQLite reports it after each commit.
  struct Log {
    int pages = 0;
    int checkpoint_at = 0;
    bool folded = false;
  };

  void write(const Row& row);
  void write(const TermRow& term);
  void write(const OutputRecord& record);
  void write(const EvidenceRow& evidence);
  void write(const DefinedRow& defined);
  void write(const KnownRow& known);
  void write(const PauseRow& pause);
  void write(const RequestRow& request);
  void write(const AnswerRow& answer);
  void mark_opening();
  void bring_marks_up_to_date();
  void mark(const MarkKey& key);
  void leave_out_known(Row& range);
  std::int64_t id_of(const std::string& name);
  template <class Enum>
  int number_of(std::string_view kind, const Named<Enum>& value);
  void checkpoint(int mode);

  Millis lock_wait_;
  const Marks kept_marks_;
  Database db_;
  Statement find_name_, insert_name_, insert_word_, find_slot_, find_range_, upsert_row_, upsert_term_, upsert_pause_,
      upsert_terms_, delete_terms_, insert_request_, upsert_answer_, upsert_output_, save_change_;
  DefinitionTable definitions_;
  KnownTables known_;
  ChangeMarks marks_;
  std::unordered_map<std::string, std::int64_t> names_;
  std::set<std::int64_t> touched_jobs_;
  std::int64_t change_;
  Log log_;
  bool synced_ = false;
};

}  // namespace ballot::storage
