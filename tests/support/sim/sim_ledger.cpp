#include "support/sim/sim_ledger.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/wall_text.hpp"

namespace ballot {

void SimLedger::record_if_absent(Row row) {
  const Row known = row;
  push(
      [row = std::move(row)](SimLedger& to) mutable {
        if (row.slot_until) to.leave_out_known(row);
        if (row.slots > 0 && !to.row(row.job, row.slot)) to.put(row);
      },
      known);
}

void SimLedger::leave_out_known(Row& range) const {
  const WallTime until = *range.slot_until;
  for (auto it = slots_.lower_bound({range.job, range.slot});
       it != slots_.end() && it->first.first == range.job && it->first.second <= until; ++it) {
    range.slots -= it->second.slots;
    range.slot = it->second.slot_until.value_or(it->second.slot) + std::chrono::seconds(1);
  }
  if (range.slots > 1) return;
  range.slot = until;
  range.slot_until.reset();
}

void SimLedger::record(TermRow term, Millis clock_is_ahead_by) {
  push(
      [term, clock_is_ahead_by](SimLedger& to) {
        to.terms_[{term.group, term.epoch}] = term;
        if (clock_is_ahead_by > audit::clock_difference) to.ended_ahead_.insert({term.group, term.epoch});
      },
      {});
}

void SimLedger::record(KnownRow known) {
  push(
      [known = std::move(known)](SimLedger& to) {
        const auto is_same = [&](const KnownRow& one) {
          return one.store == known.store && one.of == known.of &&
                 (one.of == KnownRow::Of::store || one.name == known.name);
        };
        std::erase_if(to.known_, is_same);
        to.known_.push_back(known);
      },
      {});
}

/// Nobody waits for it: it goes with the next record.
void SimLedger::record(DefinitionRow definition) {
  const auto apply = [definition = std::move(definition)](SimLedger& to) {
    auto& of_job = to.definitions_[definition.job];
    if (of_job.empty() || !goes_on(of_job.back().row, definition))
      of_job.push_back({definition, definition.epoch, ++to.change_});
    of_job.back().row.epoch = definition.epoch;
    of_job.back().sealed = std::numeric_limits<std::int64_t>::max();
  };
  memory_.push_back({apply, {}, false});
}

void SimLedger::record(PauseRow pause) {
  push(
      [pause](SimLedger& to) {
        PauseRow& known = to.pauses_[{pause.job, pause.group, pause.from}];
        const PauseRow before = std::exchange(known, pause);
        if (!known.until) known.until = before.until;
        known.change = before.node.empty() ? to.change_ : before.change;
      },
      {});
}

void SimLedger::record(RequestRow request) {
  push([request](SimLedger& to) { to.requests_.push_back(request); }, {});
}

void SimLedger::record(AnswerRow answer) {
  push(
      [answer](SimLedger& to) {
        for (RequestRow& request : to.requests_)
          if (request.id == answer.id)
            request.result = answer.result, request.text = answer.text, request.answered_at = answer.at;
      },
      {});
}

std::string SimLedger::audited(const Row* without) const {
  audit::Basics basics;
  basics.definitions = definitions_;
  for (const auto& [key, term] : terms_) basics.terms.emplace(key, term);
  for (const auto& key : ended_ahead_) basics.terms[key].cause = Cause::none;
  basics.pauses.since = 0;
  for (const auto& [key, pause] : pauses_) basics.pauses.rows.push_back(pause);
  std::vector<std::pair<Row, std::int64_t>> all;
  for (const auto& [key, row] : runs_) all.emplace_back(row, run_changes_.at(key));
  for (const auto& [key, row] : slots_) all.emplace_back(row, slot_changes_.at(key));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.slot, a.first.attempt) < std::pair(b.first.slot, b.first.attempt);
  });
  std::string first;
  audit::Audit audit(std::move(basics), {}, [&](const audit::Finding& found) {
    if (!first.empty()) return;
    first = node_ + "'s ledger, " + found.job + " " + format_slot(found.slot) + " " + found.what;
    for (const Row& row : found.rows) first += " | " + testing::Entry{row, node_}.text();
  });
  const auto is_left_out = [&](const Row& row) {
    return without && row.job == without->job && row.slot == without->slot && row.run == without->run &&
           row.attempt == without->attempt;
  };
  for (const auto& [row, change] : all)
    if (!is_left_out(row)) audit.add(row, change);
  audit.finish();
  return first;
}

