// FleetNodes: how the nodes of a fleet are, as one of them knows it: by its own status, by who takes part in the
// store's elections and was heard of when, and by what the nodes publish of themselves.
//
//   state          | of     | is so where
//   healthy,       | itself | see NodeStatus, but that the files of others alone differ from most nodes' is theirs
//   degraded,      |        |
//   not scheduling,|        |
//   starting       |        |
//   up             | others | its session is renewed
//   degraded       | others | so it is, and it is unfit to lead, publishes what else is wrong with it, or its job files
//                  |        | differ from most nodes'; or it is unfit, takes part in no election, and publishes that it
//                  lives
//   silent         | others | its session was not renewed for half of its timeout: it is dead, cut off or stopped
//   starting       | others | it has published something, and takes part in no election yet
//   gone           | others | it takes part in no election any more, and had not withdrawn what it published
//   unknown        | others | the store does not answer; or the node is a candidate of no group
//
// Pure.
//
//   const std::vector<FleetNode> nodes = fleet_nodes(facts);
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "core/node_views.hpp"
#include "io/message.hpp"
#include "library/state_views.hpp"

namespace ballot::library {

struct FleetNode {
  std::string node;
  std::string state;                 // as above
  std::vector<std::string> reasons;  // why it is not healthy, or not up
  std::optional<WallTime> last_heard;
  std::string version, host;
  std::vector<std::string> leads = {};         // groups, in order
  bool is_asked = false;                       // it is the node that says all this
  std::optional<WallTime> session_until = {};  // of others: it ends then, unless it is renewed before
  std::string heard_by = {};  // how `last_heard` is known, as of MissingNode; "": of itself, or not at all
};

/// When each session, by its ID, was last known to be alive.
using SessionTimes = std::map<std::string, WallTime, std::less<>>;
/// By node.
using AnswerTimes = std::map<std::string, WallTime, std::less<>>;
/// As far as nodes were asked by their APIs.
struct Answers {
  AnswerTimes answered = {};    // when each has answered last
  AnswerTimes unanswered = {};  // when it was given up that each answers, of those that have not answered a moment ago
  std::map<std::string, std::string, std::less<>> refused = {};  // why a node did not take the last question; by node
};

struct FleetFacts {
  WallTime now{};
  std::string self;  // this node's name
  const NodeStatus& status;
  std::vector<Election> elections;  // none: the store does not answer
  std::vector<core::PeerView> peers;
  std::vector<core::DriftView> drifts;
  SessionTimes alive = {};  // of earlier questions, and of what this node has observed
  Answers answers = {};
};

/// Adds what is known now, and forgets the sessions of which nothing is published any more.
void note_alive(SessionTimes& alive, const std::vector<Election>& elections, const std::vector<core::PeerView>& peers,
                WallTime now, SteadyTime steady);

/// By name.
std::vector<FleetNode> fleet_nodes(const FleetFacts& facts);

/// The worst of them, in the words of a node's own state: "not scheduling" and "starting" are this node's alone.
std::string worst_state(const std::vector<FleetNode>& nodes);

/// Whether who leads is to be doubted: the candidate's session was not renewed for half of its timeout.
bool is_silent(const Candidate& candidate, WallTime now);

/// Nodes that do not answer, or of which nobody knows: `node`, `state`, `last_heard`, `heard_by`, `why`, and `leads`:
/// groups that nobody else leads until the node's session is over.
std::vector<io::Message> shown_missing(const std::vector<FleetNode>& nodes);

/// Why a node that answers starts nothing of what it leads, as it says itself; "": it does.
std::string why_unfit(const FleetNode& node);

/// {"nodes": [...], "state": the worst}, in public form: names and values of `ballot nodes --format json`.
io::Message shown(const std::vector<FleetNode>& nodes);

}  // namespace ballot::library
