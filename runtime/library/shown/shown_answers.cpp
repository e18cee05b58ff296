#include "library/shown/shown_answers.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "config/other_instance.hpp"
#include "config/words.hpp"
#include "io/clocks.hpp"
#include "library/backfill/shown_backfill.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/shown/expects_text.hpp"
#include "library/shown/ledger_ask.hpp"
#include "library/shown/values.hpp"
#include "schedule/bounds.hpp"
#include "zones/local_text.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr Millis around_now = std::chrono::days(7);  // slots are of that time before and after it, unless asked
constexpr std::string_view paused_word = "paused";   // as text_of() has it
constexpr std::size_t most_runs = 10'000;
constexpr std::size_t planned_at_once = 50;  // a fraction of a millisecond's work

std::string asked_text(const Message& asked, const char* key) { return asked.text(key).value_or(""); }

std::size_t asked_size(const Message& asked) {
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(asked.integer("limit").value_or(default_page), 1, most_in_page));
}

WallTime asked_time(const Message& asked, const char* key, WallTime otherwise) {
  const auto found = asked.integer(key);
  return found ? WallTime(Millis(*found)) : otherwise;
}

/// The scope of a question goes with those that are part of it.
Message part_question(const std::string& call, const Message& asked) {
  Message message = question(call);
  if (const auto scope = asked.text("scope")) message.set("scope", *scope);
  return message;
}

/// What was asked of the fleet for a part is what the whole was asked of, and who did not answer is missing from it.
void set_scope(Message& whole, const Result<Message>& part) {
  if (!part) return;
  if (const auto scope = part->text("scope")) whole.set("scope", *scope);
  if (auto missing = part->objects("missing"); !missing.empty()) whole.set("missing", std::move(missing));
}

/// Of nodes that an answer names as missing.
bool is_missing(const Message& answer, std::string_view node) {
  const auto missing = answer.objects("missing");
  return std::any_of(missing.begin(), missing.end(), [&](const Message& one) {
    return one.text("node") == node && one.text("heard_by") != "ledger";  // such a one answers
  });
}

/// The job's slots to come, some at a time.
struct Planning {
  std::string job;
  schedule::DefinitionPtr elsewhere;  // it is another node's instance, by the files here; null: it is this node's job
  WallTime now{}, after{}, until{};
  std::size_t most = 0;
  bool is_endless = false;           // there are slots up to `until`, and some of them are not computed
  std::vector<WallTime> slots = {};  // one more than `most`, where there is one
};

using Slots = std::optional<std::vector<WallTime>>;

/// As core::Views::planned() has those of this node's jobs.
Slots planned_elsewhere(const schedule::Definition& definition, WallTime after, WallTime until, std::size_t most) {
  std::vector<WallTime> slots;
  if (!definition.job.enabled) return slots;
  if (!definition.plan.everies().empty()) return std::nullopt;
  for (auto slot = definition.plan.next_due(after, {}); slot && slot->at < until && slots.size() < most;
       slot = definition.plan.next_due(slot->at, {}))
    slots.push_back(slot->at);
  return slots;
}

Slots planned(const Node& node, const Planning& asked, std::size_t most) {
  return asked.elsewhere ? planned_elsewhere(*asked.elsewhere, asked.after, asked.until, most)
                         : node.core().views().planned(asked.job, asked.now, asked.after, asked.until, most);
}

void plan_on(Node& node, const std::shared_ptr<Planning>& planning, const std::function<void(bool known)>& done) {
  const std::size_t left = planning->most + 1 - planning->slots.size(), wanted = std::min(left, planned_at_once);
  const Slots more = planned(node, *planning, wanted);
  if (more) planning->slots.insert(planning->slots.end(), more->begin(), more->end());
  if (!more || more->size() < wanted || planning->slots.size() > planning->most) return done(more.has_value());
  planning->after = more->back();
  node.loop().post([&node, planning, done] { plan_on(node, planning, done); });
}

bool has_no_end(const schedule::Definition& definition) {
  return definition.job.enabled && !definition.job.not_after && !definition.plan.empty() &&
         !definition.plan.on_reboot() && !definition.plan.days()->ends();
}

/// Slots in the job's own zone.
class InZone {
 public:
  explicit InZone(const std::string& name) : zone_(zones::TimeZone::load(name)) {}

