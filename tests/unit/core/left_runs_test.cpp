// What is published for a daemon that is dead: by what its runner knows, and by whose the name is by now.
#include "core/store/left_runs.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "core/record/outcome.hpp"
#include "core/record/register.hpp"

namespace ballot::core {
namespace {

using Known = RunnerView::Known;

struct LeftRunsOfANode : ::testing::Test {
  LeftRunsOfANode() {
    Random random(1);
    JobRegister job;
    job.group = "g";
    for (runner::AttemptId& id : ids) {
      id = {random.run_id({}), 1};
      OpenRun open;
      open.id = id.run;
      open.node = "n1";
      open.epoch = 7;
      job.runs.push_back(open);
    }
    registers.push_back({"j/tick", to_text(job), 1});
    view.running[ids[0]].id = ids[0];
    view.ended[ids[1]].id = ids[1];
  }
  std::vector<std::string> names(Known known) {
    view.known = known;
    std::vector<std::string> all;
    for (const Record& end : left_runs("n1", registers, view).ends) all.push_back(end.name);
    for (const Record& end : never_started("n1", registers, view, &terms, {})) all.push_back(end.name);
    return all;
  }

  runner::AttemptId ids[3];  // one runs, one has ended, of one nothing is known
  std::vector<Register> registers;
  RunnerView view;
  LatestTerms terms{{"g", 7}};
};

TEST_F(LeftRunsOfANode, AreThoseThatHaveEndedAndThoseThatItsRunnerNeverHeardOf) {
  EXPECT_EQ(names(Known::all), (std::vector{outcome_record(ids[1]), outcome_record(ids[2])}));
}

TEST_F(LeftRunsOfANode, AreNoneOfALaterTermWhichAnotherDaemonWithItsNameMayHave) {
  terms["g"] = 6;
  EXPECT_EQ(names(Known::all), std::vector{outcome_record(ids[1])});
  terms.clear();
  EXPECT_EQ(names(Known::all), std::vector{outcome_record(ids[1])});
}

TEST_F(LeftRunsOfANode, AreInTheRegistersOfItsRunnersJobsUnlessThatDoesNotNameAll) {
  view.jobs[ids[0]] = "tick";
  EXPECT_EQ(view.all_jobs(), std::nullopt);
  view.jobs[ids[1]] = "tock";
  EXPECT_EQ(view.all_jobs(), (std::set<std::string>{"tick", "tock"}));
}

TEST_F(LeftRunsOfANode, AreOnlyThoseThatItsRunnerKnowsWhereAnotherDaemonHasTheName) {
  EXPECT_EQ(names(Known::own), std::vector{outcome_record(ids[1])});
}

TEST_F(LeftRunsOfANode, AreNoneWhereItsRunnerDoesNotAnswer) {
  EXPECT_TRUE(names(Known::nothing).empty());
  EXPECT_TRUE(names(Known::nobody).empty());
}

}  // namespace
}  // namespace ballot::core
