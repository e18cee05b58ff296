#include "library/history/audit_sum.hpp"

#include <utility>

namespace ballot::library {
namespace {

constexpr std::size_t most_of_fleet = 1000;

}  // namespace

void AuditSum::add(AuditResult one, const std::string& ledger) {
  all_.finding_count += one.finding_count;
  for (audit::Finding& finding : one.findings) {
    if (all_.findings.size() >= most_of_fleet) break;
    finding.what += " (by the ledger of " + ledger + ")";
    all_.findings.push_back(std::move(finding));
  }
  for (const audit::Total& total : one.totals) {
    const std::pair numbers(total.status.number(), total.reason.number());
    const auto [known, fresh] = totals_.try_emplace(numbers, total);
    if (!fresh) known->second.count += total.count;
  }
  for (std::string& job : one.undefined)
    if (undefined_.insert(job).second) all_.undefined.push_back(std::move(job));
  for (audit::Departed& gone : one.departed)
    if (departed_.emplace(gone.job, gone.node).second) all_.departed.push_back(std::move(gone));
}

AuditResult AuditSum::take() {
  for (const auto& [numbers, total] : totals_) all_.totals.push_back(total);
  return std::move(all_);
}

}  // namespace ballot::library
