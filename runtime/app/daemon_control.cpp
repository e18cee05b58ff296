// What the daemon answers on its control socket: {"do": "flush" | "jobs" | "trigger"}.
#include "app/daemon.hpp"
#include "base/wall_text.hpp"
#include "io/clocks.hpp"

namespace ballot::app {

void Daemon::answer(const io::Request& request, io::Reply reply) {
  const std::string what = request.message.text("do").value_or("");
  if (what == "flush")
    ledger_->flush([this, reply] { loop_.post([reply] { reply.finish({}); }); });
  else if (what == "jobs")
    answer_jobs(reply);
  else if (what == "trigger")
    answer_trigger(request.message, reply);
  else
    reply.fail({Errc::invalid, "the daemon does not know how to do '" + what + "'; it may be older than this command"});
}

/// First a line with the run's id, once it is claimed; with `wait` a last one with its end.
void Daemon::answer_trigger(const io::Message& message, const io::Reply& reply) {
  const bool wait = message.flag("wait").value_or(false);
  const auto claimed = [reply, wait](const Result<RunId>& run) {
    if (!run) return reply.fail(run.error());
    io::Message line;
    line.set("run", run->text());
    if (wait)
      reply.send(line);
    else
      reply.finish(line);
  };
  const auto ended = [reply](const Row& row) {
    io::Message line;
    line.set("status", std::string(to_string(row.status))).set("reason", std::string(to_string(row.reason)));
    if (row.exit_code) line.set("exit_code", std::int64_t{*row.exit_code});
    if (row.signal) line.set("signal", std::int64_t{*row.signal});
    reply.finish(line);
  };
  engine_->trigger(message.text("job").value_or(""), claimed, wait ? io::Engine::OnEnded(ended) : nullptr);
}

void Daemon::answer_jobs(const io::Reply& reply) const {
  std::vector<io::Message> jobs;
  for (const core::JobView& view : engine_->core().jobs(io::read_clocks())) {
    io::Message job;
    job.set("job", view.name).set("group", view.group).set("leader", view.leader).set("state", view.state);
    job.set("trouble", view.trouble);
    if (view.next) job.set("next_slot", format_slot(*view.next));
    jobs.push_back(std::move(job));
  }
  io::Message line;
  line.set("jobs", std::move(jobs));
  reply.finish(line);
}

}  // namespace ballot::app
