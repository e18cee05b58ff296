// WaitNotice: says at info whom this session waits for in each group, once each time that this changes; at debug where
// it takes part in many, as of ten thousand groups nobody reads it. Used on the plugin's thread only.
//
//   notice.waits("nightly", "n1", "the leader");   ... notice.over("nightly");
#pragma once

#include <string>
#include <unordered_map>

#include "ballot/backend.hpp"
#include "support/member_name.hpp"
#include "support/texts.hpp"

namespace ballot::support {

class WaitNotice {
 public:
  static constexpr std::size_t few_groups = 100;

  explicit WaitNotice(Host& host) : host_(host) {}

  /// `member`: its name in the store. `how`: what comes after it: "the leader".
  void waits(const std::string& group, const std::string& member, const std::string& how) {
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
  /// It leads there, or takes no part any more.
  void over(const std::string& group) { said_.erase(group); }

 private:
  Host& host_;
  std::unordered_map<std::string, std::string> said_;  // by group
};

}  // namespace ballot::support
