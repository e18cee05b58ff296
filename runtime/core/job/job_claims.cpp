#include "core/job/job_claims.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/job/chain/chained.hpp"
#include "core/job/chain/upstream.hpp"
#include "core/job/expect/expectations.hpp"
#include "core/job/runs/run_notices.hpp"
#include "core/job/trigger_answers.hpp"

namespace ballot::core {
namespace {

constexpr Millis manual_slack{1000};  // a trigger that is confirmed later past its `until` starts nothing

runner::AttemptId attempt_of(const OpenRun& run) { return {run.id, run.attempt}; }

}  // namespace

JobWrites JobClaims::writes() { return {c_, job_, machine_}; }

/// Whether a run may begin now, or what becomes of it instead: the table in the header.
JobClaims::Admission JobClaims::admit(From from, WallTime waits_since) {
  const Admission by_rule = admit_by_rule(from);
  if (by_rule != Admission::begins) return by_rule;
  if (from == From::ahead ? !job_.may_run_ahead(c_) : !job_.may_claim(c_)) return Admission::waits;
  if (job_.unseen.may_go_on()) return Admission::waits;
  const Concurrency concurrency = job_.definition->job.concurrency;
  const bool is_new = from != From::lost && from != From::waiting;
  if (is_new && from != From::backfill && concurrency == Concurrency::replace) job_.runs.replace(c_, job_.facts());
  const RunList& runs = job_.runs.list();
  const bool in_turn = runs.has_room(job_.definition) && !job_.slots.settlement().first_due() && runs.queued() == 0;
  if (from == From::by_hand && concurrency == Concurrency::queue && !in_turn) return Admission::queues;
  if (from == From::backfill && !in_turn) return Admission::waits;
  return has_room(from) && has_place(waits_since) ? Admission::begins : Admission::waits;
}

/// By what is the same whatever the store does.
JobClaims::Admission JobClaims::admit_by_rule(From from) const {
  const bool by_hand = from == From::by_hand || from == From::chained;
  if (by_hand && job_.is_draining()) return Admission::waits;  // left to the next leader, whatever this one is
  if (!job_.is_defined()) return from == From::lost ? Admission::left : Admission::waits;
  if (c_.settings.dry_run) return from == From::lost ? Admission::left : Admission::dry_run;
  if (job_.is_draining()) return Admission::waits;
  if (from == From::backfill && (job_.is_paused() || job_.is_to_follow())) return Admission::waits;
  const RunList& runs = job_.runs.list();
  const bool overlaps = job_.definition->job.concurrency == Concurrency::skip && !runs.has_room(job_.definition);
  if (!by_hand || !overlaps) return Admission::begins;
  return runs.any([](const LiveRun& run) { return run.is_in_question(); }) ? Admission::waits : Admission::overlap;
}

/// By the job's other runs, and by what its register may hold.
bool JobClaims::has_room(From from) {
  const RunList& runs = job_.runs.list();
  switch (from) {
    case From::lost: return runs.may_go_on(job_.definition);
    case From::waiting: return true;  // that is how it was chosen
    case From::ahead: {
      const PendingWrite* sent = job_.writer.pending();
      return runs.has_room(job_.definition) &&
             !job_.unclaimed.is_full(sent ? sent->next.runs : job_.view.stored().runs);
    }
    case From::due_slot:
    case From::chained:
    case From::backfill:
    case From::by_hand: return runs.has_room(job_.definition) && !job_.is_full();
  }
  return false;
}

/// Where only so many runs may go on at once, on the node or in the group, a run begins when Core grants it a place:
/// jobs of higher priority come first, then those that wait longer.
bool JobClaims::has_place(WallTime waits_since) {
  if (!job_.term->limited && !c_.node_limited) return true;
  if (c_.granted == &machine_) return c_.granted = nullptr, true;
  c_.wants.places.push_back({&machine_, job_.definition ? job_.definition->job.details->priority : 0, waits_since});
  return false;
}

void JobClaims::claim(PendingWrite write, OpenRun run, std::optional<WallTime> begin_by) {
  bind(run, job_.definition->job, job_.term->epoch, c_.settings.node);
  expect(c_, run, job_.definition->job, write.next);
  write.enter(run);
  job_.runs.claim(job_.facts(), std::move(run), !write.is<ClaimWaiting>(), begin_by);
  writes().send(std::move(write));
}

void JobClaims::claim_at_once(OpenRun run, const std::optional<ChainedSlot>& chained,
                              std::optional<WallTime> begin_by) {
  PendingWrite write = writes().begin(0);
  write.intent = ClaimAtOnce{attempt_of(run)};
  if (chained) write.next.kept.edit().chained.push_back(*chained);
  claim(std::move(write), std::move(run), begin_by);
}

OpenRun JobClaims::run_of_slot(const DueSlot& due) const {
  OpenRun run;
  run.id = c_.random.run_id(c_.now.wall);
  run.slot = due.at;
  run.trigger = due.trigger;
  run.late = begins_late(job_.definition, due.due, c_.now.wall);
  if (job_.definition && !job_.definition->job.details->after.empty())
    if (std::string runs = upstream_of(c_, job_.facts(), due.at).runs; !runs.empty())
      run.variables.edit().upstream = std::move(runs);
  return run;
}

/// Slots that are caught up run one after the other, also where the job's runs may go on beside each other.
bool JobClaims::joins_a_catch_up(const DueSlot& due) const {
  const bool allows = job_.definition && job_.definition->job.concurrency == Concurrency::allow;
  return allows && due.trigger == Trigger::catch_up && job_.runs.list().is_catching_up();
}

bool JobClaims::begin_due() {
  const DueSlot* due = job_.slots.settlement().first_due();
  if (!due || joins_a_catch_up(*due)) return false;
  if (admit(From::due_slot, due->waits_since) != Admission::begins) return false;
  if (writes().write_ahead()) return true;
  OpenRun run = run_of_slot(*due);
  PendingWrite write = writes().begin(disposition_limit);
  write.intent = ClaimDueSlot{attempt_of(run)};
  write.pass(due->at);
  write.see_boot(job_.facts(), c_.settings);
  claim(std::move(write), std::move(run));
  return true;
}

/// Begins the next attempt of a run that was lost, under its id. What no file defines any more is not repeated.
bool JobClaims::begin_lost() {
  const LiveRun* lost = job_.runs.list().first_lost(job_.facts());
  if (!lost || !lost->recorded) return false;
  const Admission admission = admit(From::lost, lost->open.slot);
  if (admission == Admission::left) job_.runs.leave_lost(lost->id());
  if (admission != Admission::begins) return false;
  claim_at_once(job_.runs.take_lost(lost->id()));
  return true;
}

/// Begins the attempt whose time has come; a run that is queued when it is next.
bool JobClaims::begin_waiting() {
  const DueSlot* due = job_.slots.settlement().first_due();
  const LiveRun* next =
      job_.runs.list().first_ready(job_.facts(), due ? std::optional(due->due) : std::nullopt, c_.now.steady);
  if (!next) return false;
  const Admission admission = admit(From::waiting, *next->open.waits_until);
  if (admission == Admission::dry_run) job_.runs.end_waiting(c_, job_.facts(), Status::skipped, Reason::dry_run);
  if (admission != Admission::begins) return false;
  PendingWrite write = writes().begin(0);
  OpenRun waited = next->open;
  OpenRun run = job_.runs.take_waiting(next->id());
  write.intent = ClaimWaiting{attempt_of(run), std::move(waited)};
  erase_if(write.next.runs, [&](const OpenRun& open) { return open.id == run.id; });
  claim(std::move(write), std::move(run));
  return true;
}

/// Begins the oldest manual run, queues it, or says why not. What no file defines any more is answered when the
/// register is released.
bool JobClaims::begin_manual() {
  while (const Request* oldest = job_.commands.next_trigger()) {
    const Request request = *oldest;
    if (has_expired(request)) {
      job_.commands.drop_oldest_trigger();
      c_.wants.answers.push_back({request.id, std::nullopt});
      continue;
    }
    if (!has_room_for_env(job_.view.stored(), request)) return false;  // till another run is closed
    if (begins_chain(c_, job_.facts(), request) && !keeper_of_chain(c_, job_.facts()).empty()) return false;
    switch (admit(From::by_hand, c_.now.wall)) {
      case Admission::waits:
      case Admission::left: return false;
      case Admission::dry_run: refuse_manual(request, Reason::dry_run); continue;
      case Admission::overlap: refuse_manual(request, Reason::overlap); continue;
      case Admission::queues:
        if (const Queued queued = queue_manual(request); queued != Queued::refused) return queued == Queued::written;
        continue;
      case Admission::begins: break;
    }
    job_.commands.drop_oldest_trigger();
    OpenRun run = run_by_hand(request);
    const auto chained = chain_of(request, run);
    claim_at_once(std::move(run), chained, request.until + manual_slack);
    return true;
  }
  return false;
}

/// Of a slot one run goes on at a time, whatever it was begun for.
bool JobClaims::begin_backfill() {
  const Backfill* const backfill = job_.view.stored().backfill();
  const auto slot = backfill ? job_.slots.first_within(backfill->left) : std::nullopt;
  const RunList& runs = job_.runs.list();
  if (!slot || runs.backfilling() >= backfill->parallel) return false;
  if (runs.any([&](const LiveRun& run) { return run.is_under_way() && run.open.slot == *slot; })) return false;
  if (admit(From::backfill, c_.now.wall) != Admission::begins) return false;
  OpenRun run;
  run.id = c_.random.run_id(c_.now.wall);
  run.slot = *slot;
  run.trigger = Trigger::backfill;
  PendingWrite write = writes().begin(0);
  write.intent = ClaimAtOnce{attempt_of(run)};
  write.next.kept.edit().backfill.front().begin(*slot);
  claim(std::move(write), std::move(run));
  return true;
}

/// The client does not wait any longer. A run for which another one is being killed is begun all the same.
bool JobClaims::has_expired(const Request& request) const {
  if (job_.is_draining() || request.until >= c_.now.wall) return false;
  const bool replaces = job_.definition && job_.definition->job.concurrency == Concurrency::replace;
  return !replaces || !job_.runs.list().is_replacing();
}

OpenRun JobClaims::run_by_hand(const Request& request) {
  OpenRun run;
  run.id = request.id;
  run.slot = job_.runs.slot_by_hand(c_.now.wall);
  run.trigger = Trigger::manual;
  run.awaited = request.wait;
  if (!request.env.empty()) run.variables.edit().env = request.env;
  return run;
}

/// The jobs that come after this one have a slot of it.
std::optional<ChainedSlot> JobClaims::chain_of(const Request& request, const OpenRun& run) const {
  if (!begins_chain(c_, job_.facts(), request)) return std::nullopt;
  return ChainedSlot{run.id, run.slot, true, std::nullopt};
}

OpenRun JobClaims::run_of_chain(const ChainedSlot& slot) const {
  OpenRun run;
  run.id = slot.run(job_.name);
  run.slot = slot.slot;
  run.trigger = Trigger::chain;
  bind(run, job_.definition->job, job_.term->epoch, c_.settings.node);
  return run;
}

/// What was triggered before the job was defined so is none of its slots.
std::optional<JobClaims::Fate> JobClaims::fate_of(const ChainedSlot& slot, Upstream::Verdict verdict) const {
  const JobRegister& stored = job_.view.stored();
  if (stored.may_have_forgotten(slot.slot)) return Fate{Status::missed, Reason::halted};
  if (is_brought_up_again(c_, job_.name, slot)) return Fate{Status::missed, Reason::halted};
  if (slot.slot <= stored.since || verdict == Upstream::Verdict::undefined)
    return Fate{Status::missed, Reason::no_definition};
  if (verdict == Upstream::Verdict::ended_otherwise) return Fate{Status::skipped, Reason::upstream};
  if (verdict == Upstream::Verdict::begins && job_.is_paused()) return Fate{Status::skipped, Reason::paused};
  return std::nullopt;
}

/// Who comes next after the register shows it, be it another term, finds it taken up.
bool JobClaims::begin_chained() {
  if (!job_.is_defined() || job_.is_draining() || job_.definition->job.details->after.empty()) return false;
  if (!job_.definition->job.enabled || job_.view.stored().kept->chained.size() >= chained_limit) return false;
  for (const ChainedSlot& slot : to_take_up(c_, job_.facts())) {
    OpenRun run = run_of_chain(slot);
    if (job_.runs.find(attempt_of(run))) continue;  // decided, and closed with the next write
    Upstream upstream = upstream_of_chained(c_, job_.facts(), slot);
    std::optional<Fate> fate = fate_of(slot, upstream.verdict);
    if (!fate && upstream.verdict == Upstream::Verdict::waits) continue;
    const Admission admission = fate ? Admission::left : admit(From::chained, slot.slot);
    if (admission == Admission::overlap) fate = Fate{Status::skipped, Reason::overlap};
    if (admission == Admission::dry_run) fate = Fate{Status::skipped, Reason::dry_run};
    if (fate) {
      job_.runs.decide(c_, job_.facts(), run, fate->status, fate->reason);
    } else if (admission == Admission::begins) {
      if (!upstream.runs.empty()) run.variables.edit().upstream = std::move(upstream.runs);
      claim_at_once(std::move(run), slot);
      return true;
    }
  }
  return false;
}

/// In a repair whatever the clock said when they were triggered: one that was ahead gave them slots after its time.
bool JobClaims::leave_chained(Leaves how) {
  if (!job_.definition || !job_.definition->job.enabled) return false;
  const std::vector<ChainedSlot> slots = to_take_up(c_, job_.facts());
  for (const ChainedSlot& slot : slots) {
    const OpenRun run = run_of_chain(slot);
    if (job_.runs.find(attempt_of(run))) continue;  // decided, and closed with the next write
    const bool is_repaired = how == Leaves::as_repaired;
    const Fate fate = is_repaired ? Fate{Status::missed, Reason::halted} : *fate_of(slot, Upstream::Verdict::undefined);
    job_.runs.decide(c_, job_.facts(), run, fate.status, fate.reason);
  }
  return !slots.empty();
}

/// The run waits in the register, so that it survives this term. Runs that make room for it are closed first.
JobClaims::Queued JobClaims::queue_manual(const Request& request) {
  const Job& job = job_.definition->job;
  const RunList& runs = job_.runs.list();
  const auto waiting = static_cast<int>(job_.slots.settlement().due_count()) + runs.queued();
  if (waiting >= job.details->queue_limit && job.queue_overflow == QueueOverflow::drop_old &&
      job.details->queue_limit > 0) {
    const LiveRun* oldest = runs.first_queued();
    const DueSlot* due = job_.slots.settlement().first_due();
    if (oldest && (!due || oldest->open.slot < due->due))
      job_.runs.end(c_, job_.facts(), oldest->id(), Status::skipped, Reason::queue_full);
    else if (due)
      job_.slots.decide_first(Status::skipped, Reason::queue_full);
  } else if (waiting >= job.details->queue_limit || job_.view.stored().runs.size() >= open_run_limit + runs.leaving()) {
    refuse_manual(request, Reason::queue_full);
    return Queued::refused;
  }
  if (job_.is_full()) return Queued::waits;
  job_.commands.drop_oldest_trigger();
  PendingWrite write = writes().begin(0);
  write.intent = QueueRun{request.id, request.until + manual_slack};
  OpenRun run = run_by_hand(request);
  if (const auto chained = chain_of(request, run)) write.next.kept.edit().chained.push_back(*chained);
  run.waits_until = run.slot;
  run.queued = true;
  write.next.runs.push_back(std::move(run));
  writes().send(std::move(write));
  return Queued::written;
}

void JobClaims::refuse_manual(const Request& request, Reason reason) {
  Row row;
  row.job = job_.name;
  row.group = job_.term->group;
  row.slot = job_.runs.slot_by_hand(c_.now.wall);
  row.trigger = Trigger::manual;
  row.status = Status::skipped;
  row.reason = reason;
  row.node = c_.settings.node;
  row.epoch = job_.term->epoch;
  c_.out.push_back(RecordRow{row});
  c_.wants.answers.push_back(
      {request.id, Answer::refused(Errc::conflict, why_skipped(job_.facts(), reason, job_.runs.list()))});
  job_.commands.drop_trigger(request.id);
}

void JobClaims::run_ahead() {
  if (!job_.may_run_ahead(c_)) return;
  job_.runs.launch_in_doubt(c_, job_.facts());
  if (job_.writer.pending() && !job_.writer.pending()->is_detached) detach_write();
  if (!job_.scan(c_, ScanRules::Mode::due, c_.now.wall)) return;
  const Job& job = job_.definition->job;
  for (const DueSlot* due = job_.slots.settlement().first_due(); due; due = job_.slots.settlement().first_due()) {
    if (c_.now.wall - due->due > job.start_deadline) {
      job_.slots.decide_first(Status::missed, Reason::start_deadline);
      continue;
    }
    if (joins_a_catch_up(*due) || admit(From::ahead, due->due) != Admission::begins) return;
    OpenRun run = run_of_slot(*due);
    bind(run, job, job_.term->epoch, c_.settings.node);
    expect(c_, run, job, job_.view.stored());
    const std::size_t decided = job_.slots.settlement().decided_count();
    job_.unclaimed.add(job_.slots.settlement().decided(decided), runner::AttemptId{run.id, run.attempt});
    job_.slots.drop_decided(decided);
    job_.slots.drop_first_due();
    job_.runs.start_unclaimed(c_, job_.facts(), std::move(run));
  }
}

/// The write in flight is taken for decided: a run that it claims is started, and the slots go on.
void JobClaims::detach_write() {
  const std::size_t decided = job_.writer.pending()->decided;
  const std::optional<runner::AttemptId> claimed = job_.writer.detach();
  std::vector<Disposition> passed = job_.slots.settlement().decided(decided);
  job_.slots.drop_decided(decided);
  if (claimed) job_.slots.drop_first_due();
  job_.unclaimed.add(std::move(passed), claimed);
  if (claimed) job_.runs.start_unclaimed(c_, job_.facts(), *claimed);
}

/// Brings the register up to what was started without it. True if it has begun something, or must wait.
bool JobClaims::catch_up() {
  job_.unclaimed.drop_entered(job_.view.stored(), job_.runs.list());
  if (job_.unclaimed.empty()) return false;
  PendingWrite write = writes().begin(0);
  write.intent = CatchUp{};
  write.is_detached = true;
  const std::size_t room = job_.writer.room_to_carry();
  bool enters = false;
  for (const Ahead& one : job_.unclaimed.all()) {
    for (const Disposition& d : std::span(one.passed).first(std::min(room - write.decided, one.passed.size())))
      writes().carry(write, d);
    const bool all = one.passed.empty() || write.next.cursor >= one.until();
    if (!all || (one.run && write.next.runs.size() >= open_run_limit)) break;
    const LiveRun* const run = one.run ? job_.runs.find(*one.run) : nullptr;
    if (!run) continue;
    OpenRun open = run->open;
    write.pass(open.slot);
    write.enter(open);
    job_.runs.enter(open);
    enters = true;
  }
  write.see_boot(job_.facts(), c_.settings);
  if (write.decided == 0 && !enters && write.closes.empty()) {
    if (!begin_waiting())
      job_.writer.block_writes(true);  // the register is full: of runs that go on, or wait to be next
    return true;
  }
  writes().send(std::move(write));
  return true;
}

}  // namespace ballot::core
