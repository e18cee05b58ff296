// FleetRoster: which other nodes there are, and when each was last heard of: by what they publish in the store, and by
// whether they answered when they were asked.
//
//   a node                                    | is asked | is named where it does not answer
//   publishes, with the URL of an API         | yes      | yes
//   publishes, without one                    | no       | yes: nobody can ask it
//   publishes one of its own loopback, and    | no       | yes: whoever asked there would ask himself
//   runs on another machine                   |          |
//   published once, and its record is gone    | no       | yes, for a day: nobody vouches for its URL any more
//   did not answer in time                    | no       | yes, until it has answered a probe, which nobody waits for,
//                                             |          | after 5, 10, 20 and then each 40 s; or published anew
//
// While this node has no session, the store says nothing: what was published last counts. A session that begins has
// not read all records yet: a node whose record is gone is asked for 5 s more. Of more than 1,000 nodes the rest is
// named as one, and is not asked. A daemon that is started knows the nodes of the one before: a node that has left
// meanwhile is named as well.
// Plain values. Thread: one at a time.
//
//   roster.see(core.peers().published(), now);
//   for (const FleetPeer& peer : roster.peers(now, machine)) ...
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/node/peers.hpp"
#include "library/fleet_nodes.hpp"
#include "library/history/fleet_answers.hpp"

namespace ballot::library {

/// What the next daemon of this node is to know of another node.
struct KnownNode {
  std::string url, machine;
  WallTime published_at{};          // by its clock
  std::optional<WallTime> seen_at;  // in an election
  std::optional<WallTime> answered_at;
  std::optional<WallTime> left_at;  // since when it publishes nothing

  bool operator==(const KnownNode&) const = default;
};
using KnownNodes = std::map<std::string, KnownNode>;  // by name

class FleetRoster {
 public:
  struct Now {
    WallTime wall{};
    SteadyTime steady{};
  };

  /// Of the daemon before. Before see().
  void recall(const KnownNodes& nodes);
  KnownNodes known() const;
  /// Grows with each node that begins or ceases to publish, or does so with another URL.
  std::uint64_t changes() const { return changes_; }

  /// What the store shows at present. Not called without a session.
  void see(const std::vector<core::Peers::Published>& published, Now now);
  /// What came of asking a node. Only a body that did not come in time says that the node is silent: not a call that
  /// was called off, nor an answer that says of itself that it took too long.
  void note(const std::string& node, const Result<std::string>& body, const Result<io::Message>& answer, Now now);
  void on_answer(const std::string& node, Now now);
  /// In an election; `at`: its session was renewed last.
  void on_seen(const std::string& node, WallTime at);
  void on_timeout(const std::string& node, const std::string& why, Now now);

  /// Nodes that did not answer and are to be asked again, beside what people ask.
  std::vector<FleetPeer> due_probes(Now now) const;
  /// When the next one is; none: no node is silent.
  std::optional<SteadyTime> next_probe() const;
  /// Of a node that was asked so. Any answer, and any refusal, says that a question would not wait for it.
  void note_probe(const std::string& node, const Result<std::string>& body, Now now);

  Answers answers() const;

  /// `machine`: this one; "": not known.
  std::vector<FleetPeer> peers(Now now, const std::string& machine) const;

 private:
  struct Known;

  bool forget_departed();
  static void set_heard(FleetPeer& peer, const Known& node);
  static void set_silent(Known& node, const std::string& why, Millis pause, Now now);
  /// One that has left is asked no more.
  static bool is_probed(const Known& node);

  struct Known : KnownNode {
    std::string refusal;   // why it did not take the last question; "": it did
    std::string silent;    // why it is not asked; "": it is
    WallTime silent_at{};  // it was given up last
    SteadyTime probe_at{};
    Millis probe_pause{0};  // before that
  };
  std::map<std::string, Known> nodes_;
  std::uint64_t changes_ = 0;
  std::size_t unknown_ = 0;  // nodes that publish, and are too many
};

}  // namespace ballot::library
