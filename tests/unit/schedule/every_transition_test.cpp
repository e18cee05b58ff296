// The daylight-saving rule around every change of every zone of the system's database, 1970 to 2037. What is wanted is
// reckoned here from the list of the zone's offsets alone, label by label.
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "plans.hpp"
#include "zones/time_zone.hpp"
#include "zones/zone_names.hpp"

namespace ballot::schedule {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
namespace cctz = zones::cctz;
using zones::TimeZone;

/// A time in which a zone's offset stays the same.
struct Reign {
  sys_seconds begin, end;
  seconds offset;

  auto operator<=>(const Reign&) const = default;
  bool has(sys_seconds at) const { return begin <= at && at < end; }
  sys_seconds instant(local_seconds label) const { return sys_seconds(label.time_since_epoch() - offset); }
  local_seconds label(sys_seconds at) const { return local_seconds(at.time_since_epoch() + offset); }
};

const sys_seconds first_instant = sys_days(1970y / 1 / 1), last_instant = sys_days(2038y / 1 / 1);

std::vector<Reign> reigns_of(const std::string& name) {
  cctz::time_zone zone;
  EXPECT_TRUE(cctz::load_time_zone(name, &zone)) << name;
  const auto offset = [&](sys_seconds at) {
    return seconds(
        zone.lookup(time_point_cast<cctz::seconds>(system_clock::from_time_t(at.time_since_epoch().count()))).offset);
  };
  // The offsets themselves say where they change: halved down to the second, from a walk of half a day a step.
  std::vector<Reign> reigns{{first_instant - days(30), {}, offset(first_instant - days(30))}};
  for (sys_seconds at = reigns[0].begin; at < last_instant; at += hours(12)) {
    if (offset(at + hours(12)) == reigns.back().offset) continue;
    sys_seconds low = at, high = at + hours(12);
    while (high - low > seconds(1)) {
      const sys_seconds middle = low + (high - low) / 2;
      (offset(middle) == reigns.back().offset ? low : high) = middle;
    }
    reigns.back().end = high;
    reigns.push_back({high, {}, offset(high)});
  }
  reigns.back().end = last_instant + days(30);
  return reigns;
}

std::vector<std::string> zone_names() {
  std::vector<std::string> names;
  const std::filesystem::path root = "/usr/share/zoneinfo";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string name = entry.path().lexically_relative(root).string();
    if (entry.is_regular_file() && zones::is_zone_name(name) && TimeZone::load(name)) names.push_back(name);
  }
  return names;
}

/// Where and what a zone does around one of its changes.
struct Window {
  std::string zone;
  std::vector<Reign> reigns;  // those that touch it
  sys_seconds change, begin, end;

  Window narrowed(seconds around) const { return {zone, reigns, change, change - around, change + around}; }
};

std::vector<Window> windows_of(const std::string& name) {
  const auto reigns = reigns_of(name);
  std::vector<Window> windows;
  for (std::size_t i = 1; i < reigns.size(); ++i) {
    const sys_seconds change = reigns[i].begin;
    Window window{name, {}, change, change - days(3), change + days(3)};
    for (const Reign& reign : reigns)
      if (reign.end > window.begin - days(3) && reign.begin < window.end + days(3)) window.reigns.push_back(reign);
    windows.push_back(std::move(window));
  }
  return windows;
}

/// One of those windows in which several zones do the same: that each zone has its offsets,
/// IsWhereTheSystemsLibraryHasIt says of all names.
const std::vector<Window>& every_window() {
  static const std::vector<Window> all = [] {
    std::vector<Window> found;
    std::set<std::pair<sys_seconds, std::vector<Reign>>> seen;
    for (const std::string& name : zone_names())
      for (Window& window : windows_of(name))
        if (seen.emplace(window.change, window.reigns).second) found.push_back(std::move(window));
    return found;
  }();
  return all;
}

