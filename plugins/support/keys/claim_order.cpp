#include "support/keys/claim_order.hpp"

#include <algorithm>

namespace ballot::support {

/// FNV-1a of "GROUP\0NODE", and a last mix (the finalizer of splitmix64), as names differ little. The order is that of
/// the core, which hands a group to the node that comes first: others would be elected before it, and pass the group
/// on.
std::uint64_t rendezvous(const std::string& group, const std::string& node) {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&hash](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u; };
  for (const char c : group) add(c);
  add('\0');
  for (const char c : node) add(c);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return ~(hash ^ (hash >> 31));
}

std::optional<std::size_t> turn_of(const std::string& group, const std::string& self,
                                   const std::map<std::string, std::string>& sessions, const TermRecord& last) {
  const bool let_go = last.clean || last.session == no_session;
  const std::uint64_t own = rendezvous(group, self);
  const auto only = self.find('@');
  std::size_t before_us = let_go && last.node == self ? most_turns : 0;
  bool others = false;
  for (const auto& [node, session] : sessions) {
    const auto at = node.find('@');
    const bool takes_part = at == only || (at != node.npos && node.compare(at + 1, node.npos, group) == 0);
    if (node == self || !takes_part || (let_go && node == last.node)) continue;
    others = true;
    if (rendezvous(group, node) > own && ++before_us >= most_turns) break;
  }
  return others ? std::optional(std::min(before_us, most_turns)) : std::nullopt;
}

std::optional<ClaimOrder::Next> ClaimOrder::take() {
  for (auto& waiting : waiting_) {
    if (waiting.empty()) continue;
    Next next = std::move(waiting.front());
    waiting.pop_front();
    return next;
  }
  return std::nullopt;
}

bool ClaimOrder::empty() const noexcept {
  return std::all_of(waiting_.begin(), waiting_.end(), [](const auto& waiting) { return waiting.empty(); });
}

}  // namespace ballot::support
