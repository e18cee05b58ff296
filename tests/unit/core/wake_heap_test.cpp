#include "core/jobs/wake_heap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "ballot/time.hpp"

namespace ballot::core {
namespace {

struct Sleeper {
  std::size_t serial = 0;
  std::uint32_t place = 0;
};
using Sleepers = std::vector<Sleeper*>;
using Heap = WakeHeap<Sleeper, WallTime, &Sleeper::place>;

WallTime at(int second) { return WallTime(std::chrono::seconds(second)); }

TEST(WakeHeap, NamesTheEarliestAndOfOneInstantTheFirstBySerial) {
  Sleeper a{1}, b{2}, c{3};
  Heap wakes;
  EXPECT_EQ(wakes.first(), std::nullopt);
  wakes.set(c, at(5));
  wakes.set(b, at(5));
  wakes.set(a, at(7));
  EXPECT_EQ(wakes.first(), at(5));
  EXPECT_EQ(wakes.due(at(4), 9), Sleepers{});
  EXPECT_EQ(wakes.due(at(6), 9), (Sleepers{&b, &c}));
  EXPECT_EQ(wakes.due(at(9), 9), (Sleepers{&b, &c, &a}));
  EXPECT_EQ(wakes.due(at(9), 2), (Sleepers{&b, &c}));
  wakes.set(a, at(1));
  wakes.set(b, std::nullopt);
  EXPECT_EQ(wakes.due(at(9), 9), (Sleepers{&a, &c}));
}

TEST(WakeHeap, IsASortedListThatAnyMayEnterAndLeave) {
  std::mt19937 random(7);
  std::vector<Sleeper> sleepers(60);
  for (std::size_t i = 0; i < sleepers.size(); ++i) sleepers[i].serial = i;
  std::map<std::pair<WallTime, std::size_t>, Sleeper*> sorted;
  std::map<Sleeper*, WallTime> armed;
  Heap wakes;
  for (int step = 0; step < 5000; ++step) {
    Sleeper& one = sleepers[random() % sleepers.size()];
    if (const auto known = armed.find(&one); known != armed.end()) {
      sorted.erase({known->second, one.serial});
      armed.erase(known);
    }
    if (random() % 3 == 0) {
      wakes.set(one, std::nullopt);
    } else {
      const WallTime wake = at(static_cast<int>(random() % 20));
      wakes.set(one, wake);
      sorted[{wake, one.serial}] = armed.emplace(&one, wake).first->first;
    }
    const WallTime now = at(static_cast<int>(random() % 20));
    Sleepers due;
    for (const auto& [key, sleeper] : sorted)
      if (key.first <= now && due.size() < 7) due.push_back(sleeper);
    ASSERT_EQ(wakes.due(now, 7), due) << step;
  }
}

}  // namespace
}  // namespace ballot::core
