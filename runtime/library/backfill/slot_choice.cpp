#include "library/backfill/slot_choice.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/wall_text.hpp"

namespace ballot::library {
namespace {

/// What the ledgers say of a slot: the row of what has come of it in the end.
struct KnownSlot {
  std::optional<Row> last;
  bool has_succeeded = false, goes_on = false;
};

/// The row says more of the slot than the other: a run more than none, and the later one.
bool says_more_of_slot(const Row& row, const Row& than) {
  if (row.run.has_value() != than.run.has_value()) return row.run.has_value();
  if (row.run == than.run) return row.attempt > than.attempt;
  return row.ended_at.value_or(WallTime{}) > than.ended_at.value_or(WallTime{});
}

bool is_of_a_slot(const Row& row) {
  return row.trigger == Trigger::backfill || row.trigger == Trigger::schedule || row.trigger == Trigger::catch_up;
}

void note_row(const Row& row, std::map<WallTime, KnownSlot>& slots) {
  if (!is_of_a_slot(row)) return;
  const WallTime to = row.slot_until.value_or(row.slot);
  for (auto slot = slots.lower_bound(row.slot); slot != slots.end() && slot->first <= to; ++slot) {
    KnownSlot& known = slot->second;
    known.has_succeeded = known.has_succeeded || row.status == Status::succeeded;
    known.goes_on = known.goes_on || !is_final(row.status);
    if (!known.last || says_more_of_slot(row, *known.last)) known.last = row;
  }
}

bool has_begun(const KnownSlot& known) { return known.last && known.last->run && known.last->started_at; }

bool is_chosen(const KnownSlot& known, WhichSlots which) {
  if (known.goes_on) return false;
  if (which == WhichSlots::all) return true;
  if (known.has_succeeded) return false;
  if (which == WhichSlots::unsuccessful) return true;
  const Status status = known.last ? Status(known.last->status) : Status::missed;
  const bool has_run = has_begun(known) || (status != Status::missed && status != Status::skipped);
  return has_run == (which == WhichSlots::failed);
}

std::string why_chosen(const KnownSlot& known) {
  if (!known.last) return "no row";
  const Row& row = *known.last;
  std::string text = row.status.description();
  if (row.reason != Reason::none) text += ": " + row.reason.description();
  return row.trigger == Trigger::backfill ? text + ", by a backfill" : text;
}

/// Of slots without a row before then what had become is not known: rows may have been deleted.
Error not_known_before(WallTime kept_since) {
  const std::string from = format_slot(std::chrono::ceil<std::chrono::seconds>(kept_since));
  return {Errc::refused, "which slots before " + from +
                             " have not succeeded is not known: rows of then may have been deleted, as [history] keep, "
                             "keep_runs_per_job and max_size say, or were in a ledger that was set aside as broken, "
                             "moved away or deleted; ask "
                             "for slots from then on, or for all slots (--all)"};
}

/// Slots that follow each other are one range, where none between them is left out.
void add_to_ranges(core::SlotRanges& ranges, WallTime slot, bool follows) {
  if (follows)
    ranges.back().to = slot;
  else
    ranges.push_back({slot, slot});
}

}  // namespace

std::optional<WhichSlots> parse_which(std::string_view word) {
  if (word.empty()) return WhichSlots::unsuccessful;
  if (word == "failed") return WhichSlots::failed;
  if (word == "missed") return WhichSlots::missed;
  if (word == "all") return WhichSlots::all;
  return std::nullopt;
}

Result<std::vector<WallTime>> slots_of_plan(const schedule::Plan& plan, const std::vector<WallTime>& anchors,
                                            WallTime since, WallTime until) {
  std::vector<WallTime> slots;
  for (auto slot = plan.next_due(since - Millis(1), anchors); slot && slot->at < until;
       slot = plan.next_due(slot->at, anchors)) {
    if (slots.size() == most_slots_considered)
      return Error{Errc::invalid, "there are more than " + std::to_string(most_slots_considered) + " slots from " +
                                      format_slot(since) + " on: ask for a shorter time, up to " +
                                      format_slot(slot->at) + " at most"};
    slots.push_back(slot->at);
  }
  return slots;
}

Result<SlotChoice> choose_slots(LedgerView& ledger, const SlotsAsked& asked, const std::vector<WallTime>& slots,
                                const std::set<WallTime>& open) {
  SlotChoice choice;
  choice.considered = slots.size();
  if (slots.empty()) return choice;
  std::map<WallTime, KnownSlot> known;
  for (const WallTime slot : slots) known[slot].goes_on = open.contains(slot);
  const storage::Filter filter{.jobs = {asked.job}, .since = asked.since, .until = asked.until, .limit = std::nullopt};
  const auto read = ledger.history(filter, [&](const Row& row) { return note_row(row, known), true; });
  if (!read) return read.error();
  const auto first = ledger.at(asked.job, slots.front());  // a row of many slots may have begun before
  if (!first) return first.error();
  for (const Row& row : *first) note_row(row, known);
  const Result<std::optional<WallTime>> kept_since =
      asked.which == WhichSlots::all ? std::optional<WallTime>() : ledger.kept_since(asked.job);
  if (!kept_since) return kept_since.error();
  if (const auto missing = ledger.missing(); !missing.empty() && asked.which != WhichSlots::all)
    return Error{Errc::unavailable, "which slots have not succeeded is not known: " + text_of(missing) +
                                        "; ask again when it answers, or for all slots"};
  bool follows = false;
  for (const auto& [slot, of] : known) {
    const bool is_one = is_chosen(of, asked.which);
    if (is_one && !of.last && *kept_since && slot < **kept_since) return not_known_before(**kept_since);
    choice.going_on += of.goes_on;
    if (is_one) choice.chosen.push_back({slot, why_chosen(of)});
    if (is_one) add_to_ranges(choice.ranges, slot, follows);
    follows = is_one;
  }
  return choice;
}

}  // namespace ballot::library
