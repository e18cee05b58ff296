// AuditReport: what an audit has found, for people and for programs. It keeps so many findings, and counts the others.
//
// Threads: the main one.
//
//   AuditReport report;
//   audit::Audit audit(basics, scope, [&](audit::Finding finding) { report.add(std::move(finding)); });
//   ... report.print(std::cout, audit, Format::table);
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "app/format.hpp"
#include "audit/audit.hpp"

namespace ballot::app {

class AuditReport {
 public:
  void add(audit::Finding finding);
  std::int64_t count() const { return count_; }

  /// Table or JSON.
  void print(std::ostream& out, const audit::Audit& audit, Format format) const;

 private:
  void print_table(std::ostream& out, const audit::Audit& audit) const;
  void print_json(std::ostream& out, const audit::Audit& audit) const;

  std::vector<audit::Finding> kept_;
  std::int64_t count_ = 0;
};

}  // namespace ballot::app
