// What a core shows of itself, copied, for tests that check all of it.
//
//   EXPECT_EQ(jobs_of(node)[0].state, "paused");
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/core.hpp"
#include "support/sim/sim_node.hpp"

namespace ballot {

struct ShownJob {
  std::string name, group, leader, state, trouble;
  std::optional<WallTime> next;
  std::optional<core::JobView::Backfill> backfill = {};  // without its author
};

struct ShownGroup {
  std::string name, state, halted;
  std::uint64_t epoch = 0;
  bool paused = false;
  std::vector<std::string> drift;
};

inline std::vector<ShownJob> jobs_of(SimNode& node) {
  std::vector<ShownJob> jobs;
  for (core::Views::Next from = ""; from;)
    from = node.core().views().visit_jobs(node.clock.now().wall, *from, 2, [&](const core::JobView& job) {
      jobs.push_back({std::string(job.name), std::string(job.group), std::string(job.leader), text_of(job),
                      std::string(job.trouble), job.next, job.backfill});
      if (job.backfill) jobs.back().backfill->by = {};
    });
  return jobs;
}

inline std::vector<ShownGroup> groups_of(SimNode& node) {
  std::vector<ShownGroup> groups;
  for (core::Views::Next from = ""; from;)
    from = node.core().views().visit_groups(*from, 2, [&](const core::GroupView& group) {
      groups.push_back({std::string(group.name), std::string(group.state), std::string(group.halted), group.epoch,
                        group.paused, group.drift});
    });
  return groups;
}

}  // namespace ballot
