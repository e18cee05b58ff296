#include "library/history/fleet_roster.hpp"

#include <algorithm>

namespace ballot::library {
namespace {

constexpr Millis named_for = std::chrono::hours(24);
constexpr Millis quiet_for = std::chrono::seconds(5);

}  // namespace

void FleetRoster::see(const std::vector<core::Peers::Published>& published, Now now) {
  for (auto& [name, node] : nodes_)
    if (!node.left_at) node.left_at = now.wall;
  for (const core::Peers::Published& one : published) {
    Known& node = nodes_[one.node];
    node.url = one.api;
    node.last_heard = std::max(node.last_heard, one.at);
    node.left_at.reset();
  }
  std::erase_if(nodes_,
                [&](const auto& one) { return one.second.left_at && now.wall - *one.second.left_at > named_for; });
}

void FleetRoster::on_answer(const std::string& node, Now now) {
  const auto known = nodes_.find(node);
  if (known != nodes_.end()) known->second.last_heard = std::max(known->second.last_heard, now.wall);
}

void FleetRoster::on_timeout(const std::string& node, const std::string& why, Now now) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end()) return;
  known->second.silent = why;
  known->second.silent_until = now.steady + quiet_for;
}

std::vector<FleetPeer> FleetRoster::peers(Now now) const {
  std::vector<FleetPeer> peers;
  for (const auto& [name, node] : nodes_) {
    FleetPeer peer{name, node.url, node.last_heard, ""};
    if (node.url.empty())
      peer.silent = "it publishes no address of an API: its ballot.toml has no [http] listen that other hosts reach";
    if (now.steady < node.silent_until) peer.silent = node.silent;
    peers.push_back(std::move(peer));
  }
  return peers;
}

}  // namespace ballot::library
