#include "app/reports/audit_report.hpp"

#include <ostream>
#include <utility>

#include "app/history/history_columns.hpp"
#include "app/history/row_document.hpp"
#include "app/print/document.hpp"
#include "app/print/escape.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

Document finding_document(const audit::Finding& finding) {
  Document::Items rows;
  for (const Row& row : finding.rows) rows.push_back(row_document(row));
  Document document = Document::object();
  document.add("kind", std::string(to_string(finding.kind))).add("job", finding.job);
  document.add("slot", format_slot(finding.slot));
  document.add("slot_until", finding.until ? Document(format_slot(*finding.until)) : Document());
  document.add("slots", finding.slots).add("text", finding.what).add("rows", std::move(rows));
  return document;
}

/// "2025-03-09T07:00:00Z", with the last one of several and their number.
std::string slots_text(WallTime slot, const std::optional<WallTime>& until, std::int64_t slots) {
  if (!until) return format_slot(slot);
  return format_slot(slot) + " to " + format_slot(*until) + " (" + std::to_string(slots) + " slots)";
}

std::string row_text(const Row& row) {
  std::string text = slots_text(row.slot, row.slot_until, row.slots) + " " + std::string(to_string(row.status));
  if (row.reason != Reason::none) text += ": " + std::string(to_string(row.reason));
  if (row.run) text += ", run " + short_id(*row.run) + ", attempt " + std::to_string(row.attempt);
  if (row.fence > 0) text += ", fence " + std::to_string(row.fence);
  text += ", epoch " + std::to_string(row.epoch) + ", " + row.node;
  if (row.started_at) text += ", started " + format_millis(*row.started_at);
  if (row.ended_at) text += ", ended " + format_millis(*row.ended_at);
  return text;
}

void print_names(std::ostream& out, const std::vector<std::string>& jobs) {
  if (jobs.empty()) return;
  out << "\nno definition is kept of";
  const char* separator = " ";
  for (const std::string& job : jobs) out << std::exchange(separator, ", ") << escaped(job, Escape::plain);
  out << ": nothing is said of what was due\n";
}

void print_departed(std::ostream& out, const std::vector<audit::Departed>& instances) {
  if (instances.empty()) return;
  out << "\ninstances under names that this node no longer has:";
  const char* separator = " ";
  for (const audit::Departed& one : instances) {
    out << std::exchange(separator, ", ") << escaped(one.job, Escape::plain);
    if (one.last_slot) out << " (up to " << format_slot(*one.last_slot) << ")";
  }
  out << ": nobody accounts for what was due since\n";
}

Document departed_document(const audit::Departed& one) {
  Document document = Document::object();
  document.add("job", one.job).add("node", one.node);
  document.add("last_slot", one.last_slot ? Document(format_slot(*one.last_slot)) : Document());
  return document;
}

void print_table(std::ostream& out, const library::AuditResult& result, const AuditedScope& scope) {
  RecordWriter table(out, {{"status", "STATUS"}, {"reason", "REASON"}, {"count", "COUNT"}}, {Format::table});
  for (const audit::Total& total : result.totals)
    table.row({word(to_string(total.status)), word(to_string(total.reason)), total.count});
  table.finish();
  if (scope.is_of_fleet)
    out << "\nthe counts of each node's ledger, added up: an attempt that two ledgers have is counted twice\n";
  print_names(out, result.undefined);
  print_departed(out, result.departed);
  for (const audit::Finding& finding : result.findings) {
    out << "\njob " << escaped(finding.job, Escape::plain) << ", "
        << slots_text(finding.slot, finding.until, finding.slots) << ": " << to_string(finding.kind) << ": "
        << escaped(finding.what, Escape::plain) << '\n';
    for (const Row& row : finding.rows) out << "    " << escaped(row_text(row), Escape::plain) << '\n';
  }
  if (result.finding_count > std::ssize(result.findings))
    out << "\nand " << result.finding_count - std::ssize(result.findings) << " more\n";
  out << '\n' << result.finding_count << (result.finding_count == 1 ? " finding\n" : " findings\n");
}

void print_json(std::ostream& out, const library::AuditResult& result, const AuditedScope& scope) {
  Document::Items totals, undefined, departed, findings;
  for (const audit::Total& total : result.totals) {
    Document one = Document::object();
    const std::string reason(to_string(total.reason));
    one.add("status", std::string(to_string(total.status)));
    one.add("reason", reason.empty() ? Document() : Document(reason)).add("count", total.count);
    totals.push_back(std::move(one));
  }
  for (const std::string& job : result.undefined) undefined.emplace_back(job);
  for (const audit::Departed& one : result.departed) departed.push_back(departed_document(one));
  for (const audit::Finding& finding : result.findings) findings.push_back(finding_document(finding));
  Document all = Document::object();
  all.add("totals", std::move(totals)).add("undefined", std::move(undefined)).add("departed", std::move(departed));
  all.add("finding_count", result.finding_count).add("findings", std::move(findings));
  all.add("totals_of", scope.is_of_fleet ? "ledgers" : "ledger").add("missing", missing_document(scope.missing));
  if (!scope.why_alone.empty()) all.add("alone", scope.why_alone);
  out << to_json(all);
}

}  // namespace

void print_audit(std::ostream& out, const library::AuditResult& result, Format format, const AuditedScope& scope) {
  format == Format::json ? print_json(out, result, scope) : print_table(out, result, scope);
}

}  // namespace ballot::app