  std::string text(WallTime slot) const { return zone_ ? zones::local_text(slot, *zone_) : format_slot(slot); }
  Message row(Message shown) const {
    const auto slot = parse_wall(asked_text(shown, "slot"));
    return shown.set("slot_local", slot ? Message::Value(text(*slot)) : Message::Value());
  }
  Message planned(WallTime slot) const {
    return Message().set("slot", format_slot(slot)).set("slot_local", text(slot));
  }

 private:
  Result<zones::TimeZone> zone_;
};

void set_defined(Message& told, const schedule::Definition& definition) {
  const Job& job = definition.job;
  told.set("calendars", word_or_null(definition.plan.days()->summary()));
  told.set("description", word_or_null(*job.description)).set("schedule", std::vector(*job.schedule));
  told.set("timezone", std::string(*job.timezone)).set("enabled", job.enabled);
  told.set("concurrency", std::string(config::word_of(job.concurrency)));
  if (!job.details->trigger_env.empty()) told.set("trigger_env", *job.details->trigger_env);
  if (std::string expects = expects_text(*job.details->expects); !expects.empty())
    told.set("expects", std::move(expects));
  if (const Millis within = job.details->expects->expect_within; within > Millis(0))
    told.set("expect_within_ms", std::int64_t{within.count()});
  if (const Millis late = job.details->expects->late_after; late > Millis(0))
    told.set("late_after_ms", std::int64_t{late.count()});
  if (job.details->after.empty()) return;
  told.set("after", job.details->after).set("after_status", std::string(config::word_of(job.details->after_status)));
  if (job.details->has_slots_of_first) told.set("slots_of", job.details->after.front());
}

/// Where the files define it, and why that file is refused as it is now.
void set_place(Message& told, const JobFolder& jobs, const std::string& name) {
  const auto place = jobs.place_of(name);
  told.set("file", word_or_null(place ? place->file : ""));
  told.set("line", place ? Message::Value(std::int64_t{place->position.line}) : Message::Value());
  const auto refusal = jobs.refusal_of(name);
  told.set("refused", word_or_null(refusal ? refusal->error : ""));
  told.set("refused_since", refusal ? Message::Value(format_millis(refusal->since)) : Message::Value());
}

}  // namespace

bool ShownAnswers::answer(const io::Question& question, const io::Reply& reply) const {
  using Answer = void (ShownAnswers::*)(const io::Question&, const io::Reply&) const;
  constexpr std::pair<std::string_view, Answer> answers[] = {{"jobs", &ShownAnswers::answer_jobs},
                                                             {"job", &ShownAnswers::answer_job},
                                                             {"slots", &ShownAnswers::answer_slots},
                                                             {"groups", &ShownAnswers::answer_groups},
                                                             {"runs", &ShownAnswers::answer_runs}};
  const std::string word = asked_text(question.message, "do");
  for (const auto& [name, answer] : answers)
    if (name == word) return (this->*answer)(question, reply), true;
  return false;
}

/// Where the ledger cannot be read the statuses are null. `then` is called with the jobs and what is to be said
/// besides.
void ShownAnswers::with_last_statuses(const io::Question& question, const io::Reply& reply, std::vector<Message> jobs,
                                      std::function<void(std::vector<Message>, Message whole)> then) const {
  std::vector<std::string> names;
  for (const Message& job : jobs) names.push_back(asked_text(job, "job"));
  Message asked = part_question("last_statuses", question.message);
  asked.set("jobs", std::move(names));
  ask_ledger(ledger_, {std::move(asked), question.asker}, reply,
             [jobs = std::move(jobs), then = std::move(then)](const Result<Message>& answer) mutable {
               const auto statuses = answer ? answer->texts("statuses") : std::vector<std::string>();
               const auto by_store = answer ? answer->texts("evidence") : std::vector<std::string>();
               for (std::size_t i = 0; i < jobs.size(); ++i) {
                 jobs[i].set("last_status", i < statuses.size() ? word_or_null(statuses[i]) : Message::Value());
                 if (std::binary_search(by_store.begin(), by_store.end(), asked_text(jobs[i], "job")))
                   jobs[i].set("evidence", std::string("store"));
               }
               if (answer) set_states(jobs, *answer);
               Message whole;
               set_scope(whole, answer);
               then(std::move(jobs), std::move(whole));
             });
}

