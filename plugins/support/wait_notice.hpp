// WaitNotice: for which node this session waits in each group, and whether the group is vacant meanwhile. Each change
// is logged, at info, or at debug where the session takes part in more groups than anybody reads of; and backend::
// Vacancy is posted where it changes. Used on the plugin's thread only.
//
//   notice.vacant("nightly");   ... notice.waits("nightly", "n1", "the leader");   ... notice.over("nightly");
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ballot/backend.hpp"
#include "support/calls.hpp"
#include "support/member_name.hpp"
#include "support/texts.hpp"

namespace ballot::support {

class WaitNotice {
 public:
  static constexpr std::size_t few_groups = 100;

  WaitNotice(Host& host, std::function<void(Event)> post) : host_(host), post_(std::move(post)) {}

  /// Nobody leads the group, as far as the store shows.
  void vacant(const std::string& group) {
    if (vacant_.insert(group).second) post_(backend::Vacancy{group, true});
  }

  /// `member`: its name in the store. `how`: what comes after it: "the leader".
  void waits(const std::string& group, const std::string& member, const std::string& how) {
    if (vacant_.erase(group) > 0) post_(backend::Vacancy{group, false});
    std::string text = "waits for " + shown(member) + ", " + how;
    std::string& said = said_[group];
    if (text == said) return;
    said = std::move(text);
    host_.log(said_.size() <= few_groups ? Level::info : Level::debug, "group " + group + ": " + said);
  }
  /// In a queue: directly behind the candidate of this text.
  void waits_at(const std::string& group, const std::string& candidate, std::size_t place) {
    const auto before = parse_candidate(candidate);
    waits(group, before ? before->node : "an entry that cannot be read",
          "at place " + std::to_string(place) + " of the queue");
  }
  /// This session leads the group, which is not vacant then, or takes no part any more.
  void over(const std::string& group) { said_.erase(group), vacant_.erase(group); }

 private:
  Host& host_;
  const std::function<void(Event)> post_;
  std::unordered_map<std::string, std::string> said_;  // by group
  std::unordered_set<std::string> vacant_;             // groups
};

}  // namespace ballot::support
