#include "io/run_start.hpp"

#include <utility>

#include "io/child_environment.hpp"

namespace ballot::io {

Result<runner::Start> run_start(const core::Launch& launch, const RunOwner& owner, WallTime now) {
  const Job& job = launch.definition->job;
  auto environment = child_environment(launch, owner.identity, owner.node, now, owner.credentials);
  if (!environment) return environment.error();
  runner::Start start;
  start.id = launch.id;
  start.job = job.name;
  start.argv = job.command;
  start.environment = std::move(*environment);
  set_identity(start, job, owner.identity);
  start.no_new_privs = job.details->no_new_privs;
  start.limits = job.details->limits;
  start.standard_input = job.details->standard_input;
  start.output_limit = job.output == OutputKeep::history ? job.details->output_limit : 0;
  start.stream_output = job.log_output;
  start.launch_not_after = launch.launch_not_after;
  start.kill_signal = job.details->kill_signal;
  start.kill_grace = job.kill_grace;
  start.deadline = job.deadline;
  start.term_key = core::term_key(launch.group, launch.epoch);
  start.terminate = launch.terminate;
  return start;
}

}  // namespace ballot::io
