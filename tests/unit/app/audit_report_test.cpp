// What `ballot audit` prints beside its findings.
#include "app/reports/audit_report.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

std::string printed(const audit::Audit& audit, Format format) {
  library::AuditResult result;
  result.departed = audit.departed();
  std::ostringstream out;
  print_audit(out, result, format, {});
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

/// A finding's text names what another node's row says.
TEST(AuditReport, WritesNoControlCharacterOfARow) {
  library::AuditResult result;
  audit::Finding finding;
  finding.job = "a\x1b[2J";
  finding.what = "its row is of group g\x1b]0;owned\a";
  finding.rows = {missed_at("2025-03-09T12:01:00Z", "a\x1b[2J", "web-1\r")};
  result.findings = {finding};
  result.finding_count = 1;
  std::ostringstream table;
  print_audit(table, result, Format::table, {});
  for (const char control : {'\x1b', '\a', '\r'})
    EXPECT_EQ(table.str().find(control), std::string::npos) << table.str();
}

TEST(AuditReport, OfAFleetSaysWhatItsTotalsCountAndWhoDidNotAnswer) {
  library::AuditResult result;
  result.totals = {{Status::succeeded, Reason::none, 3}};
  const WallTime noon = *parse_wall("2025-03-09T12:00:00Z");
  const AuditedScope fleet{true, {{"web-2", noon, "it is silent", "answer"}, {"web-3", std::nullopt, "it has left"}}};
  std::ostringstream table, json, of_one;
  print_audit(table, result, Format::table, fleet);
  EXPECT_NE(table.str().find("an attempt that two ledgers have is counted twice\n"), std::string::npos) << table.str();
  print_audit(json, result, Format::json, fleet);
  EXPECT_NE(json.str().find(R"("totals_of":"ledgers","missing":[)"
                            R"({"node":"web-2","last_heard":"2025-03-09T12:00:00.000Z","why":"it is silent",)"
                            R"("heard_by":"answer"},)"
                            R"({"node":"web-3","last_heard":null,"why":"it has left","heard_by":null}]})"),
            std::string::npos)
      << json.str();
  print_audit(of_one, result, Format::json, {});
  EXPECT_NE(of_one.str().find(R"("totals_of":"ledger","missing":[]})"), std::string::npos) << of_one.str();
}

}  // namespace
}  // namespace ballot::app
