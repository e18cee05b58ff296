// RecordFeed: the records under one prefix, which the store watches. A change makes the feed dirty, and a dirty feed is
// listed once at the end of the step: what changes while the list is under way is listed again.
//
//   event                         | state
//   a change, or a list failed    | dirty
//   begin(): the list is sent     | listing
//   a change while it is          | listing, and dirty
//   the list's answer             | as it was; dirty where it failed
//
// Pure values; used by Core only.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "core/node/peers.hpp"
#include "core/record/outcome.hpp"
#include "core/record/standing_pause.hpp"
#include "core/request/request.hpp"

namespace ballot::core {

class RecordFeed {
 public:
  explicit RecordFeed(std::string_view prefix) : prefix_(prefix) {}
  /// One that nobody needs before want() is called.
  static RecordFeed unwanted(std::string_view prefix) {
    RecordFeed feed(prefix);
    feed.wanted_ = false;
    return feed;
  }

  void want() { wanted_ = true; }
  /// True, once a session: it is to be watched now. Requires: a session is open.
  bool begin_watch() { return wanted_ && !std::exchange(watched_, true); }

  std::string_view prefix() const { return prefix_; }
  bool is_dirty() const { return dirty_; }
  void on_changed() { dirty_ = true; }
  /// True: list it now.
  bool begin() {
    if (!dirty_ || std::exchange(listing_, true)) return false;
    dirty_ = false;
    return true;
  }
  void on_listed(bool done) {
    listing_ = false;
    dirty_ = dirty_ || !done;
  }
  /// The session is over: no answer comes.
  void on_lost() { listing_ = watched_ = false; }

 private:
  std::string_view prefix_;
  bool wanted_ = true, watched_ = false;
  bool dirty_ = false, listing_ = false;
};

/// All of them.
struct RecordFeeds {
  RecordFeed requests{request_prefix}, outcomes{outcome_prefix}, nodes{node_prefix};
  RecordFeed pauses = RecordFeed::unwanted(pause_prefix);  // of nodes with instances

  std::array<RecordFeed*, 4> all() { return {&requests, &outcomes, &nodes, &pauses}; }
};

}  // namespace ballot::core
