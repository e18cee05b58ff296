// Audit: whether a node's ledger can be right, by itself: the schedule is computed anew from the definitions that were
// in force, and each row is compared with it and with the others. A ledger that its daemon has written has no findings,
// also where other nodes lead in between: what they have settled is in their ledgers, and nothing is said of it.
//
// Pure: whoever reads the ledger gives it what it has. What it remembers grows with the jobs, not with the rows.
//
//   Audit audit({.definitions = definitions, .terms = terms}, [](Finding finding) { print(finding); });
//   for (const Numbered& row : by_slot) audit.add(row.row, row.change);
//   audit.finish();
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/chain_audit.hpp"
#include "audit/finding.hpp"
#include "audit/job_audit.hpp"
#include "audit/reasons.hpp"
#include "audit/spans.hpp"

namespace ballot::audit {

/// What a ledger has beside its rows.
struct Basics {
  std::map<std::string, std::vector<InForce>> definitions = {};  // by job, in the order in which they were written
  Terms terms = {};
  KnownPauses pauses = {};
  WallTime kept_since{};                                // rows of slots before may have been deleted: of any job,
  std::map<std::string, WallTime> job_kept_since = {};  // or of some
};

/// Findings and totals of slots outside are left out.
struct Scope {
  std::optional<WallTime> since{}, until{};
  bool has(WallTime slot) const { return (!since || slot >= *since) && (!until || slot < *until); }
};

/// An instance of a job that runs on each node, of a node that this ledger's daemon was once, and is no more.
struct Departed {
  std::string job, node;
  std::optional<WallTime> last_slot;  // of its rows: nobody accounts for what was due since
};

class Audit {
 public:
  Audit(Basics basics, Scope scope, Report report);

  /// By slot, then attempt.
  void add(const Row& row, std::int64_t change);
  /// The last call: jobs of which no row is there, too.
  void finish();

  const Totals& totals() const { return totals_; }
  /// Jobs of which rows are there and no definition: nothing is said of their schedules.
  const std::vector<std::string>& undefined() const { return undefined_; }
  /// Once it is finished, by name. Their rows are judged as all others.
  std::vector<Departed> departed() const;

 private:
  std::string_view node() const;
  Report scoped() const;
  JobAudit& job(const std::string& name);

  const Basics basics_;
  const Scope scope_;
  const Report report_;
  Totals totals_;
  std::vector<std::string> undefined_;
  std::map<std::string, std::unique_ptr<JobAudit>, std::less<>> jobs_;
  ChainAudit chains_;
};

}  // namespace ballot::audit
