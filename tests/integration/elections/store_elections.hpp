// What the tests of `ballot run` and `ballot election` have in common that run on a real server of each backend.
//
//   struct EvictOnAStore : ElectionsOnAStore { ... };
//   TEST_P(EvictOnAStore, ...) { ... }
//   BALLOT_ON_EACH_STORE(EvictOnAStore);
#pragma once

#include "integration/elections/cron_candidates.hpp"
#include "integration/elections/elections.hpp"
#include "support/servers/store_place.hpp"

namespace ballot::testing {

/// The parameter is the backend.
struct OnAStore : ::testing::WithParamInterface<std::string> {
  const StorePlace place{GetParam()};
};

struct ElectionsOnAStore : OnAStore, Elections {
  static constexpr Millis timeout{2000}, margin{500};
  /// More than a busy machine takes to start a program; where ballot promises a time, that time counts.
  static constexpr Millis busy{5000};
  explicit ElectionsOnAStore(Millis session_timeout = timeout) : Elections(place.config(session_timeout)) {}
};

struct CronOnAStore : OnAStore, RunCron {
  CronOnAStore() : RunCron(place.config(3s)) {}
};

/// A test's name ends with its backend's.
#define BALLOT_ON_EACH_STORE(fixture)                                                    \
  INSTANTIATE_TEST_SUITE_P(Stores, fixture, ::testing::ValuesIn(StorePlace::backends()), \
                           [](const auto& backend) { return backend.param; })

}  // namespace ballot::testing
