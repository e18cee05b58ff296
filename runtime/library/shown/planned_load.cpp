#include "library/shown/planned_load.hpp"

#include <algorithm>
#include <tuple>

#include "base/wall_text.hpp"

namespace ballot::library {
namespace {

using io::Message;
using std::chrono::ceil;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;

constexpr std::size_t most_named = 20, most_clashes = 50;
constexpr std::size_t minutes_an_hour = 60;

struct Range {
  std::size_t begin = 0, end = 0;
};

/// Of so many parts, one after the other from 0 on, those that lie between two times, or some of which does.
Range range_of(Millis from, Millis until, Millis part, std::size_t parts) {
  const Millis all = part * static_cast<std::int64_t>(parts), none(0);
  const auto begin = static_cast<std::size_t>(std::clamp(from, none, all) / part);
  const auto end = static_cast<std::size_t>((std::clamp(until, none, all) + part - Millis(1)) / part);
  return {begin, std::max(begin, end)};
}

}  // namespace

PlannedLoad::PlannedLoad(WallTime from, WallTime until) : begin_(floor<hours>(from)) {
  hours_.resize(static_cast<std::size_t>(std::max<std::int64_t>(ceil<hours>(until - begin_).count(), 0)));
  minutes_.resize(hours_.size() * minutes_an_hour);
}

void PlannedLoad::begin(std::span<const std::string> jobs) {
  const auto first = jobs.first(std::min(jobs.size(), most_named));
  alike_.push_back({std::ssize(jobs), {first.begin(), first.end()}});
}

/// Whether it is the first slot of these jobs there.
bool PlannedLoad::count(Hour& part) const {
  const std::int64_t jobs = alike_.back().jobs;
  part.slots += jobs;
  if (part.last_alike == alike_.size()) return false;
  part.last_alike = alike_.size();
  part.jobs += jobs;
  return true;
}

void PlannedLoad::add(WallTime slot) {
  const auto place = static_cast<std::size_t>(floor<minutes>(slot - begin_).count());
  count(hours_.at(place / minutes_an_hour));
  Minute& minute = minutes_[place];
  if (count(minute) && minute.first_alike.size() < most_named)
    minute.first_alike.push_back(static_cast<std::uint32_t>(alike_.size() - 1));
}

/// Minutes at which more than one job is due, those with most jobs first.
std::vector<std::size_t> PlannedLoad::fullest_minutes(std::size_t begin, std::size_t end) const {
  std::vector<std::size_t> fullest;
  for (std::size_t minute = begin; minute < end; ++minute)
    if (minutes_[minute].jobs > 1) fullest.push_back(minute);
  const std::size_t count = std::min(fullest.size(), most_clashes);
  std::partial_sort(fullest.begin(), fullest.begin() + static_cast<std::ptrdiff_t>(count), fullest.end(),
                    [this](std::size_t a, std::size_t b) {
                      return std::tuple(-minutes_[a].jobs, a) < std::tuple(-minutes_[b].jobs, b);
                    });
  fullest.resize(count);
  return fullest;
}

/// Each of the first few that are alike adds one at least, so that none of the first few jobs is of the others.
std::vector<std::string> PlannedLoad::first_jobs(const Minute& minute) const {
  std::vector<std::string> first;
  for (const std::uint32_t place : minute.first_alike) {
    const std::vector<std::string>& jobs = alike_[place].first_jobs;
    const auto middle = first.insert(first.end(), jobs.begin(), jobs.end());
    std::inplace_merge(first.begin(), middle, first.end());
    first.resize(std::min(first.size(), most_named));
  }
  return first;
}

Message PlannedLoad::shown_hour(std::size_t hour) const {
  const auto minute = minutes_.begin() + static_cast<std::ptrdiff_t>(hour * minutes_an_hour);
  const auto fullest =
      std::max_element(minute, minute + static_cast<std::ptrdiff_t>(minutes_an_hour),
                       [](const Minute& left, const Minute& right) { return left.slots < right.slots; });
  Message one;
  one.set("hour", format_slot(begin_ + hours(hour))).set("slots", hours_[hour].slots).set("jobs", hours_[hour].jobs);
  one.set("most_at", format_slot(begin_ + minutes(fullest - minutes_.begin())));
  std::int64_t most_jobs = 0;
  for (std::size_t i = 0; i < minutes_an_hour; ++i)
    most_jobs = std::max(most_jobs, minute[static_cast<std::ptrdiff_t>(i)].jobs);
  return one.set("most_slots", fullest->slots).set("most_jobs", most_jobs);
}

Message PlannedLoad::shown_clash(std::size_t minute) const {
  Message one;
  one.set("minute", format_slot(begin_ + minutes(minute))).set("slots", minutes_[minute].slots);
  return one.set("jobs", minutes_[minute].jobs).set("first_jobs", first_jobs(minutes_[minute]));
}

Message PlannedLoad::shown(WallTime from, WallTime until) const {
  std::vector<Message> shown_hours, clashes;
  const Range in_hours = range_of(from - begin_, until - begin_, hours(1), hours_.size());
  for (std::size_t hour = in_hours.begin; hour < in_hours.end; ++hour)
    if (hours_[hour].slots > 0) shown_hours.push_back(shown_hour(hour));
  const Range in_minutes = range_of(from - begin_, until - begin_, minutes(1), minutes_.size());
  for (const std::size_t minute : fullest_minutes(in_minutes.begin, in_minutes.end))
    clashes.push_back(shown_clash(minute));
  return Message().set("hours", std::move(shown_hours)).set("clashes", std::move(clashes));
}

}  // namespace ballot::library
