// RegisterWriter: the one write of a job's register that may be in flight, when the next one is due, and what every
// write carries on until this node's ledger has it.
//
//   the write | event                              | next
//   none      | send()                             | sent
//   sent      | done, or taken                     | none
//   sent      | unknown                            | repeated, identical, a little later
//   sent      | failed                             | none, and retried a second later; after an unknown outcome: read
//   sent      | conflict, not leader               | read: the register itself says whether it was ours
//   read      | what it shows; no answer           | none; read again a little later
//
//   RegisterWriter writer;
//   PendingWrite write = writer.begin(stored, term);
//   request(writer.send(std::move(write), name, term, version));
//   if (writer.on_answer(answer, now) == RegisterWriter::Next::confirm) confirm(*writer.take());
//
// Pure. Knows nothing of what a write is for; used by JobMachine only.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "core/job/register/pending_write.hpp"
#include "core/job/slots/settlement.hpp"

namespace ballot::core {

class RegisterWriter {
 public:
  void begin_term() { retry_at_.reset(); }
  void end_term() { confirmed(); }

  /// A write of the term, which changes nothing yet.
  PendingWrite begin(const JobRegister& stored, const Term& term) const;
  const PendingWrite& send(PendingWrite write, const std::string& job, const Term& term, std::uint64_t version);
  /// In flight; null where none is.
  const PendingWrite* pending() const { return pending_.get(); }
  /// Ends the write in flight: its answer is known, or does not matter.
  std::unique_ptr<PendingWrite> take() { return std::move(pending_); }
  void drop() { pending_.reset(); }
  /// Takes the slots that the write settles for decided, and the due slot that it claims for begun, whatever becomes of
  /// the write. Returns that slot's run.
  std::optional<runner::AttemptId> detach();

  enum class Next { wait, confirm, failed, read };
  Next on_answer(const WriteAnswer& answer, SteadyTime now);
  enum class Repeat { none, write, read };
  Repeat repeat(SteadyTime now);
  bool is_reading() const { return pending_ && pending_->reading; }
  /// The register could not be read.
  void read_later(SteadyTime now);

  /// After the store refused a write, or another term's was found there.
  void retry_later(SteadyTime now) { retry_at_ = now + retry_delay; }
  bool may_begin(SteadyTime now);
  /// Decided slots or ended runs have waited long enough for a write of their own.
  bool is_flush_due(const Settlement& decided, bool closable, bool draining, SteadyTime now);
  void confirmed() { flush_at_.reset(), close_at_.reset(); }
  /// No write may be begun in this step.
  void block_writes(bool blocked) { write_blocked_ = blocked; }
  bool are_writes_blocked() const { return write_blocked_; }

  /// The rows of the register's last `ranges` ranges are recorded. Until they are durable each write carries these on:
  /// a daemon that is killed before leaves them to whoever reads the register next.
  void await_settled(Context& c, const std::string& job, std::size_t ranges);
  /// The same of all of them; what this node knew of the register before does not count any more.
  void await_all_settled(Context& c, const std::string& job, std::size_t ranges);
  /// True where there was no room for more of them.
  bool on_recorded(const Settled& settled);
  std::size_t carried() const { return ranges_recorded_ - ranges_durable_; }
  std::size_t room_to_carry() const { return disposition_limit - std::min(disposition_limit, carried()); }

  std::optional<SteadyTime> retry_at() const { return retry_at_; }
  std::optional<SteadyTime> flush_at() const { return flush_at_; }
  std::optional<SteadyTime> close_at() const { return close_at_; }

 private:
  std::unique_ptr<PendingWrite> pending_;
  OptionalTime<SteadyTime> retry_at_, flush_at_, close_at_;
  // Ranges that were recorded in this node's ledger, and how many of them are durable: the others, the register's last
  // ones, are carried by each write.
  std::uint32_t ranges_recorded_ = 0, ranges_durable_ = 0;
  std::uint32_t last_serial_ = 0;
  bool write_blocked_ = false;
};

}  // namespace ballot::core
