#include "core/node/node_health.hpp"

#include <utility>

namespace ballot::core {
namespace {

constexpr Millis clock_alarm{1000}, clock_limit{10'000};

}  // namespace

/// Nothing is claimed or launched until it is there again and has sent its inventory.
NodeHealth::Change NodeHealth::on_runner_gone() {
  has_runner_ = false;
  return on_silence({});
}

NodeHealth::Change NodeHealth::on_silence(const RunnerSilence& silence) {
  const bool was_for_long = std::exchange(silence_, silence).for_long;
  if (was_for_long == silence.for_long) return {};
  Notice notice = silence.for_long
                      ? Notice{Level::error, "the runner does not answer: this node gives its groups away", {}}
                      : Notice{Level::info, "this node takes part in elections again", {}};
  return {{std::move(notice)}, true};
}

/// A node whose clock is wrong decides wrongly what is due.
NodeHealth::Change NodeHealth::on_clock(Millis error) {
  const Millis off = error < Millis(0) ? -error : error;
  const bool alarm = off > clock_alarm, wrong = off > clock_limit;
  const Clock before = std::exchange(clock_, wrong ? Clock::wrong : alarm ? Clock::skewed : Clock::right);
  const std::string text = "clock skew: this clock is " + std::to_string(off.count()) + " ms " +
                           (error < Millis(0) ? "behind" : "before") + " the store's";
  Change change;
  if (clock_ == Clock::skewed && before == Clock::right)
    change.notices.push_back({Level::error, text + "; beyond 10 s this node leads nothing", {}});
  if (clock_ == Clock::wrong && before != Clock::wrong)
    change.notices.push_back({Level::error, text + ": this node leads nothing", {}});
  if (clock_ == Clock::right && before != Clock::right)
    change.notices.push_back({Level::info, "no clock skew any more", {}});
  change.of_eligibility = (clock_ == Clock::wrong) != (before == Clock::wrong);
  return change;
}

NodeHealth::Change NodeHealth::on_unfit(const std::string& why) {
  const std::string before = std::exchange(unfit_, why);
  if (before == why) return {};
  Notice notice = why.empty()
                      ? Notice{Level::info, "fit to lead again", {}}
                      : Notice{Level::warn, "not fit to lead: " + why + ": this node gives its groups away", {}};
  return {{std::move(notice)}, before.empty() != why.empty()};
}

std::string NodeHealth::unfit() const {
  if (!has_runner_) return "its runner is gone";
  if (silence_.is_silent) return "its runner does not answer";
  if (clock_ == Clock::wrong) return "its clock is wrong";
  return unfit_;
}

}  // namespace ballot::core
