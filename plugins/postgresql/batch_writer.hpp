// BatchWriter: puts a batch of a ledger into the tables, in one transaction and, where its names are known, in one
// round trip. Failures are as those of Connection; conflict: the ledger is not at the change that the batch begins
// after.
//
//   BatchWriter writer(connection);
//   writer.line_of(ledger, "host-1");
//   writer.put(batch)
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ballot/history.hpp"
#include "connection.hpp"
#include "name_ids.hpp"

namespace ballot::postgresql {

class BatchWriter {
 public:
  /// The connection outlives it.
  explicit BatchWriter(Connection& connection) : connection_(connection), names_(connection) {}

  LedgerLine line_of(const RunId& ledger, const std::string& node);
  PutResult put(const LedgerBatch& batch);

 private:
  std::int32_t id_of(const RunId& ledger);
  PutResult put_once(const LedgerBatch& batch);
  std::vector<Query> queries_of(const LedgerBatch& batch);
  void add_pairs(const LedgerBatch& batch, std::vector<Query>& queries);
  Query query_of(const TermRow& term, std::int64_t change) const;
  Query query_of(const KeptDefinition& definition, std::int64_t change) const;
  Query query_of(const PauseRow& pause, std::int64_t change) const;
  Query query_of(const RequestRow& request, std::int64_t change) const;
  Query query_of(const OutputRow& output, std::int64_t change, bool is_partial) const;

  Connection& connection_;
  NameIds names_;
  std::string tables_;  // as tables() says, when the ids were read that are remembered
  std::uint64_t generation_ = 0;
  std::map<RunId, std::int32_t> ledgers_;  // of that generation
  std::int32_t ledger_ = 0;                // of the batch that is put
};

/// When a run was made, by its id; 0: its id does not say.
std::int64_t time_in(const RunId& run);

}  // namespace ballot::postgresql
