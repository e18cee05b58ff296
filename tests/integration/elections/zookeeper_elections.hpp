// What the tests of `ballot run` and `ballot election` on a real ZooKeeper server have in common.
#pragma once

#include "integration/elections/cron_candidates.hpp"
#include "integration/elections/elections.hpp"
#include "support/servers/zookeeper_place.hpp"

namespace ballot::testing {

struct OnZookeeper {
  const ZookeeperPlace place;
};

struct ElectionsOnZookeeper : OnZookeeper, Elections {
  static constexpr Millis timeout{3000}, margin{500};
  /// More than a busy machine takes to start a program; where ballot promises a time, that time counts.
  static constexpr Millis busy{5000};

  explicit ElectionsOnZookeeper(Millis session_timeout = timeout) : Elections(place.config(session_timeout)) {}

  /// Nobody is in the group's queue any more, nor has one of the names.
  bool nothing_is_left_of(const Arguments& candidates, const std::string& group = "default") const {
    return wait_until([&] {
      return place.queue(group).empty() && std::none_of(candidates.begin(), candidates.end(),
                                                        [&](const auto& one) { return place.has_session(one); });
    });
  }
};

struct CronOnZookeeper : ZookeeperPlace, RunCron {
  CronOnZookeeper() : RunCron(config(2s)) {}
};

}  // namespace ballot::testing
