// What a job is expected to keep, in files: what is read, and what is said of what makes no sense.
#include <gtest/gtest.h>

#include "config/job_file.hpp"
#include "diagnostics_text.hpp"

namespace ballot::config {
namespace {

using namespace std::chrono_literals;

JobFile read_expected(const std::string& keys, const JobSettings& settings = {}) {
  Identities identities;
  return read_job_file("[job.x]\ncommand = [\"/bin/true\"]\n" + keys, {"f.toml", {}}, settings, identities);
}

const std::string all =
    "schedule = \"0 2 * * *\"\nexpect_within = \"30m\"\nexpect_success = \"26h\"\nlate_after = \"2m\"\n"
    "on_slow = [\"/bin/slow\"]\non_overdue = [\"/bin/overdue\", \"x\"]\non_late = [\"/bin/late\"]\n";

TEST(ExpectationKeys, AreReadAndAJobWithoutThemHasNone) {
  const JobFile file = read_expected(all);
  ASSERT_EQ(file.definitions.size(), 1u) << text_of(file.diagnostics);
  EXPECT_EQ(text_of(file.diagnostics), "");
  const Expectations& expects = *file.definitions[0].definition->job.details->expects;
  EXPECT_EQ(expects.expect_within, 30min);
  EXPECT_EQ(expects.expect_success, 26h);
  EXPECT_EQ(expects.late_after, 2min);
  EXPECT_EQ(expects.on_slow, std::vector<std::string>{"/bin/slow"});
  EXPECT_EQ(expects.on_overdue, (std::vector<std::string>{"/bin/overdue", "x"}));
  EXPECT_EQ(expects.on_late, std::vector<std::string>{"/bin/late"});
  const JobFile plain = read_expected("nice = 3\n");
  EXPECT_EQ(*plain.definitions.at(0).definition->job.details->expects, Expectations());
}

TEST(ExpectationKeys, CountInTheDigest) {
  const auto digest = [](const std::string& keys) {
    return read_expected(keys).definitions.at(0).definition->digest.text();
  };
  const std::string plain = digest("");
  for (const char* const key : {"expect_within = \"1h\"\n", "expect_success = \"1h\"\n"}) EXPECT_NE(digest(key), plain);
}

TEST(ExpectationKeys, AHookWithoutItsTimeIsAnErrorThatNamesTheKey) {
  EXPECT_EQ(text_of(read_expected("on_slow = [\"/bin/slow\"]\n").diagnostics),
            "f.toml:3:11: error: 'on_slow' needs 'expect_within', which says when it is run\n");
  EXPECT_EQ(text_of(read_expected("on_overdue = [\"/bin/x\"]\n").diagnostics),
            "f.toml:3:14: error: 'on_overdue' needs 'expect_success', which says when it is run\n");
  EXPECT_EQ(text_of(read_expected("on_late = [\"/bin/x\"]\n").diagnostics),
            "f.toml:3:11: error: 'on_late' needs 'late_after', which says when it is run\n");
}

TEST(ExpectationKeys, WhatIsTriggeredAloneIsNeverLate) {
  EXPECT_EQ(text_of(read_expected("late_after = \"1m\"\n").diagnostics),
            "f.toml:3:14: error: 'late_after' needs a 'schedule': what somebody triggers is due at once\n");
}

TEST(ExpectationKeys, WhatCouldNeverBeNoticedIsAWarning) {
  EXPECT_EQ(
      text_of(read_expected("schedule = \"0 2 * * *\"\nlate_after = \"5m\"\n").diagnostics),
      "f.toml:4:14: warning: 'late_after' is not shorter than 'start_deadline' (5m): a slot that begins so late is "
      "missed, and never late\n");
  EXPECT_EQ(
      text_of(read_expected("deadline = \"1h\"\nexpect_within = \"2h\"\n").diagnostics),
      "f.toml:4:17: warning: 'expect_within' is not shorter than 'deadline' (1h), at which a run is ended: it never "
      "takes longer\n");
}

TEST(ExpectationKeys, HooksNeedTheRunnerAndTimesDoNot) {
  JobSettings settings;
  settings.has_runner = false;
  settings.has_function = [](std::string_view) { return true; };
  Identities identities;
  const auto findings = [&](const std::string& keys) {
    return text_of(
        read_job_file("[job.x]\nfunction = \"f\"\n" + keys, {"f.toml", {}}, settings, identities).diagnostics);
  };
  EXPECT_EQ(findings("expect_within = \"1h\"\nexpect_success = \"1h\"\n"), "");
  EXPECT_NE(findings("expect_within = \"1h\"\non_slow = [\"/bin/x\"]\n").find("'on_slow' needs the runner"),
            std::string::npos);
}

}  // namespace
}  // namespace ballot::config
