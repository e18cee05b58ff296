#include "core/store/takeover.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/instance.hpp"

namespace ballot::core {
namespace {

using Reading = StoreClient::Reading;

constexpr Millis repair_pause{60'000};  // between lists while a register that cannot be read may show an open run

/// Registers by their names.
class ByRegisterName {
 public:
  explicit ByRegisterName(const std::vector<Register>& registers) {
    for (const Register& r : registers) by_name_[r.name] = &r;
  }
  std::optional<Register> find(const std::string& name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? std::nullopt : std::optional<Register>(*it->second);
  }

 private:
  std::map<std::string_view, const Register*> by_name_;
};

/// The open runs that jobs' registers show, of those that can be read. Most show none, and are not parsed: of a hundred
/// thousand that would hold up the loop.
template <class Visit>
void visit_open_runs(const std::vector<Register>& registers, const Visit& visit) {
  for (const Register& r : registers) {
    if (!r.name.starts_with("j/") || r.value.find("\nrun ") == std::string::npos) continue;
    const auto parsed = parse_job_register(r.value);
    if (!parsed) continue;
    for (const OpenRun& run : parsed->runs) visit(run);
  }
}

}  // namespace

// ---- a session

void Takeover::begin_session() {
  if (!p_.known.is_identified()) return identify();
  if (p_.prior.has_runs() || p_.listing.state == JobListing::State::lost) return list_jobs();
  const Millis timeout = c_.session.timeout();
  p_.listing = {JobListing::State::later,
                c_.now.steady + timeout + Millis(c_.random.below(static_cast<std::uint64_t>(timeout.count())))};
  groups_.campaign();
}

void Takeover::identify() {
  if (p_.known.is_identified()) return;
  p_.listing.at.reset();
  p_.store.read(c_.out, {.what = Reading::For::identity}, {std::string(identity_record)});
}

void Takeover::on_identity(const backend::ReadDone& event) {
  if (event.outcome != StoreResult::done) return void(p_.listing.at = c_.now.steady + again_pause);
  if (!p_.known.identify(event.registers)) {
    StoreClient::RecordOp created;
    created.records.push_back({std::string(identity_record), p_.known.identity_text(c_.now.wall, c_.random)});
    created.is_identity = true;
    return p_.store.create(c_.out, true, std::move(created));
  }
  if (p_.known.is_another())
    c_.out.push_back(Notice{Level::warn,
                            "this is not the store that was in this place before: what the ledger knows of that one "
                            "is not compared with it",
                            {}});
  recall();
  begin_session();
}

/// What a daemon of this node saw of the store before this one was started.
void Takeover::recall() {
  const std::vector<KnownRow> rows = p_.known.take_rows();
  for (const KnownRow& row : rows)
    if (row.of == KnownRow::Of::store) p_.guard.recall(row.count, static_cast<int>(row.times));
  p_.groups.recall(p_.guard, rows);
  p_.jobs.recall(rows);
}

void Takeover::list_jobs() {
  if (!p_.known.is_identified()) return identify();
  const bool later = p_.listing.state == JobListing::State::later;
  p_.listing = {later ? JobListing::State::later : JobListing::State::first, {}};
  p_.store.list(c_.out, {.what = Reading::For::list, .entries = p_.jobs.all().size()}, "j/");
}

/// The registers may show runs of this node that neither it nor its runner knows. A daemon before may have published
/// their ends, which are read first.
void Takeover::on_list(const Reading& asked, const backend::ReadDone& event) {
  if (event.outcome != StoreResult::done) return void(p_.listing.at = c_.now.steady + again_pause);
  const bool outcomes = asked.what == Reading::For::own_outcomes;
  const std::vector<Register>& registers = outcomes ? asked.registers : event.registers;
  if (auto names = unknown_ends(registers); !asks_for_all(asked, names)) {
    Reading next = asked;
    next.what = Reading::For::own_outcomes;
    next.registers = registers;
    next.outcomes = names;
    return p_.store.read(c_.out, std::move(next), std::move(names));
  }
  if (outcomes) p_.prior.learn_outcomes(event.registers);
  for (const Register& r : registers) take_listed(r, p_.listing.may_campaign());
  p_.prior.forget_outcomes();
  p_.prior.forget_recorded();
  p_.listing.state = JobListing::State::complete;
  const ShownRuns shown = shown_by(registers);
  close_open_rows(shown);
  forget_settled(shown);
  p_.feeds.requests.on_changed();  // there may be some of runs that were nobody's till now
  groups_.campaign();
}

/// `may_lead`: terms may have begun and ended since the list was sent; what these have written is newer than the list.
void Takeover::take_listed(const Register& stored, bool may_lead) {
  const auto job = job_of(stored);
  if (!job) return;
  JobEntry& entry = p_.jobs.entry(*job);
  if (entry.machine.term()) return;
  if (may_lead && entry.machine.is_known() && entry.machine.version() > stored.version) return;
  entry.machine.set_register(c_, stored);
  entry.machine.adopt_own(c_);
  jobs_.advance(entry);
  // Its term may have begun without it: it is read again, with what was published of its runs.
  if (may_lead && p_.groups.leading(entry.machine.owner())) c_.wants.reads.push_back(&entry.machine);
}

std::vector<std::string> Takeover::unknown_ends(const std::vector<Register>& registers) const {
  std::vector<std::string> names;
  visit_open_runs(registers, [&](const OpenRun& run) {
    if (run.node == p_.settings.node && !run.waits_until && !p_.jobs.find(run.id) &&
        !p_.prior.inventory().knows({run.id, run.attempt}))
      names.push_back(outcome_record({run.id, run.attempt}));
  });
  return names;
}

ShownRuns Takeover::shown_by(const std::vector<Register>& registers) {
  ShownRuns shown;
  for (const Register& r : registers)
    if (const auto name = job_of(r)) shown.add(p_.jobs.entry(*name).machine, r);
  return shown;
}

/// Runs that a daemon before has left open in this node's ledger, and that no register shows any more: later leaders
/// have closed them, and only this node knows how they ended. So it does of those that a register may show which cannot
/// be read, as far as its runner knows them.
void Takeover::close_open_rows(const ShownRuns& shown) {
  for (const Row& row : p_.prior.take_open_rows()) {
    if (p_.jobs.find(*row.run)) continue;
    const runner::AttemptId id{*row.run, row.attempt};
    const bool is_unreadable = !p_.jobs.entry(row.job).machine.trouble().empty();
    if (!shown.has(id, row.job) || (is_unreadable && p_.prior.inventory().knows(id)))
      jobs_.adopt_row(row);
    else if (is_unreadable)
      p_.prior.keep_open_row(row);
  }
  if (p_.prior.has_open_rows()) p_.listing.at = c_.now.steady + repair_pause;
}

/// The runner forgets ends of before this daemon's start that no register shows any more: they are settled.
void Takeover::forget_settled(const ShownRuns& shown) {
  p_.prior.forget_ends([&](const runner::Ended& ended) {
    if (p_.jobs.find(ended.id.run)) return false;  // it is being recorded
    if (shown.has(ended.id)) return false;
    c_.out.push_back(Forget{ended.id});
    return true;
  });
  // A register that cannot be read names it, or shows it: once it is repaired, nobody may have the run any more.
  const auto& kept = p_.prior.inventory().ended;
  if (std::any_of(kept.begin(), kept.end(), [&](const runner::Ended& ended) { return !p_.jobs.find(ended.id.run); }))
    p_.listing.at = c_.now.steady + repair_pause;
}

// ---- a term

void Takeover::on_elected(const backend::Elected& event) {
  GroupEntry& group = groups_.entry(event.group);
  if (group.machine.phase() != GroupMachine::Phase::candidate) return;
  if (!event.resumed && p_.guard.on_elected(event.revision)) groups_.on_gone_back();
  groups_.act(group, [&](GroupMachine& machine, GroupContext& g) { machine.on_elected(g, event); });
}

/// The registers are read in this node's term. Where they show runs that this node does not know, the published ends of
/// these are read first.
void Takeover::on_registers(const Reading& asked, const backend::ReadDone& event) {
  GroupEntry& group = groups_.entry(asked.group);
  if (!group.machine.is_reading(asked.epoch)) return;
  if (event.outcome != StoreResult::done)
    return groups_.act(group, [&](GroupMachine& machine, GroupContext&) { machine.on_unread(c_.now.steady); });
  if (asked.what == Reading::For::outcomes) {
    const std::vector<Register> registers = group.machine.take_registers();
    if (asks_for_all(asked, unknown_outcomes(registers))) {
      p_.prior.learn_outcomes(event.registers);
      begin_term(group, registers);
      p_.prior.forget_outcomes();
    } else {
      settle_before(group, registers);
    }
    return;
  }
  on_pauses(asked, event);
  bool may_forward = false;
  if (const auto stored = ByRegisterName(event.registers).find(group_register(group.name())))
    groups_.act(group, [&](GroupMachine& machine, GroupContext& g) {
      may_forward = machine.considers_forwarding(g, *stored, event.registers);
    });
  if (!may_forward) settle_before(group, event.registers);
}

void Takeover::settle_before(GroupEntry& group, const std::vector<Register>& registers) {
  auto names = unknown_outcomes(registers);
  if (names.empty()) return begin_term(group, registers);
  group.machine.keep_registers(registers);
  Reading next{Reading::For::outcomes, group.name(), group.machine.term().epoch};
  next.outcomes = names;
  p_.store.read(c_.out, std::move(next), std::move(names));
}

/// The last term is accounted for, and this node leads each job of the group.
void Takeover::begin_term(GroupEntry& group, const std::vector<Register>& registers) {
  const ByRegisterName by_name(registers);
  groups_.act(group, [&](GroupMachine& machine, GroupContext& g) {
    machine.begin_term(g, by_name.find(group_register(group.name())));
  });
  groups_.heed_evidence(group);
  p_.deadline_sent = {};  // runs that it adopts end with its deadline
  if (!p_.directory.peers().empty()) p_.planner.on_taken_over(c_.now.steady);
  for (JobEntry* entry : group.jobs) {
    if (entry->machine.term()) continue;
    entry->machine.set_register(c_, by_name.find(job_register(entry->machine.name())));
    c_.wants.changed.push_back(&entry->machine);
  }
  std::reverse(c_.wants.changed.begin(), c_.wants.changed.end());
  reconsider_changed();  // at once: what was read of outcomes is for this term only
  p_.feeds.requests.on_changed();
  p_.feeds.outcomes.on_changed();
}

/// The records that the store may have of open runs which this node does not know.
std::vector<std::string> Takeover::unknown_outcomes(const std::vector<Register>& registers) const {
  std::vector<std::string> names;
  visit_open_runs(registers, [&](const OpenRun& run) {
    if (!run.waits_until && !p_.jobs.find(run.id)) names.push_back(outcome_record({run.id, run.attempt}));
  });
  return names;
}

/// False: a record is missing, for this node knew the run when it asked, and has published the end and forgotten it
/// since.
bool Takeover::asks_for_all(const Reading& asked, const std::vector<std::string>& names) {
  const std::unordered_set<std::string_view> outcomes(asked.outcomes.begin(), asked.outcomes.end());
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) { return outcomes.contains(name); });
}

