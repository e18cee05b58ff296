// The step: an event comes in, the jobs and groups that it concerns move, and what they left is made into actions.
#include "core/core.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "base/fnv.hpp"
#include "base/instance.hpp"
#include "core/group/groups.hpp"
#include "core/invariants.hpp"
#include "core/jobs/jobs.hpp"
#include "core/node/nodes.hpp"
#include "core/request/requests.hpp"
#include "core/session/clean_stop.hpp"
#include "core/store/store_traffic.hpp"
#include "core/store/takeover.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t due_a_step = 100;  // jobs: the first runs of a burst start while the last are still claimed
constexpr const char* session_write = "session";  // what opening or renewing one writes, among what is refused

}  // namespace

std::uint64_t term_key(std::string_view group, std::uint64_t epoch) {
  Fnv hash;
  hash.add(group);
  for (int i = 0; i < 8; ++i) hash.add(static_cast<unsigned char>(epoch >> (8 * i)));
  return hash.value();
}

struct Core::Step {
  Step(CoreParts& parts, Context& context)
      : c(context),
        jobs(parts, c),
        groups(parts, c),
        takeover(parts, c),
        requests(parts, c),
        nodes(parts, c),
        store(parts, c),
        stop(parts, c) {}

  Context& c;
  Jobs jobs;
  Groups groups;
  Takeover takeover;
  Requests requests;
  Nodes nodes;
  StoreTraffic store;
  CleanStop stop;
  bool all_due_asked = false;  // each job that is due has been advanced: else a step comes at once that does the rest
};

Core::Core(CoreSettings settings) : parts_(std::move(settings)) {}
Core::~Core() = default;

Actions Core::step(Now now, const Event& event, Follows follows) {
  Actions out;
  CoreParts& p = parts_;
  Context c{now,
            p.settings,
            p.session,
            p.prior.inventory(),
            p.chains,
            p.prior.recorded(),
            p.prior.outcomes(),
            has_runner(),
            p.store.room(0),
            p.limits.limits_node(),
            nullptr,
            p.random,
            out,
            p.wants};
  Step s(p, c);
  p.advanced.clear();
  const RequestId sent_before = p.store.last_request();
  const bool lost = p.session.on_time(now, p.store.last_request(), out) == Session::Edge::lost;
  if (p.store.last_request() > sent_before) p.guard.on_renewal_sent();
  if (lost) {
    out.push_back(Notice{Level::error, "the session's deadline has passed: this node leads nothing", {}});
    lose_session(s, Cause::expired);
  }
  s.store.give_up_unanswered();
  std::visit([&](const auto& e) { on(s, e); }, event);
  c.runner = has_runner();
  const Readiness before = std::exchange(readiness_, readiness(c));
  if (readiness_ != before && readiness_ != Readiness::none) s.jobs.advance_led();
  if (follows == Follows::nothing) advance_due(s);
  finish(s);
  BALLOT_CHECK_INVARIANTS(*this);
  return out;
}

Core::Readiness Core::readiness(const Context& c) const {
  const Session& session = parts_.session;
  if (c.may_claim(session.terminate_budget(Millis::max()))) return Readiness::full;
  if (c.may_claim(launch_margin)) return Readiness::late;
  return session.is_open() && session.in_doubt() ? Readiness::ahead : Readiness::none;
}

Wake Core::wake() const {
  const CoreParts& p = parts_;
  const bool open = p.session.is_open();
  Wake wake;
  wake.wall = p.jobs.wall_wake();
  if (const auto at = p.groups.wall_wake(); at && (!wake.wall || *at < *wake.wall)) wake.wall = at;
  const auto earliest = [&](std::optional<SteadyTime> at) {
    if (at && (!wake.steady || *at < *wake.steady)) wake.steady = at;
  };
  for (const auto& at : {p.jobs.steady_wake(), p.groups.wake(), p.session.wake(), p.unreleased.poll_at(), p.listing.at,
                         p.desk.wake(open), p.shutdown.wake()})
    earliest(at);
  if (!open) return wake;
  for (const auto& at : {p.store.retry_at(), p.desk.cleanup(), p.directory.compare_at(), p.planner.scan_at(),
                         p.planner.move_at(), p.guard.list_at()})
    earliest(at);
  if (!p.store.retry_at()) earliest(p.feeds.nodes.wake());  // until then nothing is listed
  if (Nodes::may_publish(p)) earliest(p.directory.renew_at());
  earliest(p.store.overdue_at(p.session.timeout()));
  return wake;
}

