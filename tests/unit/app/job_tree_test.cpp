// Jobs in the order of their chains, and so in the table of `ballot jobs`.
#include "app/jobs/job_tree.hpp"

#include <gtest/gtest.h>

#include "unit/app/answering_node.hpp"

namespace ballot::app {
namespace {

using Texts = std::vector<std::string>;

/// "  load", and behind it a star where the place does not say all that it comes after.
Texts listed(const std::vector<ListedJob>& jobs) {
  Texts lines;
  for (const TreePlace& one : job_tree(jobs))
    lines.push_back(std::string(2 * one.depth, ' ') + jobs[one.job].name + (one.says_all ? "" : "*"));
  return lines;
}

TEST(JobTree, OfJobsThatComeAfterNoneIsTheirList) {
  EXPECT_EQ(listed({{"a", {}}, {"c", {}}, {"b", {}}}), (Texts{"a", "c", "b"}));
  EXPECT_EQ(listed({}), Texts());
}

TEST(JobTree, HasEachJobBelowTheOneThatItComesAfter) {
  EXPECT_EQ(listed({{"clean", {"load"}}, {"extract", {}}, {"load", {"extract"}}, {"report", {"load"}}, {"sync", {}}}),
            (Texts{"extract", "  load", "    clean", "    report", "sync"}));
}

TEST(JobTree, HasAJobThatComesAfterSeveralOnceAndSaysSo) {
  EXPECT_EQ(listed({{"a", {}}, {"b", {}}, {"join", {"b", "a"}}, {"last", {"join"}}}),
            (Texts{"a", "b", "  join*", "    last"}));
}

TEST(JobTree, OfAPartOfAChainSaysWhatIsNotInTheList) {
  EXPECT_EQ(listed({{"load", {"extract"}}, {"report", {"clean", "load"}}}), (Texts{"load*", "  report*"}));
}

TEST(JobTree, LeavesNoJobOutThoughFilesOfTwoVersionsHaveACircle) {
  EXPECT_EQ(listed({{"a", {"b"}}, {"b", {"a"}}, {"c", {}}}), (Texts{"c", "a*", "  b"}));
}

TEST(JobTree, IsThatOfTheTableOfJobsAndOtherFormatsAreAFlatList) {
  const AnsweringNode node("", [](const io::Message& asked, const io::Reply& reply) {
    if (asked.text("do") != "jobs") return reply.fail({Errc::invalid, "it is older"});
    const auto job = [](const std::string& name, const Texts& after) {
      io::Message one = io::Message().set("job", name).set("group", "etl").set("leader", "host-1");
      return after.empty() ? one.set("state", "active") : one.set("state", "active").set("after", after);
    };
    const std::vector jobs{job("clean", {}), job("extract", {}), job("join", {"extract", "clean"}),
                           job("load", {"extract"})};
    reply.finish(io::Message().set("jobs", jobs));
  });
  const auto table = node.asked({"jobs"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(
      table.out.ends_with("GROUP  LEADER  AFTER\n"
                          "clean    -            active  -          etl    host-1  -\n"
                          "extract  -            active  -          etl    host-1  -\n"
                          "  join   -            active  -          etl    host-1  extract, clean\n"
                          "  load   -            active  -          etl    host-1  extract\n"))
      << table.out;
  const auto one = node.asked({"jobs", "load"});
  EXPECT_TRUE(one.out.ends_with("AFTER\nload  -            active  -          etl    host-1  extract\n")) << one.out;
  const auto csv = node.asked({"jobs", "--format", "csv"});
  EXPECT_TRUE(
      csv.out.ends_with("\njoin,etl,host-1,,,active,,,,,\"extract, clean\",,\n"
                        "load,etl,host-1,,,active,,,,,extract,,\n"))
      << csv.out;
  EXPECT_TRUE(testing::contains(node.asked({"jobs", "--format", "json"}).out, R"("after":["extract","clean"],)"));
}

}  // namespace
}  // namespace ballot::app
