// Several candidates of one schedule, and what must be true of the ticks that they ran.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "base/wall_text.hpp"
#include "support/process/candidate.hpp"

namespace ballot::testing {

using namespace std::chrono_literals;

struct RunCron : ::testing::Test {
  explicit RunCron(const std::string& config = "[coordination]\nsession_timeout = \"2s\"\n") : folder(config) {}

  const ElectionFolder folder;

  static Arguments cron(const std::string& candidate, const std::string& schedule, const Arguments& flags,
                        const std::string& script) {
    Arguments all{"run", "cron", "--candidate-id", candidate, "--schedule", schedule};
    all.insert(all.end(), flags.begin(), flags.end());
    all.insert(all.end(), {"--", "/bin/sh", "-c", script});
    return all;
  }
  static WallTime slot_of(const std::string& line) { return parse_wall(field(line, 5)).value_or(WallTime()); }

  /// From the first to the last that ran.
  void expect_each_second_once() const {
    const auto starts = folder.said("START");
    ASSERT_GE(starts.size(), 2u);
    for (std::size_t i = 1; i < starts.size(); ++i)
      EXPECT_EQ(slot_of(starts[i]) - slot_of(starts[i - 1]), 1s) << starts[i - 1] << "\n" << starts[i];
  }
  /// Every second between the first and the last tick that ran: once, or named by the log of whoever led.
  void expect_each_second_accounted_for(const std::vector<std::unique_ptr<CandidateProcess>>& all) const {
    std::map<WallTime, int> runs;
    for (const std::string& line : folder.said("START")) ++runs[slot_of(line)];
    ASSERT_GE(runs.size(), 2u);
    std::string logs;
    for (const auto& one : all) logs += one->log();
    std::size_t ran = 0, named = 0;
    for (WallTime slot = runs.begin()->first; slot <= runs.rbegin()->first; slot += 1s) {
      const bool is_named = logs.find("tick=" + format_seconds(slot)) != std::string::npos;
      ran += runs.contains(slot);
      named += is_named && !runs.contains(slot);
      EXPECT_TRUE(runs.contains(slot) || is_named) << format_seconds(slot) << " is lost";
    }
    for (const auto& [slot, times] : runs) EXPECT_EQ(times, 1) << format_seconds(slot);
    std::printf("%zu ticks ran, %zu were skipped or missed, and named\n", ran, named);
  }
  /// Five candidates with a tick a second, who hand over after each: until so many ticks have run.
  void expect_turns(std::size_t ticks, std::chrono::seconds patience) const {
    std::vector<std::unique_ptr<CandidateProcess>> all;
    for (const char* name : {"a", "b", "c", "d", "e"})
      all.push_back(std::make_unique<CandidateProcess>(
          folder, cron(name, "* * * * * *", {"--on-child-success", "reelect"}, folder.saying("sleep 0.1"))));
    ASSERT_TRUE(wait_until([&] { return folder.said("END").size() >= ticks; }, patience));
    for (const auto& one : all) one->send(SIGTERM);
    for (const auto& one : all) one->wait();
    EXPECT_EQ(folder.said("OVERLAP").size(), 0u);
    expect_each_second_accounted_for(all);
    std::map<std::string, int> ticks_of;
    for (const std::string& line : folder.said("START")) ++ticks_of[field(line, 3)];
    EXPECT_GE(ticks_of.size(), 2u) << "the lead goes round";
    for (const auto& one : all) EXPECT_EQ(one->count("election failed"), 0u);
  }
};

}  // namespace ballot::testing
