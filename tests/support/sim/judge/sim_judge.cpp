// What nodes, people and faults did, and the reasons of slots without a run. Runs are in sim_judge_runs.cpp.
#include "support/sim/judge/sim_judge.hpp"

#include <algorithm>
#include <utility>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "support/judge/slot_oracle.hpp"

namespace ballot {
namespace {

constexpr Millis on_time{1000};         // what is decided so long after it was due has been decided in time
constexpr Millis slack{50};             // for what is under way between two of a machine's processes
constexpr Millis decides{60'000};       // from a decision to its row, at most
constexpr Millis flux{300'000};         // an edit may settle what was due so long before
constexpr Millis claim_takes{10'000};   // from its first write to its confirmation, where requests are lost or slow
constexpr Millis request_life{45'000};  // a request that is not answered may be carried out till then

}  // namespace

// ---- what the world gave

void SimJudge::loaded(const std::string& node, const std::vector<schedule::DefinitionPtr>& jobs, bool dry_run) {
  Files& files = files_[node];
  files.dry_run = dry_run;
  const auto before = std::exchange(files.jobs, {});
  for (const schedule::DefinitionPtr& definition : jobs) {
    files.jobs[definition->job.name] = last_files_[definition->job.name] = definition;
    in_flux_.try_emplace(definition->job.name, SteadyTime::min());
  }
  for (const auto& [name, definition] : before) {
    const auto now = files.jobs.find(name);
    if (now == files.jobs.end() || now->second->digest != definition->digest) in_flux_[name] = loop_.now();
  }
  compare_files();
}

/// The jobs that not all nodes define alike: a leader that follows another one may define such a job otherwise.
void SimJudge::compare_files() {
  differing_.clear();
  for (auto& [name, until] : in_flux_) {
    const DigestText* digest = nullptr;
    static const DigestText none;
    bool differs = false;
    for (const auto& [node, files] : files_) {
      if (is_instance(name) && node_of_instance(name) != node) continue;
      const auto job = files.jobs.find(name);
      const DigestText& one = job == files.jobs.end() ? none : job->second->digest;
      differs = differs || (digest && one != *digest);
      digest = &one;
    }
    if (differs) differing_.push_back(&until);
  }
}

void SimJudge::watch() {
  for (SteadyTime* const until : differing_) *until = loop_.now();
  watch_backfills();
  judge_owed();
  judge_evictions();
  judge_kills();
  judge_clocks();
}

void SimJudge::clock_set(const std::string& node, Millis offset) {
  clocks_[node] = {loop_.now(), offset};
  oracle_.clock_set(offset);
}

void SimJudge::asked(const core::Request& request, const std::string& run_suffix) {
  asked_[request.id] = {request, run_suffix, loop_.now(), {}};
  if (request.kind != core::Request::Kind::evict) return;
  if (const Term* term = oracle_.leading(request.group)) evictions_[request.group] = term->epoch;
}

void SimJudge::answered(const core::Request& request, const core::Reply& reply) {
  using Kind = core::Request::Kind;
  const auto asked = asked_.find(request.id);
  if (asked == asked_.end()) return;
  asked->second.answered = loop_.now();
  asked->second.done = reply.ok;
  asked->second.right_clocks = clocks_right_since(asked->second.at);
  if (request.kind == Kind::trigger) triggers_[request.id] = reply;
  if (request.kind == Kind::evict && reply.ok)
    later_.push_back({request.group, evictions_[request.group], loop_.now(),
                      loop_.now() + request_life + store_.settings().timeout,
                      "an eviction is acknowledged, and the term goes on: group " + request.group});
  if (request.kind != Kind::kill || !reply.ok || !reply.run) return;
  const Start* last = nullptr;
  for (const Start& start : oracle_.starts)
    if (start.run == *reply.run && start.at < asked->second.at) last = &start;
  // One that a later term has taken for lost, with its machine perhaps, is not what was killed: that is the next
  // attempt.
  if (last && !last->ended && !last->orphaned && last->terminate &&
      !oracle_.is_claimed(last->job, {last->run, last->attempt + 1}) &&
      !is_earlier_attempt_killed(*last, asked->second.at))
    oracle_.find("a kill is acknowledged, and the run goes on: job " + last->job + ", run " + last->run.text());
}

// ---- what is known of time and files

WallTime SimJudge::wall(const std::string& node) const {
  const auto clock = clocks_.find(node);
  const Millis offset = clock == clocks_.end() ? Millis(0) : clock->second.second;
  return SimClock::default_wall + loop_.now().time_since_epoch() + offset;
}

std::optional<SteadyTime> SimJudge::true_time(const std::string& node, WallTime wall) const {
  const auto clock = clocks_.find(node);
  const Millis offset = clock == clocks_.end() ? Millis(0) : clock->second.second;
  const SteadyTime time = SteadyTime(wall - SimClock::default_wall - offset);
  const bool moved = clock != clocks_.end() && clock->second.first > std::min(time, loop_.now()) - decides;
  return moved ? std::nullopt : std::optional(time);
}

bool SimJudge::clocks_right_since(SteadyTime time) const {
  return std::none_of(clocks_.begin(), clocks_.end(), [&](const auto& one) {
    return one.second.second != Millis(0) || one.second.first >= std::min(time, loop_.now()) - decides;
  });
}

bool SimJudge::any_since(const std::map<std::string, SteadyTime>& of, const std::string& node, SteadyTime time) {
  const auto it = of.find(node);
  return it != of.end() && it->second >= time;
}

const schedule::Definition* SimJudge::definition_of(const std::string& node, const std::string& name) const {
  if (const auto files = files_.find(node); files != files_.end())
    if (const auto job = files->second.jobs.find(name); job != files->second.jobs.end()) return job->second.get();
  const auto last = last_files_.find(name);
  return last == last_files_.end() ? nullptr : last->second.get();
}

const Job* SimJudge::job_of(const std::string& node, const std::string& name) const {
  const schedule::Definition* definition = definition_of(node, name);
  return definition ? &definition->job : nullptr;
}

std::vector<WallTime> SimJudge::slots_after(const std::string& node, const std::string& job, WallTime slot,
                                            WallTime until, std::size_t most) const {
  std::vector<WallTime> slots;
  const schedule::Definition* definition = definition_of(node, job);
  const core::JobRegister* stored = oracle_.job_register(job);
  if (!definition || !stored) return slots;
  std::vector<WallTime> anchors;
  for (const std::string& text : definition->plan.everies()) {
    const auto anchor = std::find_if(stored->anchors.begin(), stored->anchors.end(),
                                     [&](const core::Anchor& one) { return one.text == text; });
    anchors.push_back(anchor == stored->anchors.end() ? stored->since : anchor->at);
  }
  for (auto next = definition->plan.next_due(slot, anchors); next && next->at <= until && slots.size() < most;
       next = definition->plan.next_due(next->at, anchors))
    slots.push_back(next->at);
  return slots;
}

void SimJudge::find(const std::string& what, const Row& row, const std::string& node) {
  oracle_.find(what + ": " + line_of(row) + " (recorded by " + node + ")");
}

// ---- rows

void SimJudge::row(const std::string& node, const Row& row) {
  if (files_.empty()) return;
  if (row.run) return judge_run(node, row);
  if (row.trigger == Trigger::reboot) return;
  const auto judge = [&](WallTime slot) { judge_skipped(node, row, slot), judge_missed(node, row, slot); };
  judge(row.slot);
  if (row.slot_until) judge(*row.slot_until);
  if (!clocks_right_since(loop_.now() - Millis(10'000))) by_wrong_clock_.emplace(row.job, row.slot);
}

void SimJudge::judge_skipped(const std::string& node, const Row& row, WallTime slot) {
  std::string why;
  const Job* job = job_of(node, row.job);
  const bool is_due_later = job && !job->details->after.empty();  // than its slot: sim_chain.cpp
  if (row.reason == Reason::overlap && !is_due_later) why = why_no_overlap(node, row, slot);
  if (row.reason == Reason::queue_full && !is_due_later) why = why_not_full(node, row, slot);
  if (row.reason == Reason::paused) why = why_not_paused(node, row, slot);
  if (row.reason == Reason::dry_run && !files_[node].dry_run) why = "the node runs its jobs";
  if (!why.empty()) find("skipped, and " + why, row, node);
}

void SimJudge::judge_missed(const std::string& node, const Row& row, WallTime slot) {
  if (row.status != Status::missed) return;
  const Job* job = job_of(node, row.job);
  if (!job) return;
  if (!job->details->after.empty() && row.reason != Reason::halted && row.reason != Reason::dst_gap) {
    if (clocks_right_since(loop_.now())) missed_[{row.job, slot}] = loop_.now();
    return;  // sim_chain.cpp
  }
  std::string why;
  const auto due = true_time(node, slot);
  const bool of_policy = row.reason == Reason::misfire || row.reason == Reason::no_leader ||
                         row.reason == Reason::unclaimed || row.reason == Reason::start_deadline;
  if (of_policy && due && clocks_right_since(*due) && is_paused_for_certain(row.job, row.group, *due))
    why = "it was due within a pause";
  if (row.reason == Reason::misfire) why = why_no_misfire(node, row, slot);
  if (row.reason == Reason::start_deadline && due && wall(node) - slot < job->start_deadline)
    why = "its start deadline has not passed";
  if (row.reason == Reason::no_leader) why = why_led(node, row, slot);
  if (row.reason == Reason::unclaimed) why = why_no_claim_failed(node, row, slot);
  if (row.reason == Reason::no_definition) why = why_defined(node, row, slot);
  if (row.reason == Reason::halted && !spoiled_.contains(row.job)) why = "nothing was halted";
  if (row.reason == Reason::dst_gap && !testing::SlotOracle({}, job->timezone).skips_a_day_after(slot))
    why = "there is no gap";
  if (row.reason == Reason::stale) why = "it has no run";
  if (!why.empty()) find("missed, and " + why, row, node);
}

int SimJudge::going_on(const std::string& job, const Row& by, SteadyTime from, SteadyTime until) const {
  std::set<RunId> runs;
  if (const core::JobRegister* stored = oracle_.job_register(job))
    for (const core::OpenRun& run : stored->runs)
      if ((run.waits_until && !run.queued) || is_to_be_retried(run, by)) runs.insert(run.id);  // between two attempts
  for (const RunLife& life : oracle_.lives(job))
    if (life.from <= until && life.until.value_or(SteadyTime::max()) >= from) runs.insert(life.run);
  for (const auto& [run, begun] : begun_)  // on its way: claimed by the same term, which has not seen it end
    if (begun.job == job && begun.epoch == by.epoch && begun.since <= until &&
        begun.until.value_or(SteadyTime::max()) >= from && !oracle_.has_started(run))
      runs.insert(run);
  return static_cast<int>(runs.size());
}

/// Its attempt has failed with retries left, as the node knows that says `by`. The register shows that only once the
/// row of the failure is durable, which a slow ledger delays.
bool SimJudge::is_to_be_retried(const core::OpenRun& run, const Row& by) const {
  const auto begun = begun_.find(run.id);
  return begun != begun_.end() && begun->second.until && begun->second.failed_by == by.node && run.retries > 0;
}

/// Beside a run that is known to go on when the slot is due; of `replace`, beside a later slot too.
std::string SimJudge::why_no_overlap(const std::string& node, const Row& row, WallTime slot) const {
  const Job* job = job_of(node, row.job);
  const auto due = true_time(node, slot);
  if (!job || !due || !clocks_right_since(*due)) return "";
  if (job->concurrency == Concurrency::queue || job->concurrency == Concurrency::allow)
    return in_flux_.at(row.job) >= *due - flux ? "" : "its job does not skip what overlaps";
  const SteadyTime latest = *due + job->jitter + on_time + slack;
  if (job->concurrency == Concurrency::replace) {
    if (slots_after(node, row.job, slot, wall(node), 1).empty()) return "no later slot replaces it";
    return going_on(row.job, row, *due - slack, loop_.now()) > 0 ? "" : "no run of the job goes on then";
  }
  const core::JobRegister* stored = oracle_.job_register(row.job);
  if (row.trigger == Trigger::manual && stored && !stored->runs.empty()) return "";  // whoever asks does not wait
  const auto is_open = [&](const runner::AttemptId& id) {
    return stored && std::any_of(stored->runs.begin(), stored->runs.end(),
                                 [&](const auto& run) { return run.id == id.run && run.attempt == id.attempt; });
  };
  const bool repeated = std::any_of(lost_.begin(), lost_.end(), [&](const auto& one) {
    const runner::AttemptId next{one.first.run, one.first.attempt + 1};
    const bool is_claimed_now = oracle_.is_claimed(row.job, next) && !oracle_.start_of(next);
    const bool is_pending = one.second >= *due || is_open(one.first) || is_claimed_now;  // its row may be late
    return is_pending && begun_.at(one.first.run).job == row.job;
  });
  if (job->guarantee == Guarantee::at_least_once && repeated) return "";  // it is to be run again
  if (going_on(row.job, row, *due - slack, latest) > 0) return "";
  // What was due before its term is decided when that begins; what people have asked for by then comes first. Its node
  // learns of its term, and reads what was asked, over a link that may not be in order.
  const Term* term = oracle_.term(row.group, row.epoch);
  const bool caught_up = term && term->began > *due;
  const Millis learns = caught_up && disturbed_since(row.node, term->began) ? claim_takes : on_time;
  if (caught_up && going_on(row.job, row, term->began, term->began + learns + slack) > 0) return "";
  const bool is_late = term && (caught_up || disturbed_since(row.node, *due));  // so may be a node that was stopped
  const auto is_asked_first = [&](const Start& start) {
    const bool is_of_term = start.job == row.job && start.epoch == row.epoch && start.trigger == Trigger::manual;
    const auto request = asked_.find(start.run);
    const auto asked = request == asked_.end() ? true_time(node, start.slot) : request->second.at;
    return is_of_term && asked && *asked <= std::max(term->began, *due) + claim_takes + slack;
  };
  if (is_late && std::any_of(oracle_.starts.begin(), oracle_.starts.end(), is_asked_first)) return "";
  const auto seems_to_go_on = [&](const Start& start) {
    const auto* const broken = start.job == row.job ? oracle_.break_at_end(start) : nullptr;
    return broken && start.at <= latest && broken->up >= *due;
  };
  if (std::any_of(oracle_.starts.begin(), oracle_.starts.end(), seems_to_go_on)) return "";
  if (has_waited_for_chain(row, slot, *due)) return "";
  return is_claim_under_way(row, slot, *due) || is_end_unseen(row, *due) ? "" : "no run of the job goes on then";
}

/// The claim of a slot before may have been on its way to the store at `due`, over a link that is not in order: it is
/// known to be claimed once it is confirmed, and the run starts late, or too late to be started.
bool SimJudge::is_claim_under_way(const Row& row, WallTime slot, SteadyTime due) const {
  if (!disturbed_since(row.node, due - claim_takes)) return false;
  const SimOracle::Claims* const claims = oracle_.claims_of(row.job);
  const auto is_late_claim = [&](const auto& one) { return one.second.was_open(due) && !oracle_.start_of(one.first); };
  if (claims && std::any_of(claims->begin(), claims->end(), is_late_claim)) return true;
  return std::any_of(oracle_.starts.begin(), oracle_.starts.end(), [&](const Start& start) {
    return start.job == row.job && start.slot < slot && start.at >= due && start.at <= loop_.now();
  });
}

std::string SimJudge::why_not_full(const std::string& node, const Row& row, WallTime slot) const {
  const Job* job = job_of(node, row.job);
  const auto due = true_time(node, slot);
  if (!job || !due || !clocks_right_since(*due)) return "";
  if (job->concurrency != Concurrency::queue) return "its job has no queue";
  const auto others = slots_after(node, row.job, slot - job->start_deadline, wall(node), 100);
  const auto triggered = std::count_if(asked_.begin(), asked_.end(), [&](const auto& one) {
    return one.second.request.job == row.job && one.second.request.kind == core::Request::Kind::trigger;
  });
  const bool possible = static_cast<std::int64_t>(others.size()) + triggered > job->details->queue_limit;
  return possible ? "" : "the queue cannot be full";
}

/// It was due before its term, or came more than a second late; and the policy gives it up for later ones.
std::string SimJudge::why_no_misfire(const std::string& node, const Row& row, WallTime slot) const {
  const Job* job = job_of(node, row.job);
  const auto due = true_time(node, slot);
  if (!job || !due || !clocks_right_since(*due) || in_flux_.at(row.job) >= *due - flux) return "";
  const Term* term = oracle_.term(row.group, row.epoch);
  if (term && *due > term->began + on_time && loop_.now() - *due < on_time) return "it was in time";
  if (job->concurrency == Concurrency::queue) return "what is due queues again";
  const WallTime now = wall(node);
  const std::size_t later = slots_after(node, row.job, slot, now, 200).size();
  if (job->misfire == Misfire::latest && later == 0) return "it is the latest of those that misfired";
  if (job->misfire == Misfire::all && later < static_cast<std::size_t>(job->details->misfire_limit))
    return "the policy is to run all of them";
  return "";
}

/// Of a pause, where the clocks are right.
SteadyTime SimJudge::true_end(WallTime ends) { return SteadyTime(ends - SimClock::default_wall); }

bool SimJudge::is_paused_for_certain(const std::string& job, const std::string& group, SteadyTime at) const {
  using Kind = core::Request::Kind;
  const auto concerns = [&](const core::Request& r) { return r.job == job || (!r.group.empty() && r.group == group); };
  return std::any_of(asked_.begin(), asked_.end(), [&](const auto& pause) {
    const Asked& one = pause.second;
    if (one.request.kind != Kind::pause || !concerns(one.request) || !one.done || *one.answered >= at) return false;
    return std::none_of(asked_.begin(), asked_.end(), [&](const auto& other) {
      const Asked& resume = other.second;
      const bool may_come_after = !resume.answered || *resume.answered > one.at || &resume == &one;
      const bool of_all = is_instance(job) && resume.request.job == common_name(job);
      // A pause with an end may have given that to one that was there before.
      const auto& ends = resume.request.terms.ends;
      const bool may_end = ends && (!clocks_right_since(one.at) || true_end(*ends) <= at + slack);
      return (resume.request.kind == Kind::resume || may_end) && (of_all || concerns(resume.request)) &&
             resume.at <= at + slack && may_come_after;
    });
  });
}

/// Some pause that was asked by `until` may have been in force at `from` or later.
bool SimJudge::may_be_paused(const std::string& job, const std::string& group, SteadyTime from,
                             SteadyTime until) const {
  using Kind = core::Request::Kind;
  const auto concerns = [&](const core::Request& r) {
    return r.job == job || (!r.group.empty() && (r.group == group || in_flux_.at(job) > SteadyTime::min()));
  };
  return std::any_of(asked_.begin(), asked_.end(), [&](const auto& pause) {
    const Asked& one = pause.second;
    // That of all instances is followed, and left, whenever the instance learns of it.
    const auto& ends = one.request.terms.ends;
    if (ends && true_end(*ends) < from) return false;
    if (one.request.kind == Kind::pause && one.request.job == common_name(job) && is_instance(job))
      return one.at <= until;
    if (one.request.kind != Kind::pause || !concerns(one.request) || one.at > until) return false;
    const SteadyTime effective = one.answered.value_or(one.at + request_life);
    return std::none_of(asked_.begin(), asked_.end(), [&](const auto& other) {
      const Asked& resume = other.second;
      return resume.request.kind == Kind::resume && resume.request.job == one.request.job &&
             resume.request.group == one.request.group && resume.done && resume.at > effective &&
             *resume.answered < from;
    });
  });
}

std::string SimJudge::why_not_paused(const std::string& node, const Row& row, WallTime slot) const {
  const auto due = true_time(node, slot);
  if (!due || !clocks_right_since(*due)) return "";
  if (!may_be_paused(row.job, row.group, *due, loop_.now())) return "nobody had paused it";
  const Job* job = job_of(node, row.job);
  if (job && !job->details->after.empty()) return "";  // its slot waits for the jobs before it, which may end late
  const SteadyTime latest = *due + (job ? job->start_deadline + job->jitter : Millis(0)) + on_time;
  // A leader that a fault kept from deciding the slot in time may have taken the pause before it decided the slot; so
  // may the next one, where nobody led all the while.
  bool is_led = false;
  for (const Term* term : oracle_.terms_of(row.group)) {
    if (term->began > latest || term->ended.value_or(SteadyTime::max()) < *due) continue;
    if (disturbed_since(term->node, term->began)) return "";
    is_led = true;
  }
  if (!is_led) return "";
  return may_be_paused(row.job, row.group, *due, latest) ? "" : "it was due before the pause";
}

/// The term before the one that recorded the row: of earlier ones nobody knows any more when they led.
const SimJudge::Term* SimJudge::term_before(const Row& row) const {
  const Term* before = nullptr;
  for (const Term* term : oracle_.terms_of(row.group))
    if (term->epoch < row.epoch) before = term;
  return before;
}

/// By the store, the term or the one before it covered the slot: it began before, and was renewed after. One that a
/// fault kept from writing of itself is not known of, be it to its own node's next daemon.
std::string SimJudge::why_led(const std::string& node, const Row& row, WallTime slot) const {
  const auto due = true_time(node, slot);
  const Job* job = job_of(node, row.job);
  if (!due || !job || !clocks_right_since(*due) || in_flux_.at(row.job) >= *due - flux) return "";
  const SteadyTime latest = *due + job->jitter;
  for (const Term* term : {oracle_.term(row.group, row.epoch), term_before(row)}) {
    if (!term) continue;
    const bool forgotten = term->epoch < row.epoch || any_since(deaths_, term->node, term->began);
    if (forgotten && disturbed_since(term->node, term->began)) continue;
    const SteadyTime until = std::min(term->ended.value_or(SteadyTime::max()), term->alive);
    // Its node learns of it over a link that may not be in order.
    const Millis learns = disturbed_since(term->node, term->began - Millis(20'000)) ? claim_takes : on_time;
    if (term->began + learns < *due && latest < until)
      return "the term of " + term->node + ", epoch " + std::to_string(term->epoch) + ", covered it";
  }
  return "";
}

std::string SimJudge::why_no_claim_failed(const std::string& node, const Row& row, WallTime slot) const {
  const auto due = true_time(node, slot);
  const Job* job = job_of(node, row.job);
  if (!due || !job || !clocks_right_since(*due) || in_flux_.at(row.job) >= *due - flux) return "";
  const SteadyTime latest = *due + job->jitter + job->start_deadline + on_time;
  bool covered = false;
  for (const Term* term : oracle_.terms_of(row.group)) {
    // One that could not record its end counts to the end of its lease, also where the store has ended it before. The
    // next one knows when it was elected, and of no renewal since, so that the lease counts from there.
    const SteadyTime lease = std::max(term->alive, term->began) + store_.settings().timeout;
    const SteadyTime until = std::max(term->ended.value_or(SteadyTime::max()), lease);
    if (term->began > latest || until < *due) continue;
    covered = true;
    const bool own = term->epoch == row.epoch && term->began + on_time < *due;
    if (own && !disturbed_since(term->node, *due - Millis(10'000))) return "nothing was in the way of its claim";
  }
  // Where the term before began later, the last one that wrote of itself is taken to have gone on up to it; and so
  // where the term before was over as soon as it began.
  const Term* before = term_before(row);
  const bool unseen = before && before->epoch + 1 < row.epoch;
  return covered || unseen || (before && before->began > *due) ? "" : "no term covered it";
}

std::string SimJudge::why_defined(const std::string& node, const Row& row, WallTime slot) const {
  const auto due = true_time(node, slot);
  if (!due || !clocks_right_since(*due)) return "";
  if (in_flux_.at(row.job) >= *due - flux) return "";
  const core::JobRegister* now = oracle_.job_register(row.job);  // what was in force till it was written
  const bool edited = in_flux_.at(row.job) > SteadyTime::min();
  return edited && now && slot <= now->since ? "" : "its definition has not changed";
}

}  // namespace ballot