void ShownAnswers::answer_jobs(const io::Question& question, const io::Reply& reply) const {
  const auto page = std::make_shared<std::vector<Message>>();
  const Message& asked = question.message;
  views_.page_of_jobs(
      {asked_text(asked, "after"), asked_text(asked, "group"), asked_size(asked)},
      [this, page](const core::JobView& job) {
        page->push_back(shown(job, name_));
        if (const auto position = position_of_backfill(node_.core().views(), job))
          set_position(page->back(), *position);
        if (const auto definition = definition_of(std::string(job.name))) set_defined(page->back(), *definition);
      },
      [this, page, question, reply](const core::Views::Next& next) {
        with_last_statuses(question, reply, std::move(*page), [reply, next](std::vector<Message> jobs, Message whole) {
          reply.finish(whole.set("jobs", std::move(jobs)).set("next", next));
        });
      });
}

/// A job's own, or another node's instance as the files here define it; null: neither.
schedule::DefinitionPtr ShownAnswers::definition_of(const std::string& name) const {
  const auto found = jobs_.set().definitions.find(name);
  return found != jobs_.set().definitions.end() ? *found : config::definition_on(jobs_.set(), name_, name);
}

/// Another node's instance: by the files here, and by what its node says of it, or where that does not answer, the
/// store.
void ShownAnswers::answer_job_elsewhere(const std::string& name, const io::Question& question,
                                        const io::Reply& reply) const {
  const Error unknown{Errc::not_found, "the daemon has no job " + name};
  const schedule::DefinitionPtr definition = config::definition_on(jobs_.set(), name_, name);
  if (!definition) return reply.fail(unknown);
  core::JobView view;
  const std::string node(node_of_instance(name));
  view.name = definition->job.name;
  view.group = *definition->job.group;
  view.digest = definition->digest;
  if (!definition->job.enabled) view.state = core::JobState::disabled;
  const WallTime now = io::read_clocks().wall;
  if (const auto slots = planned_elsewhere(*definition, now, WallTime::max(), 1); slots && !slots->empty())
    view.next = slots->front();
  Message told = shown(view, name_);
  set_defined(told, *definition);
  set_place(told, jobs_, name);
  const auto by_files = told.text("state");
  const auto finish = [reply, node, by_files, unknown](std::vector<Message> jobs, const Message& whole) {
    Message& job = jobs.front();
    const bool has_answered = job.text("state") && !job.text("state_evidence");
    if (!has_answered && !is_missing(whole, node)) return reply.fail(unknown);
    if (!has_answered || job.text("state") == not_defined) job.set("leader", {});
    if (!job.text("state")) job.set("state", by_files);
    for (const auto& [key, value] : whole.fields()) job.set(key, value);
    reply.finish(std::move(job));
  };
  // Its node leads it, if that answers, and has its state.
  with_last_statuses(question, reply, {told.set("leader", node).set("state", {})}, finish);
}

void ShownAnswers::answer_job(const io::Question& question, const io::Reply& reply) const {
  const std::string name = asked_text(question.message, "job");
  views_.job(name, [this, name, question, reply](const core::JobView* job) {
    if (job == nullptr) return answer_job_elsewhere(name, question, reply);
    Message told = shown(*job, name_);
    if (const auto definition = definition_of(name)) set_defined(told, *definition);
    set_place(told, jobs_, name);
    with_last_statuses(question, reply, {told}, [this, name, reply](std::vector<Message> jobs, Message whole) {
      for (const auto& [key, value] : whole.fields()) jobs.front().set(key, value);
      with_backfill(node_, name, std::move(jobs.front()), [reply](Message all) { reply.finish(std::move(all)); });
    });
  });
}

/// A job that is paused will not run its slots, nor an instance that its node's files do not define. Whoever leads it
/// says so: this node, or one whose answer is in `past`.
bool ShownAnswers::is_paused(const std::string& job, const Message& past) const {
  const auto own = node_.core().views().find_job(io::read_clocks().wall, job);
  if (own && own->state == core::JobState::paused) return true;
  const auto states = past.objects("states");
  return std::any_of(states.begin(), states.end(), [&](const Message& one) {
    const auto state = one.text("state");
    return one.text("job") == job && (state == paused_word || state == not_defined);
  });
}

