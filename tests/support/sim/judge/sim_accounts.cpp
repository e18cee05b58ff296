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
      row.status == Status::timed_out ||
      (row.status == Status::failed && row.reason != Reason::lost_limit && row.reason != Reason::permanent);
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

std::string line_of(const Row& row) {
  std::string line = row.node + " epoch " + std::to_string(row.epoch) + ": " + row.job + " " + format_slot(row.slot);
  if (row.slot_until) line += " until " + format_slot(*row.slot_until);
  if (row.slots > 1) line += " x" + std::to_string(row.slots);
  line += " " + std::string(to_string(row.trigger)) + " " + std::string(to_string(row.status));
  if (row.reason != Reason::none) line += ": " + std::string(to_string(row.reason));
  if (row.run) line += ", run " + row.run->text() + ", fence " + std::to_string(row.fence);
  return line;
}

bool SimOracle::Undone::has(const Row& row, WallTime slot) const {
  return slot > after && slot <= until && !repaired.is_claimed(slot) &&
         (row.epoch <= epoch || (row.epoch == repaired.epoch && by_same_term.contains(row.slot)));
}

/// Its row is in the ledger still, and what becomes of the slot is decided anew.
bool SimOracle::History::is_undone(const Row& row, WallTime slot) const {
  return !row.run && std::any_of(undone.begin(), undone.end(), [&](const Undone& one) { return one.has(row, slot); });
}

std::string SimOracle::unaccounted(const std::vector<const SimLedger*>& ledgers, WallTime until) const {
  const testing::MergedLedger ledger = merged(ledgers);
  std::map<std::string, testing::SlotAccounts> accounts;
  for (const auto& [job, history] : jobs_) accounts[job].due(history.settled);
  for (const testing::Entry* entry : ledger.entries()) {
    const std::string& job = entry->row.job;
    const auto history = jobs_.find(job);
    if (history == jobs_.end() || history->second.is_undone(entry->row, entry->row.slot)) continue;
    if (const std::string what = enter(*entry, history->second, accounts[job]); !what.empty())
      return "a row " + what + ": " + line_of(entry->row) + "\n" + story(job, entry->row.slot, ledgers);
  }
  for (const auto& [job, history] : jobs_) {
    for (const testing::Discrepancy& one : accounts[job].discrepancies())
      if (one.slot <= until && !(one.entries.empty() && is_open(history, one.slot)))
        return "job " + job + ", slot " + one.text() + "\n" + story(job, one.slot, ledgers);
    if (const std::string what = unended(history, ledger); !what.empty()) return "job " + job + ": " + what;
  }
  return unrecorded(ledger);
}

/// Of what the cursor has passed. A run without a claim may be of a slot that it will pass.
std::string SimOracle::enter(const testing::Entry& entry, const History& history, testing::SlotAccounts& accounts) {
  const Row& row = entry.row;
  const testing::Slots slots = accounts.due_between(row.slot, row.slot_until.value_or(row.slot));
  const bool is_counted = testing::is_scheduled(row.trigger) && (!row.run || row.fence > 0);
  const auto& expressions = *history.now.timing.expressions;
  const bool of_reboot =
      slots.empty() && row.slots == 1 && std::count(expressions.begin(), expressions.end(), "@reboot") > 0;
  testing::Slots stand = slots;  // of a row of many a repair may have undone the last ones
  std::erase_if(stand, [&](WallTime slot) { return history.is_undone(row, slot); });
  accounts.add(entry, stand);
  for (const WallTime slot : testing::is_scheduled(row.trigger) ? stand : testing::Slots())
    if (history.left_out.contains(slot) != (row.reason == Reason::calendar))
      return "does not say of slot " + format_slot(slot) + " what its job's calendars do";
  return is_counted && !of_reboot ? testing::miscounted(row, slots) : "";
}

/// A run that was started without a claim is in its node's ledger all the same, with its end.
std::string SimOracle::unrecorded(const testing::MergedLedger& ledger) const {
  for (const Start& start : starts) {
    if (start.fence > 0 || gone_.contains({start.run, start.attempt})) continue;
    const testing::Entry* entry = ledger.find(start.run, start.attempt);
    const std::string run = "job " + start.job + ": run " + start.run.text() + " was started unclaimed, and has ";
    if (!entry) return run + "no row";
    if (start.ended && !is_final(entry->row.status)) return run + "no end: " + line_of(entry->row);
  }
  return "";
}

bool SimOracle::is_claimed(const std::string& job, const runner::AttemptId& attempt) const {
  const auto it = jobs_.find(job);
  return it != jobs_.end() && it->second.claims.contains(attempt);
}

/// It has been claimed or decided just now, and no ledger has its row yet.
bool SimOracle::is_open(const History& history, WallTime slot) {
  const auto& decided = history.now.dispositions;
  if (std::any_of(decided.begin(), decided.end(), [&](const auto& d) { return d.from <= slot && slot <= d.to; }))
    return true;
  return std::any_of(history.claims.begin(), history.claims.end(), [&](const auto& one) {
    return one.second.open && one.second.run.slot == slot && core::is_of_slot(one.second.run.trigger);
  });
}

