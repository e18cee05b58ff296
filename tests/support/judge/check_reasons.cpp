// The reasons of slots that did not run, against the job files, the terms, the processes, and what the test did.
#include <algorithm>

#include "support/judge/case.hpp"
#include "support/judge/slot_oracle.hpp"

namespace ballot::testing {
namespace {

SlotOracle slots_of(const Job& job) {
  std::vector<std::string> timing = job.schedule;
  if (!job.details->days.empty()) timing.push_back("@days " + *job.details->days);
  return SlotOracle(timing, job.timezone);
}

constexpr Millis on_time{1000};   // what is decided so long after it was due has been decided in time
constexpr Millis slack{500};      // for what is under way between a process and the daemon that gets to know of it
constexpr Millis takes_up{2000};  // a new leader, or one whose store is back, until it decides in time
constexpr Millis flux{60'000};    // nodes get an edit one by one
constexpr std::size_t starts_judged = 8;  // for their lateness, at least
constexpr std::size_t few = 3;            // slots that may each have been unlucky
constexpr Millis most_late{300};          // of the quickest quarter of them
constexpr std::size_t most_stalled = 3;   // slots of a job that may have had to wait for a machine that stood still

/// The reasons that say that a slot could not be decided in time.
bool is_of_delay(const Row& row) { return row.reason == Reason::misfire || row.reason == Reason::unclaimed; }

class Reasons {
 public:
  Reasons(Case& c, const std::string& name) : case_(c), name_(name), job_(*c.job(name)) {}

  void judge(const Entry& entry) {
    for (const WallTime slot : case_.slots_of(entry)) {
      const std::string why = why_not(entry, slot);
      if (why.empty()) continue;
      const bool proved = !is_of_delay(entry.row) || was_in_time(entry.row, slot) || runs_all(entry.row) ||
                          !why_paused(entry.row, slot).empty();
      (proved || !stood_still(entry.row, slot) ? wrong_ : delayed_).push_back({&entry, slot, why});
    }
  }
  void report() const {
    for (const Wrong& one : wrong_) report(one);
    if (delayed_.size() > most_stalled)
      for (const Wrong& one : delayed_) report(one);
  }

 private:
  struct Wrong {
    const Entry* entry;
    WallTime slot;
    std::string why;
  };

  void report(const Wrong& one) const {
    const Row& row = one.entry->row;
    case_.report(name_, one.slot, "is " + std::string(to_string(row.status)) + ", and " + one.why, {one.entry->text()});
  }

  std::string why_not(const Entry& entry, WallTime slot) const {
    const Row& row = entry.row;
    switch (row.reason) {
      case Reason::overlap: return why_no_overlap(entry, slot);
      case Reason::queue_full: return of_policy(job_.concurrency == Concurrency::queue, "its job has no queue");
      case Reason::paused: return why_not_paused(row, slot);
      case Reason::dry_run: return "its node runs its jobs";
      case Reason::misfire: return first_of(why_paused(row, slot), why_no_misfire(row, slot));
      case Reason::no_leader: return first_of(why_paused(row, slot), why_led(row, slot));
      case Reason::unclaimed: return first_of(why_paused(row, slot), why_no_claim_failed(row, slot));
      case Reason::start_deadline: return first_of(why_paused(row, slot), why_not_too_late(slot));
      case Reason::halted: return of(case_.deeds.was_halted(name_, row.group, slot), "nothing was halted");
      case Reason::no_definition: return of(case_.deeds.edited(name_, slot - flux, WallTime::max()), "it is defined");
      case Reason::dst_gap: return of(SlotOracle({}, job_.timezone).skips_a_day_after(slot), "there is no gap");
      case Reason::calendar: return of(slots_of(job_).leaves_out(slot), "its calendars allow the day");
      case Reason::stale: return of(row.run.has_value(), "it has no run");
      default: return "that is no reason";
    }
  }

  static std::string of(bool right, const char* why) { return right ? "" : why; }
  static std::string first_of(std::string one, std::string other) { return one.empty() ? other : one; }
  /// An edit may have changed the policy.
  std::string of_policy(bool right, const char* why) const {
    return of(
        right || case_.versions.at(name_).size() > 1 || case_.deeds.edited(name_, WallTime::min(), WallTime::max()),
        why);
  }

  /// Beside a run that goes on when the slot is due; of `replace`, where a later slot takes its place. A leader that
  /// was frozen, or that took up what a dead one left, learns late that it has ended.
  std::string why_no_overlap(const Entry& entry, WallTime slot) const {
    if (job_.concurrency == Concurrency::queue || job_.concurrency == Concurrency::allow)
      return of_policy(false, "its job does not skip what overlaps");
    const WallTime latest = slot + job_.jitter + on_time + slack;
    const auto lives = case_.lives.find(name_);
    if (lives != case_.lives.end())
      for (const auto& [run, life] : lives->second) {
        if (entry.row.run == run || (life.scheduled && life.slot > slot)) continue;
        if (life.from <= latest && life.believed >= slot - slack) return "";
        const bool learns_late = slot <= life.believed + case_.evidence.timeout + takes_up;
        if (life.from <= latest && learns_late && fault_near(life.believed, slot)) return "";
        // A slot before had to wait: this one is decided once that has its run.
        if (life.slot < slot && life.from >= slot && life.from <= slot + job_.start_deadline) return "";
      }
    return job_.concurrency == Concurrency::replace && !entry.row.run ? "" : "no run of the job goes on then";
  }

  std::string why_not_paused(const Row& row, WallTime slot) const {
    const WallTime latest = slot + job_.jitter + on_time + takes_up;
    if (case_.deeds.may_be_paused(name_, row.group, slot - slack, latest)) return "";
    const bool ever = case_.deeds.may_be_paused(name_, row.group, slot, WallTime::max());
    const bool waited = ever && fault_near(slot, slot + job_.start_deadline);
    return waited ? "" : ever ? "it was due before the pause" : "nobody had paused it";
  }
  std::string why_paused(const Row& row, WallTime slot) const {
    return of(!case_.deeds.is_paused(name_, row.group, slot - slack) ||
                  !case_.deeds.is_paused(name_, row.group, slot + job_.jitter + slack),
              "it was due within a pause");
  }

  /// The term that covered the slot for certain, `before` its end and `after` its beginning, from an epoch on; null:
  /// none.
  const Led* term_at(const std::string& group, WallTime slot, Millis after, Millis before,
                     std::uint64_t since = 0) const {
    const auto terms = case_.terms.find(group);
    if (terms == case_.terms.end()) return nullptr;
    for (const auto& [epoch, led] : terms->second)
      if (epoch >= since && led.began + after < slot && slot + job_.jitter + before < led.until) return &led;
    return nullptr;
  }
  /// Its recorder knows when its own term was and the one before: of earlier ones nobody knows any more.
  std::string why_led(const Row& row, WallTime slot) const {
    if (job_.misfire == Misfire::all && runs_all(row)) return "the policy is to run all of them";
    const auto terms = case_.terms.find(row.group);
    std::uint64_t before = 0;
    if (terms != case_.terms.end())
      for (const auto& [epoch, led] : terms->second)
        if (epoch < row.epoch) before = epoch;
    // By its last renewal, which may be a tenth of the timeout old.
    const Led* led = term_at(row.group, slot, on_time, on_time + case_.evidence.timeout / 10, before);
    return led ? "the term of " + led->node + " covered it" : "";
  }

  /// It came more than a second late: by a fault, or because a run's fate was not known.
  std::string why_no_misfire(const Row& row, WallTime slot) const {
    if (job_.concurrency == Concurrency::queue) return of_policy(false, "what is due queues again");
    if (runs_all(row)) return "the policy is to run all of them";
    const Led* led = term_at(row.group, slot, case_.evidence.timeout + takes_up, on_time);
    if (!led || case_.deeds.fault(led->node, slot, slot + on_time) || fault_near(slot, slot + on_time) ||
        waits_for_an_older_run(row, slot))
      return "";
    return "the term of " + led->node + " could decide it in time";
  }
  bool runs_all(const Row& row) const {
    const bool too_late = case_.evidence.asked - row.slot > job_.start_deadline;
    return job_.misfire == Misfire::all && row.slots < job_.details->misfire_limit && !too_late &&
           (row.reason == Reason::misfire || row.reason == Reason::no_leader) && !of_policy(false, "edited").empty();
  }
  std::string why_no_claim_failed(const Row& row, WallTime slot) const {
    const WallTime latest = std::min(slot + job_.jitter + job_.start_deadline, case_.evidence.asked - Millis(1));
    const Led* led = term_at(row.group, slot, Millis(0), Millis(0));
    const bool fault = fault_near(slot, latest) || (led && case_.deeds.fault(led->node, slot, latest));
    return of(fault, "nothing was in the way of its claim");
  }
  std::string why_not_too_late(WallTime slot) const {
    return of(case_.evidence.asked - slot >= job_.start_deadline, "its start deadline has not passed");
  }

  /// The daemons' end, at the end of the test, is none.
  bool fault_near(WallTime since, WallTime to) const {
    const WallTime latest = std::min(to + on_time, case_.evidence.asked - Millis(1));
    return case_.deeds.changed(since - case_.evidence.timeout - takes_up, latest);
  }
  bool waits_for_an_older_run(const Row& row, WallTime slot) const {
    const auto lives = case_.lives.find(name_);
    return lives != case_.lives.end() && std::any_of(lives->second.begin(), lives->second.end(), [&](const auto& one) {
             const Life& life = one.second;
             return life.epoch < row.epoch && life.from <= slot && life.until + takes_up >= slot;
           });
  }
  /// While the slot was to be decided, as far as its row says how long that was tried.
  bool stood_still(const Row& row, WallTime slot) const {
    const Millis tried = row.reason == Reason::unclaimed ? job_.start_deadline : on_time;
    const WallTime since = slot - slack, to = slot + job_.jitter + tried + slack;
    return std::any_of(case_.evidence.stalls.begin(), case_.evidence.stalls.end(),
                       [&](const Stall& one) { return one.from <= to && one.until >= since; });
  }
  /// Another job's slot of that instant was started by that term: the machine was not suspended.
  bool was_in_time(const Row& row, WallTime slot) const {
    return std::any_of(case_.evidence.reports.begin(), case_.evidence.reports.end(), [&](const Report& start) {
      const Job* job = case_.job(start.job);
      return job && job->group == row.group && start.epoch == row.epoch && start.slot == slot &&
             start.trigger == Trigger::schedule && start.started.wall < slot + slack;
    });
  }

  Case& case_;
  const std::string& name_;
  const Job& job_;
  std::vector<Wrong> wrong_, delayed_;
};

/// For how long nothing may have been done to the fleet before a slot that has to run, and after it.
bool is_quiet(const Case& c, const Job& job, WallTime slot) {
  const WallTime since = slot - c.evidence.timeout - takes_up - on_time, to = slot + job.jitter + takes_up;
  const auto& nodes = c.evidence.ledgers;
  const bool all_down = std::all_of(nodes.begin(), nodes.end(),
                                    [&](const NodeLedger& one) { return c.deeds.fault(one.node, since, to); });
  if (all_down || c.deeds.changed(since, to) || c.deeds.edited(job.name, since, to)) return false;
  if (c.deeds.may_be_paused(job.name, job.group, since, to) || c.deeds.was_halted(job.name, job.group, slot))
    return false;
  const auto lives = c.lives.find(job.name);
  return lives == c.lives.end() || std::none_of(lives->second.begin(), lives->second.end(), [&](const auto& one) {
           const Life& life = one.second;
           return life.slot != slot && life.from <= slot + on_time && life.until >= slot - slack;
         });
}

bool was_launched(const Case& c, const std::string& job, WallTime slot) {
  const auto lives = c.lives.find(job);
  return lives != c.lives.end() && std::any_of(lives->second.begin(), lives->second.end(), [&](const auto& one) {
           return one.second.slot == slot && (!c.probed(job) || c.reports_of.contains({one.first, 1}));
         });
}

}  // namespace

void check_reasons(Case& c) {
  std::map<std::string, Reasons> jobs;
  for (const auto& [name, versions] : c.versions) jobs.try_emplace(name, c, name);
  for (const Entry& entry : c.ledger.without_run())
    if (const auto job = jobs.find(entry.row.job); job != jobs.end() && is_scheduled(entry.row.trigger))
      job->second.judge(entry);
  for (const auto& [name, job] : jobs) job.report();
}

/// By the tests' own slots: a fleet that skips everything is found, whatever reasons it gives.
void check_launched(Case& c) {
  for (const auto& [name, versions] : c.versions) {
    const Job& job = *c.job(name);
    const bool plain = std::all_of(job.schedule.begin(), job.schedule.end(), [](const auto& e) { return e[0] != '@'; });
    if (versions.size() > 1 || job.schedule.empty() || !plain || !job.enabled) continue;
    const WallTime from = std::max(versions[0]->from, c.evidence.from) - Millis(1);
    std::vector<WallTime> quiet, launched;
    const SlotOracle slots = slots_of(job);
    for (const WallTime slot : slots.between(from, c.evidence.until)) {
      if (!is_quiet(c, job, slot) || slots.leaves_out(slot)) continue;
      quiet.push_back(slot);
      if (was_launched(c, name, slot)) launched.push_back(slot);
    }
    if (quiet.size() >= few && launched.empty())
      c.report(name, quiet.front(),
               "and " + std::to_string(quiet.size() - 1) + " others were not launched, and nothing was in their way",
               {});
  }
}

/// A busy machine makes some starts late; what makes even the quickest quarter of them late is not the machine.
void check_lateness(Case& c) {
  std::vector<Millis> late;
  for (const Report& start : c.evidence.reports) {
    const Job* job = c.job(start.job);
    const bool counts = job && job->jitter == Millis(0) && start.trigger == Trigger::schedule && start.attempt == 1;
    if (counts && is_quiet(c, *job, start.slot)) late.push_back(start.started.wall - start.slot);
  }
  if (late.size() < starts_judged) return;
  const auto quarter = late.begin() + static_cast<std::ptrdiff_t>(late.size() / 4);
  std::nth_element(late.begin(), quarter, late.end());
  if (*quarter >= most_late)
    c.report("three of four of " + std::to_string(late.size()) + " starts in quiet time were late by " +
             std::to_string(quarter->count()) + " ms or more");
}

}  // namespace ballot::testing
