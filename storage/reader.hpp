// Reader: the ledger as commands read it, in the daemon and beside it: read-only, from the file alone, also when its
// writer was killed and left a write-ahead log behind. Rows that wait in a spool are not seen. Knows nothing of names
// that are loaded but never ran: it answers for the ledger only.
//
// Each call reads in transactions of at most a thousand rows, which end before what was read is handed out: a slow
// caller does not delay the writer's checkpoints.
//
// Errors: not_found (no file, no such run), refused (newer or foreign file, no permission), corrupt, io.
// Thread: the one that uses it.
//
//   Result<Reader> reader = Reader::open("/var/lib/ballot/history.db");
//   reader->history({.jobs = {"nightly-backup"}, .statuses = {Status::failed}}, [](const Row& row) { ...; return true;
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/history_rows.hpp"
#include "ballot/ledger.hpp"
#include "storage/definition_query.hpp"
#include "storage/filter.hpp"
#include "storage/request_query.hpp"

namespace ballot::storage {

/// Called for each row; false: no more.
using VisitRow = std::function<bool(const Row&)>;

/// The same, with where the row stands: the next page may begin after it.
using VisitPlacedRow = std::function<bool(const Row&, const Position&)>;

/// Status and reason of a row; "": there is no row, or no reason.
using LastWords = std::vector<std::pair<std::string, std::string>>;

/// What an audit is to know beside the rows.
struct LedgerBasics {
  struct Definition : NumberedDefinition {
    std::optional<std::int64_t> sealed{};  // the change at which the daemon began that came after the last of its terms
  };
  std::vector<Definition> definitions;  // in the order in which they were written
  std::vector<TermRow> terms;
  std::vector<PauseRow> pauses;              // by job and group, in their order
  std::optional<std::int64_t> pauses_since;  // the change since which all of them are there; none: that is not known
  WallTime kept_since{};                     // rows of slots before may have been deleted,
  std::vector<std::pair<std::string, WallTime>> jobs_kept;  // or of these jobs
};
using VisitBasics = std::function<void(LedgerBasics)>;
using VisitNumberedRow = std::function<void(const Row&, std::int64_t change)>;

class Reader {
 public:
  /// `goes_on`: asked often during each call; false ends that with the error io.
  static Result<Reader> open(const std::string& path, std::function<bool()> goes_on = {});

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// Rows by slot, then attempt, newest first. Where the next page begins, or nullopt when no row is left.
  Result<std::optional<Position>> history(const Filter& filter, const VisitRow& visit);
  Result<std::optional<Position>> walk(const Filter& filter, const VisitPlacedRow& visit);

  /// Of each of the filter's jobs, one after the other, as many of the newest rows as its limit says: by one statement
  /// for all of them. `after` does not count.
  Result<void> newest(const Filter& filter, const VisitPlacedRow& visit);
  /// The rows of each of these attempts, and of each of these slots, or else the row of more slots that has the first
  /// of them: by one statement for all attempts, and one for all slots. `most`: of the rows of one key.
  Result<void> rows_of(const std::vector<RowKey>& keys, std::int64_t most, const VisitRow& visit);

  /// Grows with every row that is written or replaced, until the file is set aside as corrupt: then it begins again.
  Result<std::int64_t> sequence();
  /// For `--follow`: the matching rows written or replaced after `since`, in that order (`after`, `limit` do not
  /// count). The sequence to ask from next time; if `since` is beyond sequence(), this is another file: ask from 0.
  Result<std::int64_t> changes(const Filter& filter, std::int64_t since, const VisitRow& visit);

  /// What people asked, newest first. Where the next page begins, or nullopt when no row is left.
  Result<std::optional<RequestPosition>> requests(const RequestFilter& filter, const VisitRequest& visit);

  /// Definitions that began, newest first. Where the next page begins, or nullopt when no row is left.
  Result<std::optional<DefinitionPosition>> definitions(const DefinitionFilter& filter, const VisitDefinition& visit);

  /// All of the ledger as it is at one moment, of these jobs (none: of all): what is beside the rows, then these by
  /// slot and attempt. One transaction: what it calls is to be quick.
  Result<void> scan(const std::vector<std::string>& jobs, const VisitBasics& begin, const VisitNumberedRow& visit);
  /// Jobs with rows or definitions of these groups.
  Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups);

  /// Copies all of it to a new file: how large that is. The errors name the file.
  Result<std::int64_t> back_up(const std::string& path);

  /// The row of a job with the newest slot, and of that its last attempt.
  Result<std::optional<Row>> last(std::string_view job);
  /// Status and reason of the same row of each job, in the order of the names; both "" where a job has no row.
  Result<LastWords> last_words(const std::vector<std::string>& jobs);
  /// What became of a slot: its rows, last attempt first, or the row of many slots that has it among them.
  Result<std::vector<Row>> at(std::string_view job, WallTime slot);
  /// Rows that are queued, claimed or running.
  Result<std::vector<Row>> open_rows();

  /// The runs whose id ends with `suffix`: one, none, or the candidates (at most ten). Dashes and case do not count.
  /// Error `invalid` for what has fewer than six digits or is no hexadecimal number.
  Result<std::vector<RunId>> find_run(std::string_view suffix);
  /// What an attempt printed (the last attempt without one); empty if it printed nothing.
  Result<Output> output(const RunId& run, std::optional<int> attempt = std::nullopt);

  /// Terms of a group, newest first.
  Result<std::vector<TermRow>> terms(std::string_view group, std::int64_t limit = 50);
  /// Of all groups those that went on from `since` on, those that began last first.
  Result<std::vector<TermRow>> terms_since(WallTime since, std::int64_t limit);

  /// The names of instances of a job or a group, NAME@NODE, that it has.
  Result<std::vector<std::string>> instances_of(const std::string& name);
  /// Whether the ledger has a row of that job; a row or a term of that group.
  Result<bool> knows_job(std::string_view name);
  Result<bool> knows_group(std::string_view name);
  /// Retention has deleted rows of slots before, and may have deleted some of that job; none: it has not.
  Result<std::optional<WallTime>> kept_since(std::string_view job);

 private:
  class Session;
  explicit Reader(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

}  // namespace ballot::storage
