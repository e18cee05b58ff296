// AuditReport: what an audit has found, for people and for programs.
//
// Threads: the main one.
//
//   print_audit(std::cout, *ledger->audit(jobs, scope), Format::table, {});
#pragma once

#include <iosfwd>
#include <vector>

#include "app/print/format.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

/// The ledgers that were judged.
struct AuditedScope {
  bool is_of_fleet = false;                        // the totals are those of several ledgers, added up
  std::vector<library::MissingNode> missing = {};  // the nodes that did not answer
  std::string why_alone = {};                      // as of LedgerView
};

/// Table or JSON.
void print_audit(std::ostream& out, const library::AuditResult& result, Format format, const AuditedScope& scope);

}  // namespace ballot::app
