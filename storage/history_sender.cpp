#include "storage/history_sender.hpp"

#include <algorithm>
#include <utility>

namespace ballot::storage {
namespace {

constexpr int most_conflicts = 3;

}  // namespace

HistorySender::Step HistorySender::next(SteadyTime now) {
  SteadyTime until = until_;
  if (state_ == State::resting && recorded_since_read_) until = std::min(until, *recorded_since_read_ + times_.gather);
  if (state_ == State::waiting && now >= until) state_ = State::asking;
  if (state_ == State::resting && now >= until) state_ = State::reading;
  switch (state_) {
    case State::asking: return {Do::ask};
    case State::reading: recorded_since_read_.reset(); return {Do::read, line_.change};
    case State::putting: return {Do::put};
    case State::renewing: return {Do::renew};
    case State::resting:
    case State::waiting: break;
  }
  return {Do::rest, 0, until, state_ == State::waiting};
}

void HistorySender::asked(const Result<LedgerLine>& line, bool goes_on, SteadyTime now) {
  if (!line) return failed(line.error(), now);
  line_ = *line;
  state_ = State::reading;
  const Error put_back{Errc::conflict,
                       "the ledger is not what the history has of it, but a copy that was put back: it gets a new "
                       "identity"};
  if (line_.node != node_)
    renew({Errc::conflict, "the ledger is a copy of node " + line_.node + "'s: it gets an identity of its own"}, now);
  else if (!goes_on || (line_.newest > newest_ && line_.opening == opening_))
    renew(put_back, now);
}

void HistorySender::read(const Result<OutboxPart>& part, SteadyTime now) {
  if (!part) return failed(part.error(), now);
  const LedgerBatch& batch = part->batch;
  if (batch.opening != opening_) opening_ = batch.opening, newest_ = 0;
  if (batch.ledger != line_.ledger || part->newest < line_.change) {  // begun anew, or put back
    state_ = State::asking;
    return;
  }
  const bool is_new = batch.last > line_.change || !batch.partial.empty();
  if (!is_new && now < heard_ + times_.heard_every) return rest();
  state_ = State::putting;
  put_to_ = batch.last;
  puts_all_ = part->is_all;
  newest_ = batch.newest;
}

/// Nothing is left but what was recorded since it was read.
void HistorySender::rest() {
  unsent_since_ = recorded_since_read_;
  state_ = State::resting;
  until_ = heard_ + times_.heard_every;
}

void HistorySender::put(const Result<PutResult>& result, SteadyTime now) {
  if (!result && result.error().code == Errc::conflict && ++conflicts_ < most_conflicts) {
    state_ = State::asking;
    return;
  }
  if (!result && result.error().code == Errc::conflict)
    return renew({Errc::conflict, "somebody else hands on a copy of the ledger: this one gets a new identity"}, now);
  if (!result) return failed(result.error(), now);
  too_old_ += result->too_old;
  line_.change = put_to_;
  state_ = State::reading;
  progress(now);
  if (puts_all_) rest();
}

void HistorySender::renewed(const Result<void>& result, SteadyTime now) {
  if (!result) return failed(result.error(), now);
  ++renewals_;
  line_ = {};
  state_ = State::asking;
}

void HistorySender::recorded(SteadyTime now) {
  if (!recorded_since_read_) recorded_since_read_ = now;
  if (!unsent_since_) unsent_since_ = now;
}

const HistorySender::Trouble* HistorySender::trouble(SteadyTime now) const {
  return failing_ && now - failing_->since >= times_.patience ? &*failing_ : nullptr;
}

void HistorySender::failed(const Error& why, SteadyTime now) {
  delay_ = delay_ == Millis(0) ? times_.retry_first : std::min(2 * delay_, times_.retry_most);
  state_ = State::waiting;
  until_ = now + delay_;
  if (failing_)
    failing_->why = why;
  else
    failing_ = Trouble{why, now};
}

void HistorySender::progress(SteadyTime now) {
  heard_ = now;
  delay_ = Millis(0);
  conflicts_ = 0;
  renewed_last_ = false;
  failing_.reset();
}

/// A second time without anything put in between does not help: it waits, as for any error.
void HistorySender::renew(Error why, SteadyTime now) {
  conflicts_ = 0;
  if (std::exchange(renewed_last_, true)) {
    renewed_last_ = false;
    return failed(why, now);
  }
  state_ = State::renewing;
}

}  // namespace ballot::storage
