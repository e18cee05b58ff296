// What has to have been between two instants without a fault, by the tests' own slots: a fleet that skips everything
// does not pass.
#include <algorithm>

#include "base/wall_text.hpp"
#include "support/judge/slot_oracle.hpp"
#include "support/sim/judge/sim_judge.hpp"

namespace ballot {
namespace {

constexpr Millis link_slack{50};

SteadyTime steady(WallTime wall) { return SteadyTime(wall - SimClock::default_wall); }

bool is_of_schedule(const Start& start) {
  return start.trigger == Trigger::schedule || start.trigger == Trigger::catch_up;
}

const Start* start_of(const std::vector<Start>& starts, const std::string& job, WallTime slot) {
  const auto it = std::find_if(starts.begin(), starts.end(), [&](const Start& start) {
    return start.job == job && start.slot == slot && start.attempt == 1 && is_of_schedule(start);
  });
  return it == starts.end() ? nullptr : &*it;
}

/// Of a job that comes after others it is not known when it is due: sim_chain.cpp.
bool is_judged(const Job& job) {
  return job.details->after.empty() && job.enabled && !job.schedule.empty() && job.schedule[0] != "@reboot";
}

/// Slots that are caught up run one after the other, also of a job whose runs may go on beside each other; and those
/// that are due meanwhile come after them.
bool is_behind_a_catch_up(const std::vector<Start>& starts, const std::string& job, WallTime slot, SteadyTime due) {
  bool waits = false, runs = false;
  for (const Start& start : starts) {
    if (start.job != job || !is_of_schedule(start) || start.slot >= slot) continue;
    waits = waits || start.at > due;
    runs = runs || (start.trigger == Trigger::catch_up && start.at <= due + Millis(1000) &&
                    start.ended.value_or(SteadyTime::max()) >= due - link_slack);
  }
  return waits && runs;
}

std::int64_t between_attempts(const core::JobRegister* stored) {
  if (!stored) return 0;
  return std::count_if(stored->runs.begin(), stored->runs.end(),
                       [](const core::OpenRun& run) { return run.waits_until && !run.queued; });
}

/// By the files, but for what an `@every` counts from, which the register says.
std::vector<WallTime> slots_of(const Job& job, const SimOracle& oracle, WallTime from, WallTime until) {
  const core::JobRegister* stored = oracle.job_register(job.name);
  const WallTime anchor = stored && !stored->anchors.empty() ? stored->anchors[0].at : WallTime{};
  const testing::SlotOracle slots(schedule::with_rule(job.schedule, *job.details->days), job.timezone);
  std::vector<WallTime> due = slots.between(from, until, anchor);
  std::erase_if(due, [&](WallTime slot) { return slots.leaves_out(slot, anchor); });
  return due;
}

}  // namespace

bool SimJudge::changed_hands(const std::string& group, SteadyTime from, SteadyTime until) const {
  const auto terms = oracle_.terms_of(group);
  return std::any_of(terms.begin(), terms.end(), [&](const Term* term) {
    return (term->began >= from && term->began <= until) ||
           (term->ended && *term->ended >= from && *term->ended <= until);
  });
}

void SimJudge::judge_quiet(const std::vector<Job>& files, const Quiet& quiet) {
  for (const Job& job : files) {
    judge_expectations(job, quiet);
    judge_phase(job);
    if (!is_judged(job)) continue;
    judge_quiet(job, quiet);
    if (quiet.limited) continue;
    judge_spread(job, quiet);
    judge_replaced(job, quiet);
  }
  judge_priority(files, quiet);
}

/// Each slot has its start, in time; or a run of its job goes on that its policy waits for.
void SimJudge::judge_quiet(const Job& job, const Quiet& quiet) {
  const auto slots = slots_of(job, oracle_, quiet.from, quiet.until - job.jitter);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const SteadyTime due = steady(slots[i]);
    const SteadyTime latest = due + job.jitter + quiet.late;
    const std::string what = "job " + job.name + ", slot " + format_slot(slots[i]) + ", in quiet time";
    const Start* start = start_of(oracle_.starts, job.name, slots[i]);
    if (start && start->at < due) oracle_.find("started before it was due: " + what);
    const SteadyTime begun = start ? start->at : SteadyTime::max();
    if (begun <= latest) continue;
    const auto open =
        between_attempts(oracle_.job_register(job.name)) +
        std::count_if(oracle_.lives(job.name).begin(), oracle_.lives(job.name).end(), [&](const RunLife& life) {
          return life.from <= due + job.jitter + Millis(1000) && life.from != begun &&
                 life.until.value_or(SteadyTime::max()) >= due - link_slack;
        });
    const int most = job.concurrency == Concurrency::allow ? job.max_running : 1;
    const bool moved = changed_hands(job.group, due - Millis(1000), latest + Millis(5000));
    const bool gives_up = job.misfire == Misfire::skip || job.start_deadline < Millis(3000);
    const bool superseded = job.concurrency == Concurrency::replace && i + 1 < slots.size() &&
                            steady(slots[i + 1]) <= latest + job.kill_grace;
    const bool replaces = job.concurrency == Concurrency::replace && begun <= latest + job.kill_grace;
    if (open >= most && job.concurrency != Concurrency::replace) continue;
    if (is_behind_a_catch_up(oracle_.starts, job.name, slots[i], due)) continue;
    if (quiet.limited || superseded || replaces || (moved && (start || gives_up))) continue;
    oracle_.find(start ? "started late: " + what : "a slot was not run: " + what);
  }
}

