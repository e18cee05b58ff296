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
  AuditResult take() { return std::move(all_); }

 private:
  AuditResult all_;
  std::set<std::string> undefined_;
  std::set<std::pair<std::string, std::string>> departed_;  // job and node
};

}  // namespace ballot::library
