// GroupOfNodeA: one group and its machine among the parts of a core, on node "a" in a session, without a Core.
//
//   lead();
//   take(Request::Kind::pause);
//   EXPECT_TRUE(write()->paused);
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/core_parts.hpp"
#include "core/group/group_machine.hpp"
#include "core/group/groups.hpp"

namespace ballot::core {

inline CoreSettings node_a() {
  CoreSettings settings;
  settings.node = "a";
  return settings;
}

/// One group without jobs, which the files name, on node "a" in a session of 10 s.
struct GroupOfNodeA : ::testing::Test {
  CoreParts parts{node_a()};
  Actions out;
  SteadyTime at{std::chrono::seconds(1)};
  GroupEntry& entry = parts.groups.entry("g", parts.guard);
  GroupMachine& group = entry.machine;

  GroupOfNodeA() {
    parts.session.begin(now(), out);
    parts.session.on_opened(now(), {std::chrono::seconds(10), Capability::fenced, "s", 0});
    parts.listing.state = JobListing::State::complete;
    parts.feeds.nodes.on_listed(at, true, 0);
    entry.configured = true;
  }

  Now now() const { return {WallTime(at.time_since_epoch() + std::chrono::hours(1000)), at}; }

  /// Lets the machine do something, as Groups does; what was done before is forgotten.
  template <class Do>
  void act(Do what) {
    out.clear();
    Context c{now(),
              parts.settings,
              parts.session,
              parts.prior.inventory(),
              parts.chains,
              parts.prior.recorded(),
              parts.prior.outcomes(),
              true,
              10,
              false,
              nullptr,
              parts.random,
              out,
              parts.wants};
    Groups(parts, c).act(entry, what);
  }
  void advance() {
    act([](GroupMachine& machine, GroupContext& g) { machine.advance(g); });
  }
  void elect(std::uint64_t epoch = 1) {
    act([&](GroupMachine& machine, GroupContext& g) { machine.on_elected(g, {"g", epoch, false, {}, {}, 0}); });
  }
  void begin_term(const std::optional<Register>& stored = {}) {
    act([&](GroupMachine& machine, GroupContext& g) { machine.begin_term(g, stored); });
  }
  /// Campaigns, is elected, leads, and its register is written.
  void lead() {
    advance();
    elect();
    begin_term();
    advance();
    written();
  }
  /// Is elected, while the register says that "c" hands over to "b".
  Register elected_in_place_of_b() {
    GroupRegister before;
    before.epoch = 1;
    before.node = "c";
    before.elected_at = now().wall;
    before.hand_over_to = "b";
    before.last_handover_at = before.ended_at = now().wall;
    advance();
    elect(2);
    return {"g/g", to_text(before), 4};
  }
  void written(StoreResult outcome = StoreResult::done) {
    act([&](GroupMachine& machine, GroupContext& g) { machine.on_written(g, {outcome, 1, {}}); });
  }
  void depose(std::uint64_t epoch = 1) {
    act([&](GroupMachine& machine, GroupContext& g) { machine.on_deposed(g, {"g", epoch, Cause::resigned}); });
  }
  void take(Request::Kind kind) {
    Request request;
    request.kind = kind;
    request.id = parts.random.run_id(now().wall);
    request.group = "g";
    request.by = "somebody";
    act([&](GroupMachine& machine, GroupContext& g) { machine.take(g, request); });
  }
  void find_unfit(const std::string& why) {
    act([&](GroupMachine& machine, GroupContext& g) { machine.on_unfit(g, why); });
  }
  void evictions_removed() {
    act([](GroupMachine& machine, GroupContext& g) { machine.on_eviction_removed(g); });
  }
  /// Candidates, each as node and session.
  bool observe(std::vector<std::pair<std::string, std::string>> candidates) {
    Election election{"g", 0, {}};
    for (auto& [node, session] : candidates) {
      Candidate one;
      one.node = node;
      one.id = session;
      election.candidates.push_back(one);
    }
    bool is_alone = false;
    act([&](GroupMachine& machine, GroupContext& g) { is_alone = machine.on_observed(g, election); });
    return is_alone;
  }

  template <class A>
  const A* find() const {
    for (const Action& action : out)
      if (const A* found = std::get_if<A>(&action)) return found;
    return nullptr;
  }
  /// The register in the write of the last act; nullopt: there is none.
  std::optional<GroupRegister> write() const {
    const Write* const write = find<Write>();
    if (!write) return std::nullopt;
    return *parse_group_register(write->batch.front().value);
  }
  bool has_resigned() { return !std::exchange(parts.wants.resigns, {}).empty(); }
};

}  // namespace ballot::core
