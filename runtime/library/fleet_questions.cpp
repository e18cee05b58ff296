#include "library/fleet_questions.hpp"

#include <memory>
#include <set>
#include <utility>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
#include "config/other_instance.hpp"
#include "core/record/register.hpp"
#include "io/clocks.hpp"
#include "library/next_slots.hpp"

namespace ballot::library {
namespace {

constexpr Millis store_time{2000};  // to say who takes part in elections
constexpr std::size_t most_slots = 1000, slots_a_line = 250, most_unknown = 10;

/// Which slots are asked for, and those found so far.
struct Ahead {
  std::string self;
  std::string job, group, node;  // "": all
  std::set<std::string> held;    // registers of what others lead
  WallTime now{};
  NextSlots next;
  std::vector<std::string> unknown = {};  // jobs

  bool is_named(std::string_view job_name, std::string_view group_name) const {
    return (job.empty() || job_name == job || common_name(job_name) == job) &&
           (group.empty() || group_name == group || common_name(group_name) == group);
  }
  bool wants(const core::JobView& view) const {
    const bool is_others_and_held = view.leader != self && is_held(view.name, view.group);
    return is_named(view.name, view.group) && !is_others_and_held && (node.empty() || view.leader == node) &&
           view.state != core::JobState::halted && view.state != core::JobState::waiting;
  }
  bool is_held(std::string_view job_name, std::string_view group_name) const {
    return !held.empty() &&
           (held.contains(core::job_register(job_name)) || held.contains(core::group_register(group_name)));
  }
  /// Whose instances are asked for besides: "" nobody's.
  std::string_view other_node() const {
    for (const std::string_view name : {std::string_view(node), node_of_instance(job), node_of_instance(group)})
      if (!name.empty()) return name == self ? std::string_view() : name;
    return {};
  }
};

/// No slot is looked at beyond those that are kept; the view says the first one.
void add_slots(const core::Views& views, const core::JobView& view, Ahead& ahead) {
  if (!view.next || !ahead.wants(view)) return;
  const std::string name(view.name);
  const auto slots = views.planned(name, ahead.now, ahead.now, ahead.next.until(), most_slots);
  if (!slots) {
    if (ahead.unknown.size() < most_unknown) ahead.unknown.push_back(name);
    return;
  }
  for (const WallTime slot : *slots) ahead.next.add({slot, name, std::string(view.group), std::string(view.leader)});
}

/// Of this node's instance the other node's.
void add_slots_elsewhere(const config::JobSet& set, const core::JobView& own, Ahead& ahead) {
  const std::string_view other = ahead.other_node();
  if (other.empty() || !is_instance(own.name)) return;
  const std::string name = instance_name(common_name(own.name), other);
  const auto definition = config::definition_on(set, ahead.self, name);
  if (!definition || !definition->job.enabled) return;
  const std::string& group = *definition->job.group;
  if (!ahead.is_named(name, group) || ahead.is_held(name, group)) return;
  if (!definition->plan.everies().empty()) {
    if (ahead.unknown.size() < most_unknown) ahead.unknown.push_back(name);
    return;
  }
  std::size_t left = most_slots;
  for (auto slot = definition->plan.next(ahead.now, {}); slot && slot->at < ahead.next.until() && left > 0;
       slot = definition->plan.next(slot->at, {}), --left)
    if (!slot->dst_gap) ahead.next.add({slot->at, name, group, std::string(other)});
}

void send_slots(const Ahead& ahead, const io::Reply& reply) {
  std::vector<io::Message> line;
  const auto send = [&](bool is_last) {
    io::Message message;
    message.set("slots", std::exchange(line, {}));
    if (!is_last) return reply.send(message);
    message.set("left_out", ahead.next.is_full()).set("unknown", ahead.unknown);
    reply.finish(std::move(message));
  };
  for (const PlannedSlot& slot : ahead.next.slots()) {
    io::Message one;
    one.set("slot", format_slot(slot.slot)).set("job", slot.job).set("group", slot.group);
    one.set("node", slot.node.empty() ? io::Message::Value() : io::Message::Value(slot.node));
    line.push_back(std::move(one));
    if (line.size() == slots_a_line) send(false);
  }
  send(true);
}

}  // namespace

void FleetQuestions::look(const NodeStatus& status, Millis within, OnNodes then) {
  node_.observe(within, "", [this, status, then = std::move(then)](const std::vector<Election>& elections) {
    const core::NodeViews views = node_.core().node_views();
    const auto now = io::read_clocks();
    const auto peers = views.peers();
    note_alive(alive_, elections, peers, now.wall, now.steady);
    const auto answered = answered_ ? answered_() : AnswerTimes();
    then(fleet_nodes({now.wall, self_, status, elections, peers, views.drifts(), alive_, answered}));
  });
}

void FleetQuestions::note(const std::vector<Election>& elections) {
  const auto now = io::read_clocks();
  note_alive(alive_, elections, node_.core().node_views().peers(), now.wall, now.steady);
}

void FleetQuestions::answer_nodes(const NodeStatus& status, const io::Reply& reply) {
  look(status, store_time, [reply](const std::vector<FleetNode>& nodes) { reply.finish(shown(nodes)); });
}

void FleetQuestions::answer_next(const io::Message& asked, const io::Reply& reply) const {
  const Millis ahead_for(asked.integer("for_ms").value_or(default_ahead.count()));
  if (ahead_for <= Millis(0) || ahead_for > most_ahead)
    return reply.fail({Errc::invalid, "for_ms must be from 1 to " + std::to_string(most_ahead.count())});
  const WallTime now = io::read_clocks().wall;
  const auto held = asked.texts("held");
  const auto ahead = std::make_shared<Ahead>(Ahead{self_,
                                                   asked.text("job").value_or(""),
                                                   asked.text("group").value_or(""),
                                                   asked.text("node").value_or(""),
                                                   {held.begin(), held.end()},
                                                   now,
                                                   NextSlots(now + ahead_for, most_slots)});
  const auto look = [this, ahead, reply](std::span<const core::JobView> jobs) {
    for (const core::JobView& job : jobs) {
      add_slots(node_.core().views(), job, *ahead);
      add_slots_elsewhere(jobs_, job, *ahead);
    }
    return !reply.gone();
  };
  views_.jobs(look, [ahead, reply] { send_slots(*ahead, reply); });
}

}  // namespace ballot::library