void SimLedger::flush(std::function<void()> done) {
  push([done = std::move(done)](SimLedger&) { done(); }, {});
}

void SimLedger::push(std::function<void(SimLedger&)> apply, const Row& row) {
  memory_.push_back({std::move(apply), row, true});
  begin_commit();
}

void SimLedger::begin_commit() {
  const bool awaited = std::any_of(memory_.begin(), memory_.end(), [](const Record& one) { return one.is_awaited; });
  if (committing_ > 0 || !awaited) return;
  committing_ = memory_.size();
  const Millis takes = loop_.between(Millis(1), slowest);
  busy_since_ = loop_.now();
  busy_until_ = busy_since_ + takes;
  loop_.after(takes, owner_, [this] { commit(); });
}

void SimLedger::commit() {
  if (frozen) {
    loop_.after(Millis(20), owner_, [this] { commit(); });
    return;
  }
  std::vector<Record> batch;
  for (; committing_ > 0; --committing_) {
    batch.push_back(std::move(memory_.front()));
    memory_.pop_front();
  }
  begin_commit();
  for (const Record& record : batch) record.apply(*this);
}

void SimLedger::crash() {
  loop_.drop(owner_);
  ++change_;
  for (auto& [job, of_job] : definitions_)
    for (audit::InForce& one : of_job) one.sealed = std::min(one.sealed, change_);
  committing_ = 0;
  for (const Record& record : std::exchange(memory_, {}))
    if (!record.row.job.empty() && !record.row.run) lost_.push_back(record.row);
}

/// `lost` and `halted` are guesses of who knows no better: they never replace a row that has ended.
void SimLedger::put(const Row& row) {
  if (!row.run) {
    slots_[{row.job, row.slot}] = row;
    slot_changes_[{row.job, row.slot}] = ++change_;
    return;
  }
  Row& known = runs_[{*row.run, row.attempt}];
  const bool guess = row.status == Status::lost || row.reason == Reason::halted;
  if (!guess || !known.run || !is_final(known.status)) known = row;
  run_changes_[{*row.run, row.attempt}] = ++change_;
}

std::vector<Row> SimLedger::rows() const {
  std::vector<Row> all;
  for (const auto& [key, row] : runs_) all.push_back(row);
  for (const auto& [key, row] : slots_) all.push_back(row);
  return all;
}

std::vector<TermRow> SimLedger::terms() const {
  std::vector<TermRow> all;
  for (const auto& [key, term] : terms_) all.push_back(term);
  return all;
}

const Row* SimLedger::row(const std::string& job, WallTime slot) const {
  for (const auto& [key, row] : runs_)
    if (row.job == job && row.slot == slot) return &row;
  auto it = slots_.upper_bound({job, slot});
  if (it == slots_.begin()) return nullptr;
  const Row& row = (--it)->second;
  return row.job == job && slot <= row.slot_until.value_or(row.slot) ? &row : nullptr;
}

bool SimLedger::was_given(const RunId& run, int attempt) const {
  return row(run, attempt) || std::any_of(memory_.begin(), memory_.end(), [&](const Record& record) {
           return record.row.run == run && record.row.attempt == attempt;
         });
}

const Row* SimLedger::row(const RunId& run, int attempt) const {
  const auto it = runs_.find({run, attempt});
  return it == runs_.end() ? nullptr : &it->second;
}

testing::MergedLedger merged(const std::vector<const SimLedger*>& ledgers) {
  std::vector<testing::NodeLedger> all;
  for (const SimLedger* ledger : ledgers)
    all.push_back({.node = ledger->node(), .rows = ledger->rows(), .terms = ledger->terms()});
  return testing::MergedLedger(all);
}

}  // namespace ballot
