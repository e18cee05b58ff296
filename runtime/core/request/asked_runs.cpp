#include "core/request/asked_runs.hpp"

#include <algorithm>
#include <utility>

#include "base/instance.hpp"
#include "core/record/register.hpp"

namespace ballot::core {

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

std::vector<NamedRun> open_runs(const std::vector<Register>& registers, const std::string& job,
                                const std::string& suffix) {
  std::vector<NamedRun> found;
  for (const Register& r : registers) {
    const auto name = job_of(r);
    if (!name || (!job.empty() && *name != job && common_name(*name) != job)) continue;
    if (const auto parsed = parse_job_register(r.value))
      for (const OpenRun& run : parsed->runs)
        if (!job.empty() || run.id.text().ends_with(suffix)) found.push_back({*name, run.id});
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

}  // namespace ballot::core
