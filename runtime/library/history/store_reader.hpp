// StoreReader: what the store shows now of the runs of jobs whose leaders do not answer. A node reads registers when it
// takes up a group; of what another node leads it knows what it had read before, which may be old. So somebody who asks
// while that node is dead, and no other leads its groups yet, has the registers read.
//
// One read at a time, whoever asks, of at most 2,000 registers, and where there are more it says so; and where no job
// was named the answer is used for a second: those who ask cost the store no more than one of them. The loop looks for
// the jobs some at a time, and leaves it to the thread that asks to read what the registers say.
//
// Thread: read() on any thread but the loop's, which has to run: it blocks as long as it is told, or until `goes_on` is
// false. The reader outlives its calls.
//
//   StoreReader reader(node);
//   const auto shown = reader.read({.jobs = {"backup"}, .known = {"nightly"}}, within, goes_on);
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "library/history/fleet_answers.hpp"
#include "library/node.hpp"

namespace ballot::library {

class StoreReader {
 public:
  static constexpr std::size_t most_registers = 2'000;

  /// `name`: the node's.
  StoreReader(Node& node, std::string name) : node_(node), name_(std::move(name)) {}

  /// Of the jobs that are asked for, those whose groups are not among the known ones. Errors: unavailable, where
  /// the store does not answer in time.
  Result<StoreShows> read(const StoreQuestion& asked, Millis within, const std::function<bool()>& goes_on);

 private:
  struct Last {
    StoreQuestion asked;
    StoreShows shows;
    SteadyTime at{};
  };

  Result<StoreShows> read_now(const StoreQuestion& asked, SteadyTime until, const std::function<bool()>& goes_on);

  Node& node_;
  const std::string name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_reading_ = false;
  std::optional<Last> last_;  // that named no job
};

}  // namespace ballot::library
