// HistoryLedger: the fleet's ledgers as the history has them that they are handed on to, for whoever asks one node. It
// is a FleetLedger whose rows, requests, terms and names come from there; of the nodes it asks what alone they know:
// what is printed just now, and the states of jobs.
//
// What this node has recorded and not handed on yet is added from its own ledger. missing() names the nodes of the
// fleet that the history has not heard of for a while: rows of theirs may lack.
//
// Thread: the one that uses it; calls block. Errors: those of the history; failure() keeps the first one, so that
// whoever asks can ask the nodes instead.
//
//   auto ledger = HistoryLedger::open(place, std::move(own), now, ask, history);
//   const auto rows = (*ledger)->at("backup", slot);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ballot/history.hpp"
#include "library/history/fleet_ledger.hpp"

namespace ballot::library {

class HistoryLedger : public FleetLedger {
 public:
  /// Who asks, and when.
  struct Place {
    std::string node;
    std::int64_t sent = 0;  // of the node's own ledger, as far as it knows
    WallTime now{};
    bool knows_fleet = true;  // else the fleet's nodes are those that the history has heard of lately
  };

  /// `history` is used by this one alone, and outlives it. Errors: the history's.
  static Result<std::unique_ptr<HistoryLedger>> open(Place place, std::unique_ptr<LedgerView> own, FleetNow now,
                                                     AskOthers ask, History& history);

  Result<std::optional<storage::Position>> walk(const storage::Filter& filter, const VisitPlacedRow& visit) override;
  /// One job after the other: the history is near.
  Result<void> newest_rows(storage::Filter filter, const VisitPlacedRow& visit) override {
    return LedgerView::newest_rows(std::move(filter), visit);
  }
  Result<void> summary(storage::Filter filter, CountPer per, const VisitRow& visit, const VisitCount& count) override;
  Result<std::vector<RunId>> find_run(const std::string& suffix) override;
  Result<ShownOutput> output(const runner::AttemptId& attempt, std::int64_t from) override;
  Result<std::vector<TermRow>> terms(const std::string& group) override;
  Result<std::vector<std::string>> instances_of(const std::string& name) override;
  Result<bool> knows_job(const std::string& name) override;
  Result<bool> knows_group(const std::string& name) override;
  /// What ledgers have handed on, nobody here deletes.
  Result<std::optional<WallTime>> kept_since(const std::string&) override { return std::optional<WallTime>(); }
  Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups) override;
  Result<std::vector<std::string>> last_statuses(const std::vector<std::string>& jobs) override;
  Result<std::vector<std::string>> nodes() override;
  std::vector<MissingNode> missing() const override;
  /// Up to when the rows of all nodes are there that are not missing.
  std::optional<WallTime> as_of() const override;

  const std::optional<Error>& failure() const { return failure_; }

 protected:
  void gather(std::vector<std::string> jobs) override;
  std::vector<std::string> page_sources() const override;
  Result<void> read_pages(storage::PageMerge& pages, const storage::Filter& filter, std::int64_t most) override;
  Result<std::vector<storage::Account>> accounts_of(const std::vector<RowKey>& keys) override;
  bool is_certain(const Row& row, const std::string& ledger) const override;
  bool is_shown_copy(const storage::PlacedRow& candidate, const Row& row) override;
  Result<std::vector<storage::Account>> last_accounts(const std::vector<std::string>& jobs) override;
  Result<RequestPage> request_page(const storage::RequestFilter& filter) override;

 private:
  HistoryLedger(Place place, std::unique_ptr<LedgerView> own, FleetNow now, AskOthers ask, History& history,
                std::vector<LedgerLine> lines);

  const LedgerLine* line_of(const std::string& node) const;
  bool has_several(const std::string& node) const;
  bool is_current(const LedgerLine& line) const;
  std::vector<RunId> runs_known_besides() const;
  template <class T>
  Result<T> noted(Result<T> answer) {
    if (!answer && !failure_) failure_ = answer.error();
    return answer;
  }

  const Place place_;
  History& history_;
  const std::vector<LedgerLine> lines_;
  std::vector<std::string> fleet_nodes_;    // this one, and those that it knows by the store
  std::vector<storage::Account> unsent_;    // what this node has recorded and not handed on
  bool lacks_unsent_ = false;               // there is more of it
  std::optional<HistoryPosition> read_to_;  // of the pages that are read
  std::optional<RunCounts> counted_;        // of these what is counted, and not read
  // Of nodes with several ledgers: the highest id of a row, and what was shown of the slot that is shown.
  std::map<std::pair<std::string, RowKey>, std::int64_t> highest_;
  std::set<std::pair<std::string, RowKey>> shown_;
  WallTime shown_slot_{};
  std::optional<Error> failure_;
};

}  // namespace ballot::library
