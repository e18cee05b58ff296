// HistoryConformance, HistoryReading: the fixtures of the suite: ledgers that put batches of rows, and rows as texts,
// so that two can be compared, whole. For a file that only instantiates the suite, whose tests are compiled elsewhere
// (history_suite.cpp).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/history_under_test.hpp"

namespace ballot::conformance {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

/// Of this month, so that nobody takes it for too old.
inline WallTime history_noon() {
  const auto now = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return std::chrono::time_point_cast<Millis>(now) + 12h;
}

/// A UUID of version 7, of that time.
inline RunId history_id(int number, WallTime at = history_noon()) {
  RunId id;
  for (std::size_t i = 0; i < 6; ++i)
    id.bytes[i] = static_cast<std::uint8_t>(at.time_since_epoch().count() >> (8 * (5 - i)));
  id.bytes[6] = 0x70;
  id.bytes[8] = 0x80;
  for (std::size_t i = 0; i < 4; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return id;
}

inline Row history_run(int number, const std::string& job = "backup", const std::string& node = "host-1") {
  Row row;
  row.run = history_id(number);
  row.job = job;
  row.group = "nightly";
  row.slot = history_noon() + std::chrono::seconds(number);
  row.attempt = 1;
  row.status = Status::succeeded;
  row.exit_code = 0;
  row.started_at = row.slot + 5ms;
  row.ended_at = row.slot + 905ms;
  row.duration = 900ms;
  row.node = node;
  row.epoch = 7;
  row.fence = 41;
  row.output_bytes = 12;
  return row;
}

/// A slot that never ran.
inline Row history_slot(int number, const std::string& job = "backup", const std::string& node = "host-1") {
  Row row = history_run(number, job, node);
  row.run.reset();
  row.attempt = 0;
  row.status = Status::missed;
  row.reason = Reason::no_leader;
  row.exit_code.reset();
  row.started_at.reset();
  row.ended_at.reset();
  row.duration.reset();
  row.fence = 0;
  row.output_bytes = 0;
  return row;
}

// ---- as texts

inline std::string said(const std::optional<WallTime>& time) {
  return time ? std::to_string(time->time_since_epoch().count()) : "-";
}
inline std::string said(const std::optional<int>& number) { return number ? std::to_string(*number) : "-"; }
inline std::string said(const std::optional<RunId>& id) { return id ? id->text() : "-"; }

inline std::string joined(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "|") + text;
  return all;
}

/// All of it, but for who is named.
inline std::string said(const Row& row) {
  return joined({said(row.run),
                 row.job,
                 row.group,
                 said(row.slot),
                 said(row.slot_until),
                 std::to_string(row.slots),
                 std::to_string(static_cast<int>(row.trigger)),
                 std::to_string(row.attempt),
                 std::string(row.status.text()),
                 std::to_string(row.status.number()),
                 std::string(row.reason.text()),
                 std::to_string(row.reason.number()),
                 said(row.exit_code),
                 said(row.signal),
                 said(row.started_at),
                 said(row.ended_at),
                 row.duration ? std::to_string(row.duration->count()) : "-",
                 row.node,
                 std::to_string(row.epoch),
                 std::to_string(row.fence),
                 std::to_string(row.output_bytes),
                 std::to_string(static_cast<int>(row.leftover))});
}
inline std::string said(const KeptRow& kept) {
  return joined({kept.ledger, std::to_string(kept.id), std::to_string(kept.change), said(kept.row)});
}
inline std::string said(const TermRow& term) {
  return joined({term.group, term.node, std::to_string(term.epoch), said(term.elected_at), said(term.ended_at),
                 std::to_string(static_cast<int>(term.cause))});
}
inline std::string said(const RequestRow& request) {
  return joined({request.id.text(), request.kind, request.job, request.group, said(request.run), request.node,
                 said(request.at), request.by, request.result, request.text, said(request.answered_at)});
}
inline std::string said(const Output& output) {
  return joined({output.head, output.tail, std::to_string(output.total_bytes)});
}
inline std::string said(const LedgerRow& one) { return "row " + std::to_string(one.id) + "|" + said(one.row); }
inline std::string said(const PauseRow& pause) {
  return "pause " + joined({pause.job, pause.group, pause.node, said(pause.from), said(pause.until), pause.by,
                            said(pause.ends), pause.reason, std::to_string(pause.change)});
}
inline std::string said(const OutputRow& one) {
  return "output " + joined({one.run.text(), std::to_string(one.attempt), said(one.output)});
}
inline std::string said(const KeptDefinition& one) {
  const DefinitionRow& row = one.row;
  Texts anchors;
  for (const WallTime anchor : row.anchors) anchors.push_back(said(anchor));
  return "definition " + joined({row.job,
                                 row.group,
                                 row.node,
                                 said(row.from),
                                 std::to_string(row.epoch),
                                 std::to_string(row.before),
                                 std::to_string(static_cast<int>(row.basis)),
                                 row.digest,
                                 joined(row.schedule),
                                 joined(anchors),
                                 row.timezone,
                                 said(row.not_before),
                                 said(row.not_after),
                                 std::to_string(row.enabled),
                                 std::to_string(row.jitter.count()),
                                 std::to_string(row.start_deadline.count()),
                                 std::to_string(static_cast<int>(row.concurrency)),
                                 std::to_string(row.retries),
                                 std::to_string(row.at_least_once),
                                 std::to_string(row.reruns),
                                 std::to_string(one.first_epoch),
                                 std::to_string(one.written),
                                 std::to_string(one.renewed)});
}
inline std::string said(const LedgerChange& change) {
  return std::to_string(change.number) + " " + std::visit([](const auto& what) { return said(what); }, change.what);
}

template <class T>
Texts all_said(const std::vector<T>& all) {
  Texts texts;
  for (const T& one : all) texts.push_back(said(one));
  return texts;
}

inline Texts sorted(Texts texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

// ---- the fixture

class HistoryConformance : public ::testing::TestWithParam<HistoryUnderTest> {
 protected:
  using What = decltype(LedgerChange::what);

  void SetUp() override {
    if (GetParam().make_store) store_ = GetParam().make_store();
    if (!store_) GTEST_SKIP() << GetParam().name << ": " << GetParam().why_not;
    sender_ = store_->make(HistoryUse::send);
    reader_ = store_->make(HistoryUse::read);
  }
  void TearDown() override {
    sender_.reset();
    reader_.reset();
    store_.reset();
  }

  /// Of the i-th node; it is the same for all of a test.
  static RunId ledger(int number) { return history_id(1'000'000 + number); }

  /// Puts things as the next changes of a ledger.
  void put(int number, const std::string& node, const std::vector<What>& things) {
    const LedgerBatch batch = next_batch(number, node, things);
    const auto done = sender_->put(batch);
    EXPECT_TRUE(done) << done.error().what;
    if (done) changes_[number] = batch.last;
  }
  LedgerBatch next_batch(int number, const std::string& node, const std::vector<What>& things) {
    if (!changes_.contains(number)) {
      const auto line = sender_->line_of(ledger(number), node);
      EXPECT_TRUE(line) << line.error().what;
      changes_[number] = line ? line->change : 0;
    }
    LedgerBatch batch{ledger(number), node, history_id(77), 0, changes_[number], changes_[number], {}};
    for (const What& one : things) batch.changes.push_back({++batch.last, one});
    batch.newest = batch.last + 5;
    return batch;
  }

  template <class T>
  T value(Result<T> result) {
    EXPECT_TRUE(result) << result.error().what;
    return result ? *std::move(result) : T{};
  }
  std::vector<KeptRow> rows(const HistoryFilter& filter) { return value(reader_->rows(filter)); }
  std::vector<KeptRow> all_rows() { return rows({.limit = 10'000}); }
  std::int64_t line(int number, const std::string& node = "host-1") {
    return value(sender_->line_of(ledger(number), node)).change;
  }

  std::unique_ptr<HistoryStore> store_;
  std::unique_ptr<History> sender_, reader_;
  std::map<int, std::int64_t> changes_;  // of each ledger, the last that was put
};

/// Of what is read in pages.
class HistoryReading : public HistoryConformance {
 protected:
  template <class Rows>
  void put_all(const Rows& some) {
    for (const auto& [number, rows] : some.of_ledgers) put(number, Rows::node(number), {rows.begin(), rows.end()});
  }
  template <class Read>
  Texts paged(HistoryFilter filter, std::int64_t limit, const Read& read) {
    Texts texts;
    filter.limit = limit;
    while (true) {
      const std::vector<KeptRow> page = value(read(filter));
      for (const KeptRow& one : page) texts.push_back(said(one));
      if (std::ssize(page) < limit || texts.size() > 1'000) return texts;
      const KeptRow& last = page.back();
      filter.after = HistoryPosition{last.row.slot, last.row.attempt, last.id, last.ledger};
    }
  }
};

/// The last argument of INSTANTIATE_TEST_SUITE_P.
inline std::string history_name_of(const ::testing::TestParamInfo<HistoryUnderTest>& test) { return test.param.name; }

}  // namespace ballot::conformance
