// AuditSum: what the audits of several ledgers say, as one.
//
//   AuditSum sum;
//   for (auto& [ledger, result] : results) sum.add(std::move(result), ledger);
//   print(sum.take());
#pragma once

#include <set>
#include <string>
#include <utility>

#include "library/history/ledger_view.hpp"

namespace ballot::library {

class AuditSum {
 public:
  /// Findings say by which ledger they are; totals are added up; a name counts once.
  void add(AuditResult one, const std::string& ledger);
  /// Totals in the order in which one ledger has them.
  AuditResult take();

 private:
  AuditResult all_;
  audit::Totals totals_;
  std::set<std::string> undefined_;
  std::set<std::pair<std::string, std::string>> departed_;  // job and node
};

}  // namespace ballot::library
