// JobWrites: a job's register writes, from what the parts have for them to what becomes of the parts once their fate is
// known. The states of a write are in register_writer.hpp.
//
//   done        rows are recorded, what is closed is forgotten, the claimed run is launched
//   failed      nothing happened: what was decided is decided anew, who waits for it is refused
//   unknown     the identical write is repeated, then the register is read: ours; or not, and as failed
//
//   JobWrites writes{c, job, machine};
//   if (!writes.write_ahead()) writes.send(writes.begin(disposition_limit));
//
// Pure; made for one call; used by JobMachine and JobClaims. Knows nothing of why something is written.
#pragma once

#include <optional>
#include <string>

#include "core/job/job_parts.hpp"

namespace ballot::core {

class JobWrites {
 public:
  JobWrites(Context& c, JobParts& job, JobMachine& machine) : c_(c), job_(job), machine_(machine) {}

  /// A write that carries at most so many of the decided ranges, and closes what can be closed.
  PendingWrite begin(std::size_t most_decided);
  void carry(PendingWrite& write, const Disposition& range) const;
  void send(PendingWrite write);
  /// Where its time has come: the write in flight, or the reading of what became of it.
  void repeat();
  /// More is decided than the next write has room for: some of it is written first, or waits for the ledger to have
  /// what the register still carries. True if so.
  bool write_ahead();
  /// Writes what is decided and closes what has ended, when it has waited long enough.
  void flush();

  void confirm(std::uint64_t version);
  /// Nothing was written, for want of space perhaps: no claim, no launch, and tried again.
  void fail();
  /// Nothing was written: the claimed run never was, and its slot is decided anew. Who asked by hand may ask again.
  void give_up(const PendingWrite& write);
  /// The answer to a write of a term that is over. What landed has happened, but a run that it claims is not started.
  /// A write whose outcome is still unknown then is decided when the register is read again.
  void settle_late(const WriteAnswer& answer);

  /// The register is what this term goes on from.
  void take_up();
  /// The register was read again in the same term; `known` is the version before.
  void go_on_from_store(std::uint64_t known);
  /// Clients that wait for an answer get it: the request will not be done.
  void refuse_asked(const std::string& why);
  /// For who has ended the job's pause.
  Answer resume_answer() const;
  Answer pause_answer(const std::string& before) const;

 private:
  std::optional<WallTime> resumed_by(const PendingWrite& write) const;
  void copy_dispositions();
  void settle_open_runs();
  void answer_queued(const QueueRun& queue);
  void note_fence(const JobRegister& stored);
  void record_decided(PendingWrite& write);
  void record_pause(const JobRegister& paused, std::optional<WallTime> until);
  void record_resumption(const PauseEnd& end);
  bool has_other_terms(const PendingWrite& write) const;
  void record_pauses(const PendingWrite& write);
  void record_definition(std::uint64_t before, Basis basis);
  Row row_like(const JobRegister& in) const;

  Context& c_;
  JobParts& job_;
  JobMachine& machine_;
};

}  // namespace ballot::core
