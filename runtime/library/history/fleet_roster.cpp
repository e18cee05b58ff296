#include "library/history/fleet_roster.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/ip_address.hpp"

namespace ballot::library {
namespace {

constexpr Millis named_for = std::chrono::hours(24);
constexpr Millis first_pause = std::chrono::seconds(5), longest_pause = std::chrono::seconds(40);  // before a probe
constexpr Millis asked_for = std::chrono::seconds(5);  // a session that begins has not read all records yet
constexpr std::size_t most_nodes = 1000;

bool is_loopback_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  std::string_view host = scheme == std::string_view::npos ? url : url.substr(scheme + 3);
  host = host.substr(0, host.find('/'));
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  const auto address = IpAddress::parse(host);
  return address ? address->is_loopback() : host == "localhost";
}

}  // namespace

void FleetRoster::recall(const KnownNodes& nodes) {
  for (const auto& [name, node] : nodes)
    if (nodes_.size() < most_nodes) static_cast<KnownNode&>(nodes_[name]) = node;
}

KnownNodes FleetRoster::known() const { return {nodes_.begin(), nodes_.end()}; }

void FleetRoster::see(const std::vector<core::Peers::Published>& published, Now now) {
  std::set<std::string> names;
  for (const core::Peers::Published& one : published) names.insert(one.node);
  for (auto& [name, node] : nodes_) {
    if (node.left_at.has_value() != names.contains(name)) continue;
    node.left_at = node.left_at ? std::nullopt : std::optional(now.wall);
    ++changes_;
  }
  std::erase_if(nodes_,
                [&](const auto& one) { return one.second.left_at && now.wall - *one.second.left_at > named_for; });
  unknown_ = 0;
  for (const core::Peers::Published& one : published) {
    if (nodes_.size() >= most_nodes && !nodes_.contains(one.node) && !forget_departed()) {
      ++unknown_;
      continue;
    }
    Known& node = nodes_[one.node];
    changes_ += node.published_at == WallTime{} || node.url != one.api;
    if (one.at > node.published_at) node.silent.clear(), node.refusal.clear();
    node.url = one.api;
    node.machine = one.machine;
    node.published_at = std::max(node.published_at, one.at);
    if (one.alive) node.seen_at = std::max(node.seen_at, std::optional(now.wall - (now.steady - *one.alive)));
  }
}

/// One that publishes nothing: the one that has done so longest. False: there is none.
bool FleetRoster::forget_departed() {
  auto first = nodes_.end();
  for (auto one = nodes_.begin(); one != nodes_.end(); ++one)
    if (one->second.left_at && (first == nodes_.end() || *one->second.left_at < *first->second.left_at)) first = one;
  if (first == nodes_.end()) return false;
  nodes_.erase(first);
  return true;
}

void FleetRoster::note(const std::string& node, const Result<std::string>& body, const Result<io::Message>& answer,
                       Now now) {
  if (answer || answer.error().code == Errc::not_found)
    on_answer(node, now);
  else if (!body && body.error().code == Errc::timeout)
    on_timeout(node, body.error().what, now);
  else if (const auto known = nodes_.find(node); !body && body.error().code == Errc::refused && known != nodes_.end())
    known->second.refusal = body.error().what;
}

void FleetRoster::on_answer(const std::string& node, Now now) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end()) return;
  known->second.answered_at = std::max(known->second.answered_at, std::optional(now.wall));
  known->second.silent.clear();
  known->second.refusal.clear();
}

void FleetRoster::on_seen(const std::string& node, WallTime at) {
  const auto known = nodes_.find(node);
  if (known != nodes_.end()) known->second.seen_at = std::max(known->second.seen_at, std::optional(at));
}

void FleetRoster::on_timeout(const std::string& node, const std::string& why, Now now) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end() || !known->second.silent.empty()) return;  // several questions may wait for it at once
  set_silent(known->second, why, first_pause, now);
}

void FleetRoster::set_silent(Known& node, const std::string& why, Millis pause, Now now) {
  node.silent = why;
  node.silent_at = now.wall;
  node.probe_pause = pause;
  node.probe_at = now.steady + pause;
}

bool FleetRoster::is_probed(const Known& node) { return !node.silent.empty() && !node.url.empty() && !node.left_at; }

std::vector<FleetPeer> FleetRoster::due_probes(Now now) const {
  std::vector<FleetPeer> due;
  for (const auto& [name, node] : nodes_)
    if (is_probed(node) && node.probe_at <= now.steady) due.push_back({name, node.url, std::nullopt, ""});
  return due;
}

std::optional<SteadyTime> FleetRoster::next_probe() const {
  std::optional<SteadyTime> next;
  for (const auto& [name, node] : nodes_)
    if (is_probed(node)) next = std::min(next.value_or(node.probe_at), node.probe_at);
  return next;
}

void FleetRoster::note_probe(const std::string& node, const Result<std::string>& body, Now now) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end() || known->second.silent.empty()) return;
  if (body) return on_answer(node, now);
  if (body.error().code != Errc::timeout) return known->second.silent.clear();
  set_silent(known->second, body.error().what, std::min(known->second.probe_pause * 2, longest_pause), now);
}

Answers FleetRoster::answers() const {
  Answers answers;
  for (const auto& [name, node] : nodes_) {
    if (node.answered_at) answers.answered.emplace(name, *node.answered_at);
    if (!node.silent.empty()) answers.unanswered.emplace(name, node.silent_at);
    if (!node.refusal.empty()) answers.refused.emplace(name, node.refusal);
  }
  return answers;
}

/// A record says only when it was written, which may be long before the node was last there.
void FleetRoster::set_heard(FleetPeer& peer, const Known& node) {
  const bool is_answer = node.answered_at >= node.seen_at;
  peer.last_heard = is_answer ? node.answered_at : node.seen_at;
  peer.heard_by = is_answer ? "answer" : "election";
  if (peer.last_heard) return;
  peer.last_heard = node.published_at;
  peer.heard_by = "record";
}

std::vector<FleetPeer> FleetRoster::peers(Now now, const std::string& machine) const {
  std::vector<FleetPeer> peers;
  for (const auto& [name, node] : nodes_) {
    FleetPeer peer{name, node.url, std::nullopt, ""};
    set_heard(peer, node);
    if (node.url.empty())
      peer.silent = "it publishes no address of an API: its ballot.toml has no [http] listen that other hosts reach";
    const bool is_elsewhere = !node.machine.empty() && !machine.empty() && node.machine != machine;
    if (is_elsewhere && is_loopback_url(node.url))
      peer.silent = "it publishes " + node.url +
                    ", which is this machine, and runs on another one: its ballot.toml needs " +
                    "an [http] listen that other hosts reach, or advertise";
    if (!node.silent.empty()) peer.silent = node.silent;
    if (node.left_at && now.wall - *node.left_at >= asked_for)
      peer.silent = "its record is gone from the store: it has left the fleet, or is stopped for good";
    peers.push_back(std::move(peer));
  }
  if (unknown_ > 0)
    peers.push_back({std::to_string(unknown_) + " more nodes", "", std::nullopt,
                     "a node asks no more than " + std::to_string(most_nodes) + " others"});
  return peers;
}

}  // namespace ballot::library
