// Backlog: what was recorded and is not yet taken by the writer, in order and bounded. Knows nothing of files.
//
// Of the rows of one attempt only the last is handed out, in the place of the first: a run that begins and ends within
// a group costs one write. Past its bounds output goes first, then the oldest rows: a later row of the same run says
// more. What is dropped is counted. Definitions, of which there are no more than jobs and edits, do not count. Of what
// is known of a store the last record for each group and job is kept: there are no more than these.
//
// Threads: push from any, never waiting for more than another push or a take; the rest is the writer's.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "storage/record.hpp"

namespace ballot::storage {

struct Bounds {
  std::size_t records = 100'000;
  std::size_t output_bytes = 64 << 20;
};

/// Records for one transaction, and who is to be notified once they and all before them are safe.
struct Batch {
  std::vector<Record> records;
  std::vector<std::function<void()>> flushed;
  bool empty() const { return records.empty() && flushed.empty(); }
};

struct Dropped {
  std::int64_t rows = 0, outputs = 0;
  bool operator==(const Dropped&) const = default;
};

/// What the ledger's file does not have yet.
struct Spooled {
  std::int64_t records = 0;
  std::optional<WallTime> since = {};  // when the file began to take none; none: it takes what comes
};

class Backlog {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Backlog(Bounds bounds) : bounds_(bounds) {}

  void push(Record record);
  void push_flush(std::function<void()> flushed);
  /// No push after it.
  void stop();

  /// Returns when there is a group to take (2,048 records, a flush, 5 ms after the first record, 100 ms where all are
  /// rows of runs, which their registers show until they are flushed), at `deadline`, or on stop.
  void wait(Clock::time_point deadline);
  /// Returns at `deadline`, or on stop.
  void wait_for_stop(Clock::time_point deadline);
  /// Of at most 2,048 records or 4 MiB of output, and of all that is known of stores.
  Batch take();

  /// What the writer says of itself: it can store nothing at present.
  void set_stuck(bool stuck) { stuck_ = stuck; }
  bool stuck() const { return stuck_; }
  /// The same: it is at its files from now on, or no more.
  void set_busy(bool busy) { busy_since_ = busy ? Clock::now() : Clock::time_point::max(); }
  /// For so long it has been at its files; 0: it is not.
  Clock::duration busy_for() const { return std::max(Clock::duration(0), Clock::now() - busy_since_.load()); }
  /// The same: what it has put into the spool.
  void set_spooled(Spooled spooled);
  Spooled spooled() const;

  /// Of what was read and freed elsewhere in the process; the writer takes it with what it does next.
  void note_freed(std::size_t records) { freed_ += records; }
  std::size_t take_freed() { return freed_.exchange(0); }

  bool stopped() const;
  std::size_t size() const;
  Dropped dropped() const;

 private:
  struct Item {
    std::uint64_t number;
    Record record;
  };
  struct Flush {
    std::uint64_t after;  // all records with a lower number
    std::function<void()> flushed;
  };

  bool full() const { return items_.size() - definitions_ >= bounds_.records; }
  void drop_outputs();
  void drop_oldest_row();
  Batch take_group();
  void keep_known(KnownRow known);
  bool become_due_in(Clock::duration wait);

  const Bounds bounds_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::deque<Flush> flushes_;
  std::uint64_t pushed_ = 0;
  std::size_t output_bytes_ = 0;
  std::size_t definitions_ = 0;  // among items_
  std::map<std::tuple<RunId, KnownRow::Of, std::string>, KnownRow> known_;
  Dropped dropped_;
  bool stopped_ = false;
  std::atomic<bool> stuck_{false};
  std::atomic<std::size_t> freed_{0};
  std::atomic<Clock::time_point> busy_since_{Clock::time_point::max()};
  Spooled spooled_;
  Clock::time_point due_ = Clock::time_point::max();  // when what is there is to be taken
};

}  // namespace ballot::storage
