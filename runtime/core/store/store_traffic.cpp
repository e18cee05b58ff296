#include "core/store/store_traffic.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/record/outcome.hpp"

namespace ballot::core {
void StoreTraffic::on(const backend::ReadDone& event) {
  const std::optional<Reading> found = p_.store.on_read(event.request);
  if (!found) return;
  const Reading& asked = *found;
  const bool done = event.outcome == StoreResult::done;
  switch (asked.what) {
    case Reading::For::identity: return takeover_.on_identity(event);
    case Reading::For::list:
    case Reading::For::own_outcomes: return takeover_.on_list(asked, event);
    case Reading::For::takeover:
    case Reading::For::outcomes: return takeover_.on_registers(asked, event);
    case Reading::For::group:
      return groups_.act(groups_.entry(asked.group),
                         [&](GroupMachine& machine, GroupContext& g) { machine.on_read(g, event); });
    case Reading::For::jobs:
    case Reading::For::job_outcomes: return takeover_.on_jobs_read(asked, event);
    case Reading::For::requests:
      on_feed_listed(p_.feeds.requests, event);
      if (done) requests_.perform(p_.desk.on_records(c_.now, event.registers, p_.shutdown.is_asked()));
      return;
    case Reading::For::published:
      on_feed_listed(p_.feeds.outcomes, event);
      return done ? requests_.on_outcomes(event.registers) : void();
    case Reading::For::nodes: {
      const bool is_first = !p_.feeds.nodes.has_been_listed();
      on_feed_listed(p_.feeds.nodes, event);
      if (!done) return;
      nodes_.on_records(event.registers);
      return is_first ? groups_.on_nodes_listed() : void();
    }
    case Reading::For::runs:
      if (done) return requests_.perform(p_.desk.on_runs_listed(asked.asker, event.registers, c_.session.is_open()));
      if (p_.desk.on_unknown(asked.asker)) p_.store.retry_later(c_.now.steady);
      return;
    case Reading::For::pauses:
      on_feed_listed(p_.feeds.pauses, event);
      return done ? takeover_.on_pauses(asked, event) : void();
    case Reading::For::repairs: return done ? groups_.on_repairs(event.registers) : void();
    case Reading::For::trigger_fate:
      if (done) return requests_.perform(p_.desk.on_fate(c_.now, asked.asker, event.registers));
      if (p_.desk.on_fate_unknown(c_.now, asked.asker)) p_.store.retry_later(c_.now.steady);
      return;
  }
}

/// A list that failed is sent again a little later.
void StoreTraffic::on_feed_listed(RecordFeed& feed, const backend::ReadDone& event) {
  const bool done = event.outcome == StoreResult::done;
  feed.on_listed(c_.now.steady, done, event.registers.size());
  if (!done) p_.store.retry_later(c_.now.steady);
}

/// `name` of the register or record is made where it is needed only. An answer that is unknown, or says that somebody
/// else has written, shows neither.
template <class Name>
void StoreTraffic::note_fate(const WriteAnswer& answer, const Name& name) {
  if (answer.outcome == StoreResult::done && p_.refused.standing()) p_.refused.complete(c_.out, c_.now, name());
  if (answer.outcome == StoreResult::failed) p_.refused.refuse(c_.out, c_.now, name(), answer.text);
}

void StoreTraffic::on(const backend::Wrote& event) {
  if (GroupEntry* const group = p_.store.on_group_written(event.request)) {
    const WriteAnswer answer = event.answers.empty() ? WriteAnswer{} : event.answers[0];
    note_fate(answer, [&] { return group_register(group->name()); });
    return groups_.act(*group, [&](GroupMachine& machine, GroupContext& g) { machine.on_written(g, answer); });
  }
  if (auto op = p_.store.on_recorded(event.request)) return on_recorded(std::move(*op), event.answers);
  const auto jobs = p_.store.on_written(event.request);
  if (!jobs) return;
  if (std::exchange(p_.kill_waits, false)) p_.feeds.requests.on_changed();
  for (std::size_t i = 0; i < jobs->size(); ++i) {
    const auto& [job, serial] = (*jobs)[i];
    const WriteAnswer answer = i < event.answers.size() ? event.answers[i] : WriteAnswer{};
    note_fate(answer, [&, &job = job] { return job_register(job->name()); });
    job->on_write_answer(c_, serial, answer);
    jobs_.advance(p_.jobs.entry(job->name()));
  }
}

void StoreTraffic::on(const backend::Changed& event) {
  for (RecordFeed* feed : p_.feeds.all())
    if (event.prefix == feed->prefix()) feed->on_changed();
}

void StoreTraffic::on_lost() {
  for (RecordOp& op : p_.store.on_lost()) on_recorded(std::move(op), {});
}

/// Without answers the session is over. Records that may not have arrived are sent again.
void StoreTraffic::on_recorded(RecordOp op, const std::vector<WriteAnswer>& answers) {
  const auto fate = [&](std::size_t i) { return i < answers.size() ? answers[i] : WriteAnswer{}; };
  const auto arrived = [&](std::size_t i) {
    return fate(i).outcome == StoreResult::done || fate(i).outcome == StoreResult::conflict;
  };
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (const std::string* const name = op.name(i)) note_fate(answers[i], [&] { return *name; });
  for (std::size_t i = 0; i < op.outcomes.size(); ++i) {
    JobEntry& job = p_.jobs.entry(op.jobs[i]);
    if (arrived(i)) p_.prior.keep_outcome(op.records[i], !p_.listing.is_complete());
    job.machine.on_published(c_, op.outcomes[i], arrived(i));
    jobs_.advance(job);
  }
  if (!op.outcomes.empty()) return;
  // The next session publishes what is of this node anew, and reads the identity again.
  if ((op.of_self || op.is_identity) && answers.empty() && !c_.session.is_open()) return;
  const std::size_t count = std::max(op.records.size(), op.removals.size());
  bool again = false;
  for (std::size_t i = 0; i < count; ++i) again = again || !arrived(i);
  if (again && fate(0).outcome == StoreResult::failed && op.request)
    return requests_.perform(p_.desk.on_not_stored(*op.request, fate(0).text));
  // Of what is asked here the desk knows whether it is to be sent again, be it in the next session.
  if (const RunId* const request = again ? op.asked() : nullptr) {
    if (p_.desk.on_unknown(*request)) p_.store.retry_later(c_.now.steady);
    return;
  }
  if (again) {
    p_.store.delay(std::move(op));
    p_.store.retry_later(c_.now.steady);
    return;
  }
  if (op.of_self) return nodes_.on_published(op);
  if (op.is_identity) return takeover_.identify();
  if (op.answered) requests_.perform(p_.desk.on_withdrawn(*op.answered));
  for (RecordOp& next : op.next) p_.store.create(c_.out, c_.session.is_open(), std::move(next));
  if (!op.evicts.empty())
    groups_.act(groups_.entry(op.evicts),
                [](GroupMachine& machine, GroupContext& g) { machine.on_eviction_removed(g); });
  if (op.request) requests_.perform(p_.desk.on_stored(*op.request, fate(0).outcome == StoreResult::conflict));
}

void StoreTraffic::give_up_unanswered() {
  const auto overdue = p_.store.overdue_at(c_.session.timeout());
  if (!overdue || !c_.session.is_open() || c_.now.steady < *overdue) return;
  const RequestId last = p_.store.give_up_oldest();
  std::size_t count = 0;
  for (auto id = p_.store.oldest(); id && *id <= last; id = p_.store.oldest()) {
    on(backend::Wrote{*id, std::vector<WriteAnswer>(p_.store.writes_in(*id))});
    on(backend::ReadDone{*id, StoreResult::unknown, {}, {}});
    nodes_.on(backend::Observed{*id, StoreResult::unknown, {}, {}});
    ++count;
  }
  if (count > 0)
    c_.out.push_back(Notice{
        Level::warn, "the backend has not answered for the session's timeout", {{"requests", std::to_string(count)}}});
}

// ---- at the end of a step

void StoreTraffic::release_throttled() {
  const auto keep = [this] {
    for (JobMachine* job : std::exchange(c_.wants.throttled, {})) {
      JobEntry& entry = p_.jobs.entry(job->name());
      if (!std::exchange(entry.throttled, true)) p_.store.throttle(entry);
    }
  };
  keep();
  for (c_.room = p_.store.room(c_.wants.writes.size()); c_.room > 0;) {
    JobEntry* const next = p_.store.next_throttled();
    if (!next) break;
    next->throttled = false;
    jobs_.advance(*next);
  }
  keep();
}

void StoreTraffic::send_reads() {
  std::vector<JobMachine*> jobs = std::exchange(c_.wants.reads, {});
  if (!c_.session.is_open()) return;
  if (!jobs.empty()) {
    Reading asked{.what = Reading::For::jobs};
    std::vector<std::string> names;
    std::unordered_set<const JobEntry*> once;
    for (const JobMachine* job : jobs) {
      JobEntry* const one = &p_.jobs.entry(job->name());
      if (!once.insert(one).second) continue;
      names.push_back(job_register(job->name()));
      asked.add_pause(job->name(), names);
      asked.jobs.push_back(one);
    }
    p_.store.read(c_.out, std::move(asked), std::move(names));
  }
  if (p_.desk.begin_cleanup(c_.now.steady)) {
    p_.feeds.requests.on_changed();
    p_.feeds.outcomes.on_changed();
  }
  if (std::exchange(c_.wants.published, false)) p_.feeds.outcomes.on_changed();
  if (!p_.store.begin_retry(c_.now.steady)) return;
  p_.store.send_delayed(c_.out);
  requests_.perform(p_.desk.go_on());
  list_if_dirty(p_.feeds.requests, Reading::For::requests);
  list_if_dirty(p_.feeds.outcomes, Reading::For::published);
  list_if_dirty(p_.feeds.nodes, Reading::For::nodes);
  list_if_dirty(p_.feeds.pauses, Reading::For::pauses);
}

void StoreTraffic::list_if_dirty(RecordFeed& feed, Reading::For what) {
  if (feed.begin(c_.now.steady)) p_.store.list(c_.out, {.what = what}, feed.prefix());
}

void StoreTraffic::send_writes() {
  for (const Unwritten& one : std::exchange(c_.wants.unwritten, {}))
    p_.refused.refuse(c_.out, c_.now, one.name, one.why);
  if (!c_.wants.writes.empty()) p_.store.write(c_.out, std::exchange(c_.wants.writes, {}));
  RecordOp published;
  for (const Row& row : std::exchange(c_.wants.outcomes, {})) {
    const runner::AttemptId id{*row.run, row.attempt};
    published.outcomes.push_back(id);
    published.jobs.push_back(row.job);
    published.records.push_back({outcome_record(id), outcome_text(row)});
  }
  if (!published.records.empty()) create(std::move(published));
  ask_for_replacement();
  if (!c_.wants.removals.empty()) requests_.remove(std::exchange(c_.wants.removals, {}));
}

void StoreTraffic::create(RecordOp op) { p_.store.create(c_.out, c_.session.is_open(), std::move(op)); }

/// The node that has the runs kills them.
void StoreTraffic::ask_for_replacement() {
  RecordOp asked;
  for (const auto& [job, run] : std::exchange(c_.wants.replaced, {})) {
    Request request = of_node(Request::Kind::replace, job);
    request.run = run;
    asked.records.push_back({request_record(request.id), to_text(request)});
  }
  if (!asked.records.empty()) create(std::move(asked));
}

Request StoreTraffic::of_node(Request::Kind kind, const std::string& job) const {
  Request request;
  request.kind = kind;
  request.id = c_.random.run_id(c_.now.wall);
  request.job = job;
  request.until = c_.now.wall + node_patience;
  request.by = p_.settings.node;
  return request;
}

void StoreTraffic::poll_unreleased() {
  std::vector<JobEntry*> owned;  // by another group
  for (JobEntry* entry : p_.unreleased.take()) {
    const JobMachine& job = entry->machine;
    const bool is_ours = p_.groups.leading(job.owner());
    if (job.term() || (!(job.definition() && p_.groups.leading(job.definition()->job.group)) && !is_ours)) continue;
    c_.wants.reads.push_back(&entry->machine);
    p_.unreleased.wait(*entry, c_.now.steady + unreleased_pause);
    if (!job.owner().empty() && !is_ours) owned.push_back(entry);
  }
  ask_for_release(std::move(owned));
}

/// The leader of the group that owns these jobs may not know of their registers.
void StoreTraffic::ask_for_release(std::vector<JobEntry*> waiting) {
  RecordOp asked;
  for (JobEntry* entry : waiting) {
    if (entry->release_asked && c_.now.steady < *entry->release_asked + node_patience) continue;
    entry->release_asked = c_.now.steady;
    Request request = of_node(Request::Kind::release, entry->machine.name());
    request.group = entry->machine.owner();
    asked.records.push_back({request_record(request.id), to_text(request)});
  }
  if (!asked.records.empty()) create(std::move(asked));
}

}  // namespace ballot::core
