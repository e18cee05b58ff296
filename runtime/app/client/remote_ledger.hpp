// RemoteLedger: the ledger of the node whose daemon listens on a control socket, or the fleet's as that daemon has it.
// Each call is a question to the daemon, on a connection of its own; long lists come in pages.
//
// In fleet scope a daemon answers for the fleet where it can ask it, else for its node: is_of_fleet() says which, after
// the first call.
//
// Threads: one. Calls block, for as long as the daemon may take.
//
//   RemoteLedger ledger(config.control_socket);
//   const auto rows = ledger.at("nightly-backup", slot);
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "io/message.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/ledger_view.hpp"
#include "library/why/why_answer.hpp"

namespace ballot::app {

/// Whose history is asked for.
struct LedgerScope {
  bool is_fleet = false;  // else the node's whose daemon is asked
  std::string node = {};  // of the fleet this node's alone; "": all of it
};

class RemoteLedger : public library::LedgerView {
 public:
  explicit RemoteLedger(std::string socket, LedgerScope scope = {})
      : socket_(std::move(socket)), scope_(std::move(scope)) {}

  bool is_live() const override { return true; }
  Result<std::optional<storage::Position>> walk(const storage::Filter& filter, const VisitPlacedRow& visit) override;
  /// The daemon goes by what it knows of the nodes that do not answer.
  Result<std::vector<library::UsualTime>> usual_times(const std::vector<std::string>& jobs, WallTime now) override;
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
  Result<library::ShownOutput> output(const runner::AttemptId& attempt, std::int64_t from) override;
  Result<std::vector<TermRow>> terms(const std::string& group) override;
  Result<std::vector<TermRow>> terms_since(WallTime since, std::int64_t most) override;
  Result<std::vector<std::string>> instances_of(const std::string& name) override;
  Result<bool> knows_job(const std::string& name) override;
  Result<bool> knows_group(const std::string& name) override;
  Result<std::optional<WallTime>> kept_since(const std::string& job) override;
  Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups) override;
  Result<library::AuditResult> audit(const std::vector<std::string>& jobs, const audit::Scope& scope) override;
  Result<std::vector<std::string>> nodes() override { return ask_names(library::question("nodes"), "names"); }

  bool is_evidence(const Row& row) const override { return evidence_.contains(library::key_of(row)); }
  std::set<std::string> known_by_store() const override { return by_store_; }
  /// What was said of jobs' states with their last statuses: see library::set_states().
  const std::vector<io::Message>& said_states() const { return said_states_; }
  std::vector<library::MissingNode> missing() const override;
  std::optional<WallTime> as_of() const override { return as_of_; }
  std::string history_failure() const override { return history_failure_; }
  bool is_of_fleet() const override { return is_of_fleet_; }
  void narrow(const std::string& node) override { scope_.node = node; }

  /// Why a slot or a run came to what it did; `by_files`: what this command's job files say of the job, for a daemon
  /// that has not read them.
  Result<library::WhyAnswer> why(const library::WhyAsked& asked, const library::WhyFacts& by_files);

  /// The sequence, asked with less patience: whether the daemon answers questions of the ledger. Errors: unavailable
  /// (no daemon), timeout (it hangs), invalid (a daemon of before such questions), refused (a role is missing), and
  /// those of the daemon's ledger.
  Result<std::int64_t> try_sequence() const;

 private:
  Result<io::Message> ask(io::Message question);
  Result<std::vector<Row>> ask_rows(const io::Message& question);
  void note_evidence(const Row& row, bool is_evidence) {
    evidence_.erase(library::key_of(row));
    if (is_evidence) evidence_.insert(library::key_of(row));
  }
  Result<std::vector<Row>> take_rows(const io::Message& answer);
  Result<std::vector<std::string>> ask_names(const io::Message& question, const std::string& list);
  Result<std::vector<TermRow>> ask_terms(const io::Message& question);
  Result<bool> ask_known(const std::string& call, const std::string& name);

  const std::string socket_;
  LedgerScope scope_;
  bool is_of_fleet_ = false;
  std::map<std::string, library::MissingNode> missing_;
  std::optional<WallTime> as_of_;  // the oldest of all answers
  std::string history_failure_;
  std::set<RowKey> evidence_;
  std::set<std::string> by_store_;
  std::vector<io::Message> said_states_;
};

}  // namespace ballot::app
