// Retention: what is too old, too much of one job or beyond the size goes, in slices short enough to do between two
// groups of rows. Open rows stay, however old; so does what has not been sent on, but for the size. A run's output goes
// with its row.
//
// Thread: the writer's. Throws SqliteError.
//
//   Retention retention(file, {.keep = std::chrono::days(90)});
//   while (retention.slice(now)) write_what_came_meanwhile();
//
// A pass goes through the stages in order; a slice does a part of one:
// | stage | deletes | then |
// | --- | --- | --- |
// | age | rows whose slot and end lie before now - keep | terms |
// | terms | terms and definitions that ended before now - keep; output without a row of that time | runs |
// | runs | of each job touched since the last pass: what is older than its keep_runs_per_job newest runs | size |
// | size | oldest rows, while the file's used pages exceed max_size | vacuum |
// | vacuum | free pages, back to the file system | age: the pass has ended |
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "storage/ledger_file.hpp"

namespace ballot::storage {

struct Limits {
  Millis keep = std::chrono::days(90);
  std::int64_t keep_runs_per_job = 0;  // 0: all within keep
  std::int64_t max_size = 0;           // bytes; 0: no limit
};

class Retention {
 public:
  Retention(LedgerFile& file, Limits limits);

  /// At most 2,000 rows or 20 ms. True: the pass goes on; false: it has ended, the next call begins another.
  /// `sent`: changes after it wait to be sent on.
  bool slice(WallTime now, std::int64_t sent = all_sent);
  static constexpr std::int64_t all_sent = std::numeric_limits<std::int64_t>::max();

  /// Rows that had to go for the size, and had not been sent on.
  std::int64_t unsent_dropped() const { return unsent_dropped_; }

 private:
  enum class Stage { age, terms, runs, size, vacuum };

  bool work(WallTime cutoff);
  // Each: true once its stage has nothing left to do.
  bool age(WallTime cutoff);
  bool terms(WallTime cutoff);
  int remove_requests(WallTime cutoff);
  bool runs();
  bool size();
  bool vacuum();

  struct Doomed {
    std::int64_t id;
    std::string run;  // its bytes; empty: none
    std::int64_t attempt;
    WallTime last_slot;
    std::int64_t change;
  };

  std::optional<WallTime> oldest_slot_kept(std::int64_t job);
  /// Takes a cursor over id, run_id, attempt, last slot, change.
  static std::vector<Doomed> list(Cursor rows);
  /// Until `bytes` are free or the slice's time is over. True: all of them. `job`: whose they are; any_job.
  bool remove(const std::vector<Doomed>& doomed, std::int64_t bytes, std::int64_t job);
  std::int64_t used_bytes();

  LedgerFile& file_;
  Limits limits_;
  Stage stage_ = Stage::age;
  std::int64_t sent_ = all_sent, unsent_dropped_ = 0;
  std::set<std::int64_t> jobs_;  // still to be checked for keep_runs_per_job
  Statement older_, oldest_, older_of_job_, runs_of_job_, delete_row_, delete_output_, delete_terms_, delete_orphans_,
      delete_definitions_, delete_pauses_, delete_requests_, delete_answers_, raise_horizon_;
};

}  // namespace ballot::storage
