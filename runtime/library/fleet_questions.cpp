#include "library/fleet_questions.hpp"

#include "io/clocks.hpp"

namespace ballot::library {
namespace {

constexpr Millis store_time{2000};  // to say who takes part in elections

}  // namespace

const std::vector<core::PeerView>& FleetQuestions::peers() {
  peers_.see(node_.core().node_views().peers(), node_.core().session().is_open());
  return peers_.peers();
}

void FleetQuestions::look(const NodeStatus& status, Millis within, OnNodes then) {
  node_.observe(within, "", [this, status, then = std::move(then)](const std::vector<Election>& elections) {
    const auto now = io::read_clocks();
    note_alive(alive_, elections, peers(), now.wall, now.steady);
    const auto answers = answers_ ? answers_() : Answers();
    const auto drifts = node_.core().node_views().drifts();
    then(fleet_nodes({now.wall, self_, status, elections, peers_.peers(), drifts, alive_, answers}));
  });
}

void FleetQuestions::note(const std::vector<Election>& elections) {
  const auto now = io::read_clocks();
  note_alive(alive_, elections, peers(), now.wall, now.steady);
}

void FleetQuestions::answer_nodes(const NodeStatus& status, const io::Reply& reply) {
  look(status, store_time, [reply](const std::vector<FleetNode>& nodes) { reply.finish(shown(nodes)); });
}

}  // namespace ballot::library
