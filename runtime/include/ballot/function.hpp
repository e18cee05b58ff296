/// \file
/// JobFunction: a job that is a function of the program which embeds ballot, in place of a command.
///
/// \code
///   ballot::JobResult compact(const ballot::RunFacts& run, std::stop_token stop) {
///     while (!stop.stop_requested())
///       if (!store.compact_some(run.fence)) return ballot::JobResult::success();
///     return ballot::JobResult::retry("stopped half way");
///   }
/// \endcode
///
/// A function runs on one thread of the runtime's pool, several at once where several jobs are due; jobs that find no
/// free thread wait, and what waits too long is claimed anew as docs/runs.md says of a start that comes too late. Its
/// `stop` is requested when the job's deadline is past, at `ballot kill`, when a run replaces it, when the runtime
/// stops, and, unless the job says on_leadership_lost = "finish", min(kill_grace, T/10) before the term ends that it
/// runs under.
///
/// A function cannot be forced to end. One that does not return after `stop` keeps its thread and its run stays open,
/// which the log says; past the end of its term another node may run the job beside it, so that what the function
/// changes elsewhere is to be guarded by `fence`. At the end of the process it is lost as a command on a lost node is.
///
/// What it throws does not leave the pool: the run is `failed: exception`, with what() at the end of its output. It
/// must not end its thread (pthread_exit).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot {

/// What a run knows of itself: what a command has in its environment as BALLOT_...
struct RunFacts {
  std::string job;                      ///< `JOB@NODE` where run_on = "each"
  std::string group;                    ///< of the term
  std::string node;                     ///< this one
  RunId run;                            ///< the same over all attempts: the idempotency key
  int attempt = 1;                      ///< from 1 on
  WallTime slot{};                      ///< for which instant: not when it began
  Trigger trigger = Trigger::schedule;  ///< why it was begun
  std::uint64_t epoch = 0;              ///< of the term
  std::uint64_t fence = 0;  ///< grows with each claim of the job; 0: none was confirmed (guarantee = "at-least-once")
  /// Where print() goes; the runtime sets it. Null, as in a test of the function: nowhere.
  std::function<void(std::string_view text)> output = {};
  /// The variables that the run's trigger gave it, of those that the job's `trigger_env` allows.
  std::map<std::string, std::string, std::less<>> env = {};

  /// Adds to the run's output while it goes on, for `ballot output --follow` and Runtime::output(); what its JobResult
  /// says comes after it. Of all that is printed head and tail are kept, half of the job's output_limit each. From any
  /// thread, also several at once; once the function has returned it does nothing.
  void print(std::string_view text) const {
    if (output) output(text);
  }
};

/// How a function ended.
class JobResult {
 public:
  /// In a word.
  enum class Kind {
    success,  ///< `succeeded`
    retry,    ///< `failed: temporary`: another attempt follows while the job has `retries`
    failure,  ///< `failed: permanent`: none follows
  };

  /// `text`: becomes the run's output, after what RunFacts::print() has added; kept as that is.
  ///@{
  static JobResult success(std::string text = {}) { return {Kind::success, std::move(text)}; }
  static JobResult retry(std::string text) { return {Kind::retry, std::move(text)}; }
  static JobResult failure(std::string text) { return {Kind::failure, std::move(text)}; }
  ///@}

  Kind kind() const { return kind_; }                ///< in a word
  const std::string& text() const { return text_; }  ///< the end of the run's output

 private:
  JobResult(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  Kind kind_;
  std::string text_;
};

/// Called on a thread of the pool, also several times at once where the job's `concurrency` is "allow". Signals are
/// blocked on these threads. It is destroyed when its last run has returned, on whichever thread that is.
using JobFunction = std::function<JobResult(const RunFacts& run, std::stop_token stop)>;

}  // namespace ballot
