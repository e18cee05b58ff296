#include "core/job/register/register_view.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace ballot::core {
namespace {

/// What was readable before is complete, but as old as that. A run that goes on there has ended since, where the lines
/// that can be read now name it as the one that ended last.
JobRegister with_last_end(JobRegister before, const JobRegister& salvaged) {
  const LastEnd& end = *salvaged.last_end;
  const auto open = std::find_if(before.runs.begin(), before.runs.end(), [&](const OpenRun& run) {
    return end.run && run.id == *end.run && run.attempt <= end.attempt;
  });
  if (open == before.runs.end()) return before;
  before.runs.erase(open);
  before.last_end = salvaged.last_end;
  before.failing = salvaged.failing;
  for (const SlotEnd& one : salvaged.kept->ends)
    if (one.run == end.run) add(before.kept.edit().ends, one);
  return before;
}

}  // namespace

bool RegisterView::read(const std::string& job, const std::optional<Register>& stored, WallTime now) {
  const bool was_sound = known_ && exists_ && is_sound();
  const Seen seen(most_seen());
  JobRegister before = std::exchange(stored_, {});
  known_ = true;
  exists_ = stored.has_value();
  version_ = stored ? stored->version : 0;
  newer_ = false;
  std::string unreadable = stored ? parse(*stored) : "";
  const Shown now_shown = unreadable.empty() ? shown() : Shown{seen.most().repair, version_, seen.most().count};
  judge(std::move(unreadable), seen.why_older(now_shown, job_register(job), "the fence of job " + job), now);
  const bool older = !rollback_reason().empty();
  if (!is_sound()) keep_seen(seen, older ? Shown{} : now_shown);
  if (!is_sound() && was_sound && !before_) before_ = std::make_unique<JobRegister>(std::move(before));
  if (older && !std::exchange(older_seen_, true)) {
    known_ = exists_ = false;
    stored_ = {};
    fault_.edit().trouble.clear();
    fault_.edit().rollback_reason.clear();
    return false;
  }
  older_seen_ = older;
  if (older) return true;
  if (!trouble().empty()) return true;
  ahead_.reset();
  before_.reset();
  keep_cursor(now);
  return true;
}

void RegisterView::keep_seen(Seen before, const Shown& now) {
  before.note(now);
  ahead_ = std::make_unique<Seen>(before);
}

void RegisterView::share_with(const Job& job) {
  const auto share = [](auto& own, const auto& other) {
    if (own == other) own = other;
  };
  share(stored_.group, job.group);
  share(stored_.timing.timezone, job.timezone);
  share(stored_.timing.expressions, job.schedule);
}

void RegisterView::judge(std::string trouble, std::string rollback_reason, WallTime now) {
  if (trouble.empty() && rollback_reason.empty()) return fault_.reset();
  Fault& fault = fault_.edit();
  fault.trouble = std::move(trouble);
  fault.rollback_reason = std::move(rollback_reason);
  if (!fault.since) fault.since = now;
}

void RegisterView::written(JobRegister stored, std::uint64_t version, WallTime now) {
  stored_ = std::move(stored);
  version_ = version;
  ahead_.reset();
  keep_cursor(now);
  exists_ = true;
}

/// For a repair of one that is ahead.
void RegisterView::keep_cursor(WallTime now) {
  if (!clock_skew(now)) cursor_ = front();
}

/// Why it cannot be read; then stored_ has what makes sense of it.
std::string RegisterView::parse(const Register& stored) {
  auto parsed = parse_job_register(stored.value);
  if (parsed) {
    stored_ = std::move(*parsed);
    for (const OpenRun& run : stored_.runs)
      if (run.fence > stored_.fence) return "the register's fence is below that of run " + run.id.text();
    return "";
  }
  newer_ = parsed.error().code == Errc::refused;
  stored_ = salvage_job_register(stored.value);
  return parsed.error().what;
}

bool RegisterView::is_new_trouble() {
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string>()(trouble()));
  return !trouble().empty() && std::exchange(logged_, hash) != hash;
}

const std::string& RegisterView::owner(const std::string& otherwise) const {
  return known_ && exists_ && trouble().empty() && !stored_.released ? *stored_.group : otherwise;
}

bool RegisterView::shows(const RunId& run) const {
  return std::any_of(stored_.runs.begin(), stored_.runs.end(), [&](const OpenRun& open) { return open.id == run; });
}

bool RegisterView::shows(const runner::AttemptId& attempt) const {
  return std::any_of(stored_.runs.begin(), stored_.runs.end(), [&](const OpenRun& open) {
    return open.id == attempt.run && open.attempt == attempt.attempt && !open.waits_until;
  });
}

bool RegisterView::heed_repair(const Term& term) {
  const bool since = term.halted.empty() && term.repair > std::max(heeded_, most_seen().repair);
  heeded_ = std::max(heeded_, term.repair);
  if (!since || (rollback_reason().empty() && !term.repairing)) return false;
  fault_.edit().rollback_reason.clear();
  if (is_sound()) fault_.reset();
  older_seen_ = false;
  return true;
}

void RegisterView::restore(const std::string& group, WallTime now, const std::vector<OpenRun>& going_on) {
  if (before_ && before_->cursor >= stored_.cursor) stored_ = with_last_end(std::move(*before_), stored_);
  before_.reset();
  fault_.reset();
  logged_ = 0;
  if (stored_.cursor == WallTime{}) stored_.cursor = now;  // nobody knows which slots are left
  if (stored_.since == WallTime{}) stored_.since = now;
  stored_.group = group;
  stored_.released = false;
  for (const OpenRun& run : going_on) {
    const auto shown =
        std::find_if(stored_.runs.begin(), stored_.runs.end(), [&](const OpenRun& open) { return open.id == run.id; });
    if (shown != stored_.runs.end())
      *shown = run;
    else if (stored_.runs.size() < open_run_limit)
      stored_.runs.push_back(run);
  }
}

/// The slots that the cursor had passed for a reason have their rows; those that were claimed stay done.
WallTime RegisterView::bring_cursor_back(WallTime now) {
  const WallTime was = front();
  const WallTime to = cursor_ == WallTime{} ? now : std::min(cursor_, now);
  stored_.go_on_from(to);
  return was;
}

}  // namespace ballot::core
