#include "library/control_answers.hpp"

#include <algorithm>
#include <utility>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "core/record/move_marks.hpp"
#include "core/record/record_text.hpp"
#include "io/clocks.hpp"
#include "io/role.hpp"
#include "library/asked_request.hpp"
#include "library/backfill/shown_backfill.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/shown/ledger_ask.hpp"
#include "library/shown/values.hpp"

namespace ballot::library {
namespace {

constexpr Millis instances_patience{5000};  // to say which nodes have an instance
constexpr Millis nodes_patience{2000};      // to say which nodes are away
constexpr int most_asked = 16;  // of a user's requests under way at once; root and the daemon's own user may ask more
constexpr int most_asked_by_root = 1024;

std::vector<io::Message> pause_messages(const core::JobView& view) {
  std::vector<io::Message> pauses;
  const auto add = [&](const char* of, const std::optional<core::JobView::Pause>& pause) {
    if (!pause) return;
    io::Message one;
    one.set("of", of).set("by", std::string(pause->by));
    if (pause->since) one.set("since", format_millis(*pause->since));
    if (pause->ends) one.set("until", format_millis(*pause->ends));
    if (!pause->reason.empty()) one.set("reason", std::string(pause->reason));
    pauses.push_back(std::move(one));
  };
  add("job", view.own_pause);
  add("group", view.group_pause);
  return pauses;
}

io::Message job_message(const core::JobView& view) {
  io::Message job;
  job.set("job", std::string(view.name)).set("group", std::string(view.group));
  job.set("leader", std::string(view.leader)).set("state", text_of(view)).set("trouble", std::string(view.trouble));
  if (view.halted_at) job.set("halted_at", format_millis(*view.halted_at));
  job.set("halted_with_group", view.halted_with_group);
  if (view.next) job.set("next_slot", format_slot(*view.next));
  job.set("digest", view.digest.text());
  if (view.since) job.set("since", format_slot(*view.since));
  if (view.paused_at)
    job.set("paused_at", format_millis(*view.paused_at)).set("paused_by", std::string(view.paused_by));
  if (auto pauses = pause_messages(view); !pauses.empty()) job.set("pauses", std::move(pauses));
  if (view.overdue_since) job.set("overdue_since", format_millis(*view.overdue_since));
  if (view.is_slow) job.set("slow", true);
  return job;
}

/// An answer in as many lines as there are pages, each with a list of that name. `visit` is a function of StateViews.
template <class View, class MessageOf>
void answer_pages(const char* name, const StateViews& views, const io::Reply& reply,
                  void (StateViews::*visit)(StateViews::OnPage<View>, StateViews::Done) const, MessageOf message_of) {
  const auto page = [name, reply, message_of](std::span<const View> all) {
    std::vector<io::Message> messages;
    for (const View& view : all) messages.push_back(message_of(view));
    io::Message line;
    line.set(name, std::move(messages));
    reply.send(line);
    return !reply.gone();
  };
  (views.*visit)(page, [reply] { reply.finish({}); });
}

/// `key`: what the run of a trigger is called.
io::Message done(const char* key, const std::optional<RunId>& run) {
  io::Message line;
  line.set("done", true);
  if (run) line.set(key, run->text());
  return line;
}

Error too_many() { return {Errc::unavailable, "too many requests of yours are under way; wait until some are done"}; }

void refuse_unknown(const std::string& word, const io::Reply& reply) {
  reply.fail({Errc::invalid, "the daemon does not know how to do '" + word + "'; it may be older than this command"});
}

/// As this daemon's own.
LedgerPlace live(LedgerPlace place, const Node& node) {
  place.is_live = true;
  place.trouble = [&node, name = place.node]() -> std::optional<MissingNode> {
    const storage::LedgerState state = node.ledger_state();
    if (!state.degraded) return std::nullopt;
    return MissingNode{name, node.spooled().since, "its ledger takes no rows at present: " + state.reason, "ledger"};
  };
  place.wait_until_opened = [&node](const std::function<bool()>& goes_on) { node.wait_until_ledger_opened(goes_on); };
  return place;
}

}  // namespace

ControlAnswers::ControlAnswers(Node& node, const JobFolder& jobs, Facts facts)
    : node_(node),
      views_(node),
      fleet_(node, facts.node),
      looks_(node,
             [this](const std::vector<Election>& elections) {
               fleet_.note(elections);
               if (others_) others_->note(elections);
             }),
      jobs_(jobs),
      facts_(std::move(facts)),
      desk_(node.loop(), live(facts_.ledger, node)),
      shown_(
          node, views_, jobs_,
          [this](const io::Question& one, const io::Reply& answer) { answer_from_ledger(one, answer); }, facts_.node),
      next_({node, views_, jobs.set(), fleet_}, facts_.node),
      ahead_(node, views_, facts_.node),
      why_({node, views_, jobs, fleet_, desk_}, facts_.node, facts_.ledger.keep),
      backfill_({node, jobs, desk_}, facts_.node,
                [this](const core::Request& request, const io::Question& asked, const io::Reply& reply) {
                  make_backfill(request, asked, reply);
                }) {
  if (facts_.fleet) {
    const auto look = [this](Millis within, FleetQuestions::OnNodes then) {
      fleet_.look(views_.node_status(), within, std::move(then));
    };
    desk_.answer_for(others_.emplace(node, *facts_.fleet, look, facts_.log));
    fleet_.answers_known_by([this] { return others_->answers(); });
  }
  io::Engine::Observer observer;
  observer.on_row = [events = events_](const core::RecordRow& record) { events->add(record.row); };
  node_.add_observer(std::move(observer));
}

void ControlAnswers::start() {
  if (others_) others_->start();
  looks_.start();
}

void ControlAnswers::close() {
  looks_.close();
  desk_.close();
}

void ControlAnswers::answer(const io::Question& question, const io::Reply& reply) {
  const std::string what = question.message.text("do").value_or("");
  const bool is_shown = question.message.text("form") == "shown";
  // What has no line in the table of words and roles is answered to nobody.
  if (!io::is_known(what)) return refuse_unknown(what, reply);
  if (is_shown && (shown_.answer(question, reply) || ahead_.answer(question, reply))) return;
  if (what == "flush")
    node_.flush([reply] { reply.finish({}); });
  else if (what == "jobs")
    answer_jobs(reply);
  else if (what == "job")
    answer_job(question.message.text("job").value_or(""), reply);
  else if (what == "groups")
    answer_groups(reply);
  else if (what == "runs")
    answer_runs(reply);
  else if (what == "status")
    answer_status(reply);
  else if (what == "whoami")
    reply.finish(io::Message()
                     .set("name", question.asker.name)
                     .set("role", std::string(io::to_string(question.asker.role)))
                     .set("node", facts_.node));
  else if (what == "events")
    events_->follow(question, reply);
  else if (what == "ready")
    answer_ready(reply);
  else if (what == "nodes")
    status([this, reply](const NodeStatus& status) { fleet_.answer_nodes(status, reply); });
  else if (what == "next")
    next_.answer(question.message, reply);
  else if (what == "ledger")
    answer_from_ledger(question, reply);
  else if (what == "instances")
    answer_instances(question.message.text("job").value_or(""), reply);
  else if (what == "waiting")
    answer_waiting(question.message.text("job").value_or(""), reply);
  else if (what == "backfill")
    backfill_.answer(question, reply);
  else if (const auto kind = asked_kind(what))
    answer_request(*kind, question, reply);
  else
    refuse_unknown(what, reply);
}

/// Kept as long as a request is under way; none where the asker has too many. A request whose asker has gone counts
/// too: it is still in the store.
std::shared_ptr<void> ControlAnswers::admit(const io::Asker& asker) {
  int& count = (*asking_)[asker.key];
  if (count >= (asker.is_own ? most_asked_by_root : most_asked)) return nullptr;
  ++count;
  return {asking_.get(), [asking = asking_, key = asker.key](void*) {
            if (--(*asking)[key] == 0) asking->erase(key);
          }};
}

/// First a line that it is done, with the run's id where it was a trigger; with `wait` a last one with the run's end.
void ControlAnswers::answer_request(core::Request::Kind kind, const io::Question& asked, const io::Reply& reply) {
  const io::Message& message = asked.message;
  auto read = asked_request(kind, message, facts_.node + " " + asked.asker.name, io::read_clocks().wall);
  if (!read) return reply.fail(read.error());
  const auto& [request, run, patience] = *read;
  const auto ticket = admit(asked.asker);
  if (!ticket) return reply.fail(too_many());
  const bool is_shown = message.text("form") == "shown";
  const bool is_trigger = kind == core::Request::Kind::trigger;
  const auto answered = [reply, ticket, is_shown, is_trigger, wait = request.wait](const core::Reply& answer) {
    if (!answer.ok) return reply.fail({answer.code, answer.text});
    io::Message line = done(is_shown ? "run_id" : "run", answer.run);
    if (is_trigger && is_shown) line.set("created", !answer.repeats);
    if (!answer.text.empty()) line.set("text", answer.text);
    if (wait)
      reply.send(line);
    else
      reply.finish(line);
  };
  const auto ended = [reply, ticket](const Row& row) {
    io::Message line;
    line.set("status", std::string(to_string(row.status))).set("reason", std::string(to_string(row.reason)));
    if (row.exit_code) line.set("exit_code", std::int64_t{*row.exit_code});
    if (row.signal) line.set("signal", std::int64_t{*row.signal});
    reply.finish(line);
  };
  const auto go_on = [this, run, patience, answered, ended](const core::Request& asks) {
    node_.ask(asks, run, patience, answered, asks.wait ? io::Engine::OnEnded(ended) : nullptr);
  };
  if (kind == core::Request::Kind::kill)
    return find_gone([this, request, run, patience, answered](std::set<std::string> gone) {
      node_.ask(request, run, patience, answered, nullptr, std::move(gone));
    });
  request.id == RunId{} ? go_on(request) : unless_there(request, asked, reply, go_on);
}

/// The slots are chosen; or its end is asked for.
void ControlAnswers::make_backfill(core::Request request, const io::Question& asked, const io::Reply& reply) {
  const auto terms = asked_in(request, asked.message, facts_.node + " " + asked.asker.name);
  if (!terms) return reply.fail(terms.error());
  const auto ticket = admit(asked.asker);
  if (!ticket) return reply.fail(too_many());
  node_.ask(
      *terms, "", patience_of(asked.message),
      [reply, ticket](const core::Reply& answer) {
        if (!answer.ok) return reply.fail({answer.code, answer.text});
        reply.finish(done("run", std::nullopt).set("text", answer.text));
      },
      nullptr);
}

/// Nodes that are down, stopped or cut off, as far as the store says it in time.
void ControlAnswers::find_gone(std::function<void(std::set<std::string>)> then) {
  fleet_.look(views_.node_status(), nodes_patience, [then = std::move(then)](const std::vector<FleetNode>& nodes) {
    std::set<std::string> gone;
    for (const FleetNode& node : nodes)
      if (node.state == "silent" || node.state == "gone") gone.insert(node.node);
    then(std::move(gone));
  });
}

/// A trigger is asked for again where its run is known already, to any node of the fleet, and then nothing is done. The
/// job's register knows the last runs, the ledgers those before.
void ControlAnswers::unless_there(core::Request request, const io::Question& asked, const io::Reply& reply,
                                  std::function<void(const core::Request&)> then) {
  io::Question look = asked;
  look.message = question("run").set("form", std::string("shown")).set("run", request.id.text());
  look.message.set("scope", asked.message.text("scope").value_or("fleet"));
  ask_ledger(
      [this](const io::Question& one, const io::Reply& answer) { answer_from_ledger(one, answer); }, look, reply,
      [request, reply, then = std::move(then)](const Result<io::Message>& found) mutable {
        request.is_first = !found && found.error().code == Errc::not_found;  // all ledgers have answered
        if (!found) return then(request);
        if (found->text("job") == request.job) return reply.finish(done("run_id", request.id).set("created", false));
        reply.fail({Errc::conflict, "run " + request.id.text() + " is one of job " + found->text("job").value_or("")});
      });
}

void ControlAnswers::answer_jobs(const io::Reply& reply) const {
  answer_pages<core::JobView>("jobs", views_, reply, &StateViews::jobs, [this](const core::JobView& view) {
    const auto definition = jobs_.set().definitions.find(std::string(view.name));
    io::Message job = job_message(view);
    if (const std::string& why = node_.why_held(); !why.empty())
      job.set("state", std::string(why.starts_with(core::was_moved) ? "moved" : "moving"));
    if (definition != jobs_.set().definitions.end() && !(*definition)->job.details->after.empty())
      job.set("after", (*definition)->job.details->after);
    if (const auto position = position_of_backfill(node_.core().views(), view)) set_position(job, *position);
    return job;
  });
}

void ControlAnswers::answer_job(const std::string& name, const io::Reply& reply) const {
  const auto found = std::make_shared<std::optional<io::Message>>();
  const auto look = [name, found, reply](std::span<const core::JobView> jobs) {
    for (const core::JobView& job : jobs)
      if (job.name == name) *found = job_message(job);
    return !*found && !reply.gone();
  };
  views_.jobs(look, [this, name, found, reply] {
    const auto finish = [reply](io::Message job) { reply.finish(std::move(job)); };
    if (*found) return with_backfill(node_, name, with_file(name, with_store(std::move(**found))), finish);
    reply.fail({Errc::not_found, "the daemon has no job " + name});
  });
}

/// Of a file that is refused as it is now, who reads files knows neither the job nor its place.
io::Message ControlAnswers::with_file(const std::string& name, io::Message job) const {
  const auto place = jobs_.place_of(name);
  if (!place) return job;
  job.set("file", place->file).set("line", std::int64_t{place->position.line});
  if (const auto definition = jobs_.set().definitions.find(name); definition != jobs_.set().definitions.end())
    job.set("timezone", std::string(*(*definition)->job.timezone))
        .set("description", std::string(*(*definition)->job.description))
        .set("calendars", (*definition)->plan.days()->summary());
  if (const auto refusal = jobs_.refusal_of(name))
    job.set("refused", refusal->error).set("refused_since", format_millis(refusal->since));
  return job;
}

/// Only the store knows who leads a job: adds since when the store is silent.
io::Message ControlAnswers::with_store(io::Message job) const {
  const NodeStatus status = views_.node_status();
  if (!status.store_is_silent) return job;
  job.set("store_is_silent", true);
  if (status.store_heard) job.set("store_heard", format_millis(*status.store_heard));
  return job;
}

void ControlAnswers::answer_groups(const io::Reply& reply) const {
  answer_pages<core::GroupView>("groups", views_, reply, &StateViews::groups, [](const core::GroupView& view) {
    io::Message group;
    group.set("group", std::string(view.name)).set("state", std::string(view.state));
    group.set("epoch", static_cast<std::int64_t>(view.epoch)).set("paused", view.paused);
    group.set("halted", std::string(view.halted)).set("drift", view.drift);
    group.set("leaderless", view.leaderless || view.without_candidates);
    return group;
  });
}

void ControlAnswers::answer_runs(const io::Reply& reply) const {
  answer_pages<core::RunView>("runs", views_, reply, &StateViews::runs, [](const core::RunView& view) {
    io::Message run;
    run.set("job", std::string(view.job)).set("run", view.id.text()).set("attempt", std::int64_t{view.attempt});
    run.set("slot", format_slot(view.slot)).set("trigger", std::string(to_string(view.trigger)));
    run.set("node", std::string(view.node)).set("state", std::string(view.state));
    run.set("group", std::string(view.group));
    if (view.starts_at) run.set("starts_at", format_millis(*view.starts_at));
    return run;
  });
}

/// Of a job that runs on each node: those whose node leads its own group, whether or not its files have the job.
void ControlAnswers::answer_instances(const std::string& job, const io::Reply& reply) const {
  const std::string group = node_.core().views().group_of_instances(job);
  io::Message none;
  none.set("each", !group.empty());
  if (group.empty()) return reply.finish(none);
  node_.observe(instances_patience, "", [job, group, reply](const std::vector<Election>& elections) {
    if (elections.empty())
      return reply.fail({Errc::unavailable, "the store does not say which nodes have an instance of " + job});
    std::vector<std::string> instances;
    for (const Election& election : elections)
      if (is_instance(election.group) && common_name(election.group) == group &&
          std::any_of(election.candidates.begin(), election.candidates.end(),
                      [](const auto& one) { return one.leads; }))
        instances.push_back(instance_name(job, node_of_instance(election.group)));
    std::sort(instances.begin(), instances.end());
    io::Message line;
    line.set("each", true).set("instances", std::move(instances));
    reply.finish(line);
  });
}

void ControlAnswers::answer_waiting(const std::string& job, const io::Reply& reply) const {
  std::vector<std::string> slots;
  for (const WallTime slot : node_.core().views().waiting(job)) slots.push_back(format_slot(slot));
  io::Message line;
  line.set("slots", std::move(slots));
  reply.finish(line);
}

/// Of the jobs that a question names those that the daemon has, instances of other nodes among them.
std::vector<std::string> ControlAnswers::defined_of(const std::vector<std::string>& names) const {
  const core::Views views = node_.core().views();
  const WallTime now = io::read_clocks().wall;
  std::vector<std::string> defined;
  for (const std::string& name : names)
    if (views.find_job(now, name) || !views.group_of_instances(std::string(common_name(name))).empty())
      defined.push_back(name);
  return defined;
}

/// Of these jobs the runs that wait for their next attempt.
std::vector<std::string> ControlAnswers::waiting_jobs(const std::vector<std::string>& jobs) const {
  std::vector<std::string> waiting;
  if (jobs.empty()) return waiting;
  for (const Row& row : node_.core().views().runs_of_others(jobs))
    if (row.run && row.status == Status::queued) waiting.push_back(row.job);
  return waiting;
}

/// Rows that cannot be stored now are not waited for.
void ControlAnswers::answer_from_ledger(const io::Question& asked, const io::Reply& reply) {
  if (asked.message.text("ask") == "why") return why_.answer(asked, reply);
  io::Question question = asked;
  if (asked.message.text("form") == "shown") question.message.set("defined", defined_of(asked.message.texts("jobs")));
  if (asked.message.text("ask") == "last_statuses")
    question.message.set("waiting", waiting_jobs(asked.message.texts("jobs")));
  const auto read = [this, question, reply] { desk_.answer(question, reply); };
  if (!wants_newest(question.message) || node_.ledger_state().degraded) return read();
  node_.flush(read);
}

void ControlAnswers::status(std::function<void(const NodeStatus&)> done, const StateViews::Beside& beside) const {
  const auto add_findings = [this, done = std::move(done)](NodeStatus status) {
    const std::string errors = config::summary_of_errors(jobs_.set().diagnostics);
    if (!errors.empty()) status.degraded.push_back("config: " + errors);
    for (const config::Diagnostic& one : config::fading(jobs_.set().calendars, io::read_clocks().wall))
      status.degraded.push_back("calendar: " + one.file + ":" + std::to_string(one.line) + ": " + one.message);
    done(status);
  };
  views_.status(add_findings, beside);
}

/// With the nodes that do not answer, as far as the store says it in time.
void ControlAnswers::answer_status(const io::Reply& reply) {
  status([this, reply](const NodeStatus& status) {
    fleet_.look(status, nodes_patience, [this, status, reply](const std::vector<FleetNode>& nodes) {
      reply.finish(shown(status, facts_.node, facts_.backend).set("missing", shown_missing(nodes)));
    });
  });
}

/// Words alone, as /readyz shows them to everybody.
void ControlAnswers::answer_ready(const io::Reply& reply) const {
  const NodeStatus status = views_.node_status();
  std::vector<std::string> why;
  for (const std::string& reason : status.degraded) why.push_back(reason.substr(0, reason.find(':')));
  const bool is_open = status.session == NodeStatus::Session::open;
  io::Message answer;
  const bool takes_all = status.refusal.empty() && !node_.ledger_state().degraded;
  answer.set("ready", is_open && status.schedules && takes_all).set("why", std::move(why));
  reply.finish(answer);
}

}  // namespace ballot::library
