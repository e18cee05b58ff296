#include "core/job/trigger_answers.hpp"

#include <algorithm>

#include "base/env_words.hpp"
#include "base/made_at.hpp"
#include "base/wall_text.hpp"
#include "core/job/chain/chained.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t run_takes = 512;         // bytes, beside its variables
constexpr std::size_t others_take = 3 * 1024;  // what may come into the register while it is there

/// Its run was made before, and nobody knows any more.
bool may_be_forgotten(const JobFacts& job, const Request& request) {
  const auto& closed = job.stored.triggered;
  return !request.is_first && closed.size() >= triggered_limit &&
         request.id < *std::min_element(closed.begin(), closed.end());
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The first variable that the job's file does not allow.
std::optional<Answer> refusal_of_env(const Request& request, const Job& job) {
  const auto env = parse_env_words(request.env);
  const std::vector<std::string>& allowed = job.details->trigger_env;
  for (const auto& [name, value] : env.value_or(Variables())) {
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
    const std::string what = allowed.empty() ? "it has no trigger_env, and so none is allowed"
                                             : "its trigger_env allows " + list_of(allowed);
    return Answer::refused(Errc::invalid, "env: a trigger of job " + job.name + " may not set " + name + ": " + what);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Answer> refusal_after_repair(const JobRegister& stored, const RunId& request) {
  if (!stored.may_have_forgotten(made_at(request))) return std::nullopt;
  return Answer::refused(Errc::refused, "the job was repaired at " + format_millis(*stored.interventions->repaired_at) +
                                            ", after this id was made: whether it was asked for before is not known "
                                            "any more; only a new id is a new request");
}

std::optional<Answer> answer_to_trigger(const Context& c, const JobFacts& job, const Request& request, bool is_known) {
  const auto& closed = job.stored.triggered;
  if (is_known || std::find(closed.begin(), closed.end(), request.id) != closed.end())
    return Answer::repeated(request.id);
  if (auto refusal = refusal_after_repair(job.stored, request.id)) return refusal;
  if (may_be_forgotten(job, request))
    return Answer::refused(Errc::unavailable,
                           "whether the run was made before is not known, as not all ledgers have answered: "
                           "ask again once they do; only with a new id it is a new run");
  if (!job.definition || job.definition->job.group != job.term->group)
    return Answer::refused(Errc::not_found, "no job file defines " + job.name);
  JobRegister empty;
  empty.timing = job.stored.timing;
  empty.anchors = job.stored.anchors;
  if (!has_room_for_env(empty, request))
    return Answer::refused(Errc::refused,
                           "env: beside its schedule the job's register has no room for these variables");
  if (auto refusal = refusal_of_env(request, job.definition->job)) return refusal;
  const std::string keeper = begins_chain(c, job, request) ? keeper_of_chain(c, job) : "";
  if (keeper.empty()) return std::nullopt;
  return Answer::refused(Errc::conflict, std::to_string(chained_limit) + " triggers of job " + job.name +
                                             " are kept for job " + keeper +
                                             ", which has not decided on its slots of them: see `ballot why " + keeper +
                                             "`; `ballot trigger --alone` leaves out the jobs after it");
}

bool has_room_for_env(const JobRegister& stored, const Request& request) {
  return request.env.empty() || to_text(stored).size() + request.env.size() + run_takes + others_take <= register_limit;
}

}  // namespace ballot::core