/// What time has made due, each once.
void Core::advance_due(Step& s) {
  CoreParts& p = parts_;
  const SteadyTime now = s.c.now.steady;
  const std::vector<JobEntry*> due = p.jobs.due(s.c.now, due_a_step);
  for (JobEntry* entry : due) s.jobs.advance(*entry);
  s.all_due_asked = due.size() < due_a_step || !p.jobs.has_due(s.c.now);
  s.groups.advance_due();
  if (p.unreleased.is_due(now)) s.store.poll_unreleased();
  if (p.listing.at && *p.listing.at <= now) s.takeover.list_jobs();
  if (p.session.is_open()) {
    if (const auto at = p.directory.compare_at(); at && *at <= now) s.nodes.compare_files();
    if (p.planner.is_scan_due(now)) s.nodes.plan_handovers();
    if (p.planner.is_move_due(now)) s.nodes.begin_handover();
    if (const auto at = p.guard.list_at(); at && *at <= now) s.groups.list_repairs();
  }
  s.requests.perform(p.desk.expire(s.c.now, p.session.is_open()));
}

/// Carries on what jobs and groups want, in a fixed order: one request of each kind, and deadlines before launches. Who
/// gets a place is decided once all that are due have said whether they want one.
void Core::finish(Step& s) {
  CoreParts& p = parts_;
  s.takeover.reconsider_changed();
  s.requests.answer_all();
  for (const std::string& name : std::exchange(p.wants.reelect, {}))
    s.groups.act(s.groups.entry(name), [](GroupMachine& machine, GroupContext& g) { machine.reelect(g); });
  while (GroupEntry* const group = p.groups.next_dirty()) {
    s.groups.advance(*group);
    s.requests.answer_all();
  }
  s.jobs.advance_chains();
  s.store.release_throttled();
  if (s.all_due_asked) s.jobs.grant_places();
  s.stop.advance();
  s.nodes.publish();
  s.nodes.ask_runners();
  for (const Row& row : std::exchange(p.wants.awaited, {})) s.requests.perform(p.desk.on_run_ended(row));
  s.store.send_reads();
  s.store.send_writes();
  record_known(s);
  p.store.end_step(s.c.now.steady);
  for (std::string& group : std::exchange(p.wants.resigns, {})) s.c.out.push_back(Resign{std::move(group)});
  s.jobs.send_deadlines();
}

/// What the store has shown in this step, for the daemon's next start.
void Core::record_known(Step& s) {
  CoreParts& p = parts_;
  std::vector<KnownRow> rows = std::exchange(p.wants.known, {});
  if (!p.known.identity()) return;
  if (auto row = p.known.due_row(p.guard, s.c.now.steady)) rows.insert(rows.begin(), std::move(*row));
  for (KnownRow& row : rows) {
    row.store = *p.known.identity();
    s.c.out.push_back(RecordKnown{std::move(row)});
  }
}

// ---- the files, and people

void Core::on(Step& s, const Load& event) {
  std::set<std::string_view> defined;
  for (const schedule::DefinitionPtr& definition : event.jobs) defined.insert(definition->job.name);
  Reload reload{event.jobs, {}, event.groups};
  for (const auto& entry : parts_.jobs.all())
    if (entry->machine.definition() && !defined.contains(entry->machine.name()))
      reload.removed.push_back(entry->machine.name());
  parts_.prior.on_load(event.rows, parts_.settings.node);
  parts_.known.on_load(event.known);
  on(s, reload);
}

void Core::on(Step& s, const Reload& event) {
  const auto define = [&](JobEntry& entry, const schedule::DefinitionPtr& definition) {
    s.groups.count_definition(entry.machine.definition(), -1);
    entry.machine.define(definition);
    s.groups.count_definition(definition, 1);
    s.jobs.link(entry);
    s.jobs.reindex(entry);
    if (parts_.session.is_open() && parts_.listing.may_campaign()) s.takeover.reconsider(entry.machine);
  };
  for (const std::string& name : event.removed) define(parts_.jobs.entry(name), nullptr);
  for (const schedule::DefinitionPtr& definition : event.jobs)
    define(parts_.jobs.entry(definition->job.name), definition);
  s.groups.define(event.groups);
  const auto is_of_a_node = [](const auto& definition) { return is_instance(definition->job.name); };
  if (std::any_of(event.jobs.begin(), event.jobs.end(), is_of_a_node)) parts_.feeds.pauses.want();
  if (parts_.session.is_open()) watch_feeds(s);
  begin(s);
}

void Core::watch_feeds(Step& s) {
  for (RecordFeed* feed : parts_.feeds.all())
    if (feed->begin_watch()) s.c.out.push_back(Watch{std::string(feed->prefix())});
}

/// Once the files and the runner are known: first the runs without a claim that a daemon before has left, which no
/// register shows. A stop that came before needs no session, and would close none.
void Core::begin(Step& s) {
  if (!parts_.prior.is_known() || parts_.session.generation() > 0 || parts_.shutdown.is_asked()) return;
  for (const Row& row : parts_.prior.take_unclaimed_rows()) s.jobs.adopt_row(row);
  parts_.session.begin(s.c.now, s.c.out);
}

