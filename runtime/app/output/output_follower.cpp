#include "app/output/output_follower.hpp"

#include <poll.h>
#include <unistd.h>

#include <iostream>

namespace ballot::app {
namespace {

constexpr int poll_interval_ms = 200;

}  // namespace

void OutputFollower::begin(const runner::AttemptId& attempt) {
  attempt_ = attempt;
  printer_.emplace(out_, ::isatty(STDOUT_FILENO) != 0 ? OutputText::harmless : OutputText::as_it_is);
  ended_ = false;
}

Result<OutputStep> OutputFollower::step() {
  while (!ended_) {
    const auto shown = ledger_.output(attempt_, printer_->at());
    if (!shown && shown.error().code == Errc::not_found) return OutputStep::unknown;
    if (!shown) return shown.error();
    node_ = shown->node;
    if (shown->place == library::ShownOutput::Place::elsewhere) return OutputStep::elsewhere;
    if (shown->place == library::ShownOutput::Place::lost) return OutputStep::lost;
    as_of_ = shown->as_of;
    // Of one that has ended, or whose node does not answer, whoever has answered has more.
    if (ledger_.is_of_fleet() && !node_.empty() && !shown->ended && !as_of_) ledger_.narrow(node_);
    const std::int64_t before = printer_->at();
    printer_->print(shown->piece);
    if (printer_->at() > before && printer_->at() < shown->total) continue;
    if (!shown->ended) return OutputStep::goes_on;
    printer_->finish();
    ended_ = true;
  }
  return OutputStep::ended;
}

bool wait_while_read() {
  std::cout.flush();
  pollfd out{STDOUT_FILENO, 0, 0};
  ::poll(&out, 1, poll_interval_ms);
  return (out.revents & POLLERR) == 0 && std::cout.good();
}

}  // namespace ballot::app
