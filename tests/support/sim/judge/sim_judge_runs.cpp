// The reasons of runs: why they ended, were repeated, or never began; and what came of requests.
#include <algorithm>

#include "base/env_words.hpp"
#include "base/wall_text.hpp"
#include "core/group/group_state.hpp"
#include "support/sim/judge/sim_judge.hpp"

namespace ballot {
namespace {

constexpr Millis kill_soon{20'000};        // a kill, with the longest kill_grace
constexpr Millis clock_limit{10'000};      // a node that is further from the store's clock leads nothing
constexpr Millis repeated_within{45'000};  // after it was refused, a request that the network has doubled
constexpr Millis closing{12'000};          // past T: for a store that lets a session live longer than it promised

bool names(const core::Request& request, const std::string& suffix, const RunId& run) {
  return request.run == run || (!suffix.empty() && run.text().ends_with(suffix));
}

bool is_again(const Row& row) { return row.status == Status::failed || row.status == Status::timed_out; }

}  // namespace

void SimJudge::died(const std::string& node) {
  deaths_[node] = loop_.now();
  for (auto& [id, asked] : asked_)
    if (asked.answered && !asked.forgotten) asked.forgotten = loop_.now();
}

void SimJudge::judge_run(const std::string& node, const Row& row) {
  const auto [it, fresh] = begun_.try_emplace(*row.run, Begun{row.job, row.node, row.epoch, loop_.now(), {}});
  Begun& begun = it->second;
  if (!is_final(row.status)) return begun.until.reset(), begun.epoch = row.epoch, void(begun.node = row.node);
  begun.until = loop_.now();
  if (row.status == Status::succeeded) successes_[{node, row.job}].push_back({*row.run, row.attempt, loop_.now()});
  begun.failed_by = is_again(row) ? node : "";
  if (row.reason == Reason::lost_limit || row.status == Status::lost) lost_[{*row.run, row.attempt}] = loop_.now();
  std::string why;
  if (row.status == Status::lost) why = why_not_lost(node, row);
  if (row.status == Status::killed) why = why_not_killed(row);
  const auto now = true_time(node, wall(node));
  const Job* job = job_of(node, row.job);
  const bool by_hand = !core::is_of_slot(row);
  if (row.status == Status::skipped && row.reason == Reason::overlap && now &&
      going_on(row.job, row, *now - Millis(1100), *now) <= (fresh ? 0 : 1) - 1)
    why = "no run of the job goes on";
  if (row.status == Status::skipped && row.reason == Reason::queue_full && job &&
      job->concurrency != Concurrency::queue && in_flux_.at(row.job) == SteadyTime::min())
    why = "its job has no queue";
  const bool late = job && now && clocks_right_since(*now - Millis(20'000)) && !by_hand && row.attempt <= 1;
  if ((row.reason == Reason::unclaimed || row.reason == Reason::start_deadline) && late &&
      wall(node) - row.slot < job->start_deadline)
    why = "its start deadline has not passed";
  judge_term_end(node, row);
  if (!why.empty()) return find("a run ended so, and " + why, row, node);
  if (row.node != node) return;
  if (const Start* start = oracle_.start_of({*row.run, row.attempt}); start && start->outcome) judge_truth(row, *start);
}

/// What ends with a term: that term is over, or nobody knew whether it was.
void SimJudge::judge_term_end(const std::string& node, const Row& row) {
  const bool stale = row.status == Status::missed && row.reason == Reason::stale;
  if (row.reason != Reason::leadership_lost && !stale) return;
  const Start* const start = oracle_.start_of({*row.run, row.attempt});
  if (start && start->orphaned) return;  // a function that was to end with it has ended when it wanted to
  // A repair of its job records the end once more.
  const SteadyTime now = start && start->ended ? *start->ended : loop_.now();
  if (disturbed_since(row.node, now - 3 * store_.settings().timeout) ||
      any_since(deaths_, row.node, now - 3 * store_.settings().timeout) ||
      any_since(stops_, row.node, now - Millis(120'000)) || !clocks_right_since(now - Millis(20'000)))
    return;
  const Job* job = job_of(node, row.job);
  if (stale && job && wall(node) - row.slot > job->start_deadline) return;
  if (stale && may_be_paused(row.job, row.group, now - Millis(60'000), now)) return;
  later_.push_back({row.group, row.epoch, now, now + store_.settings().timeout + closing,
                    "a run ended with its term, and the term goes on: " + line_of(row), true});
}

/// A node that is to hand its group back waits for what goes on, and then kills it. As long as one of these runs does
/// not end, as a function that does not want to, the term goes on; and the node may be fit to lead again before.
bool SimJudge::is_kept_by_a_run(const Later& later) const {
  return later.waits_for_runs && std::any_of(oracle_.starts.begin(), oracle_.starts.end(), [&](const Start& start) {
           if (start.group != later.group || start.epoch != later.epoch || start.at >= later.by) return false;
           const SteadyTime ended = start.ended.value_or(SteadyTime::max());
           const auto fit = fit_again_.find(start.node);
           const bool was_kept = fit != fit_again_.end() && fit->second > later.since && fit->second < later.by &&
                                 start.at < later.since && ended > fit->second;
           return was_kept || (start.terminate && ended > later.by);
         });
}

/// A run that is open has ended on another node, or died there with its runner or its host, and only that one's daemon
/// could say so, which was not in order when the slot was due. It counts as going on until then.
bool SimJudge::is_end_unseen(const Row& row, SteadyTime due) const {
  const SimOracle::Claims* claims = oracle_.claims_of(row.job);
  return claims && std::any_of(oracle_.starts.begin(), oracle_.starts.end(), [&](const Start& start) {
           const bool is_over = start.ended && *start.ended <= due && !start.terminate && !start.is_function;
           if (start.job != row.job || start.node == row.node || !is_over) return false;
           const auto claim = claims->find({start.run, start.attempt});
           return claim != claims->end() && claim->second.was_open(due) &&
                  (disturbed_since(start.node, start.at) || any_since(deaths_, start.node, start.at) ||
                   any_since(stops_, start.node, start.at));
         });
}

/// What its runner saw is what its node says; what another one says that knows nothing of it yields to that.
void SimJudge::judge_truth(const Row& row, const Start& start) {
  const runner::Ended& ended = *start.outcome;
  Status status = Status::succeeded;
  Reason reason = Reason::none;
  if (ended.reason == Reason::deadline) {
    status = Status::timed_out, reason = Reason::deadline;
  } else if (ended.reason >= Reason::exception) {
    status = Status::failed, reason = ended.reason;
  } else if (ended.reason != Reason::none) {
    status = Status::killed, reason = ended.reason;
  } else if (ended.signal) {
    status = Status::failed, reason = Reason::signal;
  } else if (ended.exit_code.value_or(0) != 0) {
    status = Status::failed, reason = Reason::exit_code;
  }
  const bool unknowing = row.reason == Reason::lost_limit || row.status == Status::lost || row.reason == Reason::halted;
  if (!unknowing && (row.status != status || row.reason != reason))
    find("a run ended otherwise, " + std::string(to_string(status)) + ": " + std::string(to_string(reason)), row,
         row.node);
}

bool SimJudge::was_to_be_forgotten(const RunId& run) const {
  return std::any_of(asked_.begin(), asked_.end(), [&](const auto& one) {
    return one.second.request.kind == core::Request::Kind::forget &&
           names(one.second.request, one.second.run_suffix, run);
  });
}

/// A host, daemon or runner that was gone; a term that is over; or somebody who says so.
std::string SimJudge::why_not_lost(const std::string& node, const Row& row) const {
  if (row.reason == Reason::forgotten) return was_to_be_forgotten(*row.run) ? "" : "nobody said to forget it";
  const Start* start = oracle_.start_of({*row.run, row.attempt});
  const SteadyTime since = start ? start->at : begun_.at(*row.run).since - Millis(60'000);
  const core::JobRegister* now = oracle_.job_register(row.job);
  const bool repaired =
      now && now->interventions->repair > 0;  // the end that was published may be among what the store forgot
  const bool intact = !spoiled_.contains(row.job) && !repaired;
  if (start && intact && was_published(*start, node)) return "somebody has published how it ended";
  if (any_since(deaths_, row.node, since - Millis(1000))) return "";
  if (row.reason == Reason::runner_died) return "its runner is there";
  if (!start) return "";  // a claim that had not reached the runner
  const Term* term = oracle_.term(row.group, row.epoch);
  const bool known = start && start->outcome && start->ended && *start->ended + closing < loop_.now() &&
                     !disturbed_since(row.node, *start->ended) && !any_since(stops_, row.node, since);
  if (node != row.node && known && intact) return "its node has known for long how it ended";
  if (node != row.node && (!term || term->ended)) return "";
  if (node == row.node && repaired && start->ended)
    return "";  // of a register that still showed it; its own row is right
  return node == row.node ? "neither its daemon nor its runner was gone" : "its term goes on";
}

/// What its runner knew when somebody resigned for its daemon is known to whoever could read it since, while the
/// register shows the run: what is closed is published no more. It knows of no function: that is published as lost.
bool SimJudge::was_published(const Start& start, const std::string& to) const {
  const auto published = published_.find(start.node);
  if (published == published_.end() || !start.outcome || start.fence == 0 || start.is_function) return false;
  const SimOracle::Claims* claims = oracle_.claims_of(start.job);
  const auto claim = claims ? claims->find({start.run, start.attempt}) : SimOracle::Claims::const_iterator();
  if (!claims || claim == claims->end() || !claim->second.open) return false;
  const auto& [known_at, at] = published->second;
  return *start.ended <= known_at && at + Millis(1000) < loop_.now() && !disturbed_since(to, at);
}

std::string SimJudge::why_not_killed(const Row& row) const {
  const Start* start = oracle_.start_of({*row.run, row.attempt});
  const SteadyTime since = start ? start->at : SteadyTime::min();
  if (row.reason == Reason::operator_) {
    return was_to_be_killed(*row.run) ? "" : "nobody asked to kill it";
  }
  if (row.reason == Reason::replaced) {
    const Job* job = job_of(row.node, row.job);
    if (!job || in_flux_.at(row.job) > SteadyTime::min()) return "";
    if (job->concurrency != Concurrency::replace) return "its job replaces nothing";
    const bool triggered = std::any_of(asked_.begin(), asked_.end(), [&](const auto& one) {
      return one.second.request.kind == core::Request::Kind::trigger && one.second.request.job == row.job;
    });
    const bool right = clocks_right_since(since);
    // Of one that was started without a claim, the next term runs the slot, in its place.
    const Term* leading = oracle_.leading(row.group);
    const bool again = row.fence == 0 && leading && leading->epoch > row.epoch;
    return triggered || again || !right || !slots_after(row.node, row.job, row.slot, wall(row.node), 1).empty()
               ? ""
               : "no later slot is due";
  }
  if (row.reason == Reason::shutdown) {
    const auto evicted = evictions_.find(row.group);
    // The launch may have been on its way to the runner when the stop began.
    const SteadyTime launched = start ? since - std::chrono::seconds(10) : since;
    const bool asked = any_since(stops_, row.node, launched) || evicted != evictions_.end();
    return asked ? "" : "nobody asked its node to stop";
  }
  return "";
}

void SimJudge::judge_ends(const testing::MergedLedger& ledger) {
  for (const Later& later : later_) {
    const Term* term = oracle_.term(later.group, later.epoch);
    const bool goes_on = term && (!term->ended || *term->ended > later.by);
    if (later.by < loop_.now() && goes_on && !is_kept_by_a_run(later)) oracle_.find(later.what);
  }
  judge_repeats(ledger);
  judge_attempts(ledger);
  judge_triggers(ledger);
  judge_left_out();
  judge_chains(ledger);
  judge_triggered_chains(ledger);
  judge_backfills();
}

bool SimJudge::was_to_be_killed(const RunId& run) const {
  return std::any_of(asked_.begin(), asked_.end(), [&](const auto& one) {
    return one.second.request.kind == core::Request::Kind::kill &&
           names(one.second.request, one.second.run_suffix, run);
  });
}

/// A further attempt follows one that failed; at-least-once, one that was lost as well. And there it must.
void SimJudge::judge_repeats(const testing::MergedLedger& ledger) {
  for (const auto& [name, job] : last_files_) {
    const auto* claims = oracle_.claims_of(name);
    if (!claims || spoiled_.contains(name)) continue;
    for (const auto& [id, claim] : *claims) {
      const runner::AttemptId before{id.run, id.attempt - 1}, next{id.run, id.attempt + 1};
      const auto row_of = [&](const runner::AttemptId& attempt) {
        const testing::Entry* entry = ledger.find(attempt.run, attempt.attempt);
        return entry ? &entry->row : nullptr;
      };
      const Row* last = id.attempt > 1 ? row_of(before) : nullptr;
      const bool stale = last && last->status == Status::missed && last->reason == Reason::stale;
      const bool repeats = claim.run.at_least_once && (lost_.contains(before) || stale);
      if (last && !is_again(*last) && !repeats)
        find("a run is tried again that had not failed, attempt " + std::to_string(id.attempt), *last, last->node);
      const Row* row = row_of(id);
      if (!row || claim.open || row->status != Status::lost || row->reason == Reason::forgotten) continue;
      if (!claim.run.at_least_once || in_flux_.at(name) > SteadyTime::min()) continue;
      if (job->job.concurrency == Concurrency::replace) continue;  // a later slot takes its place
      if (was_to_be_killed(id.run)) continue;                      // whoever leads next reads the request as well
      if (was_to_be_forgotten(id.run)) continue;                   // the leader does; its node may have another reason
      if (!claims->contains(next) && !row_of(next))
        find("an at-least-once run was lost, and is not repeated", *row, row->node);
    }
  }
}

/// Of a run no more attempts fail than its first claim allowed, and there are no more in all than these and the lost
/// ones. An attempt that its leader closed as lost is one of the lost ones, whatever its own node's row says of its
/// end: without its claim's end in the store, the leader could not know that it had failed, and has repeated it.
void SimJudge::judge_attempts(const testing::MergedLedger& ledger) {
  struct Attempts {
    const Row* last = nullptr;
    int failed = 0, lost = 0;
  };
  std::map<RunId, Attempts> runs;
  for (const auto& [key, entry] : ledger.attempts()) {
    Attempts& run = runs[*entry.row.run];
    run.last = &entry.row;  // by attempt
    const bool stale = entry.row.status == Status::missed && entry.row.reason == Reason::stale;
    const bool lost = entry.row.status == Status::lost || entry.row.reason == Reason::lost_limit || stale ||
                      lost_.contains({*entry.row.run, entry.row.attempt});
    run.failed += is_again(entry.row) && !lost;
    run.lost += lost;
  }
  for (const auto& [id, run] : runs) {
    const SimOracle::Claims* claims = oracle_.claims_of(run.last->job);
    const auto first = claims ? claims->find({id, 1}) : SimOracle::Claims::const_iterator();
    const core::JobRegister* stored = oracle_.job_register(run.last->job);
    if (!claims || first == claims->end() || spoiled_.contains(run.last->job)) continue;
    if (stored && stored->interventions->repair > 0) continue;  // attempts may have been forgotten
    const int most = 1 + first->second.run.retries;
    if (run.failed > most || run.last->attempt > most + run.lost)
      find("a run has " + std::to_string(run.last->attempt) + " attempts, of which " + std::to_string(run.failed) +
               " failed and " + std::to_string(run.lost) + " were lost, and " + std::to_string(most) + " may fail",
           *run.last, run.last->node);
  }
}

/// "": its job allows all of them. No edit changes that.
std::string SimJudge::variable_not_allowed(const core::Request& request) const {
  const auto file = last_files_.find(request.job);
  const auto env = parse_env_words(request.env);
  if (file == last_files_.end() || !env) return "";
  const std::vector<std::string>& allowed = file->second->job.details->trigger_env;
  for (const auto& [name, value] : *env)
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) return name;
  return "";
}

/// Acknowledged, it has a run or the row of one; refused, nothing comes of it.
void SimJudge::judge_triggers(const testing::MergedLedger& ledger) {
  for (const auto& [id, reply] : triggers_) {
    const Asked& asked = asked_.at(id);
    const std::string what = "job " + asked.request.job + ", run " + id.text();
    const bool has_row = ledger.find(id, 1) || oracle_.start_of({id, 1});
    const core::JobRegister* stored = oracle_.job_register(asked.request.job);
    const bool waits = stored && std::any_of(stored->runs.begin(), stored->runs.end(),
                                             [&](const core::OpenRun& run) { return run.id == id; });
    if (const std::string name = variable_not_allowed(asked.request); reply.ok && !name.empty())
      oracle_.find("a trigger is acknowledged that sets " + name + ", which its job does not allow: " + what);
    if (reply.ok && !has_row && !waits && !spoiled_.contains(asked.request.job))
      oracle_.find("a trigger is acknowledged, and has no run: " + what);
    const bool unsure = reply.code == Errc::unavailable ||  // the daemon stops, or the store does not say
                        (reply.code == Errc::timeout && !asked.right_clocks);  // its leader's may be another time
    const Start* start = oracle_.start_of({id, 1});
    if (!reply.ok && !unsure && start && !is_asked_twice(*start, asked))
      oracle_.find("a trigger is refused (" + reply.text + "), and was run: " + what);
  }
}

/// The network may carry a request into the store a second time once it has been refused and removed. Only the node
/// that has refused it remembers that: where a node has died before the run began, it may have been that one; and a
/// term that began when it had been refused is of another one.
bool SimJudge::is_asked_twice(const Start& start, const Asked& refused) const {
  const Term* const by = oracle_.term(start.group, start.epoch);
  const bool is_forgotten = refused.forgotten && *refused.forgotten <= start.at;
  return (is_forgotten || (by && by->began > *refused.answered)) && start.at <= *refused.answered + repeated_within;
}

/// An attempt that a later term has taken for lost may go on beside the next one. Each node takes the kill for its own,
/// and the first that has done it answers; that the other one is done soon is judged by itself.
bool SimJudge::is_earlier_attempt_killed(const Start& last, SteadyTime asked) const {
  return std::any_of(oracle_.starts.begin(), oracle_.starts.end(), [&](const Start& start) {
    return start.run == last.run && start.attempt < last.attempt && start.node != last.node && start.outcome &&
           start.outcome->reason == Reason::operator_ && *start.ended >= asked;
  });
}

/// A kill is done within its grace, where nothing is between whoever asked and the run.
void SimJudge::judge_kills() {
  for (auto& [id, asked] : asked_) {
    if (asked.judged || asked.request.kind != core::Request::Kind::kill || loop_.now() < asked.at + kill_soon) continue;
    asked.judged = true;
    if (std::any_of(disturbed_.begin(), disturbed_.end(), [&](const auto& one) { return one.second >= asked.at; }) ||
        std::any_of(deaths_.begin(), deaths_.end(), [&](const auto& one) { return one.second >= asked.at; }) ||
        std::any_of(stops_.begin(), stops_.end(), [&](const auto& one) { return one.second + closing >= asked.at; }) ||
        !clocks_right_since(asked.at))
      continue;
    for (const Start& start : oracle_.starts)
      if (!start.ended && !start.orphaned && start.at < asked.at && names(asked.request, asked.run_suffix, start.run))
        oracle_.find("a kill was asked, and the run goes on: job " + start.job + ", run " + start.run.text());
  }
}

/// A clock that is far from the store's is noticed with a renewal, and runs that keep the group are killed after a
/// while.
void SimJudge::judge_clocks() {
  if (!store_.settings().has_clock) return;
  for (const auto& [node, clock] : clocks_) {
    const Millis off = clock.second < Millis(0) ? -clock.second : clock.second;
    const SteadyTime since = loop_.now() - 3 * store_.settings().timeout - core::handback_wait - kill_soon;
    if (off <= clock_limit || clock.first > since || disturbed_since(node, since)) continue;
    for (const auto& [group, leader] : oracle_.leaders())
      if (leader->node == node) oracle_.find(node + " leads group " + group + " with a clock that is wrong");
  }
}

void SimJudge::term(const TermRow& row) {
  if (row.cause == Cause::evicted) stay_out_[row.group] = {row.node, loop_.now()};
}

/// Whoever was evicted does not take part again for three timeouts, unless nobody else does; it forgets that with its
/// daemon.
void SimJudge::judge_evictions() {
  std::erase_if(stay_out_, [this](const auto& one) {
    const auto& [group, out] = one;
    if (loop_.now() >= out.since + 3 * store_.settings().timeout) return true;
    if (any_since(deaths_, out.node, out.since) || any_since(stops_, out.node, out.since)) return true;
    const WallTime since = SimClock::default_wall + out.since.time_since_epoch();
    bool others = false, itself = false;
    for (const Election& election : store_.observe(group))
      for (const Candidate& candidate : election.candidates) {
        others = others || candidate.node != out.node;
        itself = itself || (candidate.node == out.node && candidate.since > since);
      }
    if (others && itself)
      oracle_.find(out.node + " was evicted from group " + group + ", and takes part again too soon");
    return !others || itself;
  });
}

}  // namespace ballot
