#include "app/output_follower.hpp"

#include <poll.h>
#include <unistd.h>

#include <iostream>

#include "app/ledger_access.hpp"

namespace ballot::app {
namespace {

constexpr int poll_interval_ms = 200;

bool is_open(const Row& row) {
  return row.status == Status::queued || row.status == Status::claimed || row.status == Status::running;
}

}  // namespace

OutputFollower::OutputFollower(const config::Config& config, storage::Reader& ledger, std::ostream& out)
    : config_(config), ledger_(ledger), out_(out) {}

void OutputFollower::begin(const runner::AttemptId& attempt) {
  attempt_ = attempt;
  printer_.emplace(out_, ::isatty(STDOUT_FILENO) != 0 ? OutputText::harmless : OutputText::as_it_is);
  ended_ = false;
}

Result<OutputStep> OutputFollower::step() {
  if (ended_) return OutputStep::ended;
  const auto is_here = print_live();
  if (is_here && *is_here) return ended_ ? OutputStep::ended : OutputStep::goes_on;
  flush_ledger(config_);
  const auto kept = print_kept();
  const bool wants_runner = kept && *kept == OutputStep::goes_on && !is_here;
  return wants_runner ? Result<OutputStep>(is_here.error()) : kept;
}

/// False: the runner does not have it.
Result<bool> OutputFollower::print_live() {
  if (!live_) {
    auto live = LiveOutput::connect(config_.run_dir + "/runner.sock");
    if (!live) return live.error();
    live_ = std::move(*live);
  }
  while (true) {
    auto shown = live_->ask(attempt_, printer_->at());
    if (!shown) {
      live_.reset();
      return shown.error();
    }
    if (!shown->known) return false;
    printer_->print(OutputPiece{shown->begin, std::move(shown->bytes)});
    if (printer_->at() < shown->total) continue;
    ended_ = shown->ended;
    if (ended_) printer_->finish();
    return true;
  }
}

Result<OutputStep> OutputFollower::print_kept() {
  const auto row = attempt_row(ledger_, attempt_.run, attempt_.attempt);
  if (!row && row.error().code == Errc::not_found) return OutputStep::unknown;
  if (!row) return row.error();
  if (is_open(*row)) {
    node_ = row->node;
    return node_.empty() || node_ == config_.node ? OutputStep::goes_on : OutputStep::elsewhere;
  }
  const auto output = ledger_.output(attempt_.run, attempt_.attempt);
  if (!output) return output.error();
  printer_->print(*output);
  printer_->finish();
  ended_ = true;
  return OutputStep::ended;
}

Result<Row> attempt_row(storage::Reader& ledger, const RunId& run, const std::optional<std::int64_t>& attempt) {
  std::optional<Row> found;
  const auto page = ledger.history({.run = run, .limit = std::nullopt}, [&](const Row& row) {
    if (!attempt || row.attempt == *attempt) found = row;
    return !found;
  });
  if (!page) return page.error();
  if (found) return *std::move(found);
  return Error{Errc::not_found, "run " + run.text() + " has no attempt " + (attempt ? std::to_string(*attempt) : "") +
                                    " in this node's ledger"};
}

bool wait_while_read() {
  std::cout.flush();
  pollfd out{STDOUT_FILENO, 0, 0};
  ::poll(&out, 1, poll_interval_ms);
  return (out.revents & POLLERR) == 0 && std::cout.good();
}

}  // namespace ballot::app
