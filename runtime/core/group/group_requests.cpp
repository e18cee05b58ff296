#include "core/group/group_requests.hpp"

#include <algorithm>
#include <utility>

#include "core/group/group_jobs.hpp"
#include "core/record/record_text.hpp"
#include "core/request/pause_answers.hpp"

namespace ballot::core {

namespace {

std::string facts_of_pause(const GroupRegister& of) { return pause_facts(of.paused_at, of.paused_by, of.pause_terms); }

}  // namespace

void record_pause(Context& c, const std::string& group, const GroupRegister& paused, std::optional<WallTime> until) {
  c.out.push_back(RecordPause{{"", group, c.settings.node, paused.paused_at.value_or(WallTime{}), until,
                               paused.paused_by, paused.pause_terms.ends, paused.pause_terms.reason}});
}

std::optional<WallTime> pause_end_after(WallTime now, const GroupRegister& stored) {
  const auto& ends = stored.pause_terms.ends;
  return stored.paused && ends && *ends > now ? ends : std::nullopt;
}

void heed_pause(Term& term, const GroupRegister& stored) {
  term.paused = stored.paused;
  term.paused_facts = stored.paused ? facts_of_pause(stored) : "";
}

void GroupRequests::begin(const Request& request) {
  r_.asked.push_back(request);
  g_.is_dirty = true;
  if (request.kind == Request::Kind::repair && waits_for_renewal())
    r_.repairs_later = true;
  else if (request.kind == Request::Kind::repair)
    begin_repair(request);
  else if (request.kind == Request::Kind::evict)
    begin_eviction(request);
}

void GroupRequests::begin_eviction(const Request& request) {
  s_.handback = Handback::evicted;
  s_.term.draining = true;
  s_.kill_at = g_.c.now.steady + handback_wait;
  r_.evictions_stored += 1;
  StoreClient::RecordOp removal;
  removal.removals.push_back(request_record(request.id));
  removal.evicts = s_.name;
  g_.store.create(g_.c.out, g_.c.session.is_open(), std::move(removal));
}

/// A store that has gone back may show it in a register first, and then in a renewal: a repair between the two would be
/// followed by a halt for the same reason.
bool GroupRequests::waits_for_renewal() const {
  return !s_.term.halted.empty() && g_.c.session.renewed_from() <= s_.halted_at;
}

/// Jobs first: the group's register says that it is halted until all of them are as new, so that a leader that dies
/// meanwhile leaves no old register to be gone on from.
void GroupRequests::begin_repair(const Request& request) {
  if (!s_.term.halted.empty()) {
    const auto above = static_cast<std::uint64_t>(g_.c.now.wall.time_since_epoch().count());
    r_.repairing = std::min(std::max({s_.stored.value().repair + 1, s_.guard.repair() + 1, above}), largest_counter);
    s_.term.repair = r_.repairing;
    s_.term.repairing = true;
    s_.term.halted.clear();
  }
  r_.repaired_by = request.by;
  int begun = 0;
  std::string not_repaired;
  for_each_led(g_, s_.term, [&](JobEntry& job) {
    job.machine.repair(g_.c, std::nullopt, request.by);
    begun += job.machine.is_repairing();
    if (job.machine.role() == JobMachine::Role::halted)
      not_repaired += "; not job " + job.machine.name() + ": " + job.machine.trouble();
  });
  r_.repair_text = r_.repairing > 0 || begun > 0 ? "repaired: group " : "nothing to repair: group ";
  r_.repair_text += s_.name;
  if (r_.repairing > 0 || begun > 0)
    r_.repair_text += ", " + std::to_string(begun) + (begun == 1 ? " job" : " jobs");
  else if (not_repaired.empty())
    r_.repair_text += " is not halted, nor is a job of it";
  r_.repair_text += not_repaired;
}

/// Its jobs' registers are written.
void GroupRequests::finish_repair() {
  GroupRegister& stored = s_.stored.edit();
  stored.halted.clear();
  stored.halted_at.reset();
  stored.repaired_at = g_.c.now.wall;
  stored.repaired_by = r_.repaired_by;
  stored.repair = std::exchange(r_.repairing, 0);
  s_.term.repairing = false;
  s_.guard.on_repaired(g_.guard, {stored.repair, s_.stored.version(), s_.term.epoch});
  g_.c.wants.known.push_back(s_.guard.known(s_.name));
  s_.logged_halt.clear();
  g_.c.out.push_back(Notice{Level::warn, "group repaired by " + r_.repaired_by, {{"group", s_.name}}});
}

/// A pause of what is paused already gives that another end and reason.
void GroupRequests::set_paused(const Request& asked) {
  const GroupRegister& before = s_.stored.value();
  r_.pause_text = pause_done("group " + s_.name, asked.terms).text;
  if (before.paused && before.pause_terms == asked.terms) return;
  if (before.paused) r_.pause_text = pause_changed("group " + s_.name, facts_of_pause(before), asked.terms).text;
  GroupRegister& stored = s_.stored.edit();
  if (!std::exchange(stored.paused, true)) stored.paused_at = g_.c.now.wall, stored.paused_by = asked.by;
  if (!stored.paused_at) stored.paused_at = g_.c.now.wall;
  stored.pause_terms = asked.terms;
  heed_pause(s_.term, stored);
  record_pause(g_.c, s_.name, stored, std::nullopt);
}

bool GroupRequests::is_over() const { return s_.term.paused && s_.stored.value().pause_terms.is_over(g_.c.now.wall); }

/// One after the other, as they were asked; but what comes by itself comes before those that are not begun.
void GroupRequests::begin_pause_or_resume() {
  using Kind = Request::Kind;
  if (r_.resuming && s_.term.paused) return;
  const auto first = std::find_if(r_.asked.begin(), r_.asked.end(), [](const Request& request) {
    return request.kind == Kind::pause || request.kind == Kind::resume;
  });
  const bool is_begun = first != r_.asked.end() && r_.pausing == first->id;
  if (is_begun) return;
  r_.resuming = false;
  if (is_over()) return begin_resumption(*s_.stored.value().pause_terms.ends);
  if (first == r_.asked.end()) return;
  r_.pausing = first->id;
  if (first->kind == Kind::resume && s_.term.paused) return begin_resumption(g_.c.now.wall);
  if (first->kind == Kind::pause) set_paused(*first);
  advance_all(g_);
}

/// The slots up to then are settled by the pause that ends.
void GroupRequests::begin_resumption(WallTime at) {
  r_.resuming = true;
  r_.resumed_at = at;
  for_each_led(g_, s_.term, [&](JobEntry& job) { job.machine.settle_pause(at); });
  advance_all(g_);
}

void GroupRequests::finish_resumption() {
  GroupRegister& stored = s_.stored.edit();
  record_pause(g_.c, s_.name, stored, r_.resumed_at);
  if (stored.pause_terms.ends == r_.resumed_at)
    g_.c.out.push_back(Notice{Level::info, "the pause is over: its end has come", {{"group", s_.name}}});
  stored.paused = false;
  stored.paused_at.reset();
  stored.paused_by.clear();
  stored.pause_terms = {};
  heed_pause(s_.term, stored);
  g_.is_dirty = true;  // what was asked meanwhile may begin
  advance_all(g_);
}

void GroupRequests::advance() {
  using Kind = Request::Kind;
  const bool is_resuming = r_.resuming && s_.term.paused;
  if ((r_.asked.empty() && !is_resuming && !is_over()) || s_.phase != GroupState::Phase::leading) return;
  begin_pause_or_resume();
  if (r_.repairs_later && !waits_for_renewal()) {
    r_.repairs_later = false;
    for (const Request& request : std::vector(r_.asked))
      if (request.kind == Kind::repair) begin_repair(request);
    advance_all(g_);
  }
  const auto none = [this](auto is) { return none_led(g_, s_.term, is); };
  const bool settled = none([](const JobMachine& job) { return job.is_settling_pause(); });
  if (r_.resuming && s_.term.paused && settled) finish_resumption();
  const bool repaired = !r_.repairs_later && none([](const JobMachine& job) { return job.is_repairing(); });
  if (r_.repairing > 0 && repaired) finish_repair();
  if (!s_.stored.is_settled()) return;
  const bool quiet = none([](const JobMachine& job) { return job.may_start(); });
  const std::size_t answered = std::erase_if(r_.asked, [&](const Request& request) {
    const bool begun = request.id == r_.pausing;
    const bool done = (request.kind == Kind::pause && begun && quiet) ||
                      (request.kind == Kind::resume && begun && settled) || (request.kind == Kind::repair && repaired);
    if (done) g_.c.wants.answers.push_back({request.id, answer_to(request.kind)});
    return done;
  });
  if (answered > 0) g_.is_dirty = true;  // the next one may begin
}

Answer GroupRequests::answer_to(Request::Kind kind) const {
  if (kind == Request::Kind::repair) return repair_answer();
  if (kind == Request::Kind::pause && !r_.pause_text.empty()) return Answer::did(r_.pause_text);
  if (kind != Request::Kind::resume) return Answer::done();
  std::vector<std::pair<std::string, std::string>> paused;
  for_each_led(g_, s_.term, [&](JobEntry& job) {
    if (!job.machine.paused()) return;
    const Interventions& of = *job.machine.known_register()->interventions;
    paused.emplace_back(job.machine.name(), pause_facts(of.paused_at, of.paused_by, of.pause_terms));
  });
  std::sort(paused.begin(), paused.end());
  return group_resumed(s_.name, paused);
}

/// The answer to the repair; one during which the store went back again was none.
Answer GroupRequests::repair_answer() const {
  if (s_.term.halted.empty()) return Answer::did(r_.repair_text);
  return Answer::refused(Errc::refused, "group " + s_.name + " is halted again: " + s_.term.halted);
}

}  // namespace ballot::core