void Takeover::on_pauses(const Reading& asked, const backend::ReadDone& event) {
  const ByRegisterName by_name(event.registers);
  std::set<std::string> jobs(asked.paused.begin(), asked.paused.end());
  if (asked.what == Reading::For::pauses) {
    for (std::string& job : p_.pauses.jobs()) jobs.insert(std::move(job));
    for (const Register& r : event.registers)
      for (auto job : {paused_job(r), resumed_job(r)})
        if (job) jobs.insert(*std::move(job));
  }
  for (const std::string& job : jobs) {
    const auto stored = by_name.find(pause_record(job));
    const auto ended = by_name.find(pause_end_record(job));
    PauseOfAll pause;
    if (stored) pause.standing = standing_pause_of(*stored);
    if (ended) pause.end = pause_end_of(*ended);
    if (!p_.pauses.learn(job, pause, event.request, p_.store.last_request())) p_.feeds.pauses.on_changed();
  }
  if (!jobs.empty()) jobs_.follow_pauses();
}

// ---- jobs

void Takeover::on_jobs_read(const Reading& asked, const backend::ReadDone& event) {
  const bool done = event.outcome == StoreResult::done;
  const bool outcomes = asked.what == Reading::For::job_outcomes;
  if (done && !outcomes) on_pauses(asked, event);
  if (done) {
    const std::vector<Register>& registers = outcomes ? asked.registers : event.registers;
    if (auto names = unknown_outcomes(registers); !asks_for_all(asked, names)) {
      Reading next = asked;
      next.what = Reading::For::job_outcomes;
      next.registers = registers;
      next.outcomes = names;
      return p_.store.read(c_.out, std::move(next), std::move(names));
    }
  }
  if (done && outcomes) p_.prior.learn_outcomes(event.registers);
  const ByRegisterName by_name(outcomes ? asked.registers : event.registers);
  for (JobEntry* job : asked.jobs) {
    if (!done) {
      job->machine.on_read_unknown(c_);
      p_.unreleased.wait(*job, c_.now.steady + again_pause);
    } else {
      job->machine.on_read(c_, by_name.find(job_register(job->machine.name())));
      if (outcomes) reconsider(job->machine);  // at once: what was read of outcomes is for now only
    }
    jobs_.advance(*job);
  }
  p_.prior.forget_outcomes();
}

