#include "library/next_answers.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "config/other_instance.hpp"
#include "io/clocks.hpp"
#include "library/held/held_jobs.hpp"
#include "library/held/states_reader.hpp"
#include "library/next_slots.hpp"
#include "library/shown/values.hpp"

namespace ballot::library {
namespace {

using io::Message;

constexpr Millis states_patience{2000}, look_patience{2000};
constexpr std::size_t most_next_slots = 1000, slots_a_line = 250, most_unknown = 10;
constexpr std::size_t most_read = 2000;            // jobs of others, for one who asks
constexpr int most_looks = 4;                      // at the store
constexpr std::size_t most_attempts_shown = 1000;  // in an answer
constexpr std::size_t most_held = 1000;            // jobs that are asked for, to say what holds them

std::size_t asked_slots(const Message& asked) {
  const auto limit = asked.integer("limit").value_or(std::int64_t{most_next_slots});
  return static_cast<std::size_t>(std::clamp<std::int64_t>(limit, 1, std::int64_t{most_next_slots}));
}

Message shown_attempt(const WaitingRun& run) {
  Message one = Message().set("job", run.job).set("group", run.group).set("run_id", run.run.text());
  one.set("slot", format_slot(run.slot)).set("attempt", std::int64_t{run.attempt});
  return one.set("starts_at", format_millis(run.starts_at));
}

Message shown_held(const HeldJob& held) {
  Message one = Message().set(held.of == Pause::Of::group ? "group" : "job", held.name).set("state", held.word);
  one.set("since", held.since ? std::optional(format_millis(*held.since)) : std::nullopt);
  if (held.until) one.set("until", format_millis(*held.until));
  return one.set("by", word_or_null(held.by)).set("trouble", word_or_null(held.trouble));
}

/// What becomes of what a node leads that is away; `of_instances`: of its instances of jobs of each node.
std::string fate_of_slots(bool of_others, bool of_instances) {
  std::string text;
  if (of_others)
    text = "Another node leads its groups soon, and what is due until then is settled by the jobs' misfire policy";
  if (of_instances)
    text += std::string(text.empty() ? "" : ". ") +
            "Its instances of jobs of each node nobody else runs: while it is away these slots pass, and it settles "
            "them by the jobs' misfire policy when it is back";
  return text;
}

/// A node that was asked for by name, and of which the store has nothing.
FleetNode departed(const std::string& name) {
  FleetNode node;
  node.node = name, node.state = "gone";
  node.reasons.emplace_back(
      "the store has no record of it: it has left the fleet, is stopped for good, or never was in it");
  return node;
}

/// As far as the node has published what its job files define: it lives, and they define nothing in that group.
bool defines_nothing(const core::Peers& peers, std::string_view node, const std::string& group) {
  const core::Peers::Peer* newest = nullptr;
  for (const auto& [session, peer] : peers.all())
    if (peer.node == node && (!newest || peer.at > newest->at)) newest = &peer;
  return newest && newest->life != core::Peers::Peer::Life::gone && newest->digest(group) == 0;
}

/// Of an instance that its node's job files do not define, with what that publishes to be wrong with them.
HeldJob undefined_job(const std::string& job, const std::vector<FleetNode>& nodes) {
  HeldJob held{Pause::Of::job, job, std::string(not_defined)};
  held.trouble = "the job files of that node do not define it";
  for (const FleetNode& node : nodes)
    for (const std::string& reason : node.reasons)
      if (node.node == node_of_instance(job) && reason.starts_with("config: ")) held.trouble = reason;
  return held;
}

}  // namespace

/// What is asked for, and what is found so far.
struct NextAnswers::Asking {
  std::string self;
  std::string job, group, node;  // "": all
  bool asks_others = true;
  WallTime now{}, from{}, until{};
  std::size_t most = 0, a_line = 0;
  io::Reply reply;

  StoredStatesPtr states = {};   // of the jobs that were read; null: nothing was read, or the store says nothing
  GroupsByJob read = {};         // these,
  bool states_are_known = true;  // as the store has answered,
  int looks = 0;                 // so often
  NextSlots next{until, most};   // these are of the last look at all jobs
  std::set<std::string> unknown = {}, undefined = {};
  GroupsByJob of_others = {}, shown_of_others = {};  // those that are asked for; and those of slots, or unknown
  std::vector<Message> named = {};                   // as they are shown
  std::set<std::string> nodes = {};                  // that lead what is asked for
  std::vector<WaitingRun> attempts = {};
  std::map<std::string, std::vector<std::string>> after = {};          // of jobs that come after others: these,
  std::set<std::string> paused = {};                                   // and the jobs that are known to be paused
  std::set<std::string> nodes_of_slots = {}, nodes_of_instances = {};  // that lead what is shown