void Core::on(Step& s, const Ask& event) { s.requests.on(event); }

/// They are published at the end of the step.
void Core::on(Step&, const Troubles& event) { parts_.directory.set_troubles(event.reasons); }

void Core::on(Step& s, const Stop& event) { s.stop.on(event); }

// ---- the runner and the ledger

void Core::on(Step& s, const Inventory& event) {
  const bool again = parts_.prior.on_inventory(event);
  parts_.health.on_inventory();
  s.c.runner = has_runner();
  parts_.deadline_sent = {};  // a new runner knows no deadline
  for (GroupEntry* group : parts_.groups.led()) group->machine.forget_deadline();
  if (again) go_on_with_runner(s, event);
  begin(s);
}

/// Ends that no job has any more were acknowledged, and that was lost with the link; so may it be of one that a job has
/// taken up anew, by what was published of it.
void Core::go_on_with_runner(Step& s, const Inventory& inventory) {
  for (JobEntry* entry : parts_.jobs.open()) {
    entry->machine.on_inventory(s.c);
    s.jobs.advance(*entry);
  }
  if (!parts_.listing.is_complete()) return;
  for (const runner::Ended& ended : inventory.ended) {
    JobEntry* const job = parts_.jobs.find(ended.id.run);
    if (!job || !job->machine.runner_has(ended.id)) s.c.out.push_back(Forget{ended.id});
  }
}

void Core::on(Step& s, const RunnerGone&) { s.groups.on_health(parts_.health.on_runner_gone()); }

void Core::on(Step& s, const RunnerSilence& event) { s.groups.on_health(parts_.health.on_silence(event)); }

void Core::on(Step& s, const RunnerWord& event) {
  bool more = false;
  for (JobEntry* entry : parts_.jobs.open()) {
    if (!entry->machine.has_foreign(event.node)) continue;
    entry->machine.on_runner_word(s.c, event);
    more = more || entry->machine.has_foreign(event.node);
    s.jobs.advance(*entry);
  }
  if (!more || event.gone) s.c.out.push_back(AskRunner{event.node, {}});
}

void Core::on(Step& s, const runner::Started& event) {
  if (JobEntry* job = parts_.jobs.find(event.id.run)) job->machine.on_started(s.c, event), s.jobs.advance(*job);
}

void Core::on(Step& s, const runner::Refused& event) {
  if (JobEntry* job = parts_.jobs.find(event.id.run)) job->machine.on_refused(s.c, event), s.jobs.advance(*job);
}

void Core::on(Step& s, const runner::CannotStart& event) {
  if (JobEntry* job = parts_.jobs.find(event.id.run)) job->machine.on_cannot_start(s.c, event), s.jobs.advance(*job);
}

void Core::on(Step& s, const runner::Ended& event) {
  JobEntry* job = parts_.jobs.find(event.id.run);
  parts_.prior.on_gone(event.id);
  if (!job) {  // of an earlier daemon: its register has not been read yet, cannot be, or shows it no more
    if (parts_.listing.is_complete() && !parts_.prior.has_open_rows())
      s.c.out.push_back(Forget{event.id});
    else
      parts_.prior.keep_end(event);
    return;
  }
  job->machine.on_ended(s.c, event);
  s.jobs.advance(*job);
}

void Core::on(Step& s, const RowsDurable& event) {
  for (const runner::AttemptId& id : event.ids) {
    JobEntry* job = parts_.jobs.find(id.run);
    if (!job) continue;
    if (job->machine.on_recorded(id)) parts_.jobs.forget(id.run);
    s.jobs.advance(*job);
  }
  for (const Settled& settled : event.settled) {
    JobEntry& job = parts_.jobs.entry(settled.job);
    if (job.machine.on_recorded(settled)) s.jobs.advance(job);
  }
}

// ---- the store

void Core::on(Step& s, const BackendEvent& event) {
  if (event.generation != parts_.session.generation()) return;
  std::visit([&](const auto& what) { on(s, what); }, event.what);
}

void Core::on(Step& s, const backend::SessionOpened& event) {
  CoreParts& p = parts_;
  if (p.session.on_opened(s.c.now, event) != Session::Edge::opened) return;
  p.refused.complete(s.c.out, s.c.now, session_write);
  s.c.out.push_back(Notice{Level::info,
                           "session open",
                           {{"timeout_ms", std::to_string(event.timeout.count())},
                            {"capability", std::string(to_string(event.capability))}}});
  if (event.capability == Capability::sealed)
    s.c.out.push_back(
        Notice{Level::info,
               "the store does not know terms: a new leader shuts out the one before it job by job, as it "
               "writes each register for the first time",
               {}});
  watch_feeds(s);
  p.directory.on_opened(event.id);
  p.guard.on_opened(event.revision);
  p.guard.list_in_session(s.c.now.steady);
  s.groups.on_health(p.health.on_clock(p.session.clock_error()));
  s.takeover.begin_session();
  for (auto& [name, group] : p.groups.all())
    if (group.machine.cools()) p.groups.mark_dirty(group);  // whether there is another candidate can be seen now
  s.requests.perform(p.desk.on_opened());
  p.store.send_delayed(s.c.out);
}

