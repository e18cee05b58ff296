// JobCommands: what people want of a job and its leader has not done yet: triggers, pauses, backfills, and the repair
// under way.
//
//   a repair   | event                                                | next
//   none       | asked of a job that seems sound                      | looking: the store is read first
//   none       | asked of a job that is halted, or ahead of its clock | under way
//   looking    | the store has what this node believes, or not        | none (nothing to repair), or under way
//   under way  | the last write of it is confirmed                    | none, and answered
//   any        | the term ends                                        | none, and not answered: the request stays
//
//   JobCommands commands;
//   commands.add_trigger(request);
//   if (const Request* next = commands.next_trigger()) claim(*next), commands.drop_oldest_trigger();
//
// Pure. Knows nothing of the register, of slots and runs; used by JobMachine only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ballot/optional_time.hpp"
#include "base/rare_list.hpp"
#include "core/job/repair.hpp"
#include "core/request/request.hpp"

namespace ballot::core {

class JobCommands {
 public:
  /// A term begins.
  void begin_term();
  /// Commands that are not done are left to the next term.
  void clear();
  /// Something other than a trigger: no slot is claimed before it is done.
  bool comes_first() const { return repair_ || !pauses_.empty() || unpause_until_; }

  // triggers, oldest first
  void add_trigger(const Request& request) { triggers_.push_back(request); }
  const Request* next_trigger() const { return triggers_.empty() ? nullptr : &triggers_.front(); }
  void drop_oldest_trigger() { triggers_.erase(triggers_.begin()); }
  void drop_trigger(const RunId& request);
  /// When the oldest one can no longer be begun; none where that is past.
  std::optional<WallTime> trigger_ends(WallTime now) const;

  // pauses, backfills, and what ends them, in order
  void add_pause(const Request& request) { pauses_.push_back(request); }
  /// Null where a backfill, or its end, comes before.
  const Request* next_pause() const { return pauses_.empty() || is_backfill_next() ? nullptr : &pauses_.front(); }
  bool is_pause_next() const { return next_pause() && next_pause()->kind == Request::Kind::pause; }
  void add_backfill(const Request& request) { pauses_.push_back(request); }
  /// Null where a pause, or its end, comes before.
  const Request* next_backfill() const { return is_backfill_next() ? &pauses_.front() : nullptr; }
  Request take_backfill();
  /// Takes the first ones, as far as they are done.
  std::vector<Request> take_done(const std::function<bool(const Request&)>& is_done);
  RunId take_pause();

  /// The whole group's pause is over: slots up to then were passed.
  void end_group_pause(WallTime until) { unpause_until_ = until; }
  std::optional<WallTime> unpause_until() const { return unpause_until_; }
  void group_pause_ended() { unpause_until_.reset(); }

  struct ReadFirst {
    Request request;
    std::uint64_t version = 0;  // of the register, as it was known then
  };
  /// A repair of what seems sound: whether the store has what this node believes.
  void read_first(const Request& request, std::uint64_t version) {
    read_first_ = std::make_unique<ReadFirst>(ReadFirst{request, version});
  }
  bool has_read_request() const { return read_first_ != nullptr; }
  std::optional<ReadFirst> take_read_request();

  void begin_repair(Repair repair) { repair_ = std::make_unique<Repair>(std::move(repair)); }
  const Repair* repair() const { return repair_.get(); }
  /// More than its cursor is wrong: what was claimed before may have been forgotten.
  bool repairs_claims() const { return repair_ && !repair_->of_cursor; }
  /// Its cursor was ahead of the clock, there, or only its last claim; these lines could not be read; so many runs that
  /// waited are not started; a range is in the register.
  void repair_found(WallTime cursor, bool only_claim) {
    repair_->cursor_ahead = cursor;
    repair_->is_claim_ahead = only_claim;
  }
  void repair_lost(std::vector<std::string> lines) {
    if (!lines.empty()) repair_->lost = std::move(lines);
  }
  void repair_ended_waiting(int runs) { repair_->waited += runs; }
  void repair_wrote(const Disposition& range);
  /// These slots lie ahead, were settled already, and are not decided again.
  void repair_keeps(const std::vector<WallTime>& settled);
  /// Takes the repair, which is done.
  Repair take_repair();

  /// The requests for a repair that will not be made,
  std::vector<RunId> take_repair_requests();
  /// nor who asked for anything else.
  std::vector<RunId> take_requests();

 private:
  bool is_backfill_next() const { return !pauses_.empty() && is_of_backfill(pauses_.front().kind); }

  RareList<Request> triggers_, pauses_;  // backfills are among the pauses
  OptionalTime<WallTime> unpause_until_;
  std::unique_ptr<ReadFirst> read_first_;
  std::unique_ptr<Repair> repair_;  // under way
};

}  // namespace ballot::core