/// Of a job whose file was always the same.
void SimJudge::judge_left_out() {
  for (const auto& [name, definition] : last_files_) {
    const Job& job = definition->job;
    const core::JobRegister* const stored = oracle_.job_register(name);
    if (job.details->days->empty() || was_edited(name) || !stored) continue;
    const WallTime anchor = stored->anchors.empty() ? WallTime{} : stored->anchors[0].at;
    const testing::SlotOracle slots(schedule::with_rule(job.schedule, *job.details->days), job.timezone);
    for (const Start& start : oracle_.starts)
      if (start.job == name && is_of_schedule(start) && slots.leaves_out(start.slot, anchor))
        oracle_.find("job " + name + " runs slot " + format_slot(start.slot) + ", which its calendars leave out");
  }
}

/// Jitter spreads the starts over all of it.
void SimJudge::judge_spread(const Job& job, const Quiet& quiet) {
  if (job.jitter < Millis(5000)) return;
  int seen = 0, early = 0;
  for (const WallTime slot : slots_of(job, oracle_, quiet.from, quiet.until))
    if (const Start* start = start_of(oracle_.starts, job.name, slot); start && start->trigger == Trigger::schedule) {
      ++seen;
      early += start->at - steady(slot) < job.jitter / 10;
    }
  if (seen >= 5 && early == seen) oracle_.find("the starts of job " + job.name + " are not spread over its jitter");
}

/// A run that a later slot replaces is gone soon after that one is due.
void SimJudge::judge_replaced(const Job& job, const Quiet& quiet) {
  if (job.concurrency != Concurrency::replace) return;
  const auto slots = slots_of(job, oracle_, quiet.from, quiet.until);
  for (const Start& start : oracle_.starts) {
    if (start.job != job.name) continue;
    const auto next = std::find_if(slots.begin(), slots.end(),
                                   [&](WallTime slot) { return slot > start.slot && steady(slot) > start.at; });
    if (next == slots.end()) continue;
    const SteadyTime latest = steady(*next) + job.jitter + job.kill_grace + quiet.late;
    if (start.ended.value_or(loop_.now()) <= latest || changed_hands(job.group, start.at, latest)) continue;
    oracle_.find("a run goes on that a later slot replaces: job " + job.name + ", run " + start.run.text());
  }
}

/// Where places are few, what has waited for more than a moment begins before what counts less.
void SimJudge::judge_priority(const std::vector<Job>& files, const Quiet& quiet) {
  std::map<std::string, const Job*> jobs;
  for (const Job& job : files) jobs[job.name] = &job;
  for (const Start& high : oracle_.starts) {
    const auto known = jobs.find(high.job);
    if (known == jobs.end()) continue;  // its node has it no longer
    const Job& job = *known->second;
    const SteadyTime due = steady(high.slot) + job.jitter + Millis(1500);
    const auto limit = oracle_.node_limits.find(high.node);
    if (high.slot < quiet.from || !is_of_schedule(high) || high.attempt > 1 || high.at <= due) continue;
    if (limit == oracle_.node_limits.end() || limit->second == 0 || oracle_.group_limits.contains(high.group)) continue;
    for (const Start& low : oracle_.starts) {
      if (low.node != high.node || low.at <= due || low.at >= high.at || low.attempt > 1 || !is_of_schedule(low))
        continue;
      const auto other = jobs.find(low.job);
      if (other == jobs.end() || other->second->details->priority >= job.details->priority ||
          changed_hands(high.group, due - Millis(5000), high.at))
        continue;
      const auto open =
          std::count_if(oracle_.lives(high.job).begin(), oracle_.lives(high.job).end(), [&](const RunLife& life) {
            return life.from <= low.at && life.until.value_or(SteadyTime::max()) >= low.at - Millis(1000);
          });
      if (open >= (job.concurrency == Concurrency::allow ? job.max_running : 1)) continue;
      oracle_.find("job " + low.job + " is started before one of higher priority that waits: job " + high.job +
                   ", slot " + format_slot(high.slot));
    }
  }
}

}  // namespace ballot
