// Several candidates of one schedule, and what must hold of the ticks that they ran.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "base/wall_text.hpp"
#include "support/candidate.hpp"

namespace ballot::testing {

using namespace std::chrono_literals;
using Arguments = std::vector<std::string>;

struct RunCron : ::testing::Test {
  ElectionFolder folder{"[coordination]\nsession_timeout = \"2s\"\n"};

  static Arguments cron(const std::string& candidate, const std::string& schedule, const Arguments& flags,
                        const std::string& script) {
    Arguments all{"run", "cron", "--candidate-id", candidate, "--schedule", schedule};
    all.insert(all.end(), flags.begin(), flags.end());
    all.insert(all.end(), {"--", "/bin/sh", "-c", script});
    return all;
  }
  static WallTime slot_of(const std::string& line) { return parse_wall(field(line, 5)).value_or(WallTime()); }

  /// No child began before the one before had ended.
  void expect_one_at_a_time() const {
    const std::vector<std::string> lines = folder.said();
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const bool starts = lines[i].starts_with("START");
      EXPECT_NE(starts, lines[i - 1].starts_with("START")) << lines[i - 1] << "\n" << lines[i];
      EXPECT_GE(time_of(lines[i]), time_of(lines[i - 1]));
    }
  }
  /// From the first to the last that ran.
  void expect_each_second_once() const {
    const auto starts = folder.said("START");
    ASSERT_GE(starts.size(), 2u);
    for (std::size_t i = 1; i < starts.size(); ++i)
      EXPECT_EQ(slot_of(starts[i]) - slot_of(starts[i - 1]), 1s) << starts[i - 1] << "\n" << starts[i];
  }
  std::vector<std::unique_ptr<CandidateProcess>> start_five() const {
    std::vector<std::unique_ptr<CandidateProcess>> all;
    for (const char* name : {"a", "b", "c", "d", "e"})
      all.push_back(std::make_unique<CandidateProcess>(
          folder, cron(name, "* * * * * *", {"--on-child-success", "reelect"}, folder.saying("sleep 0.1"))));
    return all;
  }
  void expect_fair_turns() const {
    std::map<std::string, int> turns;
    for (const std::string& line : folder.said("START")) ++turns[field(line, 3)];
    EXPECT_GE(turns.size(), 2u) << "the lead goes round";
  }
};

}  // namespace ballot::testing
