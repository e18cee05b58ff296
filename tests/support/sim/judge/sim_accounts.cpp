// The oracle's accounts: the ledgers merged by the rules of the semantics, against what registers and children did.
#include <algorithm>

#include "base/wall_text.hpp"
#include "support/sim/judge/sim_oracle.hpp"

namespace ballot {
namespace {

bool covers(const Row& row, const std::string& job, WallTime slot) {
  return row.job == job && row.slot <= slot && slot <= row.slot_until.value_or(row.slot);
}

/// It failed with retries left.
bool owes_another(const Row& row, const core::OpenRun& claim) {
  const bool failed =
      row.status == Status::timed_out || (row.status == Status::failed && row.reason != Reason::lost_limit);
  return failed && claim.retries > 0;
}

bool waits(const core::JobRegister& now, const RunId& run) {
  return std::any_of(now.runs.begin(), now.runs.end(),
                     [&](const core::OpenRun& open) { return open.id == run && open.waits_until; });
}

bool says_it_ran(const Row& row) {
  return row.status == Status::succeeded || row.status == Status::timed_out ||
         (row.status == Status::failed && row.reason != Reason::cannot_start && row.reason != Reason::lost_limit);
}

}  // namespace

const Row* best_row(const runner::AttemptId& id, const std::vector<const SimLedger*>& ledgers) {
  const Row* best = nullptr;
  const auto rank = [](const Row& row, bool own) {
    return (is_final(row.status) ? 4 : 0) + (row.status != Status::lost && row.reason != Reason::halted ? 2 : 0) +
           (own ? 1 : 0);
  };
  int highest = -1;
  for (const SimLedger* ledger : ledgers) {
    const Row* row = ledger->row(id.run, id.attempt);
    if (!row || rank(*row, row->node == ledger->node()) <= highest) continue;
    highest = rank(*row, row->node == ledger->node());
    best = row;
  }
  return best;
}

std::string line_of(const Row& row) {
  std::string line = row.node + " epoch " + std::to_string(row.epoch) + ": " + row.job + " " + format_slot(row.slot);
  if (row.slot_until) line += " until " + format_slot(*row.slot_until);
  if (row.slots > 1) line += " x" + std::to_string(row.slots);
  line += " " + std::string(to_string(row.trigger)) + " " + std::string(to_string(row.status));
  if (row.reason != Reason::none) line += ": " + std::string(to_string(row.reason));
  if (row.run) line += ", run " + row.run->text() + ", fence " + std::to_string(row.fence);
  return line;
}

std::string SimOracle::unaccounted(const std::vector<const SimLedger*>& ledgers, WallTime until) const {
  for (const auto& [job, history] : jobs_) {
    Slots slots;
    std::string what = gather(job, history, ledgers, slots);
    if (!what.empty()) return what;
    for (const WallTime slot : history.settled)
      if (slot > until)
        break;
      else if (what = wrong(slots[slot]); !what.empty() && !is_open(history, slot, slots[slot]))
        return "job " + job + ", slot " + format_slot(slot) + " " + what + "\n" + story(job, slot, ledgers);
    if (what = unended(history, ledgers); !what.empty()) return "job " + job + ": " + what;
  }
  return unrecorded(ledgers);
}

/// A run that was started without a claim stands in its node's ledger all the same, with its end.
std::string SimOracle::unrecorded(const std::vector<const SimLedger*>& ledgers) const {
  for (const Start& start : starts) {
    if (start.fence > 0 || gone_.contains({start.run, start.attempt})) continue;
    const Row* row = best_row({start.run, start.attempt}, ledgers);
    const std::string run = "job " + start.job + ": run " + start.run.text() + " was started unclaimed, and has ";
    if (!row) return run + "no row";
    if (start.ended && !is_final(row->status)) return run + "no end: " + line_of(*row);
  }
  return "";
}

/// It has been claimed or decided just now, and no ledger has its row yet.
bool SimOracle::is_open(const History& history, WallTime slot, const Told& told) {
  if (!told.rows.empty() || !told.runs.empty()) return false;
  const auto& decided = history.now.dispositions;
  if (std::any_of(decided.begin(), decided.end(), [&](const auto& d) { return d.from <= slot && slot <= d.to; }))
    return true;
  return std::any_of(history.claims.begin(), history.claims.end(), [&](const auto& one) {
    return one.second.open && one.second.run.slot == slot && one.second.run.trigger != Trigger::manual;
  });
}

/// What the ledgers say of each slot; or which row of theirs is of none.
std::string SimOracle::gather(const std::string& job, const History& history,
                              const std::vector<const SimLedger*>& ledgers, Slots& slots) const {
  for (const WallTime slot : history.settled) slots[slot];
  for (const SimLedger* ledger : ledgers)
    for (const Row* row : ledger->rows_of(job)) {
      if (row->trigger == Trigger::manual || row->trigger == Trigger::rerun || row->trigger == Trigger::reboot)
        continue;
      if (row->run && row->fence == 0) {  // a further attempt at a slot that is claimed, or will be
        if (const auto slot = slots.find(row->slot); slot != slots.end()) slot->second.unclaimed = true;
        continue;
      }
      std::int64_t count = 0;
      const WallTime until = row->slot_until.value_or(row->slot);
      for (auto it = slots.lower_bound(row->slot); it != slots.end() && it->first <= until; ++it, ++count) {
        if (row->run)
          it->second.runs.insert(*row->run);
        else
          it->second.rows[ledger->node()].push_back(row);
      }
      const bool of_reboot = count == 0 && row->slots == 1 && history.plan && history.plan->on_reboot();
      if (count != row->slots && !of_reboot)
        return "a row stands for " + std::to_string(row->slots) + " slots, the cursor passed " + std::to_string(count) +
               " there: " + line_of(*row) + "\n" + story(job, row->slot, ledgers);
    }
  return "";
}

/// Exactly one disposition, the same in every ledger. Evidence is not recorded where a run without a claim is known.
std::string SimOracle::wrong(const Told& told) {
  const Row* one = nullptr;
  for (const auto& [node, rows] : told.rows) {
    if (rows.size() > 1) return "has two rows in the ledger of " + node;
    if (one && (one->status != rows[0]->status || one->reason != rows[0]->reason))
      return "has different rows in two ledgers";
    one = rows[0];
  }
  const std::size_t count = told.runs.size() + (one ? 1 : 0);
  if (count > 1) return "has " + std::to_string(count) + " dispositions";
  return count == 1 || told.unclaimed ? "" : "has no disposition";
}

/// Every claimed run has its end, and it is what the child did.
std::string SimOracle::unended(const History& history, const std::vector<const SimLedger*>& ledgers) const {
  for (const auto& [attempt, claim] : history.claims) {
    const Row* row = best_row(attempt, ledgers);
    if (claim.open || claim.never_was) continue;
    const std::string run = "run " + attempt.run.text() + " of slot " + format_slot(claim.run.slot);
    if (!row || !is_final(row->status)) return run + " has no final row";
    const Start* start = start_of(attempt);
    if (!start && says_it_ran(*row)) return run + " was never started: " + line_of(*row);
    if (start && (row->status == Status::missed || row->status == Status::skipped))
      return run + " was started: " + line_of(*row);
    if (start && row->reason == Reason::runner_died && !gone_.contains(attempt))
      return run + " is lost, and its runner is there: " + line_of(*row);
    const bool before_repair =
        claim.run.fence < history.now.repair;  // a further attempt may have run, and be forgotten
    if (owes_another(*row, claim.run) && !before_repair && !taken_for_lost_.contains(attempt) &&
        !history.claims.contains({attempt.run, attempt.attempt + 1}) &&
        !best_row({attempt.run, attempt.attempt + 1}, ledgers) && !waits(history.now, attempt.run))
      return run + " has retries left, and was not tried again: " + line_of(*row);
  }
  return "";
}

/// Of a job's runs that end with their terms no more go on at the same time than it allows.
std::string SimOracle::overlapping() const {
  std::map<std::string, std::vector<const Start*>> living;  // by job; as of the start that is looked at
  const auto end_of = [](const Start& s) { return s.ended.value_or(SteadyTime::max()); };
  for (const Start& start : starts) {
    if (!start.terminate) continue;
    std::vector<const Start*>& others = living[start.job];
    std::erase_if(others, [&](const Start* other) { return other->orphaned || end_of(*other) <= start.at; });
    const auto excused = [&](const Start* other) {
      const Term* by = term(other->group, other->epoch);
      const bool unknown = overlap_within_promise || (other->fence == 0 && other->node != start.node);
      return unknown && by && start.at < store_.promised_until(by->session);
    };
    const auto most = at_once.find(start.job);
    const auto count = std::count_if(others.begin(), others.end(), [&](const Start* o) { return !excused(o); });
    if (count >= (most == at_once.end() ? 1 : most->second)) {
      const Start& before = *others.back();
      return std::to_string(count + 1) + " runs of job " + start.job + " at once: " + before.run.text() + " on " +
             before.node + ", then " + start.run.text() + " on " + start.node + " at " +
             std::to_string(start.at.time_since_epoch().count()) + " ms";
    }
    others.push_back(&start);
  }
  return "";
}

/// No more runs go on at the same time on a node, or of a group, than it may have. Those whose runner has died, and
/// `finish` runs of terms before, may go on uncounted.
std::string SimOracle::crowded() const {
  std::vector<const Start*> living;
  for (const Start& start : starts) {
    std::erase_if(living, [&](const Start* other) {
      return other->orphaned || other->ended.value_or(SteadyTime::max()) <= start.at;
    });
    living.push_back(&start);
    const auto over = [&](const auto& limits, const std::string& name, auto counts) {
      const auto limit = limits.find(name);
      return limit != limits.end() && limit->second > 0 &&
             std::count_if(living.begin(), living.end(), counts) > limit->second;
    };
    const bool on_node = over(node_limits, start.node, [&](const Start* other) { return other->node == start.node; });
    const bool in_group = !overlap_within_promise && over(group_limits, start.group, [&](const Start* other) {
      return other->group == start.group && other->terminate && (other->fence > 0 || other->node == start.node);
    });
    if (on_node || in_group)
      return "too many runs at once " + (on_node ? "on node " + start.node : "of group " + start.group) + ": job " +
             start.job + ", run " + start.run.text() + " at " + std::to_string(start.at.time_since_epoch().count()) +
             " ms";
  }
  return "";
}

std::string SimOracle::story(const std::string& job, WallTime slot,
                             const std::vector<const SimLedger*>& ledgers) const {
  constexpr Millis around{300'000};
  std::string text;
  if (const core::JobRegister* now = job_register(job))
    text += "register: cursor " + format_slot(now->cursor) + ", since " + format_slot(now->since) + ", group " +
            now->group + ", epoch " + std::to_string(now->epoch) + "\n";
  for (const SimLedger* ledger : ledgers) {
    for (const Row& row : ledger->rows())
      if (row.job == job && row.slot <= slot + around && row.slot_until.value_or(row.slot) >= slot - around)
        text += "ledger of " + ledger->node() + ": " + line_of(row) + "\n";
    for (const Row& row : ledger->lost())
      if (covers(row, job, slot)) text += "lost by " + ledger->node() + ": " + line_of(row) + "\n";
  }
  return text;
}

}  // namespace ballot
