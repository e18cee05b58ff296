#include "core/job/job_writes.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/job/chain/chained.hpp"
#include "core/job/chain/chains.hpp"
#include "core/job/chain/slot_ends.hpp"
#include "core/job/expect/expectations.hpp"
#include "core/job/job_backfill.hpp"
#include "core/job/runs/run_notices.hpp"
#include "core/request/pause_answers.hpp"

namespace ballot::core {

namespace {

std::string facts_of_pause(const Interventions& of) { return pause_facts(of.paused_at, of.paused_by, of.pause_terms); }

std::string too_large(const std::string& job) {
  return "the register would be larger than " + std::to_string(register_limit) + " bytes: job " + job;
}

}  // namespace

/// The register is what this term goes on from.
void JobWrites::take_up() {
  job_.slots.make_plan(job_.facts());
  copy_dispositions();
  settle_open_runs();
  c_.wants.settled.push_back(&machine_);
  const JobRegister& stored = job_.view.stored();
  if (job_.view.exists() && stored.paused) record_pause(stored, std::nullopt);
  if (job_.view.exists()) record_definition(stored.epoch, job_.commands.repair() ? Basis::repaired : Basis::taken_over);
}

/// For audits: rows of slots that were skipped for a pause are judged by it.
void JobWrites::record_pause(const JobRegister& paused, std::optional<WallTime> until) {
  const Interventions& of = *paused.interventions;
  c_.out.push_back(RecordPause{{job_.name, *paused.group, c_.settings.node, of.paused_at.value_or(WallTime{}), until,
                                of.paused_by, of.pause_terms.ends, of.pause_terms.reason}});
}

/// It was paused, and stays so, with another end or another reason.
bool JobWrites::has_other_terms(const PendingWrite& write) const {
  const JobRegister &stored = job_.view.stored(), &next = write.next;
  return stored.paused && next.paused && stored.interventions->pause_terms != next.interventions->pause_terms;
}

void JobWrites::record_pauses(const PendingWrite& write) {
  const JobRegister &stored = job_.view.stored(), &next = write.next;
  if (stored.paused && !next.paused) {
    const auto* const change = write.intent_as<ChangePause>();
    const PauseEnd* const end = job_.late_end(c_.now.wall);
    if (change && end && change->at == end->at) record_resumption(*end);
    if (change && change->is_by_its_end)
      c_.out.push_back(Notice{Level::info, "the pause is over: its end has come", {{"job", job_.name}}});
    record_pause(stored, change ? change->at : c_.now.wall);
  }
  if (next.paused && (!stored.paused || has_other_terms(write))) record_pause(next, std::nullopt);
}

/// Nobody has asked this node, which was away: its ledger names who has ended the pause all the same.
void JobWrites::record_resumption(const PauseEnd& end) {
  RequestRow request;
  request.id = c_.random.run_id(end.at);
  request.kind = "resume";
  request.job = job_.name;
  request.node = c_.settings.node;
  request.at = end.at;
  request.by = end.by;
  const RunId id = request.id;
  c_.out.push_back(RecordRequest{std::move(request)});
  c_.out.push_back(RecordAnswer{{id, "done", "", c_.now.wall}});
}

/// Records, for audits, the definition that slots go by from here on.
void JobWrites::record_definition(std::uint64_t before, Basis basis) {
  const JobRegister& stored = job_.view.stored();
  DefinitionRow row;
  row.job = job_.name;
  row.group = stored.group;
  row.node = c_.settings.node;
  row.from = std::max({stored.cursor, stored.since, stored.claimed_until});  // a repair leaves claimed slots ahead
  row.epoch = job_.term->epoch;
  row.before = before;
  row.basis = basis;
  const JobFacts job = job_.facts();
  job_.slots.describe(job, row);
  const bool is_of_file = job.definition && job.definition->digest == row.digest;
  c_.out.push_back(RecordDefinition{std::move(row), is_of_file ? job.definition : nullptr});
}

/// The register says what became of slots that the term before passed. Its node's ledger may be gone, so the rows go
/// into this node's ledger too.
void JobWrites::copy_dispositions() {
  const JobRegister& stored = job_.view.stored();
  for (const Disposition& d : stored.dispositions)
    for (Row& row : job_.slots.rows_of(d, row_like(stored))) c_.out.push_back(RecordRow{std::move(row), true});
  job_.writer.await_all_settled(c_, job_.name, stored.dispositions.size());
}

/// A row with all that the rows of the job's slots have in common.
Row JobWrites::row_like(const JobRegister& in) const {
  Row row;
  row.job = job_.name;
  row.group = in.group;
  row.node = c_.settings.node;
  row.epoch = in.epoch;
  return row;
}

void JobWrites::settle_open_runs() {
  job_.runs.settle(c_, job_.facts(), job_.unclaimed.superseded(job_.view.stored(), job_.runs.list()));
  job_.resume_slots();
}

/// Clients that wait for an answer get it: the request will not be done.
void JobWrites::refuse_asked(const std::string& why) {
  const auto refuse = [&](const RunId& request) {
    c_.wants.answers.push_back({request, Answer::refused(Errc::refused, why)});
  };
  const PendingWrite* sent = job_.writer.pending();
  if (const auto request = sent ? sent->asked_for() : std::nullopt) refuse(*request);
  for (const RunId& request : job_.commands.take_repair_requests()) refuse(request);
  for (const RunId& run : job_.runs.take_asked()) refuse(run);
  for (const RunId& request : job_.commands.take_requests()) refuse(request);
}

Answer JobWrites::resume_answer() const {
  const Term& term = *job_.term;
  return job_resumed(job_.name, term.group, term.paused ? std::optional(term.paused_facts) : std::nullopt);
}

/// `before`: the facts of the pause that it has changed; "": it has changed none.
Answer JobWrites::pause_answer(const std::string& before) const {
  const JobRegister& stored = job_.view.stored();
  if (!stored.paused) return resume_answer();
  const PauseTerms& terms = stored.interventions->pause_terms;
  return before.empty() ? pause_done("job " + job_.name, terms) : pause_changed("job " + job_.name, before, terms);
}

PendingWrite JobWrites::begin(std::size_t most_decided) {
  PendingWrite write = job_.writer.begin(job_.view.stored(), *job_.term);
  for (const Disposition& d : job_.slots.settlement().decided(std::min(most_decided, job_.writer.room_to_carry())))
    carry(write, d);
  erase_if(write.next.runs, [this](const OpenRun& open) {
    return job_.unclaimed.is_superseded(open, job_.runs.list()) && !job_.runs.find({open.id, open.attempt});
  });
  for (const LiveRun& run : job_.runs.list())
    if (run.may_close()) write.close(run);
  write.keep_bounds(*job_.term);
  write.see_boot(job_.facts(), c_.settings);
  return write;
}

void JobWrites::carry(PendingWrite& write, const Disposition& range) const {
  write.carry(range, job_.slots.rows_of(range, row_like(write.next)));
}

void JobWrites::send(PendingWrite write) {
  write.sent_at = c_.now.steady;
  remember_ends(job_.facts(), write, job_.runs.list());
  keep_slot_ends(c_, job_.facts(), write, job_.runs.list());
  keep_chained(c_, job_.facts(), write, job_.runs.list());
  note_expectations(c_, job_.facts(), write, job_.runs.list(), resumed_by(write));
  const PendingWrite& sent = job_.writer.send(std::move(write), job_.name, *job_.term, job_.view.version());
  if (sent.request.value.size() > register_limit) {  // of what others have put there
    c_.wants.unwritten.push_back({sent.request.name, too_large(job_.name)});
    return fail();
  }
  c_.wants.writes.push_back({&machine_, sent.serial, sent.request});
  if (c_.room > 0) --c_.room;
}

/// When the pause that the write ends was over, the job's own or its group's.
std::optional<WallTime> JobWrites::resumed_by(const PendingWrite& write) const {
  const auto* const change = write.intent_as<ChangePause>();
  const bool resumes = change && job_.view.stored().paused && !write.next.paused;
  return resumes ? std::optional(change->at) : job_.commands.unpause_until();
}

void JobWrites::repeat() {
  switch (job_.writer.repeat(c_.now.steady)) {
    case RegisterWriter::Repeat::none: return;
    case RegisterWriter::Repeat::read: return c_.wants.reads.push_back(&machine_);
    case RegisterWriter::Repeat::write:
      c_.wants.writes.push_back({&machine_, job_.writer.pending()->serial, job_.writer.pending()->request});
  }
}

/// More is decided than the next write has room for: some of it is written first, or waits for the ledger to have what
/// the register still carries. True if so.
bool JobWrites::write_ahead() {
  const std::size_t room = job_.writer.room_to_carry();
  if (job_.slots.settlement().decided_count() <= room) return false;
  job_.writer.block_writes(room == 0);
  if (room > 0) send(begin(room));
  return true;
}

/// Writes what is decided and closes what has ended, when it has waited long enough; at once where only a write says
/// whether a claim of the term before has landed.
void JobWrites::flush() {
  const bool closable = job_.runs.list().any([](const LiveRun& run) { return run.may_close(); });
  // A job that comes after this one waits for it.
  const bool is_waited_for = !c_.chains.children(job_.name).empty() &&
                             (closable || (job_.slots.settlement().has_decided() && job_.writer.room_to_carry() > 0));
  if (job_.kept_outcome || is_waited_for || is_chained_stale(c_, job_.facts()) ||
      is_to_notice(c_, job_.facts(), job_.runs.list()) ||
      job_.writer.is_flush_due(job_.slots.settlement(), closable, job_.term->draining, c_.now.steady))
    send(begin(disposition_limit));
}

/// Nothing was written, for want of space perhaps: no claim, no launch, and tried again.
void JobWrites::fail() {
  job_.writer.retry_later(c_.now.steady);
  give_up(*job_.writer.take());
  job_.slots.block(c_, job_.facts());
}

/// The answer to a write of a term that is over. What landed has happened, but a run that it claims is not started.
/// A write whose outcome is still unknown then is decided when the register is read again.
void JobWrites::settle_late(const WriteAnswer& answer) {
  const std::unique_ptr<PendingWrite> write = job_.writer.take();
  const runner::AttemptId* claim = write->claim();
  const bool claims = claim && job_.runs.find(*claim);
  if (answer.outcome == StoreResult::done) {
    for (const Row& row : write->rows) c_.out.push_back(RecordRow{row});
    job_.runs.show(c_, write->next);
    if (claim) note_fence(write->next);
    tell_written(c_, job_.facts(), *write, job_.runs.list());
    JobBackfill(c_, job_, machine_).confirm(*write);
    if (claims) job_.runs.end(c_, job_.facts(), *claim, Status::missed, Reason::stale);
  } else if (answer.outcome != StoreResult::unknown && !write->unknown && claims) {
    job_.runs.drop_claim(c_, *claim);
  }
}

/// Nothing was written: the claimed run never was, and its slot is decided anew. Who asked by hand may ask again.
void JobWrites::give_up(const PendingWrite& write) {
  const auto refuse = [&](const RunId& request, const char* text) {
    c_.wants.answers.push_back({request, Answer::refused(Errc::unavailable, text)});
  };
  if (const auto request = write.asked_for()) refuse(*request, "the change could not be written; try again");
  if (const auto* queue = write.intent_as<QueueRun>()) refuse(queue->run, "it could not be queued; try again");
  const runner::AttemptId* claim = write.claim();
  if (!claim) return;
  if (const LiveRun* run = job_.runs.find(*claim); run && run->asked)
    refuse(run->open.id, "the claim was not confirmed; nothing was started");
  if (write.unknown) job_.unclaimed.note_given_up(claim->run);
  const auto* waiting = write.intent_as<ClaimWaiting>();
  job_.runs.give_up_claim(c_, job_.facts(), *claim, waiting ? &waiting->waited : nullptr);
}

void JobWrites::confirm(std::uint64_t version) {
  const std::unique_ptr<PendingWrite> write = job_.writer.take();
  const JobRegister& stored = job_.view.stored();
  const bool redefined = write->next.definition != stored.definition || !job_.view.exists() ||
                         write->next.anchors != stored.anchors;  // its parent's, which count from elsewhere by now
  const bool released = write->next.released && !stored.released;
  const bool created = !job_.view.exists();
  const std::uint64_t writer_before = stored.epoch;
  if (write->next.fence != stored.fence) note_fence(write->next);
  tell_written(c_, job_.facts(), *write, job_.runs.list());
  const std::string pause_before = has_other_terms(*write) ? facts_of_pause(*stored.interventions) : "";
  record_decided(*write);  // these had been settled before a pause that the write begins, as audits see by the order
  record_pauses(*write);
  JobBackfill(c_, job_, machine_).confirm(*write);
  job_.view.written(std::move(write->next), version, c_.now.wall);
  if (!write->is_detached) job_.slots.drop_decided(write->decided);
  if (write->is<ClaimDueSlot>()) job_.slots.drop_first_due();
  job_.runs.close(c_, write->closes);
  job_.runs.show(c_, stored);
  job_.unclaimed.drop_entered(stored, job_.runs.list());
  job_.runs.adopt_waiting(c_, job_.facts());
  job_.writer.confirmed();
  c_.wants.settled.push_back(&machine_);
  job_.slots.confirmed();
  if (std::exchange(job_.kept_outcome, false)) c_.wants.published = true;
  if (const auto* pause = write->intent_as<ChangePause>(); pause && pause->request)
    c_.wants.answers.push_back({*pause->request, pause_answer(pause_before)});
  if (const auto* queue = write->intent_as<QueueRun>()) answer_queued(*queue);
  const bool repaired = write->is<FinishRepair>();
  if (repaired) {
    c_.out.push_back(Notice{Level::warn, "job repaired by " + stored.interventions->repaired_by, {{"job", job_.name}}});
    const Repair done = job_.commands.take_repair();
    if (done.request) c_.wants.answers.push_back({*done.request, Answer::did(done.text(job_.name))});
  }
  if (redefined || repaired) {
    if (repaired || released || !stored.definition.empty())
      job_.slots.make_plan(job_.facts());  // else the old one goes on
    job_.resume_slots();
    const Basis basis = repaired ? Basis::repaired : created ? Basis::created : Basis::defined;
    record_definition(created ? 0 : writer_before, basis);
  }
  if (const runner::AttemptId* claim = write->claim())
    job_.runs.confirm_claim(c_, job_.facts(), *claim, c_.now.steady - write->sent_at);
  if (released) {
    refuse_asked("no job file of this group defines the job any more");
    job_.role = RegisterRole::idle;
    job_.term = nullptr;
    c_.wants.changed.push_back(&machine_);
  }
}

void JobWrites::answer_queued(const QueueRun& queue) {
  const bool too_late = c_.now.wall > queue.begin_by;
  Answer queued = Answer::done(queue.run);
  queued.text = why_queued(job_.runs.list());
  c_.wants.answers.push_back(
      {queue.run,
       too_late ? Answer::refused(Errc::timeout, "it was queued too late; nothing was started") : std::move(queued)});
  if (too_late) job_.runs.end(c_, job_.facts(), {queue.run, 1}, Status::missed, Reason::start_deadline);
}

/// For this node's ledger: a store that shows a lower fence later has gone back.
void JobWrites::note_fence(const JobRegister& stored) {
  c_.wants.known.push_back({{}, KnownRow::Of::job, job_.name, stored.interventions->repair, stored.fence, 0});
}

void JobWrites::record_decided(PendingWrite& write) {
  for (Row& row : write.rows) {
    const bool known_better = row.reason == Reason::halted;  // by a ledger that has seen the slot
    c_.out.push_back(RecordRow{std::move(row), known_better});
  }
  const auto decided = std::span(write.next.dispositions).last(write.decided);
  for (const Disposition& d : decided) job_.commands.repair_wrote(d);
  job_.writer.await_settled(c_, job_.name, write.decided);
  for (const Disposition& d : decided) c_.out.push_back(settled_notice(d, job_.name));
}

/// The register was read again in the same term.
void JobWrites::go_on_from_store(std::uint64_t known) {
  job_.slots.make_plan(job_.facts());
  // Of a write that was given up, and has landed after all; or somebody else has written there.
  const JobRegister& stored = job_.view.stored();
  const bool changed = job_.view.version() != known || job_.writer.carried() > stored.dispositions.size();
  if (changed) copy_dispositions();
  job_.read_again = true;
  settle_open_runs();
  job_.read_again = false;
  if (!changed || !job_.view.exists()) return;
  note_fence(stored);
  record_definition(stored.epoch, Basis::taken_over);
}

}  // namespace ballot::core
