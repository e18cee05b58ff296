/// \file
/// History: what a plugin of the kind `history` does for ballot. It keeps what nodes' ledgers hand on, so that a
/// fleet's history outlives its nodes, and answers for all of them. Nothing that it keeps or says decides what runs.
///
/// It has a copy of each ledger that is handed on to it: rows of the same attempt by two ledgers are two rows. Which
/// one counts is ballot's to say (storage/merge): a plugin merges nothing.
///
/// Threads: an object is used by one thread at a time, and its calls block. Each call ends within the time that the
/// plugin's settings allow, and soon after `goes_on` has said false; none throws. An object has a connection of its own
/// at most, makes it when it is needed and again after it was lost: a call that fails leaves it fit for the next.
///
/// Errors of all calls: unavailable (nobody answers, or it cannot take more at present: it comes back by itself),
/// timeout (the same, and whether it was done is not known), denied (it does not let this user), refused (its tables
/// are missing, or of a newer ballot; the text says what to do), io (its disk is full, or it only reads), corrupt.
///
/// One use, by who sends:
/// \code
///   auto line = history->line_of(ledger, "host-1");    ... {change 41}: what a batch goes on after
///   history->put({.ledger = ledger, .node = "host-1", .after = 41, .last = 57, .changes = ...});
/// \endcode
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/history_rows.hpp"
#include "ballot/options.hpp"

namespace ballot {

/// What an object is made for: a plugin may go to another place to read, and migrate as another user.
enum class HistoryUse {
  send,    ///< line_of() and put()
  read,    ///< all that only reads
  migrate  ///< migrate()
};

/// What a history is made with.
struct HistorySettings {
  Options options;                    ///< its table [NAME], of which check_table() has found nothing wrong
  std::string state_dir;              ///< of the daemon: where relative paths lie
  HistoryUse use = HistoryUse::read;  ///< of the object
};

/// What became of a batch.
struct PutResult {
  std::int64_t too_old = 0;  ///< of its changes, how many were left out, as what is kept begins after them
};

/// One history: see above.
class History {
 public:
  virtual ~History() = default;

  /// Asked often during each call, from the same thread; false ends it with `unavailable`. Replaces the one before.
  virtual void set_goes_on(std::function<bool()> goes_on) noexcept = 0;

  // ---- sending

  /// What is there of a ledger: a ledger that is not known is made known, with change 0.
  virtual Result<LedgerLine> line_of(const RunId& ledger, const std::string& node) noexcept = 0;

  /// Keeps all of a batch and its line, or nothing. Errors: conflict: the ledger's line is not at `after`, so nothing
  /// was kept: line_of() says where it is. After any other error either may be so, and line_of() tells.
  virtual Result<PutResult> put(const LedgerBatch& batch) noexcept = 0;

  // ---- reading

  /// All ledgers that were ever put and are not forgotten, by node.
  virtual Result<std::vector<LedgerLine>> ledgers() noexcept = 0;

  /// Rows of all ledgers: newest slot first, then the last attempt, then by the ledger's node, then the highest id;
  /// those after HistoryFilter::after in that order. Requires: a limit of 1 to 10,000.
  virtual Result<std::vector<KeptRow>> rows(const HistoryFilter& filter) noexcept = 0;

  /// All ledgers' rows of these attempts; and of slots of a job every row, with a run or without, also rows of more
  /// slots that have the first of these among them. In no order; at most a hundred of one key. Requires: at most 1,000
  /// keys.
  virtual Result<std::vector<KeptRow>> rows_of(const std::vector<RowKey>& keys) noexcept = 0;

  /// Of each job that has rows all ledgers' rows of its newest slot. In no order. Requires: at most 1,000 jobs.
  virtual Result<std::vector<KeptRow>> last_rows(const std::vector<std::string>& jobs) noexcept = 0;

  /// How runs have ended, by job and `per`, of the rows that the filter asks for, as far as no other row can count:
  /// - runs that succeeded at once: first attempts that have `succeeded`, in the ledger of the node that they name; of
  /// a
  ///   run that several ledgers of that node have, one;
  /// - of the others, unless the filter has nodes, statuses or reasons, and as far as the history counts them at all,
  ///   those with one row of each attempt, from the first on, that has ended, is not lost, and is in the ledger of the
  ///   node that it names, which has no other ledger. Those of `but` are not among them.
  /// No more counts than the filter's limit, so that who asks for one more than he takes sees that there are too many.
  /// The filter's `run` and `after` do not count.
  virtual Result<RunCounts> counts(const HistoryFilter& filter, CountPer per,
                                   const std::vector<RunId>& but) noexcept = 0;

  /// As rows(), but for those that counts() has counted, with `left` as it says.
  virtual Result<std::vector<KeptRow>> rows_left(const HistoryFilter& filter,
                                                 const std::optional<std::vector<RunId>>& left) noexcept = 0;

  /// What people asked, newest first, each once. Requires: a limit of 1 to 10,000.
  virtual Result<std::vector<RequestRow>> requests(const RequestFilter& filter) noexcept = 0;

  /// Runs whose id's hexadecimal digits end with these, at least 6 of them: at most ten.
  virtual Result<std::vector<RunId>> find_run(const std::string& digits) noexcept = 0;

  /// What an attempt has printed, as the node that executes it has put it; none: nothing is kept.
  virtual Result<std::optional<StoredOutput>> output(const RunId& run, int attempt) noexcept = 0;

  /// Terms of a group, newest first; of one that several ledgers have, what the ledger of its node has.
  virtual Result<std::vector<TermRow>> terms(const std::string& group, std::int64_t limit) noexcept = 0;

  /// Which of these names are of jobs, or of groups, that have rows, terms or definitions.
  ///@{
  virtual Result<std::vector<std::string>> known_jobs(const std::vector<std::string>& names) noexcept = 0;
  virtual Result<std::vector<std::string>> known_groups(const std::vector<std::string>& names) noexcept = 0;
  ///@}
  /// The names of instances of a job or a group: its name, an at sign, a node.
  virtual Result<std::vector<std::string>> instances_of(const std::string& name) noexcept = 0;
  /// Jobs with rows or definitions of these groups.
  virtual Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups) noexcept = 0;

  /// What is kept of one ledger, as it handed it on: the changes after one, at most so many. `last` is the ledger's
  /// line where that is all. `partial` is empty. Errors: not_found (no such ledger).
  virtual Result<LedgerBatch> changes(const RunId& ledger, std::int64_t after, std::int64_t most) noexcept = 0;

  // ---- making it

  /// Makes what is missing of its tables, or brings them up to this version; what it did, a line each.
  virtual Result<std::vector<std::string>> migrate() noexcept = 0;
};

}  // namespace ballot
