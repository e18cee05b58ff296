#include "core/request/requests.hpp"

#include <string>
#include <utility>
#include <variant>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "core/record/outcome.hpp"
#include "core/request/pause_answers.hpp"
#include "core/views.hpp"

namespace ballot::core {
namespace {

using Reading = StoreClient::Reading;

constexpr Millis outcome_pause{5000};  // in which a run whose outcome is known is closed, which removes it

Answer end_is_past(const Request& pause, Errc code) {
  return Answer::refused(code,
                         "the pause would be over already: its end, " + format_millis(*pause.terms.ends) + ", is past");
}

/// A file may define the job all the same, and be refused.
std::string not_in_force(const std::string& job) {
  return "no job " + job + " is in force; see `ballot jobs`, and `ballot check` for files with errors";
}

}  // namespace

void Requests::on(const Ask& event) {
  const Request& request = event.request;
  if (p_.shutdown.is_asked()) return turn_down(event, Errc::unavailable, "the daemon is stopping");
  if (!request.job.empty() && is_of_instances(request.job)) return ask_instances(event);
  const JobEntry* const job = p_.jobs.find(request.job);
  // Of another node's instance that node knows.
  const bool known = (job && (job->machine.definition() || job->machine.known_register())) ||
                     is_of_instances(common_name(request.job));
  if (!request.job.empty() && !known) return turn_down(event, Errc::not_found, not_in_force(request.job));
  if (!request.group.empty() && !is_group(request.group))
    return turn_down(event, Errc::not_found, "no group " + request.group + " is known");
  if (const auto refusal = refusal_of_backfill(request)) return turn_down(event, refusal->code, refusal->text);
  if (const auto refusal = refusal_of_terms(request)) return turn_down(event, refusal->code, refusal->text);
  if (const auto refusal = refusal_of_trigger(request)) return turn_down(event, refusal->code, refusal->text);
  perform(p_.desk.accept(c_.now, event, c_.session.is_open()));
}

/// A group of another node's instances is known to that node only.
bool Requests::is_group(const std::string& group) const {
  if (p_.groups.find(group)) return true;
  const bool is_another_nodes = is_instance(group) && node_of_instance(group) != p_.settings.node;
  return is_another_nodes && p_.groups.find(std::string(common_name(group)));
}

/// The job runs on each node: it is not defined by its own name, but by those of its instances.
bool Requests::is_of_instances(std::string_view job) const {
  const JobEntry* const own = p_.jobs.find(std::string(job));
  if (is_instance(job) || (own && own->machine.definition())) return false;
  const std::string prefix = instance_name(job, "");
  for (auto it = p_.jobs.all().lower_bound(prefix);
       it != p_.jobs.all().end() && (*it)->machine.name().starts_with(prefix); ++it)
    if ((*it)->machine.is_there()) return true;
  return false;
}

/// An end that is past; or a node that would not keep what it does not know.
std::optional<Answer> Requests::refusal_of_terms(const Request& request) const {
  if (request.kind != Request::Kind::pause || request.terms.empty()) return std::nullopt;
  if (request.terms.is_over(c_.now.wall)) return end_is_past(request, Errc::invalid);
  const std::string node = node_that_lacks(request, &Peers::lacks_pause_terms);
  if (node.empty()) return std::nullopt;
  const std::string what = request.job.empty() ? "group " + request.group : "job " + request.job;
  return Answer::refused(Errc::refused, "node " + node + ", which may run " + what +
                                            ", is of a release that knows no pause with an end or a reason: upgrade "
                                            "it, or pause without them");
}

/// After a failover to a node that does not know what a trigger asks for, its run would lack that.
std::optional<Answer> Requests::refusal_of_trigger(const Request& request) const {
  if (request.kind != Request::Kind::trigger) return std::nullopt;
  const bool is_of_chain = !request.alone && !p_.chains.children(request.job).empty();
  if (request.env.empty() && !is_of_chain) return std::nullopt;
  const std::string node = node_that_lacks(request, &Peers::lacks_triggers);
  if (node.empty()) return std::nullopt;
  const std::string what = request.env.empty() ? "begins no jobs after one that is triggered: upgrade it, or trigger "
                                                 "the job alone"
                                               : "knows no triggers with variables: upgrade it";
  return Answer::refused(Errc::refused,
                         "node " + node + ", which may run job " + request.job + ", is of a release that " + what);
}

/// A node that may lead what the request is of, and by `lacks` does not know what it asks for; "": there is none. Of
/// one that is not known to be gone, and may be, the election says so: asking again helps then.
std::string Requests::node_that_lacks(const Request& request, Lacks lacks) const {
  const Views views(p_.settings.node, p_.jobs, p_.groups, p_.directory);
  const JobEntry* const job = p_.jobs.find(std::string(request.job));
  std::string name = !request.group.empty() ? request.group : job ? job->machine.owner() : "";
  if (name.empty()) name = views.group_of_instances(std::string(common_name(request.job)));
  GroupEntry* const group = p_.groups.find(std::string(common_name(name)));
  if (!group) return "";
  Group settings = group->settings;
  if (is_instance(name)) settings.candidates = {std::string(node_of_instance(name))};
  std::string node = (p_.directory.peers().*lacks)(settings);
  if (!node.empty() && c_.session.is_open()) p_.store.observe(c_.out, *group, group->name());
  return node;
}

/// A node that cannot read a request removes it, whatever it leads. Of one that is not known to be gone, and may be,
/// the elections say so: asking again helps then.
std::optional<Answer> Requests::refusal_of_backfill(const Request& request) const {
  if (!is_of_backfill(request.kind)) return std::nullopt;
  const std::string node = p_.directory.peers().lacks_backfills();
  if (node.empty()) return std::nullopt;
  const JobEntry* const job = p_.jobs.find(request.job);
  if (c_.session.is_open() && job && job->owner) p_.store.observe(c_.out, *job->owner, job->owner->name());
  return Answer::refused(
      Errc::refused,
      "node " + node + " is of a release that knows no backfills, and would remove what is asked: upgrade it");
}

/// Nobody can change a record, and while it is made anew instances would take their pause for ended.
std::optional<Answer> Requests::refusal_beside(const StandingPause& standing, const Request& request) const {
  const bool is_over = standing.terms.is_over(c_.now.wall);
  if (request.kind != Request::Kind::pause || is_over || standing.terms == request.terms) return std::nullopt;
  return Answer::refused(Errc::conflict, "all instances of job " + request.job + " are paused already, " +
                                             pause_facts(standing.at, standing.by, standing.terms) +
                                             ". `ballot resume " + request.job + "` ends that; `ballot pause " +
                                             instance_name(request.job, "NODE") + "` changes the end of one");
}

/// Asked of all of them at once: the store keeps it for those that come later. A run of them is looked for by its node.
void Requests::ask_instances(const Ask& event) {
  using Kind = Request::Kind;
  Ask ask = event;
  ask.request.of_all = ask.request.kind == Kind::pause || ask.request.kind == Kind::resume;
  const auto known = ask.request.of_all ? p_.pauses.find(ask.request.job) : nullptr;
  auto refusal = refusal_of_terms(ask.request);
  if (!refusal && known && known->standing) {
    refusal = refusal_beside(*known->standing, ask.request);
    ask.request.replaces_ended = ask.request.kind == Kind::pause && known->standing->terms.is_over(c_.now.wall);
  }
  if (refusal) return turn_down(event, refusal->code, refusal->text);
  if (ask.request.of_all || ask.request.kind == Kind::kill)
    return perform(p_.desk.accept(c_.now, ask, c_.session.is_open()));
  const std::string& job = ask.request.job;
  turn_down(event, Errc::invalid,
            "job " + job + " runs on each node: name one of its instances, as " + instance_name(job, p_.settings.node));
}

/// It comes into no store.
void Requests::turn_down(const Ask& event, Errc code, const std::string& why) {
  perform(RequestDesk::Conclude{event.request.id, "refused", why, event.request});
  c_.out.push_back(Reply{event.asker, false, why, {}, code});
}

void Requests::perform(RequestDesk::Errands errands) {
  for (RequestDesk::Errand& errand : errands) std::visit([&](auto& what) { perform(what); }, errand);
}

void Requests::perform(StoreClient::RecordOp& op) { p_.store.create(c_.out, c_.session.is_open(), std::move(op)); }

void Requests::perform(const RequestDesk::ListRuns& errand) {
  p_.store.list(c_.out, {.what = Reading::For::runs, .asker = errand.request, .entries = p_.jobs.all().size()}, "j/");
}

void Requests::perform(const RequestDesk::ReadFate& errand) {
  p_.store.read(c_.out, {.what = Reading::For::trigger_fate, .asker = errand.request},
                {request_record(errand.request), answer_record(errand.request), job_register(errand.job)});
}

void Requests::answer(const RunId& request, std::optional<Answer> answer) {
  perform(p_.desk.answer(c_.now, request, std::move(answer)));
}

void Requests::answer_all() {
  for (const Answered& one : std::exchange(c_.wants.answers, {})) answer(one.request, one.answer);
}

void Requests::on_outcomes(const std::vector<Register>& records) {
  for (const Register& record : records) {
    const auto row = parse_outcome(record.value);
    if (!row) continue;
    JobEntry* const job = p_.jobs.find(row->job);
    if (!job) continue;
    job->machine.on_outcome(c_, *row);
    jobs_.advance(*job);
    if (job->machine.term()) p_.desk.clean_up_at(c_.now, c_.now.wall + outcome_pause);
  }
}

void Requests::remove(std::vector<std::string> names) {
  StoreClient::RecordOp op;
  op.removals = std::move(names);
  perform(op);
}

// ---- what is this node's to do

void Requests::take(const Request& request) {
  if (request.kind == Request::Kind::kill) return take_kill(request);
  if (request.kind == Request::Kind::release) return take_release(request);
  if (request.kind == Request::Kind::replace) return take_replace(request);
  if (!request.group.empty()) return take_for_group(request);
  JobEntry* const job = p_.jobs.find(request.job);
  const bool none_here = node_of_instance(request.job) == p_.settings.node && p_.listing.is_complete();
  if (none_here && !(job && job->machine.is_there()))
    return refuse(request, Answer::refused(Errc::not_found, "no job file of " + p_.settings.node + " defines " +
                                                                std::string(common_name(request.job))));
  if (!job || !job->machine.term()) return;
  if (request.kind == Request::Kind::trigger && job->machine.leaves_to_another_group(request.id)) return;
  if (is_past(request)) return refuse(request, end_is_past(request, Errc::refused));
  p_.desk.take(request, job->machine.term()->group);
  record(request);
  if (job->owner && job->owner->machine.is_evicting()) return;
  if (request.kind == Request::Kind::repair) p_.feeds.outcomes.on_changed();
  if (request.kind == Request::Kind::pause && request.run != RunId{}) follow(request);
  job->machine.ask(c_, request);
  jobs_.advance(*job);
}

/// The node that asks has seen that pause in the store; this one perhaps too, with its end.
void Requests::follow(const Request& request) {
  const std::string job(common_name(request.job));
  const auto known = p_.pauses.find(job);
  if (known && known->standing && known->standing->id == request.run) return;
  const StandingPause pause{request.run, c_.now.wall, request.by, request.terms};
  p_.pauses.learn(job, {pause, {}}, 0, p_.store.last_request());
  jobs_.follow_pauses();
}

/// A pause of all instances is followed all the same, and ends at once.
bool Requests::is_past(const Request& request) const {
  return request.kind == Request::Kind::pause && request.run == RunId{} && request.terms.is_over(c_.now.wall);
}

void Requests::take_kill(const Request& request) {
  JobEntry* const found = p_.jobs.find(request.job);
  if (!found) return;
  JobMachine& job = found->machine;
  if (job.executes(request.run) && !job.leaves_to_next_leader(request.run)) {
    p_.desk.take(request, "");
    record(request);
    job.ask(c_, request);
    jobs_.advance(*found);
  } else if (job.role() == JobMachine::Role::leading) {
    if (job.shows(request.run))
      p_.kill_waits = true;
    else
      refuse(request, Answer::refused(Errc::not_found, "the run has ended"));
  }
}

/// The register of one of our groups, perhaps unknown here: once it is read, it is settled and released.
void Requests::take_release(const Request& request) {
  if (!p_.groups.leading(request.group)) return;
  JobMachine& job = p_.jobs.entry(request.job).machine;
  if (!job.term()) c_.wants.reads.push_back(&job);
  remove({request_record(request.id)});
}

void Requests::take_replace(const Request& request) {
  JobEntry* const job = p_.jobs.find(request.job);
  if (!job || !job->machine.executes(request.run)) return;
  remove({request_record(request.id)});
  if (job->machine.role() == JobMachine::Role::leading) return;  // it leads again, and decides itself
  record(request);
  job->machine.ask(c_, request);
  jobs_.advance(*job);
}

void Requests::take_for_group(const Request& request) {
  const GroupEntry* const own = p_.groups.find(request.group);
  const bool none_here = node_of_instance(request.group) == p_.settings.node && p_.listing.is_complete();
  if (none_here && !(own && own->is_wanted()))
    return refuse(request,
                  Answer::refused(Errc::not_found, "no job of group " + std::string(common_name(request.group)) +
                                                       " runs on each node by the files of " + p_.settings.node));
  GroupEntry* const group = p_.groups.leading(request.group);
  if (!group && request.kind == Request::Kind::repair) p_.guard.on_repair_asked(c_.now.steady);
  if (!group) return;
  if (is_past(request)) return refuse(request, end_is_past(request, Errc::refused));
  if (auto refusal = group->machine.refusal(request)) return refuse(request, *std::move(refusal));
  p_.desk.take(request, group->name());
  record(request);
  if (request.kind == Request::Kind::repair) p_.feeds.outcomes.on_changed();
  groups_.act(*group, [&](GroupMachine& machine, GroupContext& g) { machine.take(g, request); });
}

/// It is this node's to do, and is not done.
void Requests::refuse(const Request& request, Answer refusal) {
  record(request);
  answer(request.id, std::move(refusal));
}

namespace {

Notice notice_of(std::string text, const Request& request) {
  Notice notice{Level::info, std::move(text), {{"request", std::string(to_string(request.kind))}}};
  if (!request.job.empty()) notice.fields.emplace_back("job", request.job);
  if (!request.group.empty()) notice.fields.emplace_back("group", request.group);
  if (names_run(request.kind) && request.run != RunId{}) notice.fields.emplace_back("run", request.run.text());
  notice.fields.emplace_back("by", request.by.empty() ? "nobody named" : request.by);
  notice.fields.emplace_back("id", request.id.text());
  return notice;
}

}  // namespace

/// Everybody who can write into the store can make requests: the node that carries one out logs and records its author.
void Requests::record(const Request& request) {
  record_row(request);
  c_.out.push_back(notice_of("request taken", request));
}

void Requests::record_row(const Request& request) {
  const auto run = request.run == RunId{} ? std::nullopt : std::optional(request.run);
  c_.out.push_back(RecordRequest{{.id = request.id,
                                  .kind = std::string(to_string(request.kind)),
                                  .job = request.job,
                                  .group = request.group,
                                  .run = run,
                                  .node = p_.settings.node,
                                  .at = c_.now.wall,
                                  .by = request.by,
                                  .env = request.env}});
}

/// A change that no node has taken up was made by this one: a pause of all instances.
void Requests::perform(const RequestDesk::Conclude& errand) {
  if (errand.unrecorded) record_row(*errand.unrecorded);
  c_.out.push_back(RecordAnswer{{errand.request, errand.result, errand.text, c_.now.wall}});
  if (errand.unrecorded && errand.result == "done") c_.out.push_back(notice_of("request taken", *errand.unrecorded));
  if (errand.result == "done") return;
  Notice notice = errand.unrecorded ? notice_of("request " + errand.result, *errand.unrecorded)
                                    : Notice{Level::info, "request " + errand.result, {{"id", errand.request.text()}}};
  if (!errand.text.empty()) notice.fields.emplace_back("why", errand.text);
  c_.out.push_back(std::move(notice));
}

}  // namespace ballot::core
