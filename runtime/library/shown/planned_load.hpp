// PlannedLoad: how much is due when: the slots of many jobs, counted by hours, and the minutes at which most jobs are
// due at once. Jobs that are due at the same times are counted as one.
//
// Pure.
//
//   PlannedLoad load(from, until);
//   for (const auto& alike : jobs) load.begin(alike), load.add(slot), ...
//   load.shown(from, until)      // {"hours": [...], "clashes": [...]}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "io/message.hpp"

namespace ballot::library {

class PlannedLoad {
 public:
  PlannedLoad(WallTime from, WallTime until);

  /// The slots that follow are those of each of these jobs. Requires: they are in order, and the first of them is after
  /// the first of those before.
  void begin(std::span<const std::string> jobs);
  /// Requires: begin() was called, and the slot is between the two times.
  void add(WallTime slot);
  /// Of these hours and minutes, each of them whole.
  io::Message shown(WallTime from, WallTime until) const;

 private:
  struct Alike {
    std::int64_t jobs = 0;
    std::vector<std::string> first_jobs = {};
  };
  struct Hour {
    std::int64_t slots = 0, jobs = 0;
    std::size_t last_alike = 0;  // its place, from 1 on: which was counted last
  };
  struct Minute : Hour {
    std::vector<std::uint32_t> first_alike = {};  // places of the first few
  };
  bool count(Hour& part) const;
  io::Message shown_hour(std::size_t hour) const;
  io::Message shown_clash(std::size_t minute) const;
  std::vector<std::size_t> fullest_minutes(std::size_t begin, std::size_t end) const;
  std::vector<std::string> first_jobs(const Minute& minute) const;

  WallTime begin_;
  std::vector<Hour> hours_;
  std::vector<Minute> minutes_;
  std::vector<Alike> alike_;
};

}  // namespace ballot::library
