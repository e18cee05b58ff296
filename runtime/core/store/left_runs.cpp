#include "core/store/left_runs.hpp"

#include "core/job/runs/live_run.hpp"
#include "core/record/outcome.hpp"
#include "core/record/register.hpp"

namespace ballot::core {
namespace {

using Known = RunnerView::Known;

bool says_all_of_its_own(const RunnerView& runner) { return runner.known == Known::all || runner.known == Known::own; }

Record record_of(const OpenRun& open, const Row& row) {
  return {outcome_record({open.id, open.attempt}), outcome_text(row)};
}

/// The next leader has to wait for this run.
bool holds_its_group(const OpenRun& open, const RunnerView& runner) {
  const bool awaited = open.at_least_once || open.on_leadership_lost == OnLeadershipLost::terminate;
  if (!awaited || runner.known == Known::nobody) return false;
  return runner.known == Known::nothing || runner.running.contains({open.id, open.attempt});
}

}  // namespace

std::optional<std::set<std::string>> RunnerView::all_jobs() const {
  std::set<std::string> all;
  for (const auto& [id, job] : jobs) all.insert(job);
  for (const auto& [id, end] : ended)
    if (!jobs.contains(id)) return std::nullopt;
  return all;
}

LeftRuns left_runs(const std::string& node, const std::vector<Register>& registers, const RunnerView& runner) {
  LeftRuns left;
  std::set<RunId> shown;
  std::map<std::string, std::string> groups;
  for (const Register& stored : registers) {
    const std::string job = stored.name.substr(2);
    const auto parsed = parse_job_register(stored.value);
    if (!parsed) continue;
    groups[job] = parsed->group;
    for (const OpenRun& open : parsed->runs) {
      if (open.node != node || open.waits_until) continue;
      shown.insert(open.id);
      if (holds_its_group(open, runner)) left.kept_groups.insert(parsed->group);
      const auto ended = runner.ended.find({open.id, open.attempt});
      if (ended == runner.ended.end() || !says_all_of_its_own(runner)) continue;
      Row row = claimed_row(open, job, parsed->group);
      conclude(row, ended->second, open.success_codes);
      left.ends.push_back(record_of(open, row));
    }
  }
  for (const auto& [id, running] : runner.running)  // a run that was started without a claim is in no register
    if (id.attempt > 0 && !shown.contains(id.run) && groups.contains(running.job))
      left.kept_groups.insert(groups[running.job]);
  return left;
}

/// The daemon is dead and its runner has carried out every command: a run that the runner does not know was never
/// started, and never will be.
std::vector<Record> never_started(const std::string& node, const std::vector<Register>& registers,
                                  const RunnerView& runner, const LatestTerms* latest, WallTime now) {
  std::vector<Record> ends;
  if (runner.known != Known::all) return ends;
  for (const Register& stored : registers) {
    const auto parsed = parse_job_register(stored.value);
    if (!parsed) continue;
    for (const OpenRun& open : parsed->runs) {
      const runner::AttemptId id{open.id, open.attempt};
      if (open.node != node || open.waits_until || runner.running.contains(id) || runner.ended.contains(id)) continue;
      const auto term = latest != nullptr ? latest->find(parsed->group) : LatestTerms::const_iterator{};
      if (latest != nullptr && (term == latest->end() || open.epoch > term->second)) continue;
      Row row = claimed_row(open, stored.name.substr(2), parsed->group);
      conclude(row, Status::lost, Reason::node_died, now);
      ends.push_back(record_of(open, row));
    }
  }
  return ends;
}

}  // namespace ballot::core