  bool leads_slots(const std::string& name) const {
    return nodes_of_slots.contains(name) || nodes_of_instances.contains(name);
  }
  bool is_named(std::string_view job_name, std::string_view group_name) const {
    return (job.empty() || job_name == job || common_name(job_name) == job) &&
           (group.empty() || group_name == group || common_name(group_name) == group);
  }
  bool names_jobs() const { return !job.empty() || !group.empty(); }
  /// As far as it was read: see due_from().
  std::optional<WallTime> due_by_store(const std::string& job_name, const std::string& group_name) const {
    if (!states || !read.contains(job_name)) return now;
    const StoredState stored = states->of(job_name, group_name);
    return due_from(stored.word, stored.pauses, now);
  }
  /// After which the slots are shown of a job whose slots are due after that.
  WallTime shown_after(WallTime due) const { return std::max(due, from - Millis(1)); }
  /// Whose instances are asked for besides: "" nobody's.
  std::string_view other_node() const {
    for (const std::string_view name : {std::string_view(node), node_of_instance(job), node_of_instance(group)})
      if (!name.empty()) return name == self ? std::string_view() : name;
    return {};
  }
  void begin_look() {
    next = NextSlots(until, most);
    after.clear(), paused.clear(), unknown.clear(), undefined.clear(), of_others.clear(), shown_of_others.clear(),
        named.clear(), nodes.clear();
  }
  void add(const std::vector<WallTime>& slots, const std::string& name, const std::string& of_group,
           std::string_view leader) {
    for (const WallTime slot : slots) next.add({slot, name, of_group, std::string(leader)});
  }
  /// `make`: the job as it is shown, where jobs are named.
  void note(std::string_view leader, const std::function<Message()>& make) {
    if (names_jobs() && named.size() < most_held) named.push_back(make());
    nodes.insert(std::string(leader));
  }
  /// Those that are to be read next: first those that would be shown.
  GroupsByJob unread() const {
    GroupsByJob names;
    for (const PlannedSlot& slot : next.slots())
      if (slot.node != self && !read.contains(slot.job)) names.emplace(slot.job, slot.group);
    for (const auto* const more : {&shown_of_others, &of_others})
      for (const auto& [name, of_group] : *more) {
        if (names.size() + read.size() >= most_read) return names;
        if (!read.contains(name)) names.emplace(name, of_group);
      }
    return names;
  }
};

void NextAnswers::answer(const Message& asked, const io::Reply& reply) const {
  const Millis ahead_for(asked.integer("for_ms").value_or(default_ahead.count()));
  if (ahead_for <= Millis(0) || ahead_for > most_ahead)
    return reply.fail({Errc::invalid, "for_ms must be from 1 to " + std::to_string(most_ahead.count())});
  const WallTime now = io::read_clocks().wall;
  const WallTime from = std::max(WallTime(Millis(asked.integer("from").value_or(0))), now);
  if (from > now + most_ahead - ahead_for)
    return reply.fail({Errc::invalid, "from, for_ms: nothing is shown beyond 366 days from now on"});
  const auto text = [&](const char* key) { return asked.text(key).value_or(""); };
  const bool is_shown = text("form") == "shown";
  look_at_jobs(std::make_shared<Asking>(Asking{self_, text("job"), text("group"), text("node"), text("scope") != "node",
                                               now, from, from + ahead_for, asked_slots(asked),
                                               is_shown ? most_next_slots : slots_a_line, reply}));
}

void NextAnswers::look_at_jobs(const AskingPtr& asking) const {
  asking->begin_look();
  const auto look = [this, asking](std::span<const core::JobView> jobs) {
    for (const core::JobView& job : jobs) {
      look_at(job, *asking);
      look_elsewhere(job, *asking);
    }
    return !asking->reply.gone();
  };
  parts_.views.jobs(look, [this, asking] { ask_store(asking); });
}

/// No slot is looked at beyond those that are kept; the view says the first one.
void NextAnswers::look_at(const core::JobView& view, Asking& asking) const {
  using State = core::JobState;
  if (view.state == State::paused) asking.paused.emplace(view.name);
  if (!asking.is_named(view.name, view.group) || (!asking.node.empty() && view.leader != asking.node)) return;
  const std::string name(view.name), group(view.group);
  const bool is_own = view.leader == self_;
  asking.note(view.leader, [&] { return shown(view, self_).set("halted_with_group", view.halted_with_group); });
  if (!is_own) asking.of_others.emplace(name, group);
  if (view.state == State::halted || view.state == State::waiting || view.state == State::disabled) return;
  const bool is_paused = view.state == State::paused;
  const auto from = !is_own ? asking.due_by_store(name, group)
                            : due_from(is_paused ? "paused" : "active", standing_pauses_of(view), asking.now);
  if (!from) return;
  const std::size_t most = view.next || is_paused ? most_next_slots : 0;
  const auto found = parts_.jobs.definitions.find(name);
  if (found != parts_.jobs.definitions.end() && !(*found)->job.details->after.empty())
    asking.after[name] = (*found)->job.details->after;
  const core::Views views = parts_.node.core().views();
  if (const auto slots = views.planned(name, asking.now, asking.shown_after(*from), asking.next.until(), most))
    return asking.add(*slots, name, group, view.leader);
  const auto phase = asking.states && found != parts_.jobs.definitions.end()
                         ? asking.states->phase(name, (*found)->plan)
                         : std::nullopt;
  if (phase)
    return asking.add(
        slots_of_plan((*found)->plan, *phase, asking.shown_after(*from), asking.next.until(), most_next_slots), name,
        group, view.leader);
  asking.unknown.insert(name);
  asking.shown_of_others.emplace(name, group);
}

/// Of this node's instance the other node's.
void NextAnswers::look_elsewhere(const core::JobView& own, Asking& asking) const {
  const std::string_view other = asking.other_node();
  if (other.empty() || !is_instance(own.name)) return;
  const std::string name = instance_name(common_name(own.name), other);
  const auto definition = config::definition_on(parts_.jobs, self_, name);
  if (!definition || !definition->job.enabled) return;
  const std::string& group = *definition->job.group;
  if (!asking.is_named(name, group)) return;
  if (defines_nothing(parts_.node.core().peers(), other, group)) return void(asking.undefined.insert(name));
  asking.note(other, [&] { return Message().set("job", name).set("group", group).set("leader", std::string(other)); });
  asking.of_others.emplace(name, group);
  const auto from = asking.due_by_store(name, group);
  if (!from) return;
  const bool has_phase = definition->plan.everies().empty();
  const auto phase = has_phase       ? std::vector<WallTime>()
                     : asking.states ? asking.states->phase(name, definition->plan)
                                     : std::nullopt;
  if (phase)
    return asking.add(
        slots_of_plan(definition->plan, *phase, asking.shown_after(*from), asking.next.until(), most_next_slots), name,
        group, other);
  asking.unknown.insert(name);
  asking.shown_of_others.emplace(name, group);
}

/// Once it has said more, all jobs are looked at again.
void NextAnswers::ask_store(const AskingPtr& asking) const {
  const bool is_silent = parts_.views.node_status().store_is_silent;
  const GroupsByJob names = asking->asks_others ? asking->unread() : GroupsByJob();
  if (names.empty() || ++asking->looks > most_looks) return look_at_runs(asking);
  if (is_silent) return asking->states_are_known = false, look_at_runs(asking);
  const auto take = [this, asking, names](const StoredStatesPtr& states) {
    if (asking->reply.gone()) return;
    asking->states_are_known = states != nullptr;
    if (!states) return look_at_runs(asking);
    asking->states = states;
    asking->read.insert(names.begin(), names.end());
    look_at_jobs(asking);
  };
  read_states(parts_.node, names, states_patience, take,
              asking->states ? *asking->states : StoredStates(io::read_clocks().wall));
}

/// Attempts are no slots, and start all the same: those of this node, and those that the store shows.
void NextAnswers::look_at_runs(const AskingPtr& asking) const {
  if (asking->states)
    for (WaitingRun& run : asking->states->waiting()) asking->attempts.push_back(std::move(run));
  const auto look = [this, asking](std::span<const core::RunView> runs) {
    for (const core::RunView& run : runs) {
      if (!run.starts_at) continue;
      const auto job = parts_.node.core().views().find_job(asking->now, std::string(run.job));
      const bool is_own = job && job->leader == self_;
      const bool is_held = job && (job->state == core::JobState::paused || job->state == core::JobState::halted);
      if (!is_own || is_held) continue;
      asking->attempts.push_back(
          {std::string(run.job), std::string(run.group), run.id, run.slot, run.attempt, *run.starts_at});
    }
    return !asking->reply.gone();
  };
  parts_.views.runs(look, [this, asking] {
    std::erase_if(asking->attempts, [&](const WaitingRun& run) {
      const bool is_of_others = asking->of_others.contains(run.job);
      const bool is_earlier = asking->from > asking->now && run.starts_at < asking->from;
      return is_earlier || run.starts_at >= asking->until || !asking->is_named(run.job, run.group) ||
             (!asking->node.empty() && !is_of_others && asking->node != self_);
    });
    const auto is_before = [](const auto& a, const auto& b) { return a.starts_at < b.starts_at; };
    std::sort(asking->attempts.begin(), asking->attempts.end(), is_before);
    look_at_nodes(asking);
  });
}

/// Of the slots each with how its node is, where that starts nothing at present.
std::vector<Message> NextAnswers::take_slots(Asking& asking, const std::vector<FleetNode>& nodes) {
  std::map<std::string_view, std::string_view> states;
  for (const FleetNode& node : nodes)
    if (node.state == "silent" || node.state == "gone")
      states[node.node] = node.state;
    else if (!why_unfit(node).empty())
      states[node.node] = "unfit";
  std::vector<Message> line;
  for (const PlannedSlot& slot : asking.next.slots()) {
    if (line.size() == asking.a_line) asking.reply.send(Message().set("slots", std::exchange(line, {})));
    const auto state = states.find(slot.node);
    line.push_back(Message().set("slot", format_slot(slot.slot)).set("job", slot.job).set("group", slot.group));
    line.back().set("node", word_or_null(slot.node));
    line.back().set("node_state", word_or_null(state == states.end() ? "" : state->second));
    if (const auto after = asking.after.find(slot.job); after != asking.after.end()) {
      std::vector<std::string> paused = after->second;
      std::erase_if(paused, [&](const std::string& job) { return !asking.paused.contains(job); });
      line.back().set("after", after->second).set("after_paused", std::move(paused));
    }
    (is_instance(slot.job) ? asking.nodes_of_instances : asking.nodes_of_slots).insert(slot.node);
  }
  return line;
}

/// Where jobs, groups or a node are asked for, only those that lead them.
std::vector<Message> NextAnswers::missing_of(const Asking& asking, const std::vector<FleetNode>& nodes) {
  const bool names_some = asking.names_jobs() || !asking.node.empty();
  std::vector<Message> missing;
  for (Message& node : shown_missing(nodes)) {
    const std::string name = node.text("node").value_or("");
    const bool is_named = name == asking.node || name == asking.other_node() || asking.nodes.contains(name);
    if (names_some && !is_named) continue;
    const std::string becomes =
        node.text("state") == "unknown"
            ? ""
            : fate_of_slots(asking.nodes_of_slots.contains(name), asking.nodes_of_instances.contains(name));
    missing.push_back(std::move(node.set("becomes", word_or_null(becomes))));
  }
  return missing;
}

void NextAnswers::look_at_nodes(const AskingPtr& asking) const {
  const auto finish = [asking](std::vector<FleetNode> nodes) {
    const std::string other(asking->other_node());
    const auto is_other = [&](const FleetNode& node) { return node.node == other; };
    if (asking->asks_others && !other.empty() && std::none_of(nodes.begin(), nodes.end(), is_other))
      nodes.push_back(departed(other));
    std::vector<Message> line = take_slots(*asking, nodes), missing = missing_of(*asking, nodes), unfit;
    for (const FleetNode& node : nodes)
      if (const std::string why = why_unfit(node); !why.empty() && asking->leads_slots(node.node))
        unfit.push_back(Message().set("node", node.node).set("why", why));
    std::vector<Message> attempts, held;
    for (const WaitingRun& run : asking->attempts)
      if (attempts.size() < most_attempts_shown) attempts.push_back(shown_attempt(run));
    for (const HeldJob& one : held_jobs(asking->named, asking->self, asking->states.get()))
      held.push_back(shown_held(one));
    for (const std::string& job : asking->undefined)
      if (held.size() < most_held) held.push_back(shown_held(undefined_job(job, nodes)));
    std::vector<std::string> unknown;
    for (const std::string& job : asking->unknown)
      if (unknown.size() < most_unknown) unknown.push_back(job);
    Message last = Message().set("slots", std::move(line)).set("left_out", asking->next.is_full());
    last.set("unknown", std::move(unknown)).set("attempts", std::move(attempts)).set("held", std::move(held));
    last.set("missing", std::move(missing))
        .set("unfit", std::move(unfit))
        .set("states_are_known", asking->states_are_known);
    asking->reply.finish(std::move(last));
  };
  if (!asking->asks_others) return finish({});
  parts_.fleet.look(parts_.views.node_status(), look_patience, finish);
}

}  // namespace ballot::library
