#include "app/control_answers.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/wall_text.hpp"
#include "core/record/record_text.hpp"
#include "io/clocks.hpp"

namespace ballot::app {
namespace {

constexpr Millis store_patience{2000};  // to say who leads
constexpr Millis most_patience = std::chrono::hours(1);
constexpr int most_asked = 16;  // of a user's requests under way at once; root and the daemon's own user may ask more
constexpr int most_asked_by_root = 1024;

/// What nodes ask of each other, nobody else asks.
std::optional<core::Request::Kind> asked_kind(const std::string& word) {
  const auto kind = core::parse_kind(word);
  return kind == core::Request::Kind::release || kind == core::Request::Kind::replace ? std::nullopt : kind;
}

/// The last digits of a run's id, or all of them.
bool is_run_suffix(const std::string& text) {
  return text.size() >= 6 && text.size() <= 36 && text.find_first_not_of("0123456789abcdef-") == std::string::npos;
}

/// What is wrong with a request: "" where nothing is.
std::string fault_of(core::Request request, const std::string& run_suffix, Millis patience) {
  using Kind = core::Request::Kind;
  for (const std::string& name : {request.job, request.group})
    if (!name.empty() && !core::is_stored_name(name)) return "no job and no group has such a name";
  if (patience <= Millis(0) || patience > most_patience) return "timeout_ms must be from 1 to 3600000";
  if (request.kind != Kind::kill && request.kind != Kind::forget) return std::string(core::fault_of(request));
  if (!is_run_suffix(run_suffix)) return "run must be a run's id, or the last 6 or more digits of it";
  return request.job.empty() && request.group.empty() ? "" : "it must name a run, and nothing else";
}

}  // namespace

ControlAnswers::ControlAnswers(library::Runtime& runtime, const library::JobFolder& jobs, Facts facts)
    : runtime_(runtime), jobs_(jobs), facts_(std::move(facts)) {}

void ControlAnswers::answer(const io::Request& request, const io::Reply& reply) {
  const std::string what = request.message.text("do").value_or("");
  if (what == "flush")
    runtime_.flush([reply] { reply.finish({}); });
  else if (what == "jobs")
    answer_jobs(reply);
  else if (what == "status")
    answer_status(reply);
  else if (what == "waiting")
    answer_waiting(request.message.text("job").value_or(""), reply);
  else if (const auto kind = asked_kind(what))
    answer_request(*kind, request, reply);
  else
    reply.fail({Errc::invalid, "the daemon does not know how to do '" + what + "'; it may be older than this command"});
}

/// Held as long as a user's request is under way; none where he has too many. One whose asker has gone counts too: it
/// stands in the store.
std::shared_ptr<void> ControlAnswers::admit(uid_t uid) {
  const int most = uid == 0 || uid == ::geteuid() ? most_asked_by_root : most_asked;
  int& count = (*asking_)[uid];
  if (count >= most) return nullptr;
  ++count;
  return {asking_.get(), [asking = asking_, uid](void*) {
            if (--(*asking)[uid] == 0) asking->erase(uid);
          }};
}

/// First a line that it is done, with the run's id where it was a trigger; with `wait` a last one with the run's end.
void ControlAnswers::answer_request(core::Request::Kind kind, const io::Request& asked, const io::Reply& reply) {
  const io::Message& message = asked.message;
  core::Request request;
  request.kind = kind;
  request.job = message.text("job").value_or("");
  request.group = message.text("group").value_or("");
  request.wait = kind == core::Request::Kind::trigger && message.flag("wait").value_or(false);
  request.by = facts_.node + " uid " + std::to_string(asked.uid);
  const Millis patience(message.integer("timeout_ms").value_or(30'000));
  const std::string run = message.text("run").value_or("");
  if (const std::string fault = fault_of(request, run, patience); !fault.empty())
    return reply.fail({Errc::invalid, "'" + message.text("do").value_or("") + "': " + fault});
  const auto ticket = admit(asked.uid);
  if (!ticket)
    return reply.fail({Errc::unavailable, "too many requests of yours are under way; wait until some are done"});
  const auto answered = [reply, ticket, wait = request.wait](const core::Reply& answer) {
    if (!answer.ok) return reply.fail({answer.code, answer.text});
    io::Message line;
    line.set("done", true);
    if (answer.run) line.set("run", answer.run->text());
    if (!answer.text.empty()) line.set("text", answer.text);
    if (wait)
      reply.send(line);
    else
      reply.finish(line);
  };
  const auto ended = [reply, ticket](const Row& row) {
    io::Message line;
    line.set("status", std::string(to_string(row.status))).set("reason", std::string(to_string(row.reason)));
    if (row.exit_code) line.set("exit_code", std::int64_t{*row.exit_code});
    if (row.signal) line.set("signal", std::int64_t{*row.signal});
    reply.finish(line);
  };
  runtime_.ask(request, run, patience, answered, request.wait ? io::Engine::OnEnded(ended) : nullptr);
}

void ControlAnswers::answer_jobs(const io::Reply& reply) const {
  runtime_.observe(store_patience, [this, reply](const std::vector<Election>& elections) {
    std::map<std::string, std::string> leaders;
    for (const Election& election : elections)
      for (const Candidate& candidate : election.candidates)
        if (candidate.leads) leaders[election.group] = candidate.node;
    tell_jobs(reply, leaders);
  });
}

void ControlAnswers::answer_waiting(const std::string& job, const io::Reply& reply) const {
  std::vector<std::string> slots;
  for (const WallTime slot : runtime_.core().waiting(job)) slots.push_back(format_slot(slot));
  io::Message line;
  line.set("slots", std::move(slots));
  reply.finish(line);
}

void ControlAnswers::tell_jobs(const io::Reply& reply, const std::map<std::string, std::string>& leaders) const {
  std::vector<io::Message> jobs;
  for (const core::JobView& view : runtime_.core().jobs(io::read_clocks())) {
    io::Message job;
    const auto other = leaders.find(view.group);
    const std::string leader = view.leader.empty() && other != leaders.end() ? other->second : view.leader;
    job.set("job", view.name).set("group", view.group).set("leader", leader).set("state", view.state);
    job.set("trouble", view.trouble);
    if (view.next) job.set("next_slot", format_slot(*view.next));
    jobs.push_back(std::move(job));
  }
  io::Message line;
  line.set("jobs", std::move(jobs));
  reply.finish(line);
}

/// Why the node is degraded, each with the word that monitoring looks for in front.
std::vector<std::string> ControlAnswers::degraded(const std::vector<core::JobView>& jobs,
                                                  const std::vector<core::GroupView>& groups) const {
  std::vector<std::string> reasons;
  const core::Core& core = runtime_.core();
  if (const storage::LedgerState ledger = runtime_.ledger_state(); ledger.degraded)
    reasons.push_back("ledger: " + ledger.reason);
  if (!core.session().is_open())
    reasons.emplace_back("backend: no session, so nothing is led");
  else if (core.session().in_doubt())
    reasons.emplace_back("backend: a renewal is overdue, so leadership is in doubt");
  if (core.runner_is_silent())
    reasons.emplace_back("runner: it does not answer, so nothing is launched");
  else if (!core.has_runner())
    reasons.emplace_back("runner: it is gone, so nothing is launched");
  const auto& findings = jobs_.set().diagnostics;
  const auto errors = std::count_if(findings.begin(), findings.end(), [](const config::Diagnostic& finding) {
    return finding.severity == config::Severity::error;
  });
  if (errors > 0)
    reasons.push_back("config: " + std::to_string(errors) + " errors in the job files; `ballot check` lists them");
  for (const core::GroupView& group : groups) {
    if (!group.halted.empty()) reasons.push_back("halted: group " + group.name + ": " + group.halted);
    if (group.drift.empty()) continue;
    std::string nodes;
    for (const std::string& node : group.drift) nodes += (nodes.empty() ? "" : ", ") + node;
    reasons.push_back("drift: group " + group.name + ": the job files of " + nodes + " say otherwise");
  }
  if (const Millis skew = core.clock_skew(); skew != Millis(0))
    reasons.push_back("clock_skew: this clock is " + std::to_string(std::abs(skew.count())) + " ms " +
                      (skew < Millis(0) ? "behind" : "before") + " the store's");
  for (const core::JobView& job : jobs) {
    if (job.state == "halted") reasons.push_back("halted: job " + job.name + ": " + job.trouble);
    if (job.state == "clock_skew") reasons.push_back("clock_skew: job " + job.name + " is settled ahead of this clock");
  }
  return reasons;
}

void ControlAnswers::answer_status(const io::Reply& reply) const {
  constexpr std::size_t shown = 5;
  const core::Core& core = runtime_.core();
  auto jobs = core.jobs(io::read_clocks());
  const auto groups = core.groups();
  const auto reasons = degraded(jobs, groups);
  const bool schedules = core.session().is_open() && core.has_runner();
  std::vector<io::Message> led, next;
  for (const core::GroupView& group : groups) {
    if (group.state != "leading") continue;
    io::Message one;
    one.set("group", group.name).set("epoch", static_cast<std::int64_t>(group.epoch)).set("paused", group.paused);
    one.set("in_doubt", core.session().in_doubt()).set("halted", group.halted);
    led.push_back(std::move(one));
  }
  std::erase_if(jobs, [](const core::JobView& job) { return !job.next || job.leader.empty(); });
  const auto end = jobs.begin() + static_cast<std::ptrdiff_t>(std::min(shown, jobs.size()));
  std::partial_sort(jobs.begin(), end, jobs.end(),
                    [](const core::JobView& a, const core::JobView& b) { return *a.next < *b.next; });
  for (auto job = jobs.begin(); job != end; ++job) {
    io::Message one;
    one.set("slot", format_slot(*job->next)).set("job", job->name);
    next.push_back(std::move(one));
  }
  io::Message status;
  status.set("node", facts_.node).set("backend", facts_.backend);
  status.set("session", core.session().is_open() ? (core.session().in_doubt() ? "in doubt" : "open") : "none");
  status.set("timeout_ms", std::int64_t{core.session().timeout().count()});
  status.set("jobs", static_cast<std::int64_t>(jobs_.set().definitions.size()));
  status.set("open_runs", std::int64_t{core.open_runs()});
  status.set("groups", std::move(led)).set("next_slots", std::move(next)).set("degraded", reasons);
  status.set("state", !schedules ? "not scheduling" : reasons.empty() ? "healthy" : "degraded");
  reply.finish(status);
}

}  // namespace ballot::app
