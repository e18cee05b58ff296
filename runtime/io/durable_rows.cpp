#include "io/durable_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/failpoint.hpp"
#include "io/clocks.hpp"

namespace ballot::io {
namespace {

constexpr Millis ledger_patience{10'000};  // for the ends of runs to be stored
constexpr Millis stuck_patience{500};      // in a stop, for a ledger that can store nothing
constexpr Millis record_pause{100};        // in which rows gather for one flush of the ledger

}  // namespace

DurableRows::DurableRows(MainLoop& loop, LedgerSink& ledger, Log log, std::function<void(core::RowsDurable)> tell)
    : loop_(loop),
      ledger_(ledger),
      log_(std::move(log)),
      tell_(std::move(tell)),
      self_(std::make_shared<DurableRows*>(this)),
      flush_timer_(loop.context(), [this] { flush(); }),
      patience_timer_(loop.context(), [this] { wait_no_longer(); }) {}

DurableRows::~DurableRows() { *self_ = nullptr; }

void DurableRows::await(const runner::AttemptId& id) {
  awaited_.ids.push_back(id);
  begin_flush();
}

void DurableRows::await(core::Settled settled) {
  awaited_.settled.push_back(std::move(settled));
  begin_flush();
}

void DurableRows::hurry() {
  stopping_ = true;
  if (waits_) arm_patience();
}

void DurableRows::finish(std::function<void()> done) {
  done_ = std::move(done);
  arm_patience();
  ledger_.flush([&loop = loop_, self = self_] {
    loop.post([self] {
      if (*self) (*self)->end();
    });
  });
}

void DurableRows::begin_flush() {
  if (awaited_.empty()) return;
  if (!std::exchange(waits_, true)) arm_patience();
  if (std::exchange(flushing_, true)) return;
  flush_timer_.arm(read_clocks().steady + record_pause);
}

void DurableRows::flush() {
  flushed_ = std::exchange(awaited_, {});
  ledger_.flush([&loop = loop_, self = self_] {
    loop.post([self] {
      if (!*self) return;
      BALLOT_FAILPOINT("io.recorded");
      (*self)->on_flushed();
    });
  });
}

void DurableRows::on_flushed() {
  flushing_ = waits_ = false;
  patience_timer_.disarm();
  if (!flushed_.empty()) tell_(std::exchange(flushed_, {}));
  begin_flush();
}

void DurableRows::arm_patience() {
  const Millis patience = BALLOT_FAILS("io.ledger_patience") ? ledger_patience / 10 : ledger_patience;
  const SteadyTime now = read_clocks().steady;
  until_ = now + patience;
  patience_timer_.arm(stopping_ ? now + stuck_patience : until_);
}

/// A stop asks now and then whether there is anything to wait for.
bool DurableRows::may_wait() {
  const SteadyTime now = read_clocks().steady;
  if (!stopping_ || ledger_.is_stuck() || now >= until_) return false;
  patience_timer_.arm(std::min(now + stuck_patience, until_));
  return true;
}

void DurableRows::wait_no_longer() {
  if (may_wait()) return;
  if (done_) return end();
  waits_ = false;
  core::RowsDurable all = std::exchange(flushed_, {});
  all.ids.insert(all.ids.end(), awaited_.ids.begin(), awaited_.ids.end());
  all.settled.insert(all.settled.end(), awaited_.settled.begin(), awaited_.settled.end());
  awaited_ = {};
  if (all.empty()) return;
  log_(Level::error, "the ledger stores nothing: what is on no disk yet leaves the registers",
       {{"runs", std::to_string(all.ids.size())}, {"registers", std::to_string(all.settled.size())}});
  tell_(std::move(all));
}

void DurableRows::end() {
  if (const auto done = std::exchange(done_, nullptr)) done();
}

}  // namespace ballot::io
