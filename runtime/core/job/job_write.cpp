// The register write in flight: begun, sent, confirmed, repeated, resolved.
#include <algorithm>
#include <span>
#include <utility>

#include "base/wall_text.hpp"
#include "core/job/job_machine.hpp"
#include "core/outcome.hpp"

namespace ballot::core {
namespace {

constexpr Millis repeat_pause{200};
constexpr std::size_t given_up_limit = 16;

Notice settled_notice(const Disposition& d, const std::string& job) {
  const Level level = d.status == Status::missed ? Level::warn : Level::info;
  Notice notice{level, std::string(to_string(d.status)) + ": " + std::string(to_string(d.reason)), {{"job", job}}};
  notice.fields.emplace_back("slot", format_slot(d.from));
  if (d.slots > 1) {
    notice.fields.emplace_back("slot_until", format_slot(d.to));
    notice.fields.emplace_back("slots", std::to_string(d.slots));
  }
  return notice;
}

}  // namespace

JobMachine::PendingWrite JobMachine::begin_write(Context& c, std::size_t most_decided) {
  PendingWrite write;
  write.next = view_.stored();
  JobRegister& next = write.next;
  next.group = term_->group;
  next.epoch = term_->epoch;
  const std::size_t carries = std::min(carried(), next.dispositions.size());
  next.dispositions.erase(next.dispositions.begin(), next.dispositions.end() - static_cast<std::ptrdiff_t>(carries));
  for (const Disposition& d : slots_.settlement().decided(std::min(most_decided, room_to_carry()))) carry(c, write, d);
  std::erase_if(next.runs, [this](const OpenRun& open) { return never_was(open) && !find({open.id, open.attempt}); });
  for (const LiveRun& run : runs_) {
    if (!run.may_close()) continue;
    write.closes.push_back(run.id());
    std::erase_if(next.runs, [&](const OpenRun& open) { return open.id == run.open.id; });
    if (run.next) next.runs.push_back(*run.next);
    if (run.is_by_hand() && (!run.next || run.next->id != run.open.id)) next.triggered.push_back(run.open.id);
  }
  if (term_->repair > next.repair && next.runs.empty()) {  // it was not there when its group was repaired
    next.repair = term_->repair;
    next.fence = std::max(next.fence, next.repair);
  }
  if (next.triggered.size() > triggered_limit)
    next.triggered.erase(next.triggered.begin(), next.triggered.end() - triggered_limit);
  see_boot(next, c);
  return write;
}

void JobMachine::carry(const Context& c, PendingWrite& write, const Disposition& range) const {
  JobRegister& next = write.next;
  for (Row& row : slots_.rows_of(range, row_of_slots(next, c.settings.node))) write.rows.push_back(std::move(row));
  next.dispositions.push_back(range);
  next.cursor = std::max(next.cursor, range.to);
  ++write.decided;
}

void JobMachine::send(Context& c, PendingWrite write) {
  remember_failure(write);
  write.serial = ++last_serial_;
  write.request = {term_->group, term_->epoch, job_register(name_), to_text(write.next), view_.version()};
  pending_ = std::make_unique<PendingWrite>(std::move(write));
  const RegisterWrite& request = pending_->request;
  if (request.value.size() > register_limit)  // of what others have put there
    return on_write_failed(c, "the register would be larger than " + std::to_string(register_limit) + " bytes");
  c.wants.writes.push_back({this, pending_->serial, request});
  if (c.room > 0) --c.room;
}

void JobMachine::on_write_answer(Context& c, std::uint64_t serial, const WriteAnswer& answer) {
  if (!pending_ || pending_->serial != serial) return;
  if (standing_ != Standing::leading) return settle_late(c, answer);
  switch (answer.outcome) {
    case Outcome::done: return confirm(c, answer.version);
    case Outcome::unknown:
      pending_->unknown = true;
      pending_->repeat_at = c.now.steady + repeat_pause;
      return;
    case Outcome::failed:
      if (!pending_->unknown) return on_write_failed(c, answer.text);
      [[fallthrough]];  // this one has not happened, but an earlier sending of it may have
    case Outcome::conflict:
    case Outcome::not_leader: pending_->reading = true; c.wants.reads.push_back(this);
  }
}

/// Nothing was written, for want of space perhaps: no claim, no launch, said loudly, and tried again.
void JobMachine::on_write_failed(Context& c, const std::string& text) {
  c.out.push_back(Notice{Level::error, "the store refused a write: " + text, {{"job", name_}}});
  retry_at_ = c.now.steady + retry_delay;
  const std::unique_ptr<PendingWrite> write = std::move(pending_);
  give_up(c, *write);
  slots_.block(c, facts());
}

/// The answer to a write of a term that is over. What landed has happened, but a run that it claims is not started.
/// What is still unknown then is decided when the register is read again.
void JobMachine::settle_late(Context& c, const WriteAnswer& answer) {
  const std::unique_ptr<PendingWrite> pending = std::move(pending_);
  const PendingWrite& write = *pending;
  LiveRun* run = write.claim ? find(*write.claim) : nullptr;
  if (answer.outcome == Outcome::done) {
    for (const Row& row : write.rows) c.out.push_back(RecordRow{row});
    enter_shown(c, write.next);
    tell_written(c, write);
    if (run) end(c, *run, Status::missed, Reason::stale);
  } else if (answer.outcome != Outcome::unknown && !write.unknown && run) {
    drop_claim(c, *write.claim);
  }
}

void JobMachine::repeat_write(Context& c) {
  if (!pending_->repeat_at || *pending_->repeat_at > c.now.steady) return;
  pending_->repeat_at.reset();
  if (pending_->reading)
    c.wants.reads.push_back(this);
  else
    c.wants.writes.push_back({this, pending_->serial, pending_->request});
}

void JobMachine::on_read(Context& c, const std::optional<Register>& stored) {
  if (standing_ == Standing::leading) {
    if (!pending_ || !pending_->reading) return commands_.looks() ? look_at_store(c, stored) : void();
    resolve(c, stored);
    if (commands_.looks()) c.wants.reads.push_back(this);
    return;
  }
  know(c, stored);
  c.wants.changed.push_back(this);
}

void JobMachine::on_read_unknown(Context& c) {
  if (pending_ && pending_->reading) pending_->repeat_at = c.now.steady + repeat_pause;
  if (const auto look = commands_.take_look())
    c.wants.answers.push_back({look->id, Answer::refused(Errc::unavailable, "the store does not answer; try again")});
}

/// The write was refused, or an answer was lost: the register itself says whether it was ours.
void JobMachine::resolve(Context& c, const std::optional<Register>& stored) {
  if (stored && stored->value == pending_->request.value) return confirm(c, stored->version);
  const std::unique_ptr<PendingWrite> pending = std::move(pending_);
  const PendingWrite& write = *pending;
  const std::uint64_t known = view_.version();
  view_.expect_newest();  // asked after whatever was seen: an older one is no older answer
  know(c, stored);
  LiveRun* run = write.claim ? find(*write.claim) : nullptr;
  const bool landed = run && holds(view_.stored(), run->open);
  if (!landed) give_up(c, write);
  if (!view_.is_sound()) {
    halt(c);
    return c.wants.changed.push_back(this);
  }
  if (view_.stored().epoch >
      term_->epoch) {  // another term has written since: ours is over, whatever we have been told
    if (landed) end(c, *run, Status::missed, Reason::stale);
    retry_at_ = c.now.steady + retry_delay;
  }
  go_on_from_store(c, known);
}

/// The register was read again in the same term.
void JobMachine::go_on_from_store(Context& c, std::uint64_t known) {
  slots_.make_plan(facts());
  // Of a write that was given up, and has landed after all; or somebody else has written there.
  if (view_.version() != known || carried() > view_.stored().dispositions.size()) copy_dispositions(c);
  settle_open_runs(c);
  resume_settlement();
}

/// Nothing was written: the claimed run never was, and its slot is decided anew. Who asked by hand may ask again.
void JobMachine::give_up(Context& c, const PendingWrite& write) {
  const auto refuse = [&](const RunId& request, const char* text) {
    c.wants.answers.push_back({request, Answer::refused(Errc::unavailable, text)});
  };
  if (write.answers) refuse(*write.answers, "the change could not be written; try again");
  if (write.queues) refuse(*write.queues, "it could not be queued; try again");
  if (!write.claim) return;
  if (const LiveRun* run = find(*write.claim); run && run->asked)
    refuse(run->open.id, "the claim was not confirmed; nothing was started");
  if (write.unknown) {
    if (given_up_.size() == given_up_limit) given_up_.erase(given_up_.begin());
    given_up_.push_back(write.claim->run);
  }
  const LiveRun* const claimed = find(*write.claim);
  const bool killed = claimed && claimed->kill_asked;
  if (!write.waited) drop_claim(c, *write.claim);
  std::erase_if(runs_, [&](const LiveRun& run) { return run.id() == *write.claim; });
  if (write.waited) adopt_run(c, *write.waited);
  for (LiveRun& run : runs_) {  // the attempt before, which it would have closed, or as it waited for this one
    if (run.open.id != write.claim->run) continue;
    if (run.has_ended()) run.repeat = !killed;
    if (run.is_waiting() && killed) kill(c, run, Reason::operator_);
  }
}

/// The rows of the register's last `ranges` ranges are recorded. Until they are durable each write carries these on: a
/// daemon that is killed before leaves them to whoever reads the register next.
void JobMachine::await_settled(Context& c, std::size_t ranges) {
  if (ranges == 0) return;
  ranges_recorded_ += ranges;
  c.out.push_back(AwaitSettled{{name_, ranges_recorded_}});
}

bool JobMachine::on_recorded(const Settled& settled) {
  const bool was_full = room_to_carry() == 0;
  ranges_durable_ = std::max(ranges_durable_, settled.ranges);
  return was_full;
}

/// The register no longer shows these runs: the runner may forget them, and their outcomes may go.
void JobMachine::close(Context& c, const PendingWrite& write) {
  for (const runner::AttemptId& id : write.closes) {
    const LiveRun* run = find(id);
    if (run && run->known_to_runner) c.out.push_back(Forget{id});
    if (run && run->published) c.wants.removals.push_back(outcome_record(id));
    std::erase_if(runs_, [&](const LiveRun& other) { return other.id() == id; });
  }
}

void JobMachine::confirm(Context& c, std::uint64_t version) {
  const std::unique_ptr<PendingWrite> pending = std::move(pending_);
  PendingWrite& write = *pending;
  const bool redefined = write.next.definition != view_.stored().definition || !view_.exists();
  const bool released = write.next.released && !view_.stored().released;
  tell_written(c, write);
  view_.written(std::move(write.next), version, c.now.wall);
  if (!write.follows) slots_.drop_decided(write.decided);
  if (write.claims_due_slot) slots_.drop_first_due();
  for (Row& row : write.rows) {
    const bool known_better = row.reason == Reason::halted;  // by a ledger that has seen the slot
    c.out.push_back(RecordRow{std::move(row), known_better});
  }
  for (const Disposition& d : std::span(view_.stored().dispositions).last(write.decided)) commands_.repair_wrote(d);
  await_settled(c, write.decided);
  for (const Disposition& d : std::span(view_.stored().dispositions).last(write.decided))
    c.out.push_back(settled_notice(d, name_));
  close(c, write);
  enter_shown(c, view_.stored());
  drop_ahead_in_register();
  for (const OpenRun& open : view_.stored().runs)
    if (open.waits_until && !find({open.id, open.attempt})) adopt_run(c, open);
  flush_at_.reset();
  close_at_.reset();
  slots_.confirmed();
  if (write.answers) c.wants.answers.push_back({*write.answers, Answer::done()});
  if (write.queues) c.wants.answers.push_back({*write.queues, Answer::done(*write.queues)});
  if (write.mends) {
    c.out.push_back(Notice{Level::warn, "job repaired by " + view_.stored().repaired_by, {{"job", name_}}});
    const Repair done = commands_.take_repair();
    if (done.request) c.wants.answers.push_back({*done.request, Answer::did(done.text(name_))});
  }
  if (redefined || write.mends) {
    if (write.mends || released || !view_.stored().definition.empty())
      slots_.make_plan(facts());  // else the old one goes on
    resume_settlement();
  }
  if (write.claim) confirm_claim(c, *write.claim);
  if (released) {
    refuse_asked(c, "no job file of this group defines the job any more");
    standing_ = Standing::idle;
    term_ = nullptr;
    c.wants.changed.push_back(this);
  }
}

/// What the rows of its slots have in common.
Row JobMachine::row_of_slots(const JobRegister& in, const std::string& node) const {
  Row row;
  row.job = name_;
  row.group = in.group;
  row.node = node;
  row.epoch = in.epoch;
  return row;
}

}  // namespace ballot::core
