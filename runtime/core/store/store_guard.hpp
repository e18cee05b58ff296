// StoreGuard: whether the store has gone back to an older state: restored from a snapshot, or emptied.
//
// It goes by what the store's answers showed this node, also before its daemon was started (KnownStore). They must not
// fall behind:
//   the store's revision   of a write that was committed later
//   a register's version   and what it counts: a job's fence, the epoch of a group's term
//   a register's repair    a number that each repair of the register raises
// What was seen before a repair counts no more. The number of a repair is larger than that of any repair before, so
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

#include "ballot/ledger.hpp"
#include "ballot/time.hpp"

namespace ballot::core {

/// What a register shows, or the most that it has shown this node.
struct Shown {
  std::uint64_t repair = 0;   // the number of its last repair; 0: none
  std::uint64_t version = 0;  // 0: it is not there
  std::uint64_t count = 0;    // the job's fence; the epoch of the group's term
};

/// The most that answers showed this node of one register.
class Seen {
 public:
  Seen() = default;  ///< nothing
  explicit Seen(const Shown& most) : most_(most) {}

  /// Neither the register nor its count is behind what was seen.
  bool allows(const Shown& now) const;
  /// Why the register `name`, whose count people know as `count`, is older than was seen; "" where it is not.
  std::string why_older(const Shown& now, const std::string& name, const std::string& count) const;
  /// Requires: allows(now).
  void note(const Shown& now);
  /// Forgets what was seen before.
  void restart(const Shown& now) { most_ = now; }
  const Shown& most() const { return most_; }

 private:
  Shown most_;
};

class StoreGuard {
 public:
  /// What a daemon of this node knew of the store before. In the first session, before this node takes part in any
  /// election.
  void recall(std::uint64_t revision, int times);
  /// `revision`: highest that the session has seen (0: none).
  void on_opened(std::uint64_t revision);
  void on_renewal_sent() { at_renewal_ = highest_; }
  /// True: the revision shows that the store has gone back.
  bool on_renewed(std::uint64_t revision) { return advance_revision(revision, at_renewal_); }
  bool on_elected(std::uint64_t revision) { return advance_revision(revision, at_opening_); }
  /// The store has lost a write that it had acknowledged to this session: `what`.
  void on_lost_write(const std::string& what) { on_gone_back("the store has gone back: " + what); }

  /// How often the store was seen to have gone back,
  int times() const { return times_; }
  /// and what showed it the last time.
  const std::string& how() const { return how_; }
  /// The highest revision since then; 0: none is known.
  std::uint64_t highest() const { return highest_; }

  /// This node must know of a repair before the store goes back again, for later it could not be distinguished from an
  /// earlier repair. So the groups' registers are listed: from the moment that the store has gone back, ever more
  /// rarely; once in each session, a while after it was opened; and a few times after somebody has asked for a repair.
  void begin_lists(SteadyTime now);
  void next_list(SteadyTime now);
  void end_lists() { list_at_.reset(); }
  void list_in_session(SteadyTime now);
  void on_repair_asked(SteadyTime now);
  /// True: the list that is due is wanted whatever the groups know.
  bool take_wanted_list();
  std::optional<SteadyTime> list_at() const { return list_at_; }

 private:
  bool advance_revision(std::uint64_t revision, std::uint64_t before);
  void on_gone_back(std::string how);

  std::uint64_t highest_ = 0;
  std::uint64_t at_opening_ = 0, at_renewal_ = 0;  // the highest then
  int times_ = 0;
  std::string how_;
  std::optional<SteadyTime> list_at_;
  Millis list_pause_{0};
  int wanted_lists_ = 0;
};

/// The same for one group. A node that does not lead the group may know what its leader does not: that is evidence,
/// which the node publishes until the group is repaired.
class GroupGuard {
 public:
  GroupGuard() = default;
  /// For a group that becomes known now: earlier times at which the store went back do not concern it.
  explicit GroupGuard(const StoreGuard& store) : times_(store.times()) {}

  /// What a daemon of this node knew of the group before; null: nothing. After that of the store.
  void recall(const StoreGuard& store, const KnownRow* known);

  /// A term begins, and the group's register shows `now`. Returns why nothing of the group may be launched; "" where
  /// the register is sound, which is noted.
  std::string verify(const StoreGuard& store, const Shown& now, const std::string& group);
  /// A list of the groups' registers shows `now`: the number of its repair may be new to this node.
  void learn_repair(const StoreGuard& store, const Shown& now);
  /// A job of the group has an older register than this node has seen, and this node does not lead it: `why`.
  void on_older_job(const std::string& why) { older_job_ = why; }
  /// Why the store has gone back, and no repair of the group since is known here; "" where nothing shows it.
  const std::string& evidence(const StoreGuard& store) const { return knows_times(store) ? older_job_ : store.how(); }
  /// For the ledger.
  KnownRow known(const std::string& group) const;
  /// This node has repaired the group, or has written its register.
  void on_repaired(const StoreGuard& store, const Shown& now);
  void on_written(std::uint64_t version);
  /// Nothing shows that the group is to be repaired, or the repair is known.
  bool knows_of(const StoreGuard& store) const { return evidence(store).empty(); }
  std::uint64_t repair() const { return seen_.most().repair; }

 private:
  bool knows_times(const StoreGuard& store) const { return times_ == store.times(); }
  void on_sound(const StoreGuard& store);

  Seen seen_;
  int times_ = 0;          // so often the store had gone back when the group was last verified
  std::string older_job_;  // why, since then
};

}  // namespace ballot::core
