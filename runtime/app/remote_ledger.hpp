// RemoteLedger: the ledger of the node whose daemon listens on a control socket. Each call is a question to the daemon,
// on a connection of its own; long lists come in pages.
//
// Threads: one. Calls block, for as long as the daemon may take.
//
//   RemoteLedger ledger(config.control_socket);
//   const auto rows = ledger.at("nightly-backup", slot);
#pragma once

#include <string>
#include <utility>

#include "io/message.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

class RemoteLedger : public library::LedgerView {
 public:
  explicit RemoteLedger(std::string socket) : socket_(std::move(socket)) {}

  bool is_live() const override { return true; }
  Result<std::optional<storage::Position>> history(const storage::Filter& filter, const VisitRow& visit) override;
  Result<std::int64_t> sequence() override;
  Result<std::int64_t> changes(const storage::Filter& filter, std::int64_t since, const VisitRow& visit) override;
  Result<std::vector<Row>> at(const std::string& job, WallTime slot) override;
  Result<std::vector<std::string>> last_statuses(const std::vector<std::string>& jobs) override;
  Result<std::optional<storage::RequestPosition>> requests(const storage::RequestFilter& filter,
                                                           const VisitRequest& visit) override;
  Result<std::vector<RunId>> find_run(const std::string& suffix) override;
  Result<library::ShownOutput> output(const runner::AttemptId& attempt, std::int64_t from) override;
  Result<std::vector<TermRow>> terms(const std::string& group) override;
  Result<std::vector<std::string>> instances_of(const std::string& name) override;
  Result<bool> knows_job(const std::string& name) override;
  Result<bool> knows_group(const std::string& name) override;
  Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups) override;
  Result<library::AuditResult> audit(const std::vector<std::string>& jobs, const audit::Scope& scope) override;

  /// The sequence, asked with less patience: whether the daemon answers questions of the ledger. Errors: unavailable
  /// (no daemon), timeout (it hangs), invalid (a daemon of before such questions), refused (a role is missing), and
  /// those of the daemon's ledger.
  Result<std::int64_t> try_sequence() const;

 private:
  Result<io::Message> ask(const io::Message& question) const;
  Result<std::vector<std::string>> ask_names(const io::Message& question, const std::string& list) const;
  Result<bool> ask_known(const std::string& call, const std::string& name) const;

  const std::string socket_;
};

}  // namespace ballot::app
