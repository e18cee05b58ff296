#include "core/store/left_runs.hpp"

#include <optional>

#include "core/job/runs/live_run.hpp"
#include "core/record/outcome.hpp"
#include "core/record/register.hpp"

namespace ballot::core {
namespace {

using Known = RunnerView::Known;

/// The end of an open run, as far as it is known. The daemon is dead and its runner has done all that it was asked:
/// what that does not know was never started, and never will be, unless it is another daemon's.
std::optional<Row> end_of(const OpenRun& open, const std::string& job, const std::string& group,
                          const RunnerView& runner, WallTime now) {
  if (runner.known != Known::all && runner.known != Known::own) return std::nullopt;
  const runner::AttemptId id{open.id, open.attempt};
  Row row = claimed_row(open, job, group);
  if (const auto ended = runner.ended.find(id); ended != runner.ended.end()) {
    conclude(row, ended->second, open.success_codes);
    return row;
  }
  if (runner.known != Known::all || runner.running.contains(id)) return std::nullopt;
  conclude(row, Status::lost, Reason::node_died, now);
  return row;
}

/// A run that the next leader has to wait for.
bool holds_its_group(const OpenRun& open, const RunnerView& runner) {
  const bool awaited = open.at_least_once || open.on_leadership_lost == OnLeadershipLost::terminate;
  if (!awaited || runner.known == Known::nobody) return false;
  return runner.known == Known::nothing || runner.running.contains({open.id, open.attempt});
}

}  // namespace

LeftRuns left_runs(const std::string& node, const std::vector<Register>& registers, const RunnerView& runner,
                   WallTime now) {
  LeftRuns left;
  std::set<RunId> shown;
  std::map<std::string, std::string> groups;
  for (const Register& stored : registers) {
    const std::string job = stored.name.substr(2);
    const auto parsed = parse_job_register(stored.value);
    if (!parsed) continue;
    groups[job] = parsed->group;
    left.groups.insert(parsed->group);
    for (const OpenRun& open : parsed->runs) {
      if (open.node != node || open.waits_until) continue;
      shown.insert(open.id);
      if (holds_its_group(open, runner)) left.kept_groups.insert(parsed->group);
      if (const auto row = end_of(open, job, parsed->group, runner, now))
        left.ends.push_back({outcome_record({open.id, open.attempt}), outcome_text(*row)});
    }
  }
  for (const auto& [id, running] : runner.running)  // started without a claim: no register shows it
    if (id.attempt > 0 && !shown.contains(id.run) && groups.contains(running.job))
      left.kept_groups.insert(groups[running.job]);
  return left;
}

}  // namespace ballot::core
