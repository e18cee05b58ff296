// ShownRuns: which attempts of runs the registers of a list show as open. Of a register that cannot be read, each run
// counts that its text names.
//
//   ShownRuns shown;
//   shown.add(job.machine, its_register);  // of each register
//   if (shown.has(ended.id)) ...
//
// Pure values; used by Takeover only. The jobs and registers that are added outlive it.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/job/job_machine.hpp"

namespace ballot::core {

class ShownRuns {
 public:
  void add(const JobMachine& job, const Register& stored) {
    if (!job.is_known() || !job.trouble().empty()) return void(unreadable_.emplace(job.name(), stored.value));
    const JobRegister* const known = job.known_register();
    if (!known) return;
    for (const OpenRun& run : known->runs)
      if (!run.waits_until) readable_.insert({run.id, run.attempt});
  }

  bool has(const runner::AttemptId& id) const {
    if (readable_.contains(id)) return true;
    const auto names_it = [text = id.run.text()](const auto& one) { return one.second.find(text) != one.second.npos; };
    return std::any_of(unreadable_.begin(), unreadable_.end(), names_it);
  }
  /// The same, where the run's job is known.
  bool has(const runner::AttemptId& id, std::string_view job) const {
    const auto unreadable = unreadable_.find(job);
    if (unreadable == unreadable_.end()) return readable_.contains(id);
    return unreadable->second.find(id.run.text()) != std::string_view::npos;
  }

 private:
  std::set<runner::AttemptId> readable_;
  std::map<std::string_view, std::string_view> unreadable_;  // texts, by their jobs
};

}  // namespace ballot::core
