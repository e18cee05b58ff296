// What `ballot audit` prints beside its findings.
#include "app/audit_report.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

std::string printed(const audit::Audit& audit, Format format) {
  library::AuditResult result;
  result.departed = audit.departed();
  std::ostringstream out;
  print_audit(out, result, format);
  return out.str();
}

Row missed_at(const std::string& time, const std::string& job, const std::string& node) {
  Row row;
  row.job = job;
  row.group = "default@" + node;
  row.node = node;
  row.slot = *parse_wall(time);
  row.reason = Reason::no_leader;
  return row;
}

TEST(AuditReport, NamesInstancesOfANodeThatIsCalledOtherwiseByNow) {
  audit::Basics basics;
  const WallTime then = *parse_wall("2025-03-09T12:00:00Z");
  basics.terms[{"default@web-1", 1}] = {"default@web-1", "web-1", 1, then, then + Millis(90'000), Cause::shutdown};
  basics.terms[{"default@web-2", 1}] = {"default@web-2", "web-2", 1, then + Millis(95'000), std::nullopt, Cause::none};
  audit::Audit audit(basics, {}, [](const audit::Finding&) {});
  audit.add(missed_at("2025-03-09T12:01:00Z", "trim@web-1", "web-1"), 1);
  audit.add(missed_at("2025-03-09T12:02:00Z", "trim@web-2", "web-2"), 2);
  audit.finish();
  const std::string table = printed(audit, Format::table), json = printed(audit, Format::json);
  EXPECT_NE(table.find("\ninstances under names that this node no longer has: trim@web-1 (up to 2025-03-09T12:01:00Z): "
                       "nobody accounts for what was due since\n"),
            std::string::npos)
      << table;
  EXPECT_NE(json.find(R"("departed":[{"job":"trim@web-1","node":"web-1","last_slot":"2025-03-09T12:01:00Z"}])"),
            std::string::npos)
      << json;
}

audit::Finding finding_at(WallTime slot) {
  audit::Finding finding;
  finding.kind = audit::Kind::missing;
  finding.job = "backup";
  finding.slot = slot;
  finding.what = "is due and has no row";
  return finding;
}

TEST(AuditReport, PrintsAThousandFindingsAndCountsTheOthers) {
  const WallTime first = *parse_wall("2025-03-09T12:00:00Z");
  AuditReport report;
  for (int i = 0; i < 1003; ++i) report.add(finding_at(first + std::chrono::minutes(i)));
  EXPECT_EQ(report.count(), 1003);
  audit::Audit audit({}, {}, [](const audit::Finding&) {});
  audit.finish();
  std::ostringstream table, json;
  report.print(table, audit, Format::table);
  report.print(json, audit, Format::json);
  EXPECT_NE(table.str().find("\nand 3 more\n\n1003 findings\n"), std::string::npos);
  EXPECT_NE(table.str().find("job backup, 2025-03-10T04:39:00Z: missing: is due and has no row\n"), std::string::npos)
      << "the thousandth";
  EXPECT_EQ(table.str().find("2025-03-10T04:40:00Z"), std::string::npos);
  EXPECT_NE(json.str().find(R"("finding_count":1003)"), std::string::npos);
  EXPECT_EQ(json.str().find("2025-03-10T04:40:00Z"), std::string::npos);
}

TEST(AuditReport, HasEveryFieldOfAFindingAsJson) {
  const WallTime slot = *parse_wall("2025-03-09T12:00:00Z");
  audit::Finding finding = finding_at(slot);
  finding.until = slot + std::chrono::minutes(2);
  finding.slots = 3;
  finding.rows.push_back(missed_at("2025-03-09T11:59:00Z", "backup", "web-1"));
  AuditReport report;
  report.add(finding);
  audit::Audit audit({}, {}, [](const audit::Finding&) {});
  audit.add(missed_at("2025-03-09T11:59:00Z", "backup", "web-1"), 1);
  audit.finish();
  std::ostringstream out;
  report.print(out, audit, Format::json);
  const std::string json = out.str();
  EXPECT_NE(json.find(R"({"totals":[{"status":"missed","reason":"no_leader","count":1}],"undefined":["backup"],)"
                      R"("departed":[],"finding_count":1,"findings":[{"kind":"missing","job":"backup",)"
                      R"("slot":"2025-03-09T12:00:00Z","slot_until":"2025-03-09T12:02:00Z","slots":3,)"
                      R"("text":"is due and has no row","rows":[{)"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("slot":"2025-03-09T11:59:00Z")"), std::string::npos) << json;
}

}  // namespace
}  // namespace ballot::app
