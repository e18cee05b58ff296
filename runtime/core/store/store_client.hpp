// StoreClient: the requests that the store has not answered yet. It numbers requests, finds the request of an answer,
// bounds how many registers are written at once, and sends records again that may not have arrived. A request counts as
// unanswered after T, plus the time that the reads before it may take: a store that is asked again while it still works
// takes longer. StoreClient knows nothing of what the answers mean.
//
//   store.read(out, {.what = StoreClient::Reading::For::jobs, .jobs = jobs}, names);
//   ... if (auto asked = store.on_read(event.request)) ...
//
// Pure; used by Core only.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/backend.hpp"
#include "base/runner_wire.hpp"
#include "core/action.hpp"
#include "core/job/job_machine.hpp"

namespace ballot::core {

struct GroupEntry;
struct JobEntry;

inline constexpr Millis again_pause{200};   // before something is asked of the store again
inline constexpr Millis entry_patience{1};  // a store that works reads a thousand entries a second at least

class StoreClient {
 public:
  /// A read or a list, and what it is for.
  struct Reading {
    enum class For {
      identity,
      list,
      own_outcomes,
      takeover,
      outcomes,
      group,
      jobs,
      job_outcomes,
      requests,
      published,
      runs,
      trigger_fate,
      nodes,
      repairs,
      pauses
    } what = For::list;
    std::string group{};
    std::uint64_t epoch = 0;  // of the takeover
    std::vector<JobEntry*> jobs{};
    RunId asker{};                        // the request that names a run
    std::vector<Register> registers{};    // of the jobs, while outcomes of their open runs are asked for,
    std::vector<std::string> outcomes{};  // which are these records
    std::vector<std::string> paused{};    // jobs: whether all their instances are is read too
    std::size_t entries = 0;              // so many registers or records are read, where that is known

    /// Of an instance; `names`: what is read.
    void add_pause(std::string_view job, std::vector<std::string>& names);
  };

  /// Records on their way: created or removed.
  struct RecordOp {
    std::optional<RunId> request{};             // ours: it is in the store once this is done
    std::vector<runner::AttemptId> outcomes{};  // one for each record
    std::vector<std::string> jobs{};            // of the outcomes
    std::vector<ballot::Record> records{};      // to be repeated while it is unknown whether they arrived
    std::vector<std::string> removals{};
    std::optional<RunId> answered{};      // ours: it is replied to once this is done
    std::string evicts{};                 // a group that is handed over once this is done
    bool is_identity = false;             // the store's: it is read again once this is done
    bool of_self = false;                 // what this node publishes of itself,
    std::vector<std::string> obsolete{};  // and what is removed once it is in the store
    std::vector<RecordOp> next{};         // what comes once this is done

    /// Of what is created or removed; null: there are not so many.
    const std::string* name(std::size_t i) const;
    /// The request that is in the store once this, or what comes next, is done; null: none of this node.
    const RunId* asked() const;
  };

  /// The jobs of a write, each with the serial by which it knows its register's.
  using JobWrites = std::vector<std::pair<JobMachine*, std::uint64_t>>;

  explicit StoreClient(std::size_t most_writes) : most_writes_(most_writes) {}

  // Each sends a request at once.
  void list(Actions& out, Reading reading, std::string_view prefix);
  void read(Actions& out, Reading reading, std::vector<std::string> names);
  void write(Actions& out, std::vector<JobWrite> writes);
  void write(Actions& out, GroupEntry& group, RegisterWrite write);
  /// Nothing is sent while an observation of the group is under way.
  void observe(Actions& out, GroupEntry& group, const std::string& name);
  void send(Actions& out, RecordOp op);
  /// The same, but without a session (`open`: there is one) the records wait for the next one.
  void create(Actions& out, bool open, RecordOp op);
  /// Removes records; nobody hears of the outcome, and nothing is repeated.
  void remove(Actions& out, std::vector<std::string> names);

  /// Keeps records that could not be sent or may not have arrived, until send_delayed().
  void delay(RecordOp op) { delayed_.push_back(std::move(op)); }
  void send_delayed(Actions& out);
  /// Records and lists of records that failed are tried again a little later.
  void retry_later(SteadyTime now) { retry_at_ = now + again_pause; }
  std::optional<SteadyTime> retry_at() const { return retry_at_; }
  /// False while it is not yet time.
  bool begin_retry(SteadyTime now);

  // The request of an answer; none where the request was given up.
  std::optional<Reading> on_read(RequestId request);
  std::optional<JobWrites> on_written(RequestId request);
  GroupEntry* on_group_written(RequestId request);
  GroupEntry* on_observed(RequestId request);
  std::optional<RecordOp> on_recorded(RequestId request);
  /// The session is over: nothing is answered any more. Returns the records that may not have arrived.
  std::vector<RecordOp> on_lost();

  /// How many more registers may be written, beside `begun` ones that are not sent yet.
  std::size_t room(std::size_t begun) const;
  /// Jobs that wait for room, first come, first served. throttle() requires that the job does not wait yet.
  void throttle(JobEntry& job) { throttled_.push_back(&job); }
  JobEntry* next_throttled();

  /// The number of the last request; Session raises it for its renewals.
  RequestId& last_request() { return last_request_; }
  RequestId last_request() const { return last_request_; }

  /// At the end of a step: the time to answer its requests begins now.
  void end_step(SteadyTime now);
  /// When the step ended that sent the oldest unanswered request; none: all are answered.
  std::optional<SteadyTime> owed_since() const;
  /// When that request counts as given up, in a session that lasts for `timeout`.
  std::optional<SteadyTime> overdue_at(Millis timeout) const;
  /// Gives up all requests of that step and before; returns the number of the last of them.
  RequestId give_up_oldest();
  std::optional<RequestId> oldest() const;
  /// So many registers are in this write.
  std::size_t writes_in(RequestId request) const;

 private:
  /// The requests of one step.
  struct Sent {
    RequestId last = 0;
    SteadyTime at{};
    std::size_t reading = 0;  // entries that all reads under way had asked for then
  };

  const std::size_t most_writes_;
  RequestId last_request_ = 0;
  std::map<RequestId, JobWrites> writes_;
  std::size_t all_writing_ = 0;  // registers in `writes_`
  std::map<RequestId, GroupEntry*> group_writes_, observing_;
  std::map<RequestId, Reading> reads_;
  std::size_t all_reading_ = 0;  // entries of `reads_`
  std::map<RequestId, RecordOp> records_;
  std::vector<RecordOp> delayed_;
  std::optional<SteadyTime> retry_at_;
  std::deque<JobEntry*> throttled_;
  std::deque<Sent> sent_;  // steps with requests that may be unanswered
};

}  // namespace ballot::core
