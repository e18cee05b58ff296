// What the tests of storage share: a folder each, rows to write, and a watch on a ledger's hooks.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "storage/ledger.hpp"
#include "storage/reader.hpp"
#include "support/temp_folder.hpp"

namespace ballot::storage {

inline constexpr WallTime noon{std::chrono::seconds(1'741'521'600)};  // 2025-03-09T12:00:00Z
inline constexpr auto patience = std::chrono::seconds(60);            // only a hang is longer

/// A run id that ends with `tail`; different for each.
inline RunId run_id(std::uint32_t tail) {
  RunId id;
  id.bytes = {0x01, 0x95, 0x7a, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0};
  for (std::size_t i = 0; i < 4; ++i) id.bytes[12 + i] = static_cast<std::uint8_t>(tail >> (24 - 8 * i));
  return id;
}

inline Row ran(std::uint32_t tail, WallTime slot = noon, std::string job = "backup") {
  Row row;
  row.run = run_id(tail);
  row.job = std::move(job);
  row.group = "nightly";
  row.slot = slot;
  row.attempt = 1;
  row.status = Status::succeeded;
  row.exit_code = 0;
  row.started_at = slot + Millis(12);
  row.ended_at = slot + Millis(1012);
  row.duration = Millis(1000);
  row.node = "host-1";
  row.epoch = 7;
  row.fence = 3;
  return row;
}

inline Row missed(WallTime slot, Reason reason = Reason::no_leader, std::string job = "backup") {
  Row row;
  row.job = std::move(job);
  row.group = "nightly";
  row.slot = slot;
  row.status = Status::missed;
  row.reason = reason;
  row.node = "host-1";
  row.epoch = 7;
  return row;
}

/// A definition with every field set to something of its own.
inline DefinitionRow full_definition() {
  DefinitionRow row;
  row.job = "backup";
  row.group = "nightly";
  row.node = "host-1";
  row.from = noon;
  row.epoch = 7;
  row.before = 6;
  row.basis = Basis::created;
  row.digest = "d1";
  row.schedule = {"0 2 * * *", "@every 1h"};
  row.anchors = {noon - Millis(5)};
  row.timezone = "Europe/Paris";
  row.not_before = noon;
  row.not_after = noon + std::chrono::hours(9000);
  row.enabled = false;
  row.jitter = Millis(1500);
  row.start_deadline = Millis(60'000);
  row.concurrency = Concurrency::replace;
  row.retries = 3;
  row.at_least_once = true;
  row.reruns = true;
  return row;
}

/// Remembers what a ledger told, and waits for it.
class Watch {
 public:
  LedgerHooks hooks() {
    return {.now = [] { return noon; },
            .on_state =
                [this](const LedgerState& state) {
                  const std::scoped_lock lock(mutex_);
                  states_.push_back(state);
                  changed_.notify_all();
                },
            .alarm =
                [this](std::string_view text) {
                  const std::scoped_lock lock(mutex_);
                  alarms_.emplace_back(text);
                  changed_.notify_all();
                },
            .warning =
                [this](std::string_view text) {
                  const std::scoped_lock lock(mutex_);
                  warnings_.emplace_back(text);
                }};
  }
  /// The first state from now on, or already told, that fits; the ledger's test fails if there is none.
  LedgerState wait_for(const std::function<bool(const LedgerState&)>& fits) {
    std::unique_lock lock(mutex_);
    const bool told = changed_.wait_for(lock, patience, [&] { return !states_.empty() && fits(states_.back()); });
    EXPECT_TRUE(told) << (states_.empty() ? "no state at all" : states_.back().reason);
    return states_.empty() ? LedgerState{} : states_.back();
  }
  LedgerState wait_for_degraded() {
    return wait_for([](const LedgerState& state) { return state.degraded; });
  }
  LedgerState wait_for_ok() {
    return wait_for([](const LedgerState& state) { return !state.degraded; });
  }
  std::vector<LedgerState> states() {
    const std::scoped_lock lock(mutex_);
    return states_;
  }
  std::vector<std::string> alarms() {
    const std::scoped_lock lock(mutex_);
    return alarms_;
  }
  std::vector<std::string> warnings() {
    const std::scoped_lock lock(mutex_);
    return warnings_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<LedgerState> states_;
  std::vector<std::string> alarms_, warnings_;
};

/// Options for a test: quick to try again, nothing kept on the disk, nothing too old.
inline LedgerOptions quick(const std::string& path) {
  return {.path = path,
          .spool_reserve = 0,
          .limits = {.keep = std::chrono::days(36'500)},
          .retry_first = Millis(5),
          .retry_most = Millis(20)};
}

/// Waits until everything recorded is safe.
inline void flush(LedgerSink& ledger) {
  std::promise<void> done;
  ledger.flush([&] { done.set_value(); });
  ASSERT_EQ(done.get_future().wait_for(patience), std::future_status::ready);
}

/// All rows that match, as history would list them.
inline std::vector<Row> rows_of(Reader& reader, Filter filter = {.limit = std::nullopt}) {
  std::vector<Row> rows;
  const auto next = reader.history(filter, [&](const Row& row) { return rows.push_back(row), true; });
  EXPECT_TRUE(next) << next.error().what;
  return rows;
}

inline std::vector<Row> rows_in(const std::string& path, Filter filter = {.limit = std::nullopt}) {
  auto reader = Reader::open(path);
  EXPECT_TRUE(reader) << reader.error().what;
  return reader ? rows_of(*reader, std::move(filter)) : std::vector<Row>{};
}

inline bool same(const Row& a, const Row& b) {
  return a.run == b.run && a.job == b.job && a.group == b.group && a.slot == b.slot && a.slot_until == b.slot_until &&
         a.slots == b.slots && a.trigger == b.trigger && a.attempt == b.attempt && a.status == b.status &&
         a.reason == b.reason && a.exit_code == b.exit_code && a.signal == b.signal && a.started_at == b.started_at &&
         a.ended_at == b.ended_at && a.duration == b.duration && a.node == b.node && a.epoch == b.epoch &&
         a.fence == b.fence && a.output_bytes == b.output_bytes && a.leftover == b.leftover;
}

/// A row with every field set to something of its own.
inline Row full_row() {
  Row row = ran(0xabcdef12);
  row.slot_until = noon + std::chrono::hours(1);
  row.slots = 61;
  row.trigger = Trigger::rerun;
  row.attempt = 3;
  row.status = Status::killed;
  row.reason = Reason::operator_;
  row.exit_code = 143;
  row.signal = 15;
  row.epoch = 0xfedcba9876543210u;
  row.fence = 0x8000000000000001u;
  row.output_bytes = 123'456'789'012;
  row.leftover = Leftover::escaped;
  return row;
}

}  // namespace ballot::storage
