#include "postgres_history.hpp"

#include <chrono>
#include <exception>

#include "change_reads.hpp"
#include "day_counts.hpp"
#include "failure.hpp"
#include "migration.hpp"
#include "run_count_reads.hpp"
#include "schema.hpp"
#include "support/clock.hpp"

namespace ballot::postgresql {

namespace {

using namespace std::chrono_literals;

constexpr Millis tidy_interval = 1h, soon = 1min;  // soon: where there is more to be counted
constexpr Millis count_patience = 1s;              // what is to be sent waits

}  // namespace

PostgresHistory::PostgresHistory(const Settings& settings)
    : settings_(settings), connection_(settings), writer_(connection_), rows_(connection_), others_(connection_) {}

template <class Call>
auto PostgresHistory::guarded(const Call& call) noexcept -> Result<decltype(call())> {
  connection_.begin_call();
  try {
    return call();
  } catch (const Failure& failure) {
    return failure.error;
  } catch (const std::exception& error) {  // of memory
    connection_.close();
    return Error{Errc::io, connection_.place() + ": " + error.what()};
  }
}

/// A connection that was idle may have been lost meanwhile, as where the server has started again: what changes nothing
/// if it is done twice is asked once more then.
template <class Call>
auto PostgresHistory::repeatable(const Call& call) noexcept -> Result<decltype(call())> {
  const bool was_open = connection_.is_open();
  auto result = guarded(call);
  const bool is_lost = !result && result.error().code == Errc::unavailable && !connection_.is_open();
  return was_open && is_lost ? guarded(call) : result;
}

/// By who sends, at each connection and once an hour. What fails is done the next time: rows of a month without a
/// partition go to the default one until then, what is old is kept for longer, and days are counted by their rows.
void PostgresHistory::tidy() {
  connection_.open();
  const SteadyTime now = support::boot_now();
  if (connection_.generation() == tidied_generation_ && now - tidied_at_ < tidy_interval) return;
  tidied_generation_ = connection_.generation();
  tidied_at_ = now;
  Params spans;
  spans.add(interval_of(settings_.keep)).add(interval_of(settings_.keep_output));
  try {
    connection_.ask({make_partitions_sql});
    connection_.ask({drop_partitions_sql, std::move(spans)});
    if (!DayCounts(connection_).count(count_patience)) tidied_at_ = now - tidy_interval + soon;
  } catch (const Failure&) {
    if (!connection_.is_open()) throw;  // the connection is lost
  }
}

Result<LedgerLine> PostgresHistory::line_of(const RunId& ledger, const std::string& node) noexcept {
  return repeatable([&] {
    tidy();
    return writer_.line_of(ledger, node);
  });
}

Result<PutResult> PostgresHistory::put(const LedgerBatch& batch) noexcept {
  return guarded([&] {
    tidy();
    return writer_.put(batch);
  });
}

Result<std::vector<LedgerLine>> PostgresHistory::ledgers() noexcept {
  return repeatable([&] { return others_.ledgers(); });
}

Result<std::vector<KeptRow>> PostgresHistory::rows(const HistoryFilter& filter) noexcept {
  return repeatable([&] { return rows_.page(filter); });
}

Result<std::vector<KeptRow>> PostgresHistory::rows_of(const std::vector<RowKey>& keys) noexcept {
  return repeatable([&] { return rows_.rows_of(keys); });
}

Result<std::vector<KeptRow>> PostgresHistory::last_rows(const std::vector<std::string>& jobs) noexcept {
  return repeatable([&] { return rows_.last_rows(jobs); });
}

Result<RunCounts> PostgresHistory::counts(const HistoryFilter& filter, CountPer per,
                                          const std::vector<RunId>& but) noexcept {
  return repeatable([&] { return RunCountReads(connection_).counts(filter, per, but); });
}

Result<std::vector<KeptRow>> PostgresHistory::rows_left(const HistoryFilter& filter,
                                                        const std::optional<std::vector<RunId>>& left) noexcept {
  return repeatable([&] { return rows_.page_left(filter, left); });
}

Result<std::vector<RequestRow>> PostgresHistory::requests(const RequestFilter& filter) noexcept {
  return repeatable([&] { return others_.requests(filter); });
}

Result<std::vector<RunId>> PostgresHistory::find_run(const std::string& digits) noexcept {
  return repeatable([&] { return others_.find_run(digits); });
}

Result<std::optional<StoredOutput>> PostgresHistory::output(const RunId& run, int attempt) noexcept {
  return repeatable([&] { return others_.output(run, attempt); });
}

Result<std::vector<TermRow>> PostgresHistory::terms(const std::string& group, std::int64_t limit) noexcept {
  return repeatable([&] { return others_.terms(group, limit); });
}

Result<std::vector<std::string>> PostgresHistory::known_jobs(const std::vector<std::string>& names) noexcept {
  return repeatable([&] { return others_.known_jobs(names); });
}

Result<std::vector<std::string>> PostgresHistory::known_groups(const std::vector<std::string>& names) noexcept {
  return repeatable([&] { return others_.known_groups(names); });
}

Result<std::vector<std::string>> PostgresHistory::instances_of(const std::string& name) noexcept {
  return repeatable([&] { return others_.instances_of(name); });
}

Result<std::vector<std::string>> PostgresHistory::jobs_of(const std::vector<std::string>& groups) noexcept {
  return repeatable([&] { return rows_.jobs_of(groups); });
}

Result<LedgerBatch> PostgresHistory::changes(const RunId& ledger, std::int64_t after, std::int64_t most) noexcept {
  return repeatable([&] { return read_changes(connection_, ledger, after, most); });
}

Result<std::vector<std::string>> PostgresHistory::migrate() noexcept {
  return guarded([&] { return postgresql::migrate(connection_, settings_); });
}

}  // namespace ballot::postgresql
