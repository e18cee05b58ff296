// LedgerView: all that can be asked of a node's history, or of the fleet's, whoever asks: commands, a control socket,
// an API. There is one implementation that reads, FileLedger; others only carry questions and answers, or merge those
// of several nodes, so that nothing is answered twice in two ways.
//
//   implementation          | where it is used
//   FileLedger              | in the daemon, on a thread beside its loop; in a command, where no daemon runs
//   FleetLedger             | in the daemon, on the same threads: a FileLedger and the other nodes' answers
//   RemoteLedger (app)      | in a command: asks the daemon over its control socket
//
// Errors: not_found (no such run or attempt), invalid (a run's suffix that is none), timeout (a question that took too
// long), refused, corrupt, io; of a RemoteLedger also unavailable.
// Thread: the one that uses it; calls block.
//
//   const auto page = ledger.history({.jobs = {"nightly-backup"}}, [](const Row& row) { ...; return true; });
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "audit/audit.hpp"
#include "ballot/error.hpp"
#include "ballot/history_rows.hpp"
#include "ballot/ledger.hpp"
#include "base/output_piece.hpp"
#include "base/runner_wire.hpp"
#include "library/history/usual_time.hpp"
#include "storage/reader.hpp"

namespace ballot::library {

/// A part of what an attempt has printed, and who has the rest.
struct ShownOutput {
  enum class Place {
    here,       // this node executes it, or keeps what it printed
    elsewhere,  // another node executes it, or did, and alone knows what it printed
    lost        // that node answers, and has it no more: nobody has
  };
  Place place = Place::here;
  std::string node;                    // that executes it, or did; "": not known yet
  OutputPiece piece;                   // from the byte that was asked for on, or from the next one that is kept
  std::int64_t total = 0;              // that it has printed by now
  bool ended = false;                  // no more will be printed
  std::optional<WallTime> as_of = {};  // it has printed so much then, and the node that executes it does not answer
};

/// What an audit has found: so many findings as are worth reading, and how many there are.
struct AuditResult {
  std::vector<audit::Finding> findings;
  std::int64_t finding_count = 0;
  std::vector<audit::Total> totals;
  std::vector<std::string> undefined;  // jobs with rows whose definition is not kept
  std::vector<audit::Departed> departed;
};

/// A node of the fleet that has not answered, or whose ledger takes no rows at present, so that what it alone knows is
/// not in an answer, or not all of it.
struct MissingNode {
  std::string node;
  std::optional<WallTime> last_heard;  // as far as the node that is asked knows
  std::string why;
  /// How: "answer" (its API answered then), "election" (it was seen in one then), "record" (what it published is from
  /// then, and it may have lived longer), "ledger" (it answers, but its ledger has taken no rows since then), "history"
  /// (its ledger was handed on to the fleet's history then, and newer rows may lack); "": not known.
  std::string heard_by = {};
};

/// The missing nodes and why each is missing, as part of a sentence; of many the first ones.
std::string text_of(const std::vector<MissingNode>& missing);

/// A pause that stands of a job, or of its group.
struct LedPause {
  bool is_of_group = false;
  std::optional<WallTime> since = {};
  std::string by = {};
  std::optional<WallTime> until = {};  // it ends by itself
  std::string reason = {};
};

/// Of a backfill that goes on: how many of its slots are begun, and are not.
struct BackfillPosition {
  std::int64_t begun = 0, left = 0;
  bool operator==(const BackfillPosition&) const = default;
};

inline constexpr std::size_t most_waiting = 10'000;  // slots of a job, in an answer

/// The state of a node's own instance of a job that its job files do not define, as that node says.
inline constexpr std::string_view not_defined = "not defined there";

/// The state of a job as the node that leads it has it.
struct LedState {
  std::string job, node, state;
  std::optional<WallTime> paused_at = {};  // the job or its group; none: it is not, or the time is not known
  std::string paused_by = {};
  bool is_of_store = false;                    // a register says it, and `node` is ""
  std::optional<WallTime> next = {};           // the slot that is to come, as the node that leads it has it
  std::string trouble = {};                    // why it is halted, or not defined
  std::vector<LedPause> pauses = {};           // all that stand
  bool is_running = false;                     // a run of it goes on, on whichever node
  std::optional<WallTime> overdue_since = {};  // no run has succeeded in time, as was noticed then;
  bool is_slow = false;                        // a run goes on for longer than expected
  std::optional<BackfillPosition> backfill = {};
  std::vector<WallTime> waiting = {};  // its slots that are due and wait for their turn, where it alone is asked for,
  std::vector<Row> in_question = {};   // and its open runs of which its leader does not know whether they go on
};

/// As a row is shown, where `is_evidence` says that the store alone shows it. A slot that a run had claimed, and of
/// whose run the register says nothing any more, has `ended`: the status that it ended with its node's ledger has.
Row as_shown(Row row, bool is_evidence);

/// Of the row.
RowKey key_of(const Row& row);

class LedgerView {
 public:
  /// Called for each row; false: no more.
  using VisitRow = std::function<bool(const Row&)>;
  using VisitRequest = std::function<bool(const RequestRow&)>;
  using VisitPlacedRow = storage::VisitPlacedRow;