bool ShownAnswers::is_of_known_node(const std::string& instance, const Message& answer) const {
  const std::string_view node = node_of_instance(instance);
  const auto published = node_.core().peers().published();
  return is_missing(answer, node) ||
         std::any_of(published.begin(), published.end(), [&](const auto& one) { return one.node == node; });
}

/// A job that no file defines any more has past slots only; one that nobody knows is an error of the history.
void ShownAnswers::answer_slots(const io::Question& question, const io::Reply& reply) const {
  const Message& asked = question.message;
  const std::string name = asked_text(asked, "job");
  const WallTime now = io::read_clocks().wall;
  const WallTime from = asked_time(asked, "from", now - around_now), to = asked_time(asked, "to", now + around_now);
  const schedule::DefinitionPtr definition = definition_of(name);
  const std::string zone = definition ? std::string(*definition->job.timezone) : "UTC";
  const bool is_elsewhere = definition && is_instance(name) && node_of_instance(name) != name_;
  const auto planning = std::make_shared<Planning>(
      Planning{name, is_elsewhere ? definition : nullptr, now, std::max(now, from - Millis(1)), to, asked_size(asked)});
  planning->is_endless = to > schedule::last_instant && definition && has_no_end(*definition);
  Message rows = part_question("history", asked);
  rows.set("form", std::string("shown")).set("jobs", std::vector{name}).set("states", true);
  rows.set("since", from.time_since_epoch().count()).set("until", to.time_since_epoch().count());
  rows.set("limit", static_cast<std::int64_t>(planning->most));
  // The cursor goes on in the same list, wherever `now` and the default range have moved to.
  if (const auto cursor = asked.text("cursor")) rows.set("cursor", *cursor);
  const auto answer = [this, name, zone, planning, reply](bool is_known, const Result<Message>& past) {
    if (!past) return reply.fail(past.error());
    const bool is_nobodys = planning->elsewhere && !is_of_known_node(name, *past);
    if (is_nobodys || is_paused(name, *past)) planning->slots.clear(), planning->is_endless = false;
    const bool has_more = planning->is_endless || planning->slots.size() > planning->most;
    planning->slots.resize(std::min(planning->slots.size(), planning->most));
    const InZone in_zone(zone);
    std::vector<Message> before, planned;
    for (Message& row : past->objects("rows")) before.push_back(in_zone.row(std::move(row)));
    for (const WallTime slot : planning->slots) planned.push_back(in_zone.planned(slot));
    Message slots;
    set_scope(slots, past);
    slots.set("job", name).set("timezone", zone).set("past", std::move(before)).set("next", past->text("next"));
    slots.set("planned", std::move(planned)).set("planned_known", is_known);
    reply.finish(slots.set("planned_more", has_more));
  };
  plan_on(node_, planning, [this, question, rows, reply, answer](bool is_known) {
    ask_ledger(ledger_, {rows, question.asker}, reply,
               [is_known, answer](const Result<Message>& past) { answer(is_known, past); });
  });
}

void ShownAnswers::answer_groups(const io::Question& question, const io::Reply& reply) const {
  views_.leaders([this, asked = question.message, reply](const LeadersPtr& leaders) {
    std::vector<Message> groups;
    const auto next = node_.core().views().visit_groups(
        asked_text(asked, "after"), asked_size(asked), [&](const core::GroupView& group) {
          const auto leader = leaders ? leaders->find(group.name) : Leaders::const_iterator();
          const bool is_known = leaders && leader != leaders->end();
          const bool is_own = group.state == "leading";
          groups.push_back(shown(group, is_own ? Leader{name_, group.epoch} : is_known ? leader->second : Leader()));
        });
    reply.finish(Message().set("groups", std::move(groups)).set("next", next));
  });
}

void ShownAnswers::answer_runs(const io::Question&, const io::Reply& reply) const {
  const auto runs = std::make_shared<std::vector<Message>>();
  const auto page = [runs, reply](std::span<const core::RunView> views) {
    for (const core::RunView& run : views) runs->push_back(shown(run));
    return runs->size() < most_runs && !reply.gone();
  };
  views_.runs(page, [runs, reply] { reply.finish(Message().set("runs", std::move(*runs))); });
}

}  // namespace ballot::library
