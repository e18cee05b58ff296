// ClaimOrder: in which order a node claims the groups that are vacant. Of the nodes whose sessions are open each comes
// first in its share of the groups, and claims those before any others, so that nodes which begin together take
// different ones. Pure, and knows nothing of claims.
//
//   order.add({"nightly", serial, turn_of("nightly", "n1", view.sessions(), term).value_or(0)});
//   while (under_way < most) if (auto next = order.take()) ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "support/keys/key_view.hpp"

namespace ballot::support {

inline constexpr std::size_t most_turns = 3;

/// Of a node that takes part in every group, the same on all nodes: the one with the largest comes first.
std::uint64_t rendezvous(const std::string& group, const std::string& node);

/// So many of the others that may take part come before `self`, most_turns at most; none where there are no others.
/// The node that led last and has let go, or was evicted, comes last. `sessions`: the open ones, by their nodes.
std::optional<std::size_t> turn_of(const std::string& group, const std::string& self,
                                   const std::map<std::string, std::string>& sessions, const TermRecord& last);

class ClaimOrder {
 public:
  struct Next {
    std::string group;
    std::uint64_t serial;
    std::size_t turn;  // most_turns at most
  };

  void add(Next next) { waiting_.at(next.turn).push_back(std::move(next)); }
  /// Of those with the least turn the first that was added.
  std::optional<Next> take();
  bool empty() const noexcept;

 private:
  std::array<std::deque<Next>, most_turns + 1> waiting_;  // by turn
};

}  // namespace ballot::support