  LedgerView() = default;
  LedgerView(const LedgerView&) = delete;
  LedgerView& operator=(const LedgerView&) = delete;
  virtual ~LedgerView() = default;

  /// A daemon answers, so open rows are of runs that go on as far as it knows.
  virtual bool is_live() const = 0;

  /// Rows by slot, then attempt, newest first, each with where it stands. Where the next page begins; nullopt: no row
  /// is left.
  virtual Result<std::optional<storage::Position>> walk(const storage::Filter& filter, const VisitPlacedRow& visit) = 0;
  /// The same; nullopt also where `visit` has ended it.
  Result<std::optional<storage::Position>> history(const storage::Filter& filter, const VisitRow& visit) {
    bool goes_on = true;
    auto next = walk(filter, [&](const Row& row, const storage::Position&) { return goes_on = visit(row); });
    if (next && !goes_on) next = std::optional<storage::Position>();
    return next;
  }
  /// Of each of the filter's jobs as many of the newest rows as its limit says, newest first; those of several jobs may
  /// come in any order. `after` does not count. Requires: a limit, a thousand at most.
  virtual Result<void> newest_rows(storage::Filter filter, const VisitPlacedRow& visit);
  /// How long runs of each of these jobs take as a rule, in their order.
  virtual Result<std::vector<UsualTime>> usual_times(const std::vector<std::string>& jobs, WallTime now);
  /// As history() of all rows, in which runs of which no row is in question may be counted by job and `per` instead:
  /// then the filter's limit is of these counts.
  using VisitCount = std::function<bool(const RunCount&)>;
  virtual Result<void> summary(storage::Filter filter, CountPer per, const VisitRow& visit, const VisitCount& count) {
    (void)per, (void)count;
    filter.limit = std::nullopt;
    const auto read = history(filter, visit);
    return read ? Result<void>() : read.error();
  }
  /// The rows that there are of these attempts, and of slots, with a run or without: also of a row of more slots that
  /// has one of them. At most a hundred of one key.
  virtual Result<std::vector<Row>> rows_of(const std::vector<RowKey>& keys) = 0;
  /// Of each job that has a row the newest slot's last attempt, in the jobs' order.
  virtual Result<std::vector<Row>> last_rows(const std::vector<std::string>& jobs) = 0;
  /// Grows with each row that is written or replaced, until the ledger is begun anew.
  virtual Result<std::int64_t> sequence() = 0;
  /// The rows written or replaced after `since`, in that order. The sequence to ask from next time.
  virtual Result<std::int64_t> changes(const storage::Filter& filter, std::int64_t since, const VisitRow& visit) = 0;
  /// What became of a slot: its rows, last attempt first, or the row of many slots that has it among them.
  virtual Result<std::vector<Row>> at(const std::string& job, WallTime slot) = 0;
  /// Status and reason of each job's newest row, in the jobs' order, as `jobs` shows them; "": a job has no row.
  virtual Result<std::vector<std::string>> last_statuses(const std::vector<std::string>& jobs) = 0;

  /// What was said of jobs' states by nodes that lead them, by whoever was asked for last_statuses(): no ledger has it.
  virtual std::vector<LedState> states() const { return {}; }
  /// The groups that the node leads which is asked for evidence(): its registers are known to it.
  virtual std::vector<std::string> leads() const { return {}; }

  /// What people asked, newest first. Where the next page begins; nullopt: no row is left, or `visit` has ended it.
  virtual Result<std::optional<storage::RequestPosition>> requests(const storage::RequestFilter& filter,
                                                                   const VisitRequest& visit) = 0;