void Core::on(Step& s, const backend::SessionClosed& event) {
  CoreParts& p = parts_;
  const bool was_open = p.session.is_open();
  const bool is_closing = p.shutdown.phase() == Shutdown::Phase::closing;
  const bool refused = p.session.is_refused(event) && !is_closing;
  const Level level = p.shutdown.is_asked() ? Level::info : Level::error;
  if (!event.text.empty() && !refused && was_open)
    s.c.out.push_back(Notice{level, "session closed: " + event.text, {{"cause", std::string(to_string(event.cause))}}});
  else if (!event.text.empty() && !refused)
    s.c.out.push_back(Notice{level, "no session: " + event.text, {}});  // there is no term either that has a cause
  p.session.on_closed(s.c.now, event);
  if (event.refuses_writes) p.refused.refuse(s.c.out, s.c.now, session_write, event.text);
  if (was_open) lose_session(s, event.cause);
  s.groups.forget_unfit();
  if (!is_closing && !refused) return;
  if (refused) p.session.end(true, s.c.out);
  p.shutdown.end();
  s.c.out.push_back(Stopped{refused ? event.text : ""});
}

/// All terms are over; what was asked is unknown.
void Core::lose_session(Step& s, Cause cause) {
  CoreParts& p = parts_;
  p.listing = {JobListing::State::lost, {}};
  for (RecordFeed* feed : p.feeds.all()) feed->on_lost();
  p.desk.on_lost();
  s.store.on_lost();
  s.groups.end_terms(cause);
  s.nodes.forget();
}

void Core::on(Step& s, const backend::Renewed& event) {
  CoreParts& p = parts_;
  const bool doubted = p.session.in_doubt();
  p.session.on_renewed(s.c.now, event);
  if (event.outcome == StoreResult::failed) p.refused.refuse(s.c.out, s.c.now, session_write, event.text);
  if (event.outcome == StoreResult::done) p.refused.complete(s.c.out, s.c.now, session_write);
  log_renewal(s.c, event);
  const bool is_behind = event.outcome == StoreResult::done && p.guard.on_renewed(event.revision);
  if (event.gone_back && !is_behind) p.guard.on_lost_write(event.text);
  if (event.gone_back || is_behind) s.groups.on_gone_back();
  s.groups.on_renewed();
  s.groups.on_health(p.health.on_clock(p.session.clock_error()));
  if (doubted && !p.session.in_doubt()) s.c.out.push_back(Notice{Level::info, "the session is renewed again", {}});
}

void Core::on(Step& s, const backend::Outage& event) { parts_.session.on_outage(s.c.now, event); }

void Core::on(Step& s, const backend::Unfit& event) { s.groups.on_unfit(event); }

void Core::on(Step& s, const backend::Vacancy& event) {
  s.groups.act(s.groups.entry(event.group),
               [&](GroupMachine& machine, GroupContext& g) { machine.on_vacancy(g, event.is_vacant); });
}

/// The first failure, its end, and in between once a minute: it is tried again ten times a second.
void Core::log_renewal(Context& c, const backend::Renewed& event) {
  std::optional<SteadyTime>& noted_at = parts_.renewal_noted_at;
  if (event.outcome == StoreResult::done) {
    noted_at.reset();
  } else if (!event.text.empty() && (!noted_at || c.now.steady >= *noted_at + std::chrono::minutes(1))) {
    noted_at = c.now.steady;
    c.out.push_back(Notice{Level::warn, "renewal failed: " + event.text, {}});
  }
}

void Core::on(Step& s, const backend::Elected& event) { s.takeover.on_elected(event); }

void Core::on(Step& s, const backend::Deposed& event) {
  s.groups.act(s.groups.entry(event.group),
               [&](GroupMachine& machine, GroupContext& g) { machine.on_deposed(g, event); });
}

void Core::on(Step& s, const backend::Observed& event) { s.nodes.on(event); }

void Core::on(Step& s, const backend::Wrote& event) { s.store.on(event); }

void Core::on(Step& s, const backend::ReadDone& event) { s.store.on(event); }

void Core::on(Step& s, const backend::Changed& event) { s.store.on(event); }

}  // namespace ballot::core
