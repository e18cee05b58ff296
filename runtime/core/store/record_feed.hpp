// RecordFeed: the records under one prefix, which the store watches. A change makes the feed dirty, and a dirty feed is
// listed once at the end of the step: what changes while the list is under way is listed again.
//
//   event                         | state
//   a change, or a list failed    | dirty
//   begin(): the list is sent     | listing
//   a change while it is          | listing, and dirty
//   the list's answer             | as it was; dirty where it failed
//
// A feed that every node writes to and lists is paced: once dirty, it is listed after a pause that grows with the
// number of records in the list before. So each node reads a bounded number of records a second while many nodes join
// one after the other, and not all nodes list at once. A hurried list is sent at most a second after the one before.
//
// Pure values; used by Core only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "ballot/time.hpp"
#include "base/fnv.hpp"
#include "core/node/peers.hpp"
#include "core/record/outcome.hpp"
#include "core/record/standing_pause.hpp"
#include "core/request/request.hpp"

namespace ballot::core {

inline constexpr Millis list_pause_a_record{50};         // of a paced feed: 20 records a second,
inline constexpr Millis longest_list_pause = fit_delay;  // but nobody is handed anything sooner than this
inline constexpr Millis hurried_list_pause{1000};        // at most, while somebody waits for the list

class RecordFeed {
 public:
  explicit RecordFeed(std::string_view prefix) : prefix_(prefix) {}
  /// A feed that is watched only once want() was called.
  static RecordFeed unwanted(std::string_view prefix) {
    RecordFeed feed(prefix);
    feed.wanted_ = false;
    return feed;
  }

  /// A paced feed. `share`: thousandths of the pause that pass before the first list after a quiet time; each node has
  /// its own.
  static RecordFeed paced(std::string_view prefix, int share) {
    RecordFeed feed(prefix);
    feed.share_ = share;
    return feed;
  }

  void want() { wanted_ = true; }
  /// True once in each session: the prefix is to be watched now. Requires: a session is open.
  bool begin_watch() { return wanted_ && !std::exchange(watched_, true); }

  std::string_view prefix() const { return prefix_; }
  bool is_dirty() const { return dirty_; }
  /// It was, at least once in this session.
  bool has_been_listed() const { return listed_; }
  /// Every change that the store has reported is listed.
  bool is_current() const { return !dirty_ && !listing_; }
  void on_changed() { dirty_ = true; }
  /// The next list is waited for.
  void hurry() { hurried_ = true; }
  /// True: the prefix is to be listed now.
  bool begin(SteadyTime now) {
    if (!dirty_ || listing_) return false;
    if (!due_) due_ = std::max(listed_at_ + pause_, now + pause_ * share_.value_or(0) / 1000);
    if (now < *due()) return false;
    due_.reset();
    hurried_ = false;
    dirty_ = false;
    return listing_ = true;
  }
  /// When the list is due that the pause has put off.
  std::optional<SteadyTime> wake() const { return dirty_ && !listing_ ? due() : std::nullopt; }
  /// So many `records` were found.
  void on_listed(SteadyTime now, bool done, std::size_t records) {
    listing_ = false;
    listed_ = listed_ || done;
    dirty_ = dirty_ || !done;
    listed_at_ = now;
    if (share_ && done) pause_ = std::min(list_pause_a_record * static_cast<Millis::rep>(records), longest_list_pause);
  }
  /// The session is over: no answer comes.
  void on_lost() {
    listing_ = watched_ = hurried_ = listed_ = false;
    pause_ = Millis(0);
    due_.reset();
  }

 private:
  std::optional<SteadyTime> due() const {
    return due_ && hurried_ ? std::min(*due_, listed_at_ + hurried_list_pause) : due_;
  }

  std::string_view prefix_;
  bool wanted_ = true, watched_ = false;
  bool dirty_ = false, listing_ = false, hurried_ = false, listed_ = false;
  std::optional<int> share_;  // of a paced one
  Millis pause_{0};
  SteadyTime listed_at_{};
  std::optional<SteadyTime> due_;
};

/// All feeds of a node.
struct RecordFeeds {
  explicit RecordFeeds(std::string_view node)
      : nodes(RecordFeed::paced(node_prefix, static_cast<int>(Fnv().add(node).value() % 1000))) {}

  RecordFeed requests{request_prefix}, outcomes{outcome_prefix}, nodes;
  RecordFeed pauses = RecordFeed::unwanted(pause_prefix);  // of nodes with instances

  std::array<RecordFeed*, 4> all() { return {&requests, &outcomes, &nodes, &pauses}; }
};

}  // namespace ballot::core
