// NodeHealth: what speaks against this node leading anything: its runner, its clock beside the store's, and what the
// store says of it.
//
//   runner  | event                        | next
//   none    | its inventory                | there
//   there   | it does not answer           | silent: nothing is claimed
//   silent  | for long                     | silent for long: this node gives its groups away
//   silent  | it answers                   | there
//   any     | it is gone                   | none
//
//   clock   | the store's clock            | next
//   any     | within 1 s                   | right
//   any     | further away                 | skewed, which is logged
//   any     | more than 10 s away          | wrong: this node leads nothing
//
//   store   | it says that the node is ... | next
//   any     | unfit, and why               | unfit: this node gives its groups away
//   any     | fit; the session is over     | fit
//
// Pure; used by Core only.
#pragma once

#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "core/action.hpp"
#include "core/event.hpp"

namespace ballot::core {

class NodeHealth {
 public:
  enum class Clock { right, skewed, wrong };

  /// A line for the log; and that this node may lead groups that it could not lead before, or the reverse.
  struct Change {
    std::vector<Notice> notices{};
    bool of_eligibility = false;
  };

  void on_inventory() { has_runner_ = true; }
  Change on_runner_gone();
  Change on_silence(const RunnerSilence& silence);
  /// `error`: how far this clock is before (or, negative, behind) the store's.
  Change on_clock(Millis error);
  /// The store's reason why this node is to lead nothing; "": there is none.
  Change on_unfit(const std::string& why);
  /// The session is over.
  void forget_unfit() { unfit_.clear(); }

  /// The runner is there, and answers.
  bool has_runner() const { return has_runner_ && !silence_.is_silent; }
  bool runner_is_silent() const { return has_runner_ && silence_.is_silent; }
  Clock clock() const { return clock_; }
  /// Its clock is not wrong, its runner not silent for long, and the store says nothing against it.
  bool may_lead() const { return clock_ != Clock::wrong && !silence_.for_long && unfit_.empty(); }
  /// Why it is to be handed nothing; "" where it may be.
  std::string unfit() const;

 private:
  bool has_runner_ = false;
  RunnerSilence silence_;
  Clock clock_ = Clock::right;
  std::string unfit_;  // as the store says
};

}  // namespace ballot::core
