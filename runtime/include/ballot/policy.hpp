/// \file
/// Policies of a job that most programs and files set: each as the key of its name in docs/jobs.md has it.
#pragma once

#include <cstdint>

namespace ballot {

/// Where a job runs.
enum class RunOn : std::uint8_t {
  leader,  ///< on the node that leads its group
  each     ///< on each node
};

/// Which of the slots that were passed run.
enum class Misfire : std::uint8_t {
  latest,  ///< the newest
  all,     ///< all of them
  skip     ///< none
};

/// How a slot of a job must have ended for the jobs `after` it to begin.
enum class AfterStatus : std::uint8_t {
  succeeded,  ///< its run has succeeded
  failed,     ///< its run has ended, and has not
  ended       ///< its run has ended
};

/// What becomes of a run whose node died.
enum class Guarantee : std::uint8_t {
  at_most_once,  ///< it is lost
  at_least_once  ///< it is repeated
};

/// What becomes of a run whose node loses the group.
enum class OnLeadershipLost : std::uint8_t {
  terminate,  ///< it is ended before another node can lead
  finish      ///< it goes on
};

/// Where a slot goes that lies on a day which the job's calendars leave out.
enum class DayShift : std::uint8_t {
  none,     ///< nowhere: it is skipped
  next,     ///< to the next day that they allow
  previous  ///< to the last one before it
};

}  // namespace ballot
