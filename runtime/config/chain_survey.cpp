#include "config/chain_survey.hpp"

#include <algorithm>
#include <utility>

#include "base/instance.hpp"

namespace ballot::config {

const ChainSurvey::Place& ChainSurvey::of(std::string_view name) {
  if (const auto known = nodes_.find(std::string(name)); known != nodes_.end()) return known->second.place;
  Node& asked = enter(name);
  while (!way_.empty()) {
    auto& [node, next] = way_.back();
    const std::size_t parents = node->place.job ? node->place.job->job.details->after.size() : 0;
    if (next < parents) {
      const std::string_view parent = common_name(node->place.job->job.details->after[next++]);
      const auto known = nodes_.find(std::string(parent));
      if (known == nodes_.end())
        enter(parent);
      else if (known->second.is_open)
        node->low = std::min(node->low, known->second.order);
      continue;
    }
    Node& done = *node;
    way_.pop_back();
    if (!way_.empty()) way_.back().node->low = std::min(way_.back().node->low, done.low);
    if (done.low == done.order) close_circle(done);
  }
  return asked.place;
}

bool ChainSurvey::are_in_one_circle(std::string_view one, std::string_view other) {
  (void)of(one), (void)of(other);
  const Node &first = nodes_.at(std::string(one)), &second = nodes_.at(std::string(other));
  return first.circle != 0 && first.circle == second.circle;
}

ChainSurvey::Node& ChainSurvey::enter(std::string_view name) {
  Node& node = nodes_[std::string(name)];
  node.place.job = find_(name);
  node.order = node.low = nodes_.size();
  way_.push_back({&node});
  open_.push_back(&node);
  return node;
}

/// Jobs of which each waits for each other, or one that waits for none of those after it: all that they wait for beside
/// them are settled.
void ChainSurvey::close_circle(Node& root) {
  const auto begin = std::find(open_.rbegin(), open_.rend(), &root).base() - 1;
  const bool is_circle = open_.end() - begin > 1;
  for (auto one = begin; one != open_.end(); ++one) {
    (*one)->is_open = false;
    if (is_circle) (*one)->circle = root.order;
    settle(**one, is_circle);
  }
  open_.erase(begin, open_.end());
}

void ChainSurvey::settle(Node& node, bool is_in_circle) {
  Place& place = node.place;
  place.is_in_circle = is_in_circle;
  if (!place.job) return;
  const auto& details = place.job->job.details;
  place.is_enabled = place.job->job.enabled;
  if (!details->has_slots_of_first) place.first = place.job;
  for (const std::string& name : details->after) {
    const Node& parent = nodes_.at(std::string(common_name(name)));
    if (&parent == &node) place.is_in_circle = true;
    if (!is_in_circle && !parent.place.is_in_circle) place.row = std::max(place.row, parent.place.row + 1);
  }
  if (!details->has_slots_of_first || place.is_in_circle) return;
  const Place& first = nodes_.at(std::string(common_name(details->after.front()))).place;
  place.first = first.first;
  place.is_enabled = place.is_enabled && first.job && first.is_enabled;
}

}  // namespace ballot::config