void Takeover::reconsider_changed() {
  while (!c_.wants.changed.empty()) {
    JobMachine* const job = c_.wants.changed.back();
    c_.wants.changed.pop_back();
    reconsider(*job);
  }
}

void Takeover::halt(GroupEntry& owner, const JobMachine& job) {
  if (owner.machine.term().halted.empty()) groups_.halt(owner, job.rollback_reason());
}

/// Its group is led elsewhere or by nobody: whoever leads it is to know.
void Takeover::report(const JobMachine& job) {
  if (!job.owner().empty()) groups_.on_older_job(groups_.entry(job.owner()), job.rollback_reason());
}

void Takeover::reconsider(JobMachine& job) {
  GroupEntry* const owner = p_.groups.leading(job.owner());
  JobEntry& entry = p_.jobs.entry(job.name());
  if (owner && !job.is_known()) {
    c_.wants.reads.push_back(&job);
  } else if (owner && job.role() == JobMachine::Role::idle) {
    job.follow(p_.pauses.find(common_name(job.name())));
    job.lead(c_, owner->machine.term());
    p_.feeds.requests.on_changed();  // there may be some that were nobody's till now
    p_.feeds.outcomes.on_changed();
  } else if (!owner && job.definition() && p_.groups.leading(job.definition()->job.group)) {
    p_.unreleased.wait(entry, c_.now.steady + unreleased_pause);
  }
  if (!job.rollback_reason().empty()) owner ? halt(*owner, job) : report(job);
  for (const LiveRun& run : job.runs())
    if (!run.has_ended()) p_.jobs.keep(run.open.id, entry);
  jobs_.advance(entry);
}

}  // namespace ballot::core
