// WakeHeap: when each of many entries wants to be woken, the earliest first; of those of one instant the one with the
// lowest serial. A binary heap in one array; each entry keeps its place in it, so that any can be moved or taken out.
//
//   WakeHeap<JobEntry, WallTime, &JobEntry::wall_place> wakes;
//   wakes.set(job, now + Millis(5)); ... wakes.set(job, std::nullopt);
//   for (JobEntry* due : wakes.due(now, 100)) ...
//
// Pure values. An entry is in at most one heap at a time by one place, and outlives its time there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ballot/optional_time.hpp"

namespace ballot::core {

template <class Entry, class Time, std::uint32_t Entry::*Place>
class WakeHeap {
 public:
  /// None: it is not to be woken.
  void set(Entry& entry, OptionalTime<Time> at) {
    std::uint32_t& place = entry.*Place;  // from 1; 0: not in it
    if (!at) {
      if (place != 0) take_out(place - 1);
    } else if (place == 0) {
      wakes_.push_back({*at, &entry});
      rise(wakes_.size() - 1, wakes_.back());
    } else if (const std::size_t index = place - 1; wakes_[index].at != *at) {
      move(index, {*at, &entry});
    }
  }

  std::optional<Time> first() const { return wakes_.empty() ? std::nullopt : std::optional(wakes_.front().at); }

  /// The first `most` of those whose time has come, in order.
  std::vector<Entry*> due(Time now, std::size_t most) const {
    std::vector<Entry*> due;
    // Candidates for the next: each entry that has been passed leaves its two followers.
    std::vector<std::size_t> next;
    const auto later = [this](std::size_t a, std::size_t b) { return wakes_[b].comes_before(wakes_[a]); };
    const auto consider = [&](std::size_t index) {
      if (index >= wakes_.size() || wakes_[index].at > now) return;
      next.push_back(index);
      std::push_heap(next.begin(), next.end(), later);
    };
    consider(0);
    while (!next.empty() && due.size() < most) {
      std::pop_heap(next.begin(), next.end(), later);
      const std::size_t index = next.back();
      next.pop_back();
      due.push_back(wakes_[index].entry);
      consider(2 * index + 1);
      consider(2 * index + 2);
    }
    return due;
  }

 private:
  struct Wake {
    Time at;
    Entry* entry;
    bool comes_before(const Wake& other) const {
      return at != other.at ? at < other.at : entry->serial < other.entry->serial;
    }
  };

  void put(std::size_t index, Wake wake) {
    wakes_[index] = wake;
    wake.entry->*Place = static_cast<std::uint32_t>(index + 1);
  }
  /// From `index`, which is free, up to where it belongs.
  void rise(std::size_t index, Wake wake) {
    for (; index > 0 && wake.comes_before(wakes_[(index - 1) / 2]); index = (index - 1) / 2)
      put(index, wakes_[(index - 1) / 2]);
    put(index, wake);
  }
  /// The same, up or down.
  void move(std::size_t index, Wake wake) {
    for (std::size_t child = 2 * index + 1; child < wakes_.size(); child = 2 * index + 1) {
      if (child + 1 < wakes_.size() && wakes_[child + 1].comes_before(wakes_[child])) ++child;
      if (!wakes_[child].comes_before(wake)) break;
      put(index, wakes_[child]);
      index = child;
    }
    rise(index, wake);
  }
  void take_out(std::size_t index) {
    wakes_[index].entry->*Place = 0;
    const Wake last = wakes_.back();
    wakes_.pop_back();
    if (index < wakes_.size()) move(index, last);
  }

  std::vector<Wake> wakes_;
};

}  // namespace ballot::core
