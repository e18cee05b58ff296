// SimLedger: one node's ledger with the durability of the real one. A record is first in the daemon's memory; a commit
// takes what is there, all or nothing, and takes its time. A crash loses what was not committed.
//
//   ledger.record(row); ledger.flush([] { ... durable ... });
//   ledger.slowest = 20s;      // a disk under load
//   ledger.crash();            // what is not durable is in lost()
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "audit/audit.hpp"
#include "ballot/ledger.hpp"
#include "support/judge/merged_ledger.hpp"
#include "support/sim/sim_loop.hpp"

namespace ballot {

class SimLedger {
 public:
  SimLedger(SimLoop& loop, std::string node) : loop_(loop), node_(std::move(node)), owner_(loop.new_owner()) {}
  ~SimLedger() { loop_.drop(owner_); }
  SimLedger(const SimLedger&) = delete;
  SimLedger& operator=(const SimLedger&) = delete;

  const std::string& node() const { return node_; }
  Millis slowest{5};    // a commit takes up to this
  bool frozen = false;  // its process is stopped

  void record(Row row) {
    push([row = std::move(row)](SimLedger& to) { to.put(row); }, row);
  }
  /// Only where nothing is known of the slot; of a range, what follows the slots that are known.
  void record_if_absent(Row row);
  /// `clock_is_ahead_by`: of its node. That a daemon left a term by a clock that was ahead shows in no ledger where the
  /// clock was set back before the next one: audited() does not go by the end of such a term.
  void record(TermRow term, Millis clock_is_ahead_by);
  void record(DefinitionRow definition);
  void record(KnownRow known);
  void record(PauseRow pause);
  void record(RequestRow request);
  void record(AnswerRow answer);
  void flush(std::function<void()> done);
  void crash();
  /// The disk is another one.
  void wipe() { crash(), runs_.clear(), slots_.clear(), known_.clear(); }

  /// What is durable.
  std::vector<Row> rows() const;
  std::vector<TermRow> terms() const;
  /// In the order in which it was written.
  const std::vector<KnownRow>& known() const { return known_; }
  /// With what came of them.
  const std::vector<RequestRow>& requests() const { return requests_; }
  /// What an audit finds in what is durable, but for one row: "", or the first thing.
  std::string audited(const Row* without = nullptr) const;
  const Row* row(const std::string& job, WallTime slot) const;
  const Row* row(const RunId& run, int attempt) const;
  /// Durable or on the way there.
  bool was_given(const RunId& run, int attempt) const;
  /// Of the job, in their order.
  const std::vector<audit::InForce>& definitions(const std::string& job) { return definitions_[job]; }
  /// When the last commit began, and when it is done.
  SteadyTime busy_since() const { return busy_since_; }
  SteadyTime busy_until() const { return busy_until_; }
  /// Rows without a run that a crash took.
  const std::vector<Row>& lost() const { return lost_; }

 private:
  struct Record {
    std::function<void(SimLedger&)> apply;
    Row row;  // empty where it is none
    bool is_awaited = true;
  };

  void push(std::function<void(SimLedger&)> apply, const Row& row);
  void put(const Row& row);
  void leave_out_known(Row& range) const;
  void begin_commit();
  void commit();

  SimLoop& loop_;
  const std::string node_;
  const SimLoop::Owner owner_;
  std::deque<Record> memory_;
  SteadyTime busy_since_{}, busy_until_{};
  std::size_t committing_ = 0;  // how many of them the commit under way takes
  std::vector<Row> lost_;
  std::map<std::pair<RunId, int>, Row> runs_;
  std::map<std::pair<std::string, WallTime>, Row> slots_;
  std::map<std::pair<std::string, std::uint64_t>, TermRow> terms_;
  std::set<std::pair<std::string, std::uint64_t>> ended_ahead_;
  std::vector<KnownRow> known_;
  std::vector<RequestRow> requests_;
  std::int64_t change_ = 0;
  std::map<std::pair<RunId, int>, std::int64_t> run_changes_;
  std::map<std::pair<std::string, WallTime>, std::int64_t> slot_changes_;
  std::map<std::string, std::vector<audit::InForce>> definitions_;             // by job
  std::map<std::tuple<std::string, std::string, WallTime>, PauseRow> pauses_;  // by job, group, beginning
};

/// What is durable of several nodes, merged by the rules of the semantics.
testing::MergedLedger merged(const std::vector<const SimLedger*>& ledgers);

}  // namespace ballot
