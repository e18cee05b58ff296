// The means that a job has in a step, and the place where it leaves its wants: Core makes the Context, and carries out
// the Wants when the job is done.
//
// Plain values. Knows nothing of how a job decides; used on the loop thread by Core, JobMachine and its parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "core/action.hpp"
#include "core/event.hpp"
#include "core/record/led_span.hpp"
#include "core/session/session.hpp"

namespace ballot::core {

inline constexpr Millis retry_delay{1000};  // after the store refused a write for want of space, or did not answer

/// The settings that the core was made with.
struct CoreSettings {
  std::string node;
  std::string boot_id;
  std::string machine_id;
  std::string runner_socket;  // where this node's runner listens, for other nodes of this host; "": they may not ask it
  WallTime booted_at{};
  bool dry_run = false;
  std::uint64_t seed = 0;
  std::size_t most_writes = 5000;  // registers in flight at once: each is kept twice meanwhile
  int max_running = 0;             // runs of this node at once; 0: no limit
  bool spread = false;             // groups without a preferred node are led by whom their names choose
  std::string store_place{};       // where the store is, in the words of this node's configuration
  std::string api{};               // the URL by which other nodes ask this one; "": they cannot
};

/// One unbroken leadership of a group by this node.
struct Term {
  std::string group;
  std::uint64_t epoch = 0;
  WallTime elected_at{};
  SteadyTime elected{};             // this session led it then
  std::vector<LedSpan> led_before;  // by terms before it, as far as it knows: what Coverage wants
  std::optional<SteadyTime> old_deadline;
  std::string only_before;       // the node of the one term that `old_deadline` is of; "" where it may be of several
  std::uint64_t left_clean = 0;  // the epoch of the term before, where it ended in a clean way: its node lived
  bool draining = false;         // a clean stop, or an eviction: nothing new is claimed
  bool limited = false;          // only so many runs of the group may go on at once
  bool paused = false;           // the whole group,
  std::string paused_facts;      // since when and by whom: see pause_answers.hpp
  std::string halted;            // why the whole group is; "" where it is not
  std::uint64_t repair = 0;      // the number of the group's last repair;
  bool repairing = false;        // it is under way

  /// When it was elected, by the clock as it is now: it may have been ahead then, and set since.
  WallTime elected_by(Now now) const { return std::min(elected_at, now.wall - (now.steady - elected)); }
};

class Chains;
class JobMachine;

/// A register write of a job; its answer comes back with the serial, by which the job knows it.
struct JobWrite {
  JobMachine* job = nullptr;
  std::uint64_t serial = 0;
  RegisterWrite request;
};

/// A write that is not sent, and counts as refused.
struct Unwritten {
  std::string name;
  std::string why;
};

/// A job that would begin a run where only so many may go on at once.
struct PlaceWanted {
  JobMachine* job = nullptr;
  int priority = 0;
  WallTime waits_since{};
};

/// The answer to a request; none: it was withdrawn.
struct Answered {
  RunId request;
  std::optional<Answer> answer;
};

/// The wants of jobs and groups in a step, which the store is asked for.
struct Wants {
  std::vector<JobWrite> writes;
  std::vector<Unwritten> unwritten;        // registers that no store has room for
  std::vector<JobMachine*> reads;          // jobs whose register must be read again
  std::vector<JobMachine*> changed;        // jobs whose register may have another owner now
  std::vector<const JobMachine*> settled;  // jobs whose register says more: those in one chain with them may go on
  std::vector<JobMachine*> throttled;      // jobs that would begin a write: too many are in flight
  std::vector<PlaceWanted> places;         // answered by an advance() with Context::granted
  std::vector<std::string> reelect;        // groups to be resigned: a run's policy says so
  std::vector<std::string> resigns;        // groups that are resigned, at the end of the step
  std::vector<Answered> answers;
  std::vector<Row> awaited;                             // ends of runs that whoever triggered them waits for
  std::vector<Row> outcomes;                            // ends to be published
  std::vector<std::pair<std::string, RunId>> replaced;  // runs that another node has, of a job: to be killed there
  std::vector<std::string> removals;                    // records that nobody needs any more
  bool published = false;                               // what others have published of ends is to be read again
  std::set<std::string> silent_nodes;                   // nodes with runs of a dead term: their runners are asked
  std::vector<KnownRow> known;                          // what registers have shown, for the ledger
};

/// The means that a job has in a step, and the place where it leaves its wants.
struct Context {
  Now now;
  const CoreSettings& settings;
  const Session& session;
  const Inventory& inventory;
  const Chains& chains;  // which jobs come after which
  const std::map<runner::AttemptId, Row>&
      recorded;  // ends of this node's runs, by its ledger, while it takes up registers
  const std::map<runner::AttemptId, Row>& outcomes;  // of a term's open runs, as published, while it takes over
  bool runner = true;                                // the runner is there: what is launched arrives
  std::size_t room = 0;                              // so many register writes may still be begun
  bool node_limited = false;                         // only so many runs may go on on this node at once
  const JobMachine* granted = nullptr;               // may begin one
  Random& random;
  Actions& out;
  Wants& wants;

  bool may_claim(Millis budget) const { return runner && session.may_claim(now, budget); }
  bool may_start_unclaimed(Millis budget) const { return runner && session.may_act(now, budget); }
};

}  // namespace ballot::core
