#include "core/job/register/register_view.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "core/job/register/definition_lines.hpp"

namespace ballot::core {
namespace {

bool is_named(std::string_view key, const std::vector<std::string>& lost) {
  return std::find(lost.begin(), lost.end(), key) != lost.end();
}

/// A claim later than those that can be read may have been on a line that cannot: it was the cursor at most, and that
/// may be ahead of the clock. Slots of which it is not known count as claimed, so that none runs twice.
bool is_claim_lost(const JobRegister& salvaged, const std::vector<std::string>& lost) {
  return is_named("claimed", lost) || (salvaged.claimed_until == WallTime{} && may_be_lost("claimed", lost));
}

/// In the store is what was written before: `salvaged` has a counter or a cursor that is lower, and can be read.
bool is_older(const JobRegister& salvaged, const JobRegister& before, bool is_cursor_lost) {
  const auto is_lower = [](auto one, auto other) { return one != decltype(one){} && one < other; };
  return is_lower(salvaged.epoch, before.epoch) || is_lower(salvaged.fence, before.fence) ||
         (!is_cursor_lost && is_lower(salvaged.cursor, before.cursor));
}

/// The run has ended, by lines that can be read.
bool has_ended(const JobRegister& salvaged, const OpenRun& run) {
  const LastEnd& last = *salvaged.last_end;
  const auto& closed = salvaged.triggered;
  return (last.run && run.id == *last.run && run.attempt <= last.attempt) ||
         std::find(closed.begin(), closed.end(), run.id) != closed.end();
}

/// What a term of this node has written is complete, and as new as that. A run that goes on there has ended since,
/// where the lines that can be read now say so.
JobRegister with_last_end(JobRegister before, const JobRegister& salvaged) {
  const auto ended = std::find_if(before.runs.begin(), before.runs.end(),
                                  [&](const OpenRun& run) { return has_ended(salvaged, run); });
  if (ended == before.runs.end()) return before;
  const bool is_last = salvaged.last_end->run == ended->id;
  before.runs.erase(ended);
  if (!is_last) return before;  // only that it has ended can be read
  before.last_end = salvaged.last_end;
  before.failing = salvaged.failing;
  for (const SlotEnd& one : salvaged.kept->ends)
    if (one.run == salvaged.last_end->run) add(before.kept.edit().ends, one);
  return before;
}

/// The pause that was there before, and its lines, where they may be among those that are lost.
void complete_pause(JobRegister& salvaged, const JobRegister& before, const std::vector<std::string>& left_out) {
  if (!before.paused || !(salvaged.paused || may_be_lost("paused", left_out))) return;
  salvaged.paused = true;
  Interventions& of = salvaged.interventions.edit();
  const Interventions& known = *before.interventions;
  if (!of.paused_at && may_be_lost("paused_by", left_out)) of.paused_at = known.paused_at;
  if (of.paused_at != known.paused_at) return;  // it is another one
  if (of.paused_by.empty()) of.paused_by = known.paused_by;
  if (of.pause_terms.empty() && may_be_lost("pause_terms", left_out)) of.pause_terms = known.pause_terms;
}

/// What can be read, and of what cannot what was there when this node had read it: a run whose line may be among those
/// that are lost goes on, unless it has ended.
JobRegister completed(JobRegister salvaged, JobRegister before, const std::vector<std::string>& left_out) {
  const auto is_lost = [&](std::string_view key) { return may_be_lost(key, left_out); };
  if (salvaged.definition.empty()) salvaged.definition = before.definition, salvaged.timing = before.timing;
  if (is_lost("timezone") || is_lost("schedule")) salvaged.timing = before.timing;
  if (is_lost("anchor")) salvaged.anchors = before.anchors;
  if (salvaged.since == WallTime{}) salvaged.since = before.since;
  salvaged.claimed_until = std::max(salvaged.claimed_until, before.claimed_until);
  complete_pause(salvaged, before, left_out);
  if (!salvaged.last_end->run) salvaged.last_end = before.last_end;
  salvaged.missed = std::max(salvaged.missed, before.missed);
  for (const OpenRun& run : before.runs) {
    const auto is_it = [&](const OpenRun& one) { return one.id == run.id; };
    const bool is_shown = std::any_of(salvaged.runs.begin(), salvaged.runs.end(), is_it);
    if (is_lost("run") && !is_shown && !has_ended(salvaged, run) && salvaged.runs.size() < open_run_limit)
      salvaged.runs.push_back(run);
  }
  if (is_lost("triggered")) {
    for (const RunId& run : before.triggered)
      if (std::find(salvaged.triggered.begin(), salvaged.triggered.end(), run) == salvaged.triggered.end())
        salvaged.triggered.push_back(run);
    salvaged.bound_triggered();
  }
  if (is_lost("ended") || is_lost("chained") || is_lost("boot") || is_lost("expects_success")) {
    KeptSlots& kept = salvaged.kept.edit();
    if (is_lost("ended")) kept.ends = before.kept->ends;
    if (is_lost("chained")) kept.chained = before.kept->chained;
    if (is_lost("boot")) kept.boots = before.kept->boots;
    if (is_lost("expects_success")) kept.success = before.kept->success;
    salvaged.kept.tidy();
  }
  return salvaged;
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
  if (settled() <= now + most_skew) cursor_ = settled();
}

/// Why it cannot be read; then stored_ has what makes sense of it.
std::string RegisterView::parse(const Register& stored) {
  if (!fault_->left_out.empty()) fault_.edit().left_out.clear();
  auto parsed = parse_job_register(stored.value);
  if (parsed) {
    stored_ = std::move(*parsed);
    for (const OpenRun& run : stored_.runs)
      if (run.fence > stored_.fence) return "the register's fence is below that of run " + run.id.text();
    return "";
  }
  newer_ = parsed.error().code == Errc::refused;
  stored_ = salvage_job_register(stored.value, &fault_.edit().left_out);
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

/// The last instant of which it is known that each slot up to it is settled, where the line of the cursor cannot be
/// read. Where no other line says so, nobody knows more of the slots before this node found it so.
WallTime RegisterView::settled_until(WallTime now) const {
  WallTime until = stored_.cursor;  // by the settled slots
  if (stored_.claimed_until <= now) until = std::max(until, stored_.claimed_until);
  const WallTime found = std::chrono::floor<std::chrono::seconds>(fault_->since.value_or(now));
  if (until == WallTime{}) until = std::min(found, now);
  return before_ ? std::max(until, before_->cursor) : until;
}

/// Never after the cursor. Where that is ahead of the clock, slots up to it may have run: `since` is where it goes back
/// to at most, or these would count as not due yet.
WallTime RegisterView::lost_since(WallTime now) const {
  if (stored_.cursor <= now) return stored_.cursor;
  return cursor_ == WallTime{} ? now : std::min(cursor_, now);
}

std::vector<std::string> RegisterView::restore(const Term& term, WallTime now, const std::vector<OpenRun>& going_on) {
  std::vector<std::string> lost = fault_->left_out;
  const bool is_cursor_lost = is_named("cursor", lost);
  const WallTime cursor = is_cursor_lost ? settled_until(now) : stored_.cursor;
  const bool is_older_now = before_ && (trouble().empty() || is_older(stored_, *before_, is_cursor_lost));
  const bool is_own = is_older_now || (before_ && before_->epoch == term.epoch);
  if (is_own && before_->cursor >= stored_.cursor) {
    stored_ = with_last_end(std::move(*before_), stored_);
    lost.clear();
  } else {
    if (before_ && !is_own) stored_ = completed(std::move(stored_), std::move(*before_), lost);
    stored_.cursor = cursor;
  }
  before_.reset();
  fault_.reset();
  logged_ = 0;
  if (stored_.cursor == WallTime{}) stored_.cursor = now;  // nobody knows which slots are left
  if (stored_.since == WallTime{}) stored_.since = lost_since(now);
  if (stored_.cursor > now && is_claim_lost(stored_, lost)) stored_.claimed_until = stored_.cursor;
  if (claims_ahead(now) && !is_cursor_lost && !may_be_lost("repaired", lost)) stored_.claimed_until = stored_.cursor;
  explain_claims(now);
  stored_.group = term.group;
  stored_.released = false;
  for (const OpenRun& run : going_on) {
    const auto shown =
        std::find_if(stored_.runs.begin(), stored_.runs.end(), [&](const OpenRun& open) { return open.id == run.id; });
    if (shown != stored_.runs.end())
      *shown = run;
    else if (stored_.runs.size() < open_run_limit)
      stored_.runs.push_back(run);
  }
  return lost;
}

void RegisterView::take_definition(const schedule::Definition& of_file, const std::vector<std::string>& lost) {
  if (!stored_.definition.empty() || !may_be_lost("definition", lost)) return;
  const auto keys = {"timezone", "schedule", "not_before", "not_after"};
  const auto is_lost = [&](const char* key) { return is_named(key, lost); };
  const bool may_be_all = stored_.timing.expressions.empty() && may_be_lost("schedule", lost);
  const bool is_known = !may_be_all && std::none_of(keys.begin(), keys.end(), is_lost);
  Timing timing = timing_of(of_file.job);
  if (is_known && timing != stored_.timing) return;
  stored_.definition = of_file.digest;
  stored_.timing = std::move(timing);
  stored_.anchors = anchored_anew(of_file.plan, stored_);
}

/// The slots that the cursor had passed for a reason have their rows; those that were claimed stay done.
WallTime RegisterView::bring_cursor_back(WallTime now) {
  const WallTime was = front();
  WallTime seen = cursor_;
  if (stored_.cursor <= now + most_skew) seen = std::max(seen, stored_.cursor);  // only `since` is ahead, or a claim
  if (claims_ahead(now)) stored_.claimed_until = stored_.cursor;                 // it has passed whatever was claimed
  stored_.go_on_from(seen == WallTime{} ? now : std::min(seen, now));
  explain_claims(now);
  return was;
}

/// What is claimed beyond the cursor from here on is so by a repair, also where its last write is not reached.
void RegisterView::explain_claims(WallTime now) {
  if (stored_.claims_beyond_cursor()) stored_.interventions.edit().repaired_at = now;
}

}  // namespace ballot::core
