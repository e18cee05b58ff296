#include "core/job/register/register_writer.hpp"

#include <utility>

namespace ballot::core {
namespace {

constexpr Millis close_delay{250};   // ended runs are closed with the next claim, or this much later
constexpr Millis flush_delay{5000};  // decided slots are written with the next claim, or this much later
constexpr Millis repeat_pause{200};

}  // namespace

PendingWrite RegisterWriter::begin(const JobRegister& stored, const Term& term) const {
  PendingWrite write;
  write.next = stored;
  JobRegister& next = write.next;
  if (next.group != term.group) next.group = term.group;
  next.epoch = term.epoch;
  const std::size_t carries = std::min(carried(), next.dispositions.size());
  next.dispositions.erase(next.dispositions.begin(), next.dispositions.end() - static_cast<std::ptrdiff_t>(carries));
  return write;
}

const PendingWrite& RegisterWriter::send(PendingWrite write, const std::string& job, const Term& term,
                                         std::uint64_t version) {
  write.serial = ++last_serial_;
  write.request = {term.group, term.epoch, job_register(job), to_text(write.next), version};
  pending_ = std::make_unique<PendingWrite>(std::move(write));
  return *pending_;
}

std::optional<runner::AttemptId> RegisterWriter::detach() {
  std::optional<runner::AttemptId> claimed;
  if (const auto* slot = pending_->intent_as<ClaimDueSlot>()) claimed = slot->run;
  if (claimed || pending_->is<Settle>()) pending_->intent = CatchUp{};
  pending_->is_detached = true;
  return claimed;
}

RegisterWriter::Next RegisterWriter::on_answer(const WriteAnswer& answer, SteadyTime now) {
  switch (answer.outcome) {
    case StoreResult::done: return Next::confirm;
    case StoreResult::unknown:
      pending_->unknown = true;
      pending_->repeat_at = now + repeat_pause;
      return Next::wait;
    case StoreResult::failed:
      if (!pending_->unknown) return Next::failed;
      [[fallthrough]];  // this one has not happened, but an earlier sending of it may have
    case StoreResult::conflict:
    case StoreResult::not_leader: break;
  }
  pending_->reading = true;
  return Next::read;
}

RegisterWriter::Repeat RegisterWriter::repeat(SteadyTime now) {
  if (!pending_ || !pending_->repeat_at || *pending_->repeat_at > now) return Repeat::none;
  pending_->repeat_at.reset();
  return pending_->reading ? Repeat::read : Repeat::write;
}

void RegisterWriter::read_later(SteadyTime now) {
  if (is_reading()) pending_->repeat_at = now + repeat_pause;
}

bool RegisterWriter::may_begin(SteadyTime now) {
  if (retry_at_ && now < *retry_at_) return false;
  retry_at_.reset();
  return true;
}

bool RegisterWriter::is_flush_due(const Settlement& decided, bool closable, bool draining, SteadyTime now) {
  if (!decided.has_decided() || room_to_carry() == 0)
    flush_at_.reset();
  else if (!flush_at_)
    flush_at_ = now + flush_delay;
  if (!closable)
    close_at_.reset();
  else if (!close_at_)
    close_at_ = now + close_delay;
  const bool due = (flush_at_ && (*flush_at_ <= now || decided.decided_count() >= disposition_limit)) ||
                   (close_at_ && *close_at_ <= now);
  return due || ((flush_at_ || close_at_) && draining);
}

void RegisterWriter::await_settled(Context& c, const std::string& job, std::size_t ranges) {
  if (ranges == 0) return;
  ranges_recorded_ += static_cast<std::uint32_t>(ranges);
  c.out.push_back(AwaitSettled{{job, ranges_recorded_}});
}

void RegisterWriter::await_all_settled(Context& c, const std::string& job, std::size_t ranges) {
  ranges_durable_ = ranges_recorded_;
  await_settled(c, job, ranges);
}

bool RegisterWriter::on_recorded(const Settled& settled) {
  const bool was_full = room_to_carry() == 0;
  ranges_durable_ = std::max(ranges_durable_, settled.ranges);
  return was_full;
}

}  // namespace ballot::core
