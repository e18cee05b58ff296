// Figures: how a node is at one moment, as /metrics shows it. The loop fills them for each scrape; they are not kept.
// What only grows is in Metrics.
//
// Plain values: of a hundred thousand jobs some 12 MB.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/time.hpp"

namespace ballot::web {

struct GroupFigures {
  std::string name;
  bool leads = false;     // this node,
  bool in_doubt = false;  // and its session is in doubt
};

struct JobFigures {
  WallTime last_success{};                // 1970: it never has
  WallTime previous_slot{}, next_slot{};  // 1970: there is none, or it is not known
  std::uint64_t missed = 0;
  bool failing = false, paused = false;
  enum class Expected : std::uint8_t { nothing, kept, unmet };
  Expected overdue = Expected::nothing, slow = Expected::nothing;  // of success in time; of a run's end in time
};

/// The jobs that the node leads, with their names in one text.
class JobTable {
 public:
  /// For at most so many jobs: what they do not need stays untouched, and costs no memory.
  void reserve(std::size_t jobs);
  void add(std::string_view name, std::string_view group, const JobFigures& figures);

  std::size_t size() const { return jobs_.size(); }
  const JobFigures& figures(std::size_t at) const { return jobs_[at].figures; }
  /// `job_name="backup",group="nightly"`.
  std::string_view labels(std::size_t at) const {
    const std::size_t from = at == 0 ? 0 : jobs_[at - 1].labels_end;
    return std::string_view(labels_).substr(from, jobs_[at].labels_end - from);
  }

 private:
  struct Job {
    JobFigures figures;
    std::size_t labels_end = 0;
  };
  std::string labels_;
  std::vector<Job> jobs_;
};

struct Figures {
  std::vector<GroupFigures> groups;
  std::vector<std::string> degraded;  // the words of its reasons
  std::optional<WallTime> history_waits_since;
  std::int64_t dropped_rows = 0, spooled_rows = 0;
  std::map<std::pair<std::string, int>, std::uint64_t> requests;  // of HTTP that were answered, by route and status
  JobTable jobs;
  bool by_job = true;  // else no metric of a job is exported
};

}  // namespace ballot::web
