/// \file
/// What a fleet's history is made of: what nodes' ledgers hand on, each change that they have recorded with its number,
/// and what is read of it. Plain values, any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ballot/ledger.hpp"

namespace ballot {

// ---- what ledgers hand on

/// A row, and what its ledger calls it.
struct LedgerRow {
  Row row;              ///< as it was recorded
  std::int64_t id = 0;  ///< unique in its ledger, and never changed
};

/// What an attempt printed, keyed by (run, attempt).
struct OutputRow {
  RunId run;      ///< of the attempt
  int attempt{};  ///< from 1 on
  Output output;  ///< what is kept of it
};

/// A definition that terms of a node went by, one after the other; keyed by (ledger, written).
struct KeptDefinition {
  DefinitionRow row;              ///< as the last of these terms went by it
  std::uint64_t first_epoch = 0;  ///< of the first of these terms
  std::int64_t written = 0;       ///< the change by which it was recorded: rows up to it were written before
  std::int64_t renewed = 0;       ///< the change at which the last of these terms began
};

/// Something that a ledger has recorded, as it is now: a later change of the same key replaces an earlier one. Keys are
/// those of the rows, within their ledger.
struct LedgerChange {
  std::int64_t number = 0;  ///< grows from change to change of a ledger; numbers may be left out
  std::variant<LedgerRow, TermRow, KeptDefinition, PauseRow, RequestRow, OutputRow> what;  ///< by its own key
};

/// Changes of one ledger, in their order.
struct LedgerBatch {
  RunId ledger;                         ///< its identity: of one file, for as long as that is gone on with
  std::string node;                     ///< whose ledger it is
  RunId opening;                        ///< of the file, by the daemon that hands it on: another one each time
  std::int64_t newest = 0;              ///< the ledger's last change when they were read
  std::int64_t after = 0;               ///< the number of the last change before them
  std::int64_t last = 0;                ///< with them all is there up to this number
  std::vector<LedgerChange> changes;    ///< none: nothing that is still there has a number in between
  std::vector<OutputRow> partial = {};  ///< what attempts that go on have printed so far; no changes of the ledger
};

/// How much of a ledger a history has.
struct LedgerLine {
  RunId ledger;             ///< its identity
  std::string node;         ///< whose ledger it is
  RunId opening;            ///< of the batch that was put last; none was: nil
  std::int64_t newest = 0;  ///< of that batch
  std::int64_t change = 0;  ///< all up to this one is there; 0: nothing
  WallTime stored_at{};     ///< by the history's clock, when a batch of the ledger was put last, changes or none
};

// ---- what is asked for

/// Where a page of rows ended; the next one begins after it. The id means something to one ledger only; a position in
/// the rows of several nodes says of which one.
struct HistoryPosition {
  WallTime slot{};          ///< of the row
  int attempt = 0;          ///< of the row
  std::int64_t id = 0;      ///< of the row, in its ledger
  std::string ledger = {};  ///< the node whose ledger it is; "": of the ledger that was asked
  bool operator==(const HistoryPosition&) const = default;  ///< in all of it
};

/// Which rows are wanted. Empty lists and absent values mean any.
struct HistoryFilter {
  std::vector<std::string> jobs = {};         ///< names
  std::vector<std::string> groups = {};       ///< names
  std::vector<std::string> nodes = {};        ///< that the rows name
  std::vector<Status> statuses = {};          ///< as rows have them
  std::vector<Reason> reasons = {};           ///< as rows have them
  std::optional<RunId> run = {};              ///< its attempts
  std::optional<WallTime> since = {};         ///< inclusive, on the slot
  std::optional<WallTime> until = {};         ///< exclusive, on the slot
  std::optional<HistoryPosition> after = {};  ///< where the page before ended
  std::optional<std::int64_t> limit = 50;     ///< nullopt: all
};

/// Where a page of requests ended; it means the same to every ledger.
struct RequestPosition {
  WallTime at{};  ///< of the request
  RunId id;       ///< of the request
};

/// Which requests are wanted. Empty lists and absent values mean any.
struct RequestFilter {
  std::vector<std::string> jobs = {};         ///< requests of these jobs, and of their groups
  std::vector<std::string> groups = {};       ///< requests of these groups, and of their jobs
  std::vector<std::string> nodes = {};        ///< that took them up
  std::vector<std::string> kinds = {};        ///< "trigger", "kill", ...
  std::string by = {};                        ///< whole words of who asked: "uid 1000", "token ci", "host-2"
  std::optional<RunId> run = {};              ///< that it made, killed or closed
  std::optional<WallTime> since = {};         ///< inclusive, on when it was taken up
  std::optional<WallTime> until = {};         ///< exclusive
  std::optional<RequestPosition> after = {};  ///< where the page before ended
  std::optional<std::int64_t> limit = 50;     ///< nullopt: all
};

/// An attempt of a run, or slots of a job, whatever has become of them.
struct RowKey {
  std::optional<RunId> run = {};                    ///< none: slots
  int attempt = 0;                                  ///< of the run
  std::string job = {};                             ///< of slots
  WallTime slot{};                                  ///< the first of the slots
  WallTime until{};                                 ///< and the last
  auto operator<=>(const RowKey&) const = default;  ///< in all of it
};

// ---- what is read

/// A row as one ledger has recorded it.
struct KeptRow {
  Row row;                  ///< with whom people are named that asked
  std::string ledger;       ///< the node whose ledger it is
  std::int64_t id = 0;      ///< as LedgerRow
  std::int64_t change = 0;  ///< of that ledger, by which it was recorded last
};

/// What an attempt has printed.
struct StoredOutput {
  Output output;            ///< what is kept of it
  std::string ledger;       ///< the node that has put it
  bool is_partial = false;  ///< the attempt went on
  WallTime stored_at{};     ///< by the history's clock
};

/// Of which slots runs are counted together, in UTC.
enum class CountPer {
  hour,
  day,
  all  ///< slots that are asked for
};

/// Where the hour or the day of a slot begins; of all slots: 1970.
inline WallTime begin_of(CountPer per, WallTime slot) {
  if (per == CountPer::hour) return std::chrono::floor<std::chrono::hours>(slot);
  return per == CountPer::day ? std::chrono::floor<std::chrono::days>(slot) : WallTime();
}

/// How runs of a job have ended, of the slots of an hour, a day or all.
struct RunCount {
  WallTime from{};                                    ///< begin_of() their slots
  std::string job;                                    ///< its name
  Status status = Status::succeeded;                  ///< of the attempts
  Reason reason = Reason::none;                       ///< of the attempts
  std::int64_t runs = 0;                              ///< whose last attempt ended so
  std::int64_t attempts = 0;                          ///< that ended so
  auto operator<=>(const RunCount&) const = default;  ///< in all of it
};

/// What History::counts() has counted.
struct RunCounts {
  std::vector<RunCount> counts;            ///< in no order
  std::optional<std::vector<RunId>> left;  ///< runs that are not among them; none: all but those that succeeded at once
};

}  // namespace ballot
