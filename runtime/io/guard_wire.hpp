// Messages between `ballot run` and its guard, over a socket between two forks of one program: a packet each.
#pragma once

#include <cstdint>

namespace ballot::io {

/// To the guard. With start, four descriptors may come along (ChildPipes), and behind it follow the variables of the
/// child, each with its NUL.
struct GuardOrder {
  enum class Kind : std::int32_t {
    start,  // at: launch not after
    lease,  // at: the deadline; grace: how long before it what is lost begins
    lost,   // the term is over: begin what is lost
    won,    // the child is to know that it leads
    end,    // the signal, then KILL after the grace
    leave   // `ballot` has left its election, or will not: nobody resigns for it
  };
  Kind kind = Kind::start;
  std::int32_t signal = 0;
  std::int64_t at = 0, grace = 0;  // milliseconds; at: of the boot clock
};

struct GuardReport {
  enum class Kind : std::int32_t {
    started,       // pid
    too_late,      // nothing was exec'd
    cannot_start,  // value: errno
    ended          // value: the wait status; by_lease: it was being ended as its term was over
  };
  Kind kind = Kind::started;
  std::int32_t pid = 0, value = 0, by_lease = 0;
};

}  // namespace ballot::io
