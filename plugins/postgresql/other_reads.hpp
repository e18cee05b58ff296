// OtherReads: what is read beside rows: ledgers, requests, terms, output, names. Failures are as those of Connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ballot/history_rows.hpp"
#include "connection.hpp"

namespace ballot::postgresql {

class OtherReads {
 public:
  /// The connection outlives it.
  explicit OtherReads(Connection& connection) : connection_(connection) {}

  std::vector<LedgerLine> ledgers();
  std::vector<RequestRow> requests(const RequestFilter& filter);
  std::vector<RunId> find_run(const std::string& digits);
  std::optional<StoredOutput> output(const RunId& run, int attempt);
  std::vector<TermRow> terms(const std::string& group, std::int64_t limit);
  std::vector<std::string> known_jobs(const std::vector<std::string>& names);
  std::vector<std::string> known_groups(const std::vector<std::string>& names);
  std::vector<std::string> instances_of(const std::string& name);

 private:
  Connection& connection_;
};

}  // namespace ballot::postgresql
