#include "audit/audit.hpp"

#include <algorithm>
#include <utility>

#include "base/instance.hpp"

namespace ballot::audit {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::missing: return "missing";
    case Kind::twice: return "twice";
    case Kind::not_due: return "not_due";
    case Kind::count: return "count";
    case Kind::relaunch: return "relaunch";
    case Kind::fence: return "fence";
    case Kind::late: return "late";
    case Kind::early: return "early";
    case Kind::unended: return "unended";
    case Kind::reason: return "reason";
    case Kind::history: return "history";
  }
  return "";
}

Audit::Audit(Basics basics, Scope scope, Report report)
    : basics_(std::move(basics)),
      scope_(scope),
      report_(std::move(report)),
      chains_(basics_.definitions, basics_.terms, scoped()) {}

Report Audit::scoped() const {
  return [this](Finding finding) {
    if (scope_.has(finding.slot) || scope_.has(finding.until.value_or(finding.slot))) report_(std::move(finding));
  };
}

JobAudit& Audit::job(const std::string& name) {
  auto& found = jobs_[name];
  if (found) return *found;
  const auto definitions = basics_.definitions.find(name);
  const auto kept = basics_.job_kept_since.find(name);
  if (definitions == basics_.definitions.end()) undefined_.push_back(name);
  found = std::make_unique<JobAudit>(
      name, definitions == basics_.definitions.end() ? std::vector<InForce>() : definitions->second,
      std::max(basics_.kept_since, kept == basics_.job_kept_since.end() ? WallTime{} : kept->second), basics_.terms,
      basics_.pauses, scoped());
  return *found;
}

void Audit::add(const Row& row, std::int64_t change) {
  if (scope_.has(row.slot)) {
    Total& total = totals_[{row.status.number(), row.reason.number()}];
    total.status = row.status;
    total.reason = row.reason;
    total.count += row.run ? 1 : row.slots;
  }
  job(row.job).add(row, change);
  chains_.add(row);
}

void Audit::finish() {
  for (const auto& [name, definitions] : basics_.definitions) job(name);
  for (const auto& [name, one] : jobs_) one->finish();
  chains_.finish();
}

/// This node's terms are all that a ledger has: the last one says what it is called now.
std::string_view Audit::node() const {
  const TermRow* last = nullptr;
  for (const auto& [key, term] : basics_.terms)
    if (!last || term.elected_at > last->elected_at) last = &term;
  return last ? last->node : std::string_view();
}

std::vector<Departed> Audit::departed() const {
  std::vector<Departed> all;
  const std::string_view here = node();
  for (const auto& [name, one] : jobs_)
    if (is_instance(name) && !here.empty() && node_of_instance(name) != here)
      all.push_back({name, std::string(node_of_instance(name)), one->newest_slot()});
  return all;
}

}  // namespace ballot::audit
