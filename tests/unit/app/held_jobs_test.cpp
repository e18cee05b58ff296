// Why nothing is due of jobs that are paused or halted.
#include "app/held_jobs.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"
#include "core/record/register.hpp"

namespace ballot::app {
namespace {

const WallTime midday = *parse_wall("2026-11-28T12:00:00Z");

io::Message job(const std::string& name, const std::string& leader, const std::string& state) {
  return io::Message().set("job", name).set("group", "batch").set("leader", leader).set("state", state);
}
io::Message pause_of(const char* of) {
  return io::Message().set("of", of).set("since", format_millis(midday)).set("by", "host-1 uid 0");
}
std::vector<std::string> texts(const std::vector<io::Message>& jobs, const StoredStates* stored) {
  std::vector<std::string> all;
  for (const HeldJob& one : held_jobs(jobs, "host-1", stored)) all.push_back(text_of(one));
  return all;
}

TEST(HeldJobs, OfWhatThisNodeLeadsTheDaemonSays) {
  const io::Message paused = job("minutely", "host-1", "paused").set("pauses", std::vector{pause_of("job")});
  EXPECT_EQ(texts({paused, job("b", "host-1", "active")}, nullptr),
            std::vector<std::string>{"job minutely is paused since 2026-11-28T12:00:00.000Z, by host-1 uid 0: its "
                                     "slots are not due until `ballot resume minutely`"});
}

TEST(HeldJobs, APauseOfAGroupIsNamedOnce) {
  const std::vector pauses{pause_of("group")};
  EXPECT_EQ(
      texts({job("a", "host-1", "paused").set("pauses", pauses), job("b", "host-1", "paused").set("pauses", pauses)},
            nullptr),
      std::vector<std::string>{"group batch is paused since 2026-11-28T12:00:00.000Z, by host-1 uid 0: its "
                               "slots are not due until `ballot resume --group batch`"});
}

TEST(HeldJobs, OfWhatOthersLeadTheStoreSays) {
  core::JobRegister known;
  known.paused = true;
  known.interventions.edit().paused_at = midday;
  known.interventions.edit().paused_by = "host-2 uid 0";
  Register stored;
  stored.name = core::job_register("a"), stored.value = core::to_text(known);
  const StoredStates states = StoredStates::of({stored});
  const std::vector<io::Message> jobs{job("a", "host-2", "active"), job("b", "", "active")};
  EXPECT_EQ(texts(jobs, &states).size(), 1u);
  EXPECT_EQ(texts(jobs, nullptr).size(), 0u) << "the store has not answered";
}

}  // namespace
}  // namespace ballot::app
