// Jobs that come after others, in files: what is in force, and what is said of what is wrong.
#include <gtest/gtest.h>

#include "config/check.hpp"
#include "config/jobs_dir.hpp"
#include "diagnostics_text.hpp"
#include "support/temp_folder.hpp"

namespace ballot::config {
namespace {

struct ChainFiles : ::testing::Test {
  void write(const std::string& name, const std::string& text) {
    folder.write(name, text);
    jobs.reload();
  }
  schedule::DefinitionPtr find(const std::string& job) const {
    const auto it = jobs.set().definitions.find(job);
    return it == jobs.set().definitions.end() ? nullptr : *it;
  }
  std::string findings() const {
    std::string text = text_of(jobs.set().diagnostics);
    for (std::size_t at; (at = text.find(folder.path())) != std::string::npos;)
      text.erase(at, folder.path().size() + 1);
    return text;
  }

  TempFolder folder;
  JobsDir jobs{folder.path(), {}};
};

const std::string extract = "[job.extract]\nschedule = \"0 2 * * *\"\ntimezone = \"Europe/Paris\"\nshell = \"true\"\n";
const std::string load = "[job.load]\nafter = [\"extract\"]\nshell = \"true\"\n";

TEST_F(ChainFiles, AJobWithoutAScheduleHasThatOfTheFirstWhereverThatIsDefined) {
  write("a.toml", load);
  write("z.toml", extract);
  ASSERT_TRUE(find("load"));
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(find("load")->plan, find("extract")->plan);
  EXPECT_EQ(*find("load")->job.timezone, "Europe/Paris");
  EXPECT_TRUE(find("load")->job.details->has_slots_of_first);
}

TEST_F(ChainFiles, AnEditOfTheFirstIsAnEditOfWhatComesAfterIt) {
  write("a.toml", load + "[job.report]\nafter = [\"load\"]\nshell = \"true\"\n");
  write("z.toml", extract);
  const auto before = find("report");
  write("z.toml", "[job.extract]\nschedule = \"H 3 * * *\"\nshell = \"true\"\n");
  EXPECT_NE(find("report")->digest, before->digest);
  EXPECT_EQ(find("report")->plan, find("extract")->plan);
  EXPECT_EQ(find("report")->job.schedule->front().find('H'), std::string::npos)
      << "it would fall elsewhere for this job";
  const auto edited = find("report");
  jobs.reload();
  EXPECT_EQ(find("report"), edited) << "nothing has changed";
}

TEST_F(ChainFiles, AJobWithAScheduleOfItsOwnKeepsIt) {
  write("a.toml", extract + "[job.load]\nafter = [\"extract\"]\nschedule = \"30 6 * * *\"\nshell = \"true\"\n");
  EXPECT_FALSE(find("load")->job.details->has_slots_of_first);
  EXPECT_EQ(find("load")->job.schedule->front(), "30 6 * * *");
}

TEST_F(ChainFiles, AJobWithoutAScheduleHasTheCalendarsOfTheFirstAndNoneOfItsOwn) {
  const std::string holidays = "[calendar.holidays]\ndates = [\"12-25\"]\n";
  write("a.toml", load);
  write("z.toml", holidays + extract + "except = [\"holidays\"]\n");
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(find("load")->plan, find("extract")->plan);
  EXPECT_EQ(find("load")->job.details->days, find("extract")->job.details->days);
  const std::string before = find("load")->digest.text();
  write("z.toml", "[calendar.holidays]\ndates = [\"12-26\"]\n" + extract + "except = [\"holidays\"]\n");
  EXPECT_NE(find("load")->digest.text(), before) << "an edit of the calendar is one of the job";
  write("a.toml", load + "except = [\"holidays\"]\n");
  EXPECT_NE(findings().find("chooses days of a 'schedule', and the job has none"), std::string::npos) << findings();
}

TEST_F(ChainFiles, AJobAfterOneThatIsDisabledHasNoSlots) {
  write("a.toml", load);
  write("z.toml", extract + "enabled = false\n");
  EXPECT_TRUE(find("load")->plan.empty());
}

TEST_F(ChainFiles, ANameThatNobodyDefinesIsAnErrorAtItsPlaceAndTheJobIsInForceAllTheSame) {
  write("a.toml", load);
  EXPECT_EQ(findings(),
            "a.toml:2:10: error: no job file defines job 'extract', after which this one comes: none of its slots can "
            "begin\n");
  ASSERT_TRUE(find("load"));
  EXPECT_TRUE(find("load")->plan.empty());
  write("z.toml", extract);
  EXPECT_EQ(findings(), "");
  EXPECT_FALSE(find("load")->plan.empty());
}

TEST_F(ChainFiles, JobsThatWaitForEachOtherAreErrorsAndNotInForce) {
  write("a.toml",
        "[job.a]\nafter = [\"c\"]\nshell = \"true\"\n[job.b]\nafter = [\"a\"]\nshell = \"true\"\n"
        "[job.c]\nafter = [\"b\"]\nshell = \"true\"\n");
  EXPECT_EQ(
      findings(),
      "a.toml:2:10: error: job 'c' waits for this one, by way of 'b': jobs that wait for each other never begin\n"
      "a.toml:5:10: error: job 'a' waits for this one, by way of 'c': jobs that wait for each other never begin\n"
      "a.toml:8:10: error: job 'b' waits for this one, by way of 'a': jobs that wait for each other never begin\n");
  EXPECT_TRUE(jobs.set().definitions.empty());
}

/// Twenty layers of four jobs, each after all of the layer before: 4^20 ways, and eighty jobs.
TEST_F(ChainFiles, AreReadAtOnceHoweverManyWaysLeadFromOneJobToAnother) {
  std::string text = extract;
  for (int layer = 0; layer < 20; ++layer)
    for (int i = 0; i < 4; ++i) {
      text += "[job.l" + std::to_string(layer) + "_" + std::to_string(i) + "]\nshell = \"true\"\nafter = [";
      for (int j = 0; layer > 0 && j < 4; ++j)
        text += "\"l" + std::to_string(layer - 1) + "_" + std::to_string(j) + "\", ";
      text += layer == 0 ? "\"extract\"]\n" : "]\n";
    }
  write("a.toml", text);
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(find("l19_3")->plan, find("extract")->plan);
}

TEST_F(ChainFiles, AreAtMostSixtyFourJobsLong) {
  const auto chain = [](int jobs) {
    std::string text = extract;
    for (int i = 1; i < jobs; ++i)
      text += "[job.j" + std::to_string(i) + "]\nafter = [\"" + (i == 1 ? "extract" : "j" + std::to_string(i - 1)) +
              "\"]\nshell = \"true\"\n";
    return text;
  };
  write("a.toml", chain(64));
  EXPECT_EQ(findings(), "");
  EXPECT_EQ(find("j63")->plan, find("extract")->plan);
  write("a.toml", chain(65));
  EXPECT_NE(findings().find("more than 64 jobs"), std::string::npos) << findings();
  EXPECT_FALSE(find("j64"));
}

TEST_F(ChainFiles, AChainIsWithinOneGroupAndWithOneRunOn) {
  write("a.toml", extract +
                      "[job.load]\nafter = [\"extract\"]\ngroup = \"etl\"\nshell = \"true\"\n"
                      "[job.trim]\nafter = [\"extract\"]\nrun_on = \"each\"\nshell = \"true\"\n");
  EXPECT_EQ(findings(),
            "a.toml:6:10: error: job 'extract' is in group 'default', and this one in 'etl': the jobs of a chain are "
            "in one group\n"
            "a.toml:10:10: error: job 'extract' has another 'run_on': a chain runs where its jobs run, so they have "
            "the same\n");
  EXPECT_FALSE(find("load"));
}

TEST_F(ChainFiles, ABootIsEachNodesOwnAndNoSlotForAnother) {
  write("a.toml", "[job.extract]\nschedule = \"@reboot\"\nshell = \"true\"\n" + load);
  EXPECT_EQ(findings(),
            "a.toml:5:10: error: job 'extract' has '@reboot', whose slots are each node's own: give this one a "
            "'schedule' of its own\n");
}

TEST_F(ChainFiles, WhatBelongsToAScheduleNeedsOneOfItsOwn) {
  write("a.toml", extract + load + "timezone = \"UTC\"\n");
  EXPECT_EQ(findings(),
            "a.toml:8:12: error: 'timezone' needs a 'schedule' of the job's own: its slots are those of the first job "
            "in 'after'\n");
}

TEST_F(ChainFiles, TheInstancesOfANodeComeAfterInstancesOfThatNode) {
  JobsDir own(folder.path(), {.node = "n1"});
  folder.write("a.toml", extract + "run_on = \"each\"\n" + load + "run_on = \"each\"\n");
  own.reload();
  const auto it = own.set().definitions.find("load@n1");
  ASSERT_NE(it, own.set().definitions.end()) << text_of(own.set().diagnostics);
  EXPECT_EQ((*it)->job.details->after, std::vector<std::string>{"extract@n1"});
  EXPECT_FALSE((*it)->plan.empty());
}

TEST_F(ChainFiles, AJobAfterOneOfACircleIsInForceAndSaysThatNoneOfItsSlotsCanBegin) {
  write("a.toml",
        "[job.a]\nafter = [\"b\"]\nshell = \"true\"\n[job.b]\nafter = [\"a\"]\nshell = \"true\"\n"
        "[job.d]\nafter = [\"a\"]\nschedule = \"0 6 * * *\"\nshell = \"true\"\n");
  EXPECT_NE(findings().find("a.toml:8:10: error: job 'a', after which this one comes: none of its slots can begin, as "
                            "it is not in force itself: job 'b' waits for this one"),
            std::string::npos)
      << findings();
  EXPECT_TRUE(find("d"));
  EXPECT_FALSE(find("a"));
}

TEST_F(ChainFiles, AJobWhoseChainNeverBeginsIsAWarning) {
  write("a.toml", load);
  write("z.toml", extract + "enabled = false\n");
  EXPECT_EQ(findings(),
            "a.toml:2:10: warning: this job has the slots of job 'extract', and has none: it says enabled = false\n");
  write("a.toml", "[job.load]\nafter = [\"extract\"]\nschedule = \"0 6 * * *\"\nshell = \"true\"\n");
  const std::string waits = ". So those of this job wait for it, and are missed at their start_deadline\n";
  EXPECT_EQ(
      findings(),
      "a.toml:2:10: warning: job 'extract', after which this one comes, has no slots: it says enabled = false" + waits);
  write("z.toml", "[job.extract]\nshell = \"true\"\n");
  EXPECT_EQ(
      findings(),
      "a.toml:2:10: warning: job 'extract', after which this one comes, has no slots: it has no schedule" + waits);
  write("a.toml", load);
  EXPECT_EQ(findings(), "") << "both are run by trigger";
}

TEST_F(ChainFiles, KeysThatDoNothingWithoutOtherJobsOrAScheduleAreWarnings) {
  write("a.toml", "[job.load]\nafter_status = \"failed\"\njitter = \"5s\"\nshell = \"true\"\n");
  EXPECT_EQ(findings(),
            "a.toml:2:16: warning: 'after_status' says how the jobs in 'after' must have ended, and the job has none "
            "there\n"
            "a.toml:3:10: warning: 'jitter' delays slots, and a job without a 'schedule' has none\n");
}

TEST_F(ChainFiles, CalendarsThatLeaveNoDayOfTheScheduleAreAWarning) {
  write("a.toml",
        "[calendar.past]\ndates = [\"2020-05-04\"]\n"
        "[job.load]\nschedule = \"0 6 * * *\"\nonly = [\"past\"]\nshell = \"true\"\n");
  EXPECT_EQ(findings(),
            "a.toml:5:8: warning: these calendars leave out all days on which the 'schedule' is due from now on: the "
            "job never runs\n");
}

TEST_F(ChainFiles, AnUnknownNameNamesTheJobThatIsNearOrTheFileWithErrorsThatHasIt) {
  write("a.toml", "[job.load]\nafter = [\"extrakt\"]\nschedule = \"0 6 * * *\"\nshell = \"true\"\n");
  write("z.toml", extract);
  EXPECT_NE(findings().find("none of its slots can begin; did you mean 'extract'?\n"), std::string::npos) << findings();
  write("a.toml", load);
  EXPECT_EQ(findings(), "");
  folder.write("y.toml", "[job.clean]\nschedule = \"61 * * * *\"\nshell = \"true\"\n");
  write("a.toml", "[job.load]\nafter = [\"clean\"]\nschedule = \"0 6 * * *\"\nshell = \"true\"\n");
  EXPECT_NE(findings().find("none of its slots can begin; it is in y.toml, which has errors\n"), std::string::npos)
      << findings();
  write("y.toml", "[job.clean]\nschedule = \"1 * * * *\"\nshell = \"true\"\n");
  EXPECT_EQ(findings(), "");
}

TEST_F(ChainFiles, FilesThatAreCheckedByNameMayNameJobsOfOthers) {
  folder.write("a.toml", load);
  const Checked one = check_job_files(std::vector{folder / "a.toml"}, {});
  EXPECT_FALSE(has_errors(one.diagnostics));
  EXPECT_NE(text_of(one.diagnostics).find("a.toml:2:10: warning: no job file defines job 'extract'"),
            std::string::npos);
  folder.write("z.toml", extract);
  const Checked both = check_job_files(std::vector{folder / "a.toml", folder / "z.toml"}, {});
  EXPECT_EQ(text_of(both.diagnostics), "");
}

}  // namespace
}  // namespace ballot::config
