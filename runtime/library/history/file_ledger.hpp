// FileLedger: answers from the ledger's file and, of runs that go on, from this node's runner. Read-only: it may be
// used beside the daemon that writes the file, in its process or in another.
//
// Thread: the one that uses it.
//
//   auto ledger = FileLedger::open({.path = config.history.path, .node = config.node, ...});
//   const auto rows = (*ledger)->at("nightly-backup", slot);
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ballot/history.hpp"
#include "config/config.hpp"
#include "io/function_outputs.hpp"
#include "library/history/ledger_view.hpp"
#include "library/history/live_output.hpp"
#include "storage/reader.hpp"

namespace ballot::library {

/// The places of a node's history.
struct LedgerPlace {
  std::string path, runner_socket, node;
  Millis keep{};                                              // rows of older slots may have been deleted
  bool is_live = false;                                       // the daemon that writes it asks
  std::shared_ptr<const io::FunctionOutputs> functions = {};  // what those of this process print; null: there are none
  /// Any thread: why the file takes no rows at present, and since when, for rows that are recorded meanwhile are in no
  /// answer; none: it takes them. Empty: nobody knows.
  std::function<std::optional<MissingNode>()> trouble = {};
  /// The fleet's history, against which an audit holds the ledger too; empty: there is none.
  std::function<Result<void>(const std::function<Result<void>(History&)>& use)> history = {};
  std::string why_alone = {};  // as of LedgerView
  /// Any thread: waits until whoever writes the file has opened it, or `goes_on` says false. Empty: it is as it is.
  std::function<void(const std::function<bool()>& goes_on)> wait_until_opened = {};
};
LedgerPlace ledger_place(const config::Config& config);

class FileLedger : public LedgerView {
 public:
  /// `goes_on`: false ends the call under way with an error; called often, from the same thread. Errors: io (no such
  /// file), denied, refused, corrupt.
  static Result<std::unique_ptr<LedgerView>> open(LedgerPlace place, std::function<bool()> goes_on = {});

  bool is_live() const override { return place_.is_live; }
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
  Result<std::optional<WallTime>> kept_since(const std::string& job) override;
  Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups) override;
  Result<AuditResult> audit(const std::vector<std::string>& jobs, const audit::Scope& scope) override;
  Result<std::vector<std::string>> nodes() override { return std::vector{place_.node}; }
  std::vector<MissingNode> missing() const override;
  std::string why_alone() const override { return place_.why_alone; }

 private:
  FileLedger(LedgerPlace place, storage::Reader reader, std::function<bool()> goes_on)
      : place_(std::move(place)), reader_(std::move(reader)), goes_on_(std::move(goes_on)) {}

  std::optional<ShownOutput> recorded_output(const runner::AttemptId& attempt, std::int64_t from);
  Result<runner::Shown> ask_executor(const runner::AttemptId& attempt, std::int64_t from);
  Result<runner::Shown> ask_runner(const runner::AttemptId& attempt, std::int64_t from);

  const LedgerPlace place_;
  storage::Reader reader_;
  const std::function<bool()> goes_on_;
  std::optional<LiveOutput> live_;
  std::string not_compared_;  // why the audit has not held the ledger against the fleet's history
};

}  // namespace ballot::library
