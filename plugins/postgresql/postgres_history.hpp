// PostgresHistory: the history that ballot/history.hpp describes, in a database of PostgreSQL. It joins the parts, and
// makes Results of their Failures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ballot/history.hpp"
#include "batch_writer.hpp"
#include "connection.hpp"
#include "other_reads.hpp"
#include "row_reads.hpp"
#include "settings.hpp"

namespace ballot::postgresql {

class PostgresHistory : public History {
 public:
  explicit PostgresHistory(const Settings& settings);

  void set_goes_on(std::function<bool()> goes_on) noexcept override { connection_.set_goes_on(std::move(goes_on)); }

  Result<LedgerLine> line_of(const RunId& ledger, const std::string& node) noexcept override;
  Result<PutResult> put(const LedgerBatch& batch) noexcept override;

  Result<std::vector<LedgerLine>> ledgers() noexcept override;
  Result<std::vector<KeptRow>> rows(const HistoryFilter& filter) noexcept override;
  Result<std::vector<KeptRow>> rows_of(const std::vector<RowKey>& keys) noexcept override;
  Result<std::vector<KeptRow>> last_rows(const std::vector<std::string>& jobs) noexcept override;
  Result<RunCounts> counts(const HistoryFilter& filter, CountPer per, const std::vector<RunId>& but) noexcept override;
  Result<std::vector<KeptRow>> rows_left(const HistoryFilter& filter,
                                         const std::optional<std::vector<RunId>>& left) noexcept override;
  Result<std::vector<RequestRow>> requests(const RequestFilter& filter) noexcept override;
  Result<std::vector<RunId>> find_run(const std::string& digits) noexcept override;
  Result<std::optional<StoredOutput>> output(const RunId& run, int attempt) noexcept override;
  Result<std::vector<TermRow>> terms(const std::string& group, std::int64_t limit) noexcept override;
  Result<std::vector<std::string>> known_jobs(const std::vector<std::string>& names) noexcept override;
  Result<std::vector<std::string>> known_groups(const std::vector<std::string>& names) noexcept override;
  Result<std::vector<std::string>> instances_of(const std::string& name) noexcept override;
  Result<std::vector<std::string>> jobs_of(const std::vector<std::string>& groups) noexcept override;
  Result<LedgerBatch> changes(const RunId& ledger, std::int64_t after, std::int64_t most) noexcept override;
  Result<std::vector<std::string>> migrate() noexcept override;

 private:
  template <class Call>
  auto guarded(const Call& call) noexcept -> Result<decltype(call())>;
  template <class Call>
  auto repeatable(const Call& call) noexcept -> Result<decltype(call())>;
  void tidy();

  const Settings settings_;
  Connection connection_;
  BatchWriter writer_;
  RowReads rows_;
  OtherReads others_;
  std::uint64_t tidied_generation_ = 0;
  SteadyTime tidied_at_{};
};

}  // namespace ballot::postgresql
