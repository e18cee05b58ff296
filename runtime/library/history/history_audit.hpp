// audit_against(): a node's ledger against what the fleet's history has of it: rows that one of them lacks, and rows
// that differ. What is not handed on yet, and what the ledger keeps no more, is none.
//
// Thread: the one that uses both; calls block.
//
//   audit_against(history, {path, node, kept_since}, ledger, jobs, scope, [](audit::Finding one) { ... });
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "audit/audit.hpp"
#include "ballot/error.hpp"
#include "ballot/history.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::library {

struct AuditedLedger {
  std::string path, node;
  WallTime kept_since{};  // rows of slots before may have been deleted
};

/// `jobs`: none: all. Errors: the history's, and those of the ledger.
Result<void> audit_against(History& history, const AuditedLedger& place, LedgerView& ledger,
                           const std::vector<std::string>& jobs, const audit::Scope& scope,
                           const std::function<void(audit::Finding)>& add);

}  // namespace ballot::library