template <class Check>
void for_every_change(const Check& check) {
  ASSERT_GT(every_window().size(), 5'000u) << "the system's time zone database is missing or small";
  for (const Window& window : every_window()) {
    check(window);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

using Slots = std::map<sys_seconds, bool>;  // instant -> dst_gap

Slots walk(const Plan& plan, sys_seconds begin, sys_seconds end) {
  Slots slots;
  WallTime after = begin - 1ms;
  for (auto slot = plan.next(after, {}); slot && slot->at < end; slot = plan.next(after, {})) {
    EXPECT_GT(slot->at, after);
    if (slot->at <= after) return slots;
    slots.emplace(floor<seconds>(slot->at), slot->kind == Slot::Kind::dst_gap);
    after = slot->at;
  }
  return slots;
}

std::string text_of(const Slots& slots) {
  std::string text;
  for (const auto& [at, gap] : slots) text += format_seconds(at) + (gap ? " gap " : " ");
  return text;
}

/// The slot of one label by the rule of the wall clock.
void add_slot(Slots& slots, const Window& window, local_seconds label) {
  for (const Reign& reign : window.reigns) {
    if (!reign.has(reign.instant(label))) continue;
    slots[reign.instant(label)] = false;
    return;
  }
  for (std::size_t i = 1; i < window.reigns.size(); ++i) {
    const Reign& before = window.reigns[i - 1];
    const Reign& after = window.reigns[i];
    if (label < before.label(after.begin) || label >= after.label(after.begin)) continue;
    if (after.offset - before.offset < 24h)
      slots[after.begin] = false;
    else
      slots.emplace(after.begin - 1s, true);
  }
}

Slots within(const Slots& slots, const Window& window) {
  return {slots.lower_bound(window.begin), slots.lower_bound(window.end)};
}

/// Every label of the window's dates at these seconds after midnight.
Slots wanted(const Window& window, const std::vector<seconds>& times) {
  Slots slots;
  for (auto date = floor<days>(window.reigns[0].label(window.begin)) - days(2);
       date < floor<days>(window.reigns[0].label(window.end)) + days(3); date += days(1))
    for (const seconds time : times) add_slot(slots, window, date + time);
  return within(slots, window);
}

/// Whoever asks from around the change, rather than walking over it, is told the same.
void expect_same_from_the_change(const Window& window, const Plan& plan, const Slots& slots) {
  for (const Millis around : {Millis(-1s), Millis(-1ms), Millis(0), Millis(1s)}) {
    const WallTime after = window.change + around;
    const auto wanted = slots.upper_bound(floor<seconds>(after));
    const auto found = plan.next(after, {});
    if (wanted == slots.end()) continue;
    ASSERT_TRUE(found);
    ASSERT_EQ(*found, (Slot{wanted->first, wanted->second ? Slot::Kind::dst_gap : Slot::Kind::due}))
        << window.zone << " after " << format_millis(after);
  }
}

void expect_slots(const Window& window, const std::string& expression, const Slots& slots) {
  const Plan plan = plan_of(expression, window.zone);
  const Slots found = walk(plan, window.begin, window.end);
  ASSERT_EQ(found, slots) << expression << " in " << window.zone << " around " << format_seconds(window.change)
                          << "\nfound  " << text_of(found) << "\nwanted " << text_of(slots);
  expect_same_from_the_change(window, plan, slots);
}

/// Times of day worth a job around a change: fixed ones, and those at both ends of the gap or overlap and within it.
std::vector<seconds> times_around(const Window& window) {
  std::vector<seconds> times{0s, 2h + 30min, 12h, 23h + 59min};
  const auto right = std::find_if(window.reigns.begin(), window.reigns.end(),
                                  [&](const Reign& reign) { return reign.begin == window.change; });
  const local_seconds before = std::prev(right)->label(window.change), after = right->label(window.change);
  for (const local_seconds label : {before, before + (after - before) / 2, after, std::min(before, after) - 1s})
    times.push_back(label - floor<days>(label));
  return times;
}

TEST(EveryTransition, GivesADailyJobOneSlotForEachDateThatExists) {
  for_every_change([](const Window& window) {
    for (const seconds time : times_around(window)) {
      const hh_mm_ss clock{time};
      const std::string expression = std::to_string(clock.seconds().count()) + " " +
                                     std::to_string(clock.minutes().count()) + " " +
                                     std::to_string(clock.hours().count()) + " * * *";
      const Slots slots = wanted(window, {time});
      ASSERT_NO_FATAL_FAILURE(expect_slots(window, expression, slots));
      ASSERT_GE(slots.size(), 4u);
      ASSERT_LE(slots.size(), 8u);
    }
  });
}

TEST(EveryTransition, CollapsesManyLabelsOfAGapAndSilencesASecondPass) {
  std::vector<seconds> times;
  for (seconds time = 0s; time < 23h; time += 20min) times.push_back(time);
  for_every_change([&](const Window& wide) {
    const Window window = wide.narrowed(5h);
    expect_slots(window, "*/20 0-22 * * *", wanted(window, times));
  });
}

/// The slots of an expression that matches every hour: its labels, wherever an offset has them.
Slots wanted_by_elapsed_time(const Window& window, seconds phase, seconds period) {
  Slots slots;
  for (const Reign& reign : window.reigns) {
    local_seconds label = floor<days>(reign.label(std::max(reign.begin, window.begin))) - days(1) + phase;
    for (; reign.instant(label) < std::min(reign.end, window.end); label += period)
      if (reign.has(reign.instant(label))) slots[reign.instant(label)] = false;
  }
  return within(slots, window);
}

/// The nominal period and what a change of the offset adds: back by half an hour makes an hour one and a half, and so
/// does forth, over a label.
seconds longest_pause(const Window& window, seconds period) {
  seconds added = 0s;
  for (std::size_t i = 1; i < window.reigns.size(); ++i) {
    const seconds back = window.reigns[i - 1].offset - window.reigns[i].offset;
    added = std::max(added, (back % period + period) % period);
  }
  return period + added;
}

TEST(EveryTransition, NeverLeavesAHoleInWhatMatchesEveryHour) {
  for_every_change([](const Window& wide) {
    const Window window = wide.narrowed(5h);
    for (const auto& [expression, phase, period] : {std::tuple("0 * * * *", seconds(0), seconds(1h)),
                                                    {"*/15 * * * *", seconds(0), seconds(15min)},
                                                    {"37 * * * *", seconds(37min), seconds(1h)}}) {
      const Slots slots = wanted_by_elapsed_time(window, phase, period);
      ASSERT_NO_FATAL_FAILURE(expect_slots(window, expression, slots));
      for (auto slot = std::next(slots.begin()); slot != slots.end(); ++slot)
        ASSERT_LE(slot->first - std::prev(slot)->first, longest_pause(window, period))
            << expression << " in " << window.zone << " at " << format_seconds(slot->first);
    }
  });
}

TEST(EveryTransition, AnswersTheSameWhereverItIsAskedFrom) {
  std::mt19937 random(1);
  for_every_change([&](const Window& window) {
    const Plan plan = plan_of({.expressions = {"*/20 0-22 * * *", "7 * * * *", "30 2 * * *"}, .timezone = window.zone});
    const Slots slots = walk(plan, window.change - 3h, window.change + 5h);
    for (int i = 0; i < 8; ++i) {
      const sys_seconds at = window.change - 3h + seconds(random() % (6 * 3600));
      const auto next = plan.next(at, {});
      const auto wanted_next = slots.upper_bound(at);
      ASSERT_TRUE(next);
      ASSERT_EQ(floor<seconds>(next->at), wanted_next->first) << window.zone << " after " << format_seconds(at);
      ASSERT_EQ(next->kind == Slot::Kind::dst_gap, wanted_next->second);
    }
  });
}

TEST(EveryTransition, IsWhereTheSystemsLibraryHasIt) {
  for (const std::string& name : zone_names()) {
    ::setenv("TZ", (":" + name).c_str(), 1);
    ::tzset();
    const TimeZone zone = *TimeZone::load(name);
    for (auto span = zone.span(first_instant); span.end < last_instant; span = zone.span(span.end)) {
      for (const sys_seconds at : {span.end - 1s, span.end}) {
        const std::time_t count = at.time_since_epoch().count();
        std::tm local{};
        ::localtime_r(&count, &local);
        ASSERT_EQ(zone.offset(at), seconds(local.tm_gmtoff)) << name << " at " << format_seconds(at);
      }
      ASSERT_NE(zone.offset(span.end), span.offset) << name;
    }
  }
  ::unsetenv("TZ");
  ::tzset();
}

}  // namespace
}  // namespace ballot::schedule
