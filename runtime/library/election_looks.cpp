#include "library/election_looks.hpp"

#include <algorithm>
#include <utility>

#include "base/instance.hpp"
#include "io/clocks.hpp"

namespace ballot::library {
namespace {

constexpr Millis pause_a_node{100};
constexpr Millis patience{2000};
constexpr std::size_t groups_a_page = 100;

}  // namespace

ElectionLooks::ElectionLooks(Node& node, OnSeen seen, Millis pause)
    : node_(node), seen_(std::move(seen)), pause_(pause), timer_(node.loop().context(), [this] { look(); }) {}

void ElectionLooks::start() { timer_.arm(io::read_clocks().steady + pause_); }

void ElectionLooks::close() {
  is_closed_ = true;
  timer_.disarm();
}

void ElectionLooks::look() {
  const std::size_t peers = node_.core().peers().all().size();
  timer_.arm(io::read_clocks().steady + std::max(pause_, pause_a_node * static_cast<int>(peers)));
  if (peers == 0) return;
  group_ = next_group();
  if (group_.empty()) return;
  node_.observe(patience, group_, [this](const std::vector<Election>& elections) {
    if (!is_closed_) seen_(elections);
  });
}

/// The one after the last, of those that the files name; "": there is none.
std::string ElectionLooks::next_group() const {
  std::string next;
  const auto take = [&](const core::GroupView& group) {
    if (next.empty() && group.wanted && !is_instance(group.name)) next = group.name;  // nobody else is in that one
  };
  for (const std::string& from : {group_, std::string()}) {
    core::Views::Next after = from;
    while (after && next.empty()) after = node_.core().views().visit_groups(*after, groups_a_page, take);
    if (!next.empty()) break;
  }
  return next;
}

}  // namespace ballot::library
