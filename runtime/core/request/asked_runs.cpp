#include "core/request/asked_runs.hpp"

#include <algorithm>
#include <utility>

#include "base/instance.hpp"
#include "core/record/register.hpp"

namespace ballot::core {
namespace {

/// Of a run whose node does not answer.
std::string what_next(const NamedRun& run) {
  if (!run.finishes)
    return ". The run ends with its node's term, by the end of its lease at the latest, and the group's next leader "
           "closes it";
  return ". The run counts as running until the node is back, or the job's `lost_after` is over; where it is certain "
         "that nothing of it is left, `ballot forget " +
         run.id.text() + "` closes it, so that the job goes on";
}

}  // namespace

std::optional<Answer> fate_of(const RunId& id, const std::vector<Register>& registers) {
  std::optional<Answer> answer;
  for (const Register& r : registers) {
    if (r.name == answer_record(id)) {
      if (auto parsed = parse_answer(r.value)) answer = std::move(*parsed);
    } else if (const auto job = parse_job_register(r.value); job && !answer) {
      const bool open =
          std::any_of(job->runs.begin(), job->runs.end(), [&](const OpenRun& run) { return run.id == id; });
      const bool closed = std::find(job->triggered.begin(), job->triggered.end(), id) != job->triggered.end();
      if (open || closed) answer = Answer::done(id);
    }
  }
  return answer;
}

std::optional<Request> stored_request(const RunId& id, const std::vector<Register>& registers) {
  for (const Register& r : registers)
    if (r.name == request_record(id))
      if (auto parsed = parse_request(r.value)) return std::move(*parsed);
  return std::nullopt;
}

std::string under_way(const Request& request) {
  if (request.kind != Request::Kind::trigger) return "the request is under way already";
  return "run " + request.id.text() + " of job " + request.job + " is under way already";
}

bool is_same_trigger(const Request& a, const Request& b) {
  return a.kind == b.kind && a.id == b.id && a.job == b.job && a.group == b.group && a.env == b.env &&
         a.alone == b.alone;
}

bool is_of_another(const Answer& answer, const Request& request) {
  return request.kind == Request::Kind::trigger && !answer.by.empty() && answer.by != request.by;
}

std::vector<NamedRun> open_runs(const std::vector<Register>& registers, const std::string& job,
                                const std::string& suffix) {
  std::vector<NamedRun> found;
  for (const Register& r : registers) {
    const auto name = job_of(r);
    if (!name || (!job.empty() && *name != job && common_name(*name) != job)) continue;
    if (const auto parsed = parse_job_register(r.value))
      for (const OpenRun& run : parsed->runs)
        if (!job.empty() || run.id.text().ends_with(suffix))
          found.push_back(
              {*name, run.id, run.waits_until ? "" : run.node, run.on_leadership_lost == OnLeadershipLost::finish});
  }
  return found;
}

Answer no_single_run(const std::vector<NamedRun>& found, const std::string& job, const std::string& suffix) {
  if (found.empty() && RunId::parse(suffix))
    return Answer::refused(Errc::not_found, "run " + suffix + " is not open; see `ballot history`");
  if (found.empty() && job.empty())
    return Answer::refused(Errc::not_found, "no open run ends with " + suffix + "; see `ballot history`");
  if (found.empty()) return Answer::refused(Errc::not_found, "job " + job + " has no open run; see `ballot history`");
  const std::string count = std::to_string(found.size());
  if (job.empty())
    return Answer::refused(Errc::invalid, count + " open runs end with " + suffix + ": give more of its digits");
  std::string text = count + " runs of job " + job + " are open; name one:";
  for (const NamedRun& run : found) text += " " + run.id.text();
  return Answer::refused(Errc::invalid, text);
}

Answer run_of_gone(const NamedRun& run) {
  return Answer::refused(Errc::unavailable,
                         "node " + run.node +
                             ", which executes the run, does not renew its session with the store: it is down, stopped "
                             "or cut off, and no other node can kill it" +
                             what_next(run));
}

Answer not_answered(const Request& request, const NamedRun& run, bool open) {
  if (request.of_all) return Answer::refused(Errc::timeout, "not known to be done in time: the store does not answer");
  if (!open)
    return Answer::refused(Errc::timeout,
                           "not done in time: this node has no session with the store; see `ballot status`");
  if (request.kind != Request::Kind::kill)
    return Answer::refused(Errc::timeout, "not done in time: the group's leader has not answered");
  const std::string whose = run.node.empty() ? "neither the run's node nor the leader of its group has answered"
                                             : "node " + run.node + ", which executes the run, has not answered";
  // A run that a lost term may have begun is the next leader's to kill.
  std::string why = "not done in time: " + whose;
  why += ". Where no node leads its group (`ballot nodes`), ask again once one does";
  if (!run.node.empty())
    why += ". Where its node is down, stopped or cut off there, no other node can kill it" + what_next(run);
  return Answer::refused(Errc::timeout, std::move(why));
}

Answer may_arrive_yet(const Request& request, const std::string& why) {
  const std::string before = ". It was asked of the store before, which has not said whether that has arrived: it may ";
  const bool is_trigger = request.kind == Request::Kind::trigger;
  return Answer::refused(Errc::unavailable,
                         why + before + (is_trigger ? "yet be begun; see `ballot history`" : "yet be done"));
}

}  // namespace ballot::core