  /// Rows of definitions that began, newest first. Where the next page begins; nullopt: no row is left.
  /// Which began when of those of several ledgers: see fleet_definitions.hpp.
  virtual Result<std::optional<storage::DefinitionPosition>> definitions(const storage::DefinitionFilter& filter,
                                                                         const storage::VisitDefinition& visit) = 0;

  /// Runs whose id ends with `suffix`: one, none, or the candidates.
  virtual Result<std::vector<RunId>> find_run(const std::string& suffix) = 0;
  /// What an attempt has printed from a byte on, also while it goes on.
  virtual Result<ShownOutput> output(const runner::AttemptId& attempt, std::int64_t from) = 0;

  /// Terms of a group, newest first.
  virtual Result<std::vector<TermRow>> terms(const std::string& group) = 0;
  /// Terms of all groups that went on from `since` on, those that began last first; so many at most.
  virtual Result<std::vector<TermRow>> terms_since(WallTime since, std::int64_t most) = 0;
  /// The names of instances of a job or a group, NAME@NODE.
  virtual Result<std::vector<std::string>> instances_of(const std::string& name) = 0;
  virtual Result<bool> knows_job(const std::string& name) = 0;
  virtual Result<bool> knows_group(const std::string& name) = 0;
  /// Rows of slots of the job before may have been deleted, as they were too old or too many; none: all rows are there.
  virtual Result<std::optional<WallTime>> kept_since(const std::string& job) = 0;
  /// Jobs with rows or definitions of these groups.
  virtual Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups) = 0;
  /// The ledger against the schedule computed anew, of these jobs; none: of all.
  virtual Result<AuditResult> audit(const std::vector<std::string>& jobs, const audit::Scope& scope) = 0;

  /// What the store shows of runs, as far as the node that is asked has read it: rows that no ledger need have.
  virtual Result<std::vector<Row>> evidence() { return std::vector<Row>(); }
  /// The pauses of what the node leads which is asked for evidence(), as the requests for them: see
  /// standing_pauses.hpp.
  virtual std::vector<RequestRow> pauses() const { return {}; }
  /// A row of a call before is evidence of the store, and no ledger's.
  virtual bool is_evidence(const Row& row) const { return (void)row, false; }
  /// Jobs whose last status, as last_statuses() has named it, is evidence of the store, and no ledger's.
  virtual std::set<std::string> known_by_store() const { return {}; }
  /// The names of nodes that whoever is asked knows without any ledger: its own, and those of its fleet. Errors: also
  /// invalid (a daemon of before this question).
  virtual Result<std::vector<std::string>> nodes() = 0;
  /// The nodes whose answers the calls so far lack.
  virtual std::vector<MissingNode> missing() const { return {}; }
  /// Of a history that ledgers are handed on to: up to when the rows of all nodes are there that are not missing.
  virtual std::optional<WallTime> as_of() const { return std::nullopt; }
  /// Why such a history has not answered, so that the nodes were asked; "": it has, or there is none.
  virtual std::string history_failure() const { return {}; }
  /// Why these are one ledger's answers where the fleet's were wanted; "": they are what was wanted.
  virtual std::string why_alone() const { return {}; }
  /// From now on only that node is asked, where more are: it alone has what is wanted.
  virtual void narrow(const std::string& node) { (void)node; }
  /// The calls are answered for the whole fleet, but for the missing nodes.
  virtual bool is_of_fleet() const { return false; }
};

/// Nobody who answers has it: not_found. While nodes are missing they alone know whether there is such a thing, and are
/// named: unavailable. `guess`: the end of the text.
Error not_known(const std::vector<MissingNode>& missing, std::string what, const std::string& guess = "");
inline Error not_known(const LedgerView& ledger, std::string what, const std::string& guess = "") {
  return not_known(ledger.missing(), std::move(what), guess);
}

/// Each of these must be a node of the fleet, or have rows or requests in a ledger: a name that is mistyped is not
/// shown as a node that did nothing. Errors: as not_known(), with the nearest name.
Result<void> require_nodes(LedgerView& ledger, const std::vector<std::string>& names);

/// The row of the last known attempt of a run that has begun, or of the attempt that is asked for; where none has
/// begun, of the one that waits. Errors: as not_known().
Result<Row> attempt_row(LedgerView& ledger, const RunId& run, const std::optional<std::int64_t>& attempt);

}  // namespace ballot::library
