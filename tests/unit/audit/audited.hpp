// A ledger to audit: a job that is due each minute, as one node has written it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "audit/audit.hpp"
#include "base/random.hpp"
#include "base/wall_text.hpp"

namespace ballot::audit {

inline WallTime at(const std::string& time) { return *parse_wall("2025-03-09T" + time + "Z"); }

/// The rows that a test changes, and what is found in them: "KIND SLOT" each.
class Audited : public ::testing::Test {
 protected:
  DefinitionRow& define(const std::string& from = "12:00:00", Basis basis = Basis::created) {
    DefinitionRow row;
    row.job = job_;
    row.group = "nightly";
    row.node = node_;
    row.from = at(from);
    row.epoch = epoch_;
    row.before = basis == Basis::created ? 0 : epoch_;
    row.basis = basis;
    row.digest = "d" + std::to_string(definitions_.size());
    row.schedule = {"* * * * *"};
    row.start_deadline = std::chrono::minutes(5);
    definitions_.push_back({row, row.epoch, ++change_});
    return definitions_.back().row;
  }
  /// A run of a slot that has succeeded.
  Row& ran(const std::string& slot, std::uint64_t fence = 0) {
    Row row;
    row.run.emplace();
    row.run->bytes[15] = static_cast<std::uint8_t>(rows_.size() + 1);
    row.attempt = 1;
    row.status = Status::succeeded;
    row.fence = fence > 0 ? fence : ++fence_;
    row.started_at = at(slot) + Millis(20);
    row.ended_at = at(slot) + Millis(1020);
    return add(std::move(row), slot);
  }
  /// Its slot was claimed at that time, and began then.
  static Row& claimed(Row& row, const std::string& time) {
    if (row.started_at) row.started_at = at(time) + Millis(20), row.ended_at = at(time) + Millis(1020);
    const std::uint8_t number = row.run->bytes[15];
    row.run = Random(number).run_id(at(time));
    row.run->bytes[15] = number;
    return row;
  }
  void elected(const std::string& time, const std::string& group = "nightly") {
    terms_[{group, epoch_}] = {group, node_, epoch_, at(time), std::nullopt, Cause::none};
  }
  Row& not_run(const std::string& slot, Status status, Reason reason) {
    Row row;
    row.status = status;
    row.reason = reason;
    return add(std::move(row), slot);
  }
  Row& missed(const std::string& slot, Reason reason = Reason::misfire) {
    return not_run(slot, Status::missed, reason);
  }
  /// All slots of one row, from `slot` on.
  Row& missed(const std::string& slot, const std::string& until, std::int64_t slots) {
    Row& row = missed(slot);
    row.slot_until = at(until);
    row.slots = slots;
    return row;
  }
  /// Of a run that `first` is an attempt of.
  Row& again(const Row& first) {
    Row row = first;
    ++row.attempt;
    row.fence = ++fence_;
    return add(std::move(row), "");
  }

  std::vector<std::string> findings(Scope scope = {}) {
    std::map<std::string, std::vector<InForce>> definitions;
    for (const InForce& one : definitions_) definitions[one.row.job].push_back(one);
    std::vector<std::string> found;
    found_.clear();
    Audit audit({definitions, terms_, pauses_, kept_since_}, scope, [&](Finding finding) {
      found.push_back(std::string(to_string(finding.kind)) + " " + format_slot(finding.slot).substr(11, 8));
      if (finding.slots > 1) found.back() += " x" + std::to_string(finding.slots);
      found_.push_back(std::move(finding));
    });
    std::vector<std::pair<Row, std::int64_t>> rows(rows_.begin(), rows_.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first.slot, a.first.attempt) < std::pair(b.first.slot, b.first.attempt);
    });
    for (const auto& [row, change] : rows) audit.add(row, change);
    audit.finish();
    totals_ = audit.totals();
    undefined_ = audit.undefined();
    departed_ = audit.departed();
    return found;
  }

  using Texts = std::vector<std::string>;
  std::string job_ = "backup", node_ = "n1";
  std::uint64_t epoch_ = 1, fence_ = 0;
  std::int64_t change_ = 0;
  WallTime kept_since_{};
  std::vector<InForce> definitions_;
  std::deque<std::pair<Row, std::int64_t>> rows_;
  Terms terms_;
  KnownPauses pauses_;
  std::vector<Finding> found_;
  Totals totals_;
  std::vector<std::string> undefined_;
  std::vector<Departed> departed_;

 private:
  Row& add(Row row, const std::string& slot) {
    row.job = job_;
    row.group = "nightly";
    row.node = node_;
    row.epoch = epoch_;
    if (!slot.empty()) row.slot = at(slot);
    rows_.emplace_back(std::move(row), ++change_);
    return rows_.back().first;
  }
};

}  // namespace ballot::audit
