// KeyCandidates: the keys that say in which groups a node takes part. No election needs them, only people and whoever
// hands a group over read them: they are written a few at a time. Used on the plugin's thread only.
//
//   candidates.enter("nightly");   ... each turn: candidates.flush([](const std::string& group) { return ...; });
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include "support/clock.hpp"
#include "support/keys/key_context.hpp"
#include "support/keys/key_queue.hpp"

namespace ballot::support {

class KeyCandidates {
 public:
  /// Both outlive this.
  KeyCandidates(const KeyContext& context, KeyQueue& queue) : context_(context), queue_(queue) {}

  void enter(const std::string& group) { waiting_.emplace_back(group, wall_now()); }
  void withdraw(const std::string& group) {
    queue_.add({key(group)}, [](const KeyAnswer&) {});
  }
  /// Adds those to the queue that may be sent now, where the node still takes part.
  template <class TakesPart>
  void flush(TakesPart takes_part) {
    while (!waiting_.empty() && under_way_ < most_under_way) {
      const auto [group, since] = std::move(waiting_.front());
      waiting_.pop_front();
      if (!takes_part(group)) continue;
      ++under_way_;
      const std::string text = format(CandidateText{context_.self.node, since}) + " " + context_.session;
      queue_.add({key(group), text, {}, true}, [this](const KeyAnswer&) { --under_way_; });
    }
  }

 private:
  static constexpr std::size_t most_under_way = 100;

  std::string key(const std::string& group) const { return KeyNames::candidate(group, context_.self.node); }

  const KeyContext& context_;
  KeyQueue& queue_;
  std::deque<std::pair<std::string, WallTime>> waiting_;  // and since when the node takes part
  std::size_t under_way_ = 0;
};

}  // namespace ballot::support
