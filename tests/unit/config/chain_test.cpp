// Jobs that come after others, in files: what is in force, and what is said of what is wrong.
#include <gtest/gtest.h>

#include <algorithm>

#include "config/chain_links.hpp"
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

/// Sixty layers of a hundred jobs, each after four of the layer before.
TEST(ChainSurvey, LooksAtEachJobOnce) {
  std::map<std::string, schedule::DefinitionPtr, std::less<>> jobs;
  const auto name = [](int layer, int i) { return "l" + std::to_string(layer) + "_" + std::to_string(i % 100); };
  for (int layer = 0; layer < 60; ++layer)
    for (int i = 0; i < 100; ++i) {
      auto one = std::make_shared<schedule::Definition>();
      one->job.name = name(layer, i);
      for (int j = 0; layer > 0 && j < 4; ++j) one->job.details.edit().after.push_back(name(layer - 1, i * 7 + j * 13));
      one->job.details.edit().has_slots_of_first = layer > 0;
      jobs.emplace(one->job.name, one);
    }
  int looks = 0;
  ChainSurvey survey([&](std::string_view one) {
    ++looks;
    return jobs.find(one)->second;
  });
  for (const auto& [job, definition] : jobs) EXPECT_EQ(link_job(definition, survey).fault, "") << job;
  EXPECT_EQ(looks, 6'000);
  EXPECT_EQ(survey.of("l59_0").row, 60u);
  EXPECT_EQ(survey.of("l59_0").first->job.name.substr(0, 3), "l0_");
}

TEST(ChainSurvey, KnowsCirclesAndWhatComesAfterThem) {
  const std::map<std::string, std::vector<std::string>, std::less<>> after{
      {"a", {"b", "root"}}, {"b", {"c"}}, {"c", {"a", "x"}}, {"d", {"c", "root"}}, {"e", {"d"}},
      {"self", {"self"}},   {"root", {}}, {"x", {"y"}},      {"y", {"x"}}};
  ChainSurvey survey([&](std::string_view name) -> schedule::DefinitionPtr {
    const auto one = after.find(name);
    if (one == after.end()) return nullptr;
    auto made = std::make_shared<schedule::Definition>();
    made->job.name = one->first;
    made->job.details.edit().after = one->second;
    return made;
  });
  for (const char* job : {"a", "b", "c", "x", "y", "self"}) EXPECT_TRUE(survey.of(job).is_in_circle) << job;
  for (const char* job : {"d", "e", "root"}) EXPECT_FALSE(survey.of(job).is_in_circle) << job;
  EXPECT_TRUE(survey.are_in_one_circle("a", "c") && survey.are_in_one_circle("x", "y"));
  EXPECT_FALSE(survey.are_in_one_circle("a", "x") || survey.are_in_one_circle("c", "d"));
  EXPECT_EQ(survey.of("e").row, 3u);
  EXPECT_FALSE(survey.of("nobody").job);
}

TEST_F(ChainFiles, AJobWithSlotsAfterOneWithoutAnyIsAWarning) {
  const std::string by_hand = "[job.manual]\nshell = \"true\"\n";
  write("a.toml", extract + by_hand + "[job.load]\nafter = [\"extract\", \"manual\"]\nshell = \"true\"\n");
  EXPECT_EQ(findings(),
            "a.toml:8:21: warning: job 'manual' has no slots, as it has no schedule: until one of its slots has ended "
            "those of this job wait, and of them at most 8 are kept, the others skipped\n");
  ASSERT_TRUE(find("load"));
  EXPECT_EQ(find("load")->plan, find("extract")->plan);
  write("a.toml", extract + "enabled = false\n" + by_hand +
                      "[job.own]\nafter = [\"extract\"]\nschedule = \"0 6 * * *\"\nshell = \"true\"\n");
  EXPECT_NE(findings().find("a.toml:9:10: warning: job 'extract' is disabled: until"), std::string::npos) << findings();
  write("a.toml", by_hand + "[job.load]\nafter = [\"manual\"]\nshell = \"true\"\n");
  EXPECT_EQ(findings(), "") << "it has no slots that wait";
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

TEST_F(ChainFiles, OfOneFileTheFirstHundredFindingsAreKept) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "[job.j" + std::to_string(i) + "]\nafter = [\"none\"]\nshell = \"true\"\n";
  write("a.toml", many);
  const std::string all = findings();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 101) << all;
  EXPECT_TRUE(all.ends_with("a.toml:302:10: error: 900 further findings are left out; mend the ones above first\n"))
      << all;
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
