// LoadCounts: the load to come of a node's jobs. However many ask, within a minute it is counted twice at most: nine
// days, and, where somebody asks for more, 32. It is counted in parts, between which the loop does what else there is
// to do; jobs with the same slots are counted once.
//
// Thread: the loop's. Callbacks come at once or later, on the loop. Requires: the node lives longer; while something is
// counted, so does this.
//
//   LoadCounts counts(node, [&](const LoadCounts::Take& take, std::function<void()> done) { ... take(job.name) ... });
//   counts.ask(until, [](const LoadCounts::Count& count) { return count.load.shown(from, until); });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/wall_timer.hpp"
#include "library/node.hpp"
#include "library/shown/planned_load.hpp"

namespace ballot::library {

class LoadCounts {
 public:
  struct Count {
    WallTime from{}, until{};
    PlannedLoad load;
    std::vector<std::string> unknown = {};  // jobs whose slots only their leaders know
    std::int64_t left_out = 0;              // jobs that are not counted, as there are too many slots
  };
  /// `after`: slots at or before it are not counted, nor are those that have passed. `phase`: where its `@every` counts
  /// from, as of Plan::next(), of a job whose register is not known here; empty: none.
  using Take = std::function<void(std::string_view job, WallTime after, std::vector<WallTime> phase)>;
  /// Takes the jobs whose slots are counted, by name.
  using Jobs = std::function<void(const Take& take, std::function<void()> done)>;

  LoadCounts(Node& node, Jobs jobs);

  /// Requires: `until` is at most 31 days from now.
  void ask(WallTime until, std::function<void(const Count&)> then);

 private:
  struct Asked {
    WallTime until{};
    std::function<void(const Count&)> then;
  };
  struct Counting;

  void begin();
  void count_on(const std::shared_ptr<Counting>& counting);
  void finish(const std::shared_ptr<Counting>& counting);

  Node& node_;
  const Jobs jobs_;
  bool is_counting_ = false;
  std::vector<Asked> waiting_;
  std::shared_ptr<const Count> kept_;
  io::BootTimer timer_;  // until it is forgotten
};

}  // namespace ballot::library
