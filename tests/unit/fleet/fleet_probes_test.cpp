// Nodes that were silent, asked again in the background.
#include "library/history/fleet_probes.hpp"

#include <gtest/gtest.h>

#include <future>

#include "io/clocks.hpp"

namespace ballot::library {
namespace {

using namespace std::chrono_literals;

TEST(FleetProbes, AreMadeFromTheFirstWakeOnWhenTheyAreDueAndNoneOnceNobodyIsSilent) {
  std::atomic<int> made{0};
  std::promise<void> third, woken;
  FleetProbes probes([&](const auto&) -> std::optional<SteadyTime> {
    if (++made == 3) third.set_value();
    if (made == 4) woken.set_value();
    return made < 3 ? std::optional(io::read_clocks().steady + 1ms) : std::nullopt;
  });
  EXPECT_EQ(made, 0);
  probes.wake();
  ASSERT_EQ(third.get_future().wait_for(30s), std::future_status::ready);
  EXPECT_EQ(made, 3);
  probes.wake();
  ASSERT_EQ(woken.get_future().wait_for(30s), std::future_status::ready);
}

TEST(FleetProbes, ThatWaitForANodeEndWithTheirDaemon) {
  std::promise<void> begun;
  auto probes = std::make_unique<FleetProbes>([&](const auto& goes_on) -> std::optional<SteadyTime> {
    begun.set_value();
    while (goes_on()) std::this_thread::yield();
    return std::nullopt;
  });
  probes->wake();
  ASSERT_EQ(begun.get_future().wait_for(30s), std::future_status::ready);
  probes.reset();
}

}  // namespace
}  // namespace ballot::library
