#include "library/held/pauses.hpp"

#include <gtest/gtest.h>

#include "base/wall_text.hpp"

namespace ballot::library {
namespace {

const WallTime seven = *parse_wall("2025-03-09T07:00:00Z"), eight = *parse_wall("2025-03-09T08:00:00Z");
const Pause of_job{Pause::Of::job, eight, "n1 uid 0"}, of_group{Pause::Of::group, seven, "n2 uid 7"};

TEST(Pauses, AreNamedWithWhoseTheyAreSinceWhenAndByWhom) {
  EXPECT_EQ(pauses_text({of_job}), "paused since 2025-03-09T08:00:00.000Z, by n1 uid 0");
  EXPECT_EQ(pauses_text({of_group}), "paused with its group since 2025-03-09T07:00:00.000Z, by n2 uid 7");
  EXPECT_EQ(pauses_text({of_job, of_group}),
            "paused since 2025-03-09T08:00:00.000Z, by n1 uid 0, and with its group since 2025-03-09T07:00:00.000Z, by "
            "n2 uid 7");
  EXPECT_EQ(pauses_text({{Pause::Of::job}}), "paused");
}

TEST(Pauses, AreNamedWithTheirEndAndTheirReason) {
  Pause ends = of_job;
  ends.until = eight + std::chrono::hours(2);
  EXPECT_EQ(pauses_text({ends}), "paused since 2025-03-09T08:00:00.000Z, by n1 uid 0, until 2025-03-09T10:00:00.000Z");
  ends.reason = "disks are changed";
  EXPECT_EQ(
      pauses_text({ends, of_group}),
      "paused since 2025-03-09T08:00:00.000Z, by n1 uid 0, until 2025-03-09T10:00:00.000Z: disks are changed, and "
      "with its group since 2025-03-09T07:00:00.000Z, by n2 uid 7");
  EXPECT_EQ(paused_until({ends}), ends.until);
  EXPECT_EQ(paused_until({ends, of_group}), std::nullopt) << "somebody has to resume that";
  EXPECT_EQ(paused_until({}), std::nullopt);
}

TEST(Pauses, AreEndedByACommandEach) {
  EXPECT_EQ(resume_commands({of_job}, "backup", "g"), "`ballot resume backup`");
  EXPECT_EQ(resume_commands({of_job, of_group}, "backup", "g"), "`ballot resume backup` and `ballot resume --group g`");
}

TEST(Pauses, StandFromTheFirstOfThemOn) {
  EXPECT_EQ(paused_since({of_job, of_group}), seven);
  EXPECT_EQ(paused_since({of_job, {Pause::Of::group}}), std::nullopt);
}

TEST(Pauses, AreReadFromWhatTheDaemonSays) {
  io::Message job, pause;
  pause.set("of", "group").set("since", "2025-03-09T07:00:00.000Z").set("by", "n2 uid 7");
  job.set("pauses", std::vector{pause});
  EXPECT_EQ(pauses_text(pauses_from(job)), pauses_text({of_group}));
  pause.set("until", "2025-03-09T08:00:00.000Z").set("reason", "disks");
  job.set("pauses", std::vector{pause});
  EXPECT_EQ(pauses_text(pauses_from(job)), pauses_text({of_group}) + ", until 2025-03-09T08:00:00.000Z: disks");
  EXPECT_TRUE(pauses_from({}).empty());
}

}  // namespace
}  // namespace ballot::library
