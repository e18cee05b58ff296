// StoreGuard: whether the store has gone back to an older state: restored from a snapshot, or emptied.
//
// It goes by what the store's answers showed this node, which they must not fall behind:
//   the store's revision   of a write that was committed later
//   a register's version   and what it counts: a job's fence, the epoch of a group's term
//   a register's repair    a number that each repair of the register raises
// What was seen before a repair counts no more. A repair is known by its number, which is larger than any before, so
// each node distinguishes a repaired register from an old one, whatever its clock says.
//
//   session | event                                                    | what it shows
//   opened  | -                                                        | nothing: a server may lag behind
//   open    | a renewal is done at a lower revision than was seen when | the store has gone back
//           | it was sent                                              |
//   open    | a term begins at a lower revision than was seen when the | the store has gone back
//           | session was opened                                       |
//
// Each time that the store goes back counts once, for all groups; from there on the revision is watched anew. A group
// is verified once its register shows a repair that this node had not seen.
//
// Pure; knows nothing of registers' text, sessions or terms. Used by Core and JobMachine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "ballot/time.hpp"

namespace ballot::core {

/// What a register shows, or the most that it has shown.
struct Shown {
  std::uint64_t repair = 0;   // the number of its last repair; 0: none
  std::uint64_t version = 0;  // 0: it is not there
  std::uint64_t count = 0;    // the job's fence; the epoch of the group's term
};

/// The most that answers showed this node of one register.
class Seen {
 public:
  /// Neither the register nor its count is behind what was seen.
  bool allows(const Shown& now) const;
  /// Why it is, of the register `name` whose count is called `count`; "" where it is not.
  std::string why_older(const Shown& now, const std::string& name, const std::string& count) const;
  /// Requires: allows(now).
  void note(const Shown& now);
  /// What was seen before counts no more.
  void restart(const Shown& now) { most_ = now; }
  const Shown& most() const { return most_; }

 private:
  Shown most_;
};

class StoreGuard {
 public:
  /// `revision`: highest that the session has seen (0: none).
  void on_opened(std::uint64_t revision);
  void on_renewal_sent() { at_renewal_ = highest_; }
  /// True where it shows that the store has gone back.
  bool on_renewed(std::uint64_t revision) { return advance_revision(revision, at_renewal_); }
  bool on_elected(std::uint64_t revision) { return advance_revision(revision, at_opening_); }

  /// So often the store was seen to have gone back,
  int times() const { return times_; }
  /// and how it was, the last time.
  const std::string& how() const { return how_; }

  /// A repair must be known here before the store goes back again: later it could not be distinguished from one of
  /// before. So groups' registers are listed, rarer each time, from the moment that the store has gone back.
  void begin_lists(SteadyTime now);
  void next_list(SteadyTime now);
  void end_lists() { list_at_.reset(); }
  std::optional<SteadyTime> list_at() const { return list_at_; }

 private:
  bool advance_revision(std::uint64_t revision, std::uint64_t before);

  std::uint64_t highest_ = 0;
  std::uint64_t at_opening_ = 0, at_renewal_ = 0;  // the highest then
  int times_ = 0;
  std::string how_;
  std::optional<SteadyTime> list_at_;
  Millis list_pause_{0};
};

/// The same for one group.
class GroupGuard {
 public:
  GroupGuard() = default;
  /// Of a group that is known from now on: what the store did before does not concern it.
  explicit GroupGuard(const StoreGuard& store) : times_(store.times()) {}

  /// A term begins, and its register shows `now`. Why nothing of the group may be launched; "" where nothing speaks
  /// against it, and then it is noted.
  std::string verify(const StoreGuard& store, const Shown& now, const std::string& group);
  /// Its register, as anybody may read it, shows a repair that was not known.
  void learn_repair(const StoreGuard& store, const Shown& now);
  /// This node has repaired it, or has written its register.
  void on_repaired(const StoreGuard& store, const Shown& now);
  void on_written(std::uint64_t version);
  bool knows_of(const StoreGuard& store) const { return times_ == store.times(); }
  std::uint64_t repair() const { return seen_.most().repair; }

 private:
  Seen seen_;
  int times_ = 0;  // so often the store had gone back when the group was last verified
};

}  // namespace ballot::core
