#include "library/fleet_questions.hpp"

#include <memory>
#include <set>
#include <utility>

#include "base/instance.hpp"
#include "base/wall_text.hpp"
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

  bool wants(const core::JobView& view) const {
    const bool is_job = job.empty() || view.name == job || common_name(view.name) == job;
    const bool is_group = group.empty() || view.group == group || common_name(view.group) == group;
    return is_job && is_group && !is_held(view) && (node.empty() || view.leader == node) &&
           view.state != core::JobState::halted && view.state != core::JobState::waiting;
  }
  bool is_held(const core::JobView& view) const {
    return view.leader != self && !held.empty() &&
           (held.contains(core::job_register(view.name)) || held.contains(core::group_register(view.group)));
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

void FleetQuestions::answer_nodes(const NodeStatus& status, const io::Reply& reply) {
  node_.observe(store_time, [this, status, reply](const std::vector<Election>& elections) {
    const core::NodeViews views = node_.core().node_views();
    const auto now = io::read_clocks();
    const auto peers = views.peers();
    note_alive(alive_, elections, peers, now.wall, now.steady);
    const FleetFacts facts{now.wall, self_, status, elections, peers, views.drifts(), alive_};
    reply.finish(shown(fleet_nodes(facts)));
  });
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
  const auto look = [&node = node_, ahead, reply](std::span<const core::JobView> jobs) {
    for (const core::JobView& job : jobs) add_slots(node.core().views(), job, *ahead);
    return !reply.gone();
  };
  views_.jobs(look, [ahead, reply] { send_slots(*ahead, reply); });
}

}  // namespace ballot::library
