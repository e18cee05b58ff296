// FleetLedger: the ledgers of the fleet as one, for whoever asks one node: this node's ledger and what the other nodes
// answer to the same question, merged by storage/merge. Made for one question.
//
// A row is shown where it counts: once for all its copies, as the ledger has it whose row counts. So pages can be
// merged without being held, and one position tells where each ledger is gone on with. What the store shows of runs
// (evidence) stands in where no ledger that answers has a row of them.
//
// Rows as they change (sequence, changes) are this node's alone: the numbers mean something to one ledger only.
// Thread: the one that uses it; calls block as long as `ask` does.
//
//   FleetLedger fleet("host-1", std::move(file_ledger), now, ask);
//   const auto rows = fleet.at("backup", slot);
//   for (const MissingNode& node : fleet.missing()) ...
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "library/history/fleet_answers.hpp"
#include "library/history/fleet_requests.hpp"
#include "library/history/ledger_view.hpp"
#include "storage/merge.hpp"
#include "storage/page_merge.hpp"

namespace ballot::library {

/// Stands for evidence among the ledgers: no node has such a name.
inline const std::string store_source = "~store";

class FleetLedger : public LedgerView {
 public:
  /// `own`: of node `node`; null: this node has no part in the answer.
  FleetLedger(const std::string& node, std::unique_ptr<LedgerView> own, FleetNow now, AskOthers ask,
              FleetBounds bounds = {})
      : own_(std::move(own)), fleet_(node, own_.get(), std::move(now), std::move(ask), bounds) {}

  bool is_live() const override { return true; }
  Result<std::optional<storage::Position>> walk(const storage::Filter& filter, const VisitPlacedRow& visit) override;
  Result<void> newest_rows(storage::Filter filter, const VisitPlacedRow& visit) override;
  Result<std::vector<Row>> rows_of(const std::vector<RowKey>& keys) override;
  Result<std::vector<Row>> last_rows(const std::vector<std::string>& jobs) override;
  Result<std::int64_t> sequence() override;
  Result<std::int64_t> changes(const storage::Filter& filter, std::int64_t since, const VisitRow& visit) override;
  Result<std::vector<Row>> at(const std::string& job, WallTime slot) override;
  Result<std::vector<std::string>> last_statuses(const std::vector<std::string>& jobs) override;
  Result<std::optional<storage::RequestPosition>> requests(const storage::RequestFilter& filter,
                                                           const VisitRequest& visit) override;
  Result<std::optional<storage::DefinitionPosition>> definitions(const storage::DefinitionFilter& filter,
                                                                 const storage::VisitDefinition& visit) override;
  Result<std::vector<RunId>> find_run(const std::string& suffix) override;
  Result<ShownOutput> output(const runner::AttemptId& attempt, std::int64_t from) override;
  Result<std::vector<TermRow>> terms(const std::string& group) override;
  Result<std::vector<TermRow>> terms_since(WallTime since, std::int64_t most) override;
  Result<std::vector<std::string>> instances_of(const std::string& name) override;
  Result<bool> knows_job(const std::string& name) override;
  Result<bool> knows_group(const std::string& name) override;
  Result<std::optional<WallTime>> kept_since(const std::string& job) override { return fleet_.kept_since(job); }
  Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups) override;
  /// Each node's of its own ledger: what one node's schedule says of its terms, another's rows cannot answer.
  Result<AuditResult> audit(const std::vector<std::string>& jobs, const audit::Scope& scope) override;

  Result<std::vector<std::string>> nodes() override { return fleet_.nodes(); }
  Result<std::vector<Row>> evidence() override;
  bool is_evidence(const Row& row) const override;
  std::set<std::string> known_by_store() const override { return by_store_; }
  std::vector<RequestRow> pauses() const override { return fleet_.pauses(); }
  std::vector<LedState> states() const override { return fleet_.states(); }
  std::vector<std::string> leads() const override { return fleet_.leads(); }
  std::vector<MissingNode> missing() const override { return fleet_.missing(); }
  bool is_of_fleet() const override { return true; }

 protected:
  // What a history that the ledgers are handed on to answers instead of the nodes.
  virtual void gather(std::vector<std::string> jobs) { fleet_.gather_evidence(std::move(jobs)); }
  virtual std::vector<std::string> page_sources() const;
  /// Reads the next page of each source of which one is wanted.
  virtual Result<void> read_pages(storage::PageMerge& pages, const storage::Filter& filter, std::int64_t most);
  virtual Result<std::vector<storage::Account>> accounts_of(const std::vector<RowKey>& keys);
  /// Nothing that another ledger may have counts before the row of that one.
  virtual bool is_certain(const Row& row, const std::string& ledger) const;
  /// A node may have handed on two ledgers, each with the row that counts; where `row` does, this copy of it is shown.
  virtual bool is_shown_copy(const storage::PlacedRow& candidate, const Row& row) {
    return (void)candidate, (void)row, true;
  }
  virtual Result<std::vector<storage::Account>> last_accounts(const std::vector<std::string>& jobs);
  /// Requires: the filter has a limit.
  virtual Result<RequestPage> request_page(const storage::RequestFilter& filter) { return page_of(fleet_, filter); }

  /// The row of the attempt that counts; without a node: nobody who answers knows.
  Result<Row> executed(const runner::AttemptId& attempt);

  FleetAnswers& fleet() { return fleet_; }
  const FleetAnswers& fleet() const { return fleet_; }
  LedgerView* own() { return own_.get(); }
  void add_evidence_page(storage::PageMerge& pages, const storage::Filter& filter) const;

 private:
  using Counting = std::map<std::pair<std::string, RowKey>, storage::Account>;

  Result<std::vector<Row>> own_rows(const std::vector<RowKey>& keys);
  std::vector<storage::Account> merged(std::vector<storage::Account> accounts) const;
  Result<Counting> counting(const std::vector<storage::PlacedRow>& candidates);
  Result<bool> show(const std::vector<storage::PlacedRow>& candidates, const storage::Filter& filter,
                    const VisitPlacedRow& visit);
  Result<std::vector<std::string>> names(const io::Message& question, const char* list);
  Result<bool> known(const char* call, const std::string& name);
  void note_evidence(const storage::Account& account) {
    shown_evidence_.erase(key_of(account.row));
    if (account.is_evidence) shown_evidence_.insert(key_of(account.row));
  }

  const std::unique_ptr<LedgerView> own_;
  FleetAnswers fleet_;
  std::set<RowKey> shown_evidence_;
  std::set<std::string> by_store_;  // jobs, by their last statuses
};

}  // namespace ballot::library