/// Every claimed run has its end, and it is what the child did.
std::string SimOracle::unended(const History& history, const testing::MergedLedger& ledger) const {
  for (const auto& [attempt, claim] : history.claims) {
    const testing::Entry* entry = ledger.find(attempt.run, attempt.attempt);
    const Row* row = entry ? &entry->row : nullptr;
    if (claim.open || claim.is_superseded) continue;
    const std::string run = "run " + attempt.run.text() + " of slot " + format_slot(claim.run.slot);
    if (!row || !is_final(row->status)) return run + " has no final row";
    const Start* start = start_of(attempt);
    if (!start && says_it_ran(*row)) return run + " was never started: " + line_of(*row);
    if (start && (row->status == Status::missed || row->status == Status::skipped))
      return run + " was started: " + line_of(*row);
    if (start && row->reason == Reason::runner_died && !gone_.contains(attempt))
      return run + " is lost, and its runner is there: " + line_of(*row);
    const bool before_repair =
        claim.run.fence < history.now.interventions->repair;  // a further attempt may have run, and be forgotten
    if (owes_another(*row, claim.run) && !before_repair && !taken_for_lost_.contains(attempt) &&
        !history.claims.contains({attempt.run, attempt.attempt + 1}) &&
        !ledger.find(attempt.run, attempt.attempt + 1) && !waits(history.now, attempt.run))
      return run + " has retries left, and was not tried again: " + line_of(*row);
  }
  return "";
}

/// Of a job's runs that end with their terms no more go on at the same time than it allows.
std::string SimOracle::overlapping() const {
  std::map<std::string, std::vector<const Start*>> living;  // by job; as of the start that is checked
  const auto end_of = [this](const Start& s) {
    const auto forgotten = forgotten_.find(s.run);  // whoever says so answers for it
    return std::min(s.ended.value_or(SteadyTime::max()),
                    forgotten == forgotten_.end() ? SteadyTime::max() : forgotten->second);
  };
  for (const Start& start : starts) {
    if (!start.terminate) continue;
    std::vector<const Start*>& others = living[start.job];
    std::erase_if(others, [&](const Start* other) { return other->orphaned || end_of(*other) <= start.at; });
    const auto excused = [&](const Start* other) {
      const Term* by = term(other->group, other->epoch);
      return overlap_within_promise && by && start.at < store_.promised_until(by->session);
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

/// What is caught up runs one after the other, also where a job's runs may go on beside each other.
std::string SimOracle::overlapping_catch_ups() const {
  std::map<std::string, const Start*> last;
  for (const Start& start : starts) {
    if (start.trigger != Trigger::catch_up || !start.terminate || start.fence == 0 || overlap_within_promise) continue;
    const Start*& before = last[start.job];
    const bool goes_on =
        before && before->run != start.run && !before->orphaned && before->ended.value_or(SteadyTime::max()) > start.at;
    if (goes_on && before->node == start.node)
      return "job " + start.job + " catches up two slots at once: " + before->run.text() + ", then " + start.run.text();
    before = &start;
  }
  return "";
}

void SimOracle::unreadable(const std::string& job) {
  for (Start& start : starts)
    if (start.job == job && !start.ended) start.unreadable = true;
}

/// No more runs go on at the same time on a node, or of a group, than it may have. Those whose runner has died, and
/// `finish` runs of terms before, may go on uncounted; and so may what a term before has started of a job whose
/// register is unreadable since: nobody else can know of it.
std::string SimOracle::over_limits() const {
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
      const bool known = other->epoch == start.epoch || !other->unreadable;
      return other->group == start.group && other->terminate && known &&
             (other->fence > 0 || other->node == start.node);
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
            *now->group + ", epoch " + std::to_string(now->epoch) + "\n";
  for (const SimLedger* ledger : ledgers) {
    for (const Row& row : ledger->rows())
      if (row.job == job && row.slot <= slot + around && row.slot_until.value_or(row.slot) >= slot - around)
        text += "ledger of " + ledger->node() + ": " + line_of(row) + "\n";
    for (const Row& row : ledger->lost())
      if (covers(row, job, slot)) text += "lost by " + ledger->node() + ": " + line_of(row) + "\n";
  }
  return text;
}

/// An `@every` keeps its phase as long as its text stays; a new one counts from where its definition does; and one that
/// is of a job before it in a chain from where that one does by now. Of a job that is disabled the register says the
/// anchors alone: it has no slots, and its schedule is not there to know that job by.
void SimOracle::check_anchors(const std::string& job, const core::JobRegister& before, const core::JobRegister& next) {
  for (const core::Anchor& anchor : next.anchors) {
    const auto known = std::find_if(before.anchors.begin(), before.anchors.end(),
                                    [&](const core::Anchor& one) { return one.text == anchor.text; });
    const WallTime expected = known == before.anchors.end() ? next.since : known->at;
    const bool is_of_parent = std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& one) {
      const core::JobRegister& of = one.second.now;
      const bool is_alike = of.timing == next.timing || next.timing.expressions.empty();
      return one.first != job && is_alike && of.group == next.group && of.anchors == next.anchors;
    });
    if (anchor.at != expected && !is_of_parent)
      find("the anchor of " + anchor.text + " of job " + job + " is at " + format_slot(anchor.at) + " and was at " +
           format_slot(expected));
  }
}

}  // namespace ballot
