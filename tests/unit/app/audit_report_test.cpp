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

}  // namespace
}  // namespace ballot::app
