#include "library/shown/planned_load.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"

namespace ballot::library {
namespace {

using io::Message;
using std::chrono::minutes;
using std::chrono::seconds;

const WallTime midday = *parse_wall("2026-03-29T12:00:00Z");

std::string said(const std::vector<Message>& all) {
  std::string text;
  for (const Message& one : all) text += io::encode(one) + "\n";
  return text;
}

const WallTime later = midday + std::chrono::hours(2);

std::vector<std::string> jobs(int first, int end) {
  std::vector<std::string> names;
  for (int job = first; job < end; ++job) names.push_back((job < 10 ? "job-0" : "job-") + std::to_string(job));
  return names;
}

TEST(PlannedLoad, CountsSlotsAndJobsOfEachHourAndNamesItsFullestMinute) {
  PlannedLoad load(midday, later);
  load.begin(std::vector<std::string>{"often"});
  for (int minute = 0; minute < 120; minute += 30) load.add(midday + minutes(minute));
  load.begin(std::vector<std::string>{"once"});
  load.add(midday + minutes(30) + seconds(5));
  EXPECT_EQ(
      said(load.shown(midday, later).objects("hours")),
      R"({"hour":"2026-03-29T12:00:00Z","jobs":2,"most_at":"2026-03-29T12:30:00Z","most_jobs":2,"most_slots":2,"slots":3})"
      "\n"
      R"({"hour":"2026-03-29T13:00:00Z","jobs":1,"most_at":"2026-03-29T13:00:00Z","most_jobs":1,"most_slots":1,"slots":2})"
      "\n");
}

TEST(PlannedLoad, NamesTheMinutesAtWhichMostJobsClash) {
  PlannedLoad load(midday, later);
  for (const std::string& job : jobs(0, 30)) {
    load.begin(std::vector{job});
    load.add(midday);
    if (job < "job-02") load.add(midday + minutes(1));
  }
  load.begin(std::vector<std::string>{"often"});
  for (int second = 0; second < 60; ++second) load.add(midday + minutes(5) + seconds(second));
  const auto clashes = load.shown(midday, later).objects("clashes");
  ASSERT_EQ(clashes.size(), 2u) << "one job is no clash, however often it runs";
  EXPECT_EQ(clashes[0].text("minute"), format_slot(midday));
  EXPECT_EQ(clashes[0].integer("jobs"), 30);
  EXPECT_EQ(clashes[0].texts("first_jobs").size(), 20u);
  EXPECT_EQ(clashes[1].texts("first_jobs"), (std::vector<std::string>{"job-00", "job-01"}));
}

TEST(PlannedLoad, CountsJobsThatAreDueAtTheSameTimesAsIfEachWereCountedByItself) {
  std::vector<std::string> even, odd;
  for (const std::string& job : jobs(0, 50)) ((job.back() - '0') % 2 == 0 ? even : odd).push_back(job);
  PlannedLoad alike(midday, later), each(midday, later);
  for (const auto& some : {even, odd}) {
    alike.begin(some);
    for (int second = 0; second < 3; ++second) alike.add(midday + seconds(second));
  }
  for (const std::string& job : jobs(0, 50)) {
    each.begin(std::vector{job});
    for (int second = 0; second < 3; ++second) each.add(midday + seconds(second));
  }
  EXPECT_EQ(io::encode(alike.shown(midday, later)), io::encode(each.shown(midday, later)));
  EXPECT_EQ(each.shown(midday, later).objects("clashes")[0].texts("first_jobs"), jobs(0, 20));
  EXPECT_EQ(each.shown(midday, later).objects("hours")[0].integer("slots"), 150);
}

TEST(PlannedLoad, ShowsWholeHoursAndMinutesOfWhatIsAskedFor) {
  PlannedLoad load(midday, later);
  load.begin(jobs(0, 2));
  for (int minute = 0; minute < 120; minute += 20) load.add(midday + minutes(minute));
  const auto places = [&](WallTime from, WallTime until) {
    const Message shown = load.shown(from, until);
    return std::pair(shown.objects("hours").size(), shown.objects("clashes").size());
  };
  EXPECT_EQ(places(midday, later), std::pair(2ul, 6ul));
  EXPECT_EQ(places(midday + minutes(59), midday + minutes(60)), std::pair(1ul, 0ul));
  EXPECT_EQ(places(midday + minutes(60), midday + minutes(80) + seconds(1)), std::pair(1ul, 2ul));
  EXPECT_EQ(places(midday - minutes(90), later + minutes(90)), std::pair(2ul, 6ul));
  EXPECT_EQ(places(later, midday), std::pair(0ul, 0ul));
}

}  // namespace
}  // namespace ballot::library
