// KeyElections: the groups that a session takes part in, on a KeyStore. Whoever writes the next epoch into a group's
// term, over the version that showed that nobody leads, leads; so of all who try one succeeds. A group is vacant where
// its term has ended, or its leader's session is over. Who is to try first is the same for all who see the same
// sessions: each waits a little longer than the one before it, and checks again before it tries. Used on the plugin's
// thread only.
//
//   KeyElections elections(context, view, self);
//   elections.campaign("nightly");  ... elections.on_term_changed(group);  ... each iteration:
//   elections.tick(now);  elections.flush();
//
//   | state    | what is under way                          | next                                                   |
//   | -------- | ------------------------------------------ | ------------------------------------------------------ |
//   | waiting  | another leads, or nothing is known yet     | asking, or pausing: it is vacant                       |
//   | asking   | what the last leader said of itself is     | pausing                                                |
//   |          | being read                                 |                                                        |
//   | pausing  | others that come first have their chance,  | claiming; waiting: another leads                       |
//   |          | and other groups are claimed before        |                                                        |
//   | claiming | our term is being written                  | leading, and Elected is posted; waiting; claiming      |
//   |          |                                            | again, the same: the answer is unknown                 |
//   | leading  | nothing, or it is in doubt and being read  | leaving; waiting, and Deposed is posted: evicted       |
//   | leaving  | our term's end is being written            | out, and Deposed is posted                             |
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/keys/claim_order.hpp"
#include "support/keys/key_candidates.hpp"
#include "support/keys/key_context.hpp"
#include "support/keys/key_queue.hpp"
#include "support/keys/key_view.hpp"
#include "support/keys/last_seen.hpp"
#include "support/wait_notice.hpp"

namespace ballot::support {

/// The session that takes part.
struct KeySelf {
  bool observes = false;  // it takes part in nothing
  bool deputy = false;    // for a dead daemon, to leave on its behalf
  /// The session is resumed, and so are its terms until then.
  std::optional<SteadyTime> resumed_until = {};
  /// After a leader's session is over that did not end by its own wish.
  Millis vacancy_pause{0};
};

class KeyElections {
 public:
  KeyElections(KeyContext& context, KeyView& view, LastSeen& last_seen, KeySelf self);

  void campaign(const std::string& group);
  void resign(const std::string& group);
  /// Whether this node may lead the group, or any (""). Does not resign what it leads.
  void set_fit(const std::string& group, bool fit);

  /// Of the term that this session leads now; 0: none.
  std::uint64_t epoch(const std::string& group) const;
  /// Of the key of that term. Requires: epoch() is not 0.
  std::uint64_t term_version(const std::string& group) const { return groups_.at(group).version; }
  /// No group that this session has led leaves anything to inquire about for its next leader.
  bool left_cleanly() const;
  /// A resignation waits until all that have begun have ended.
  void write_began(const std::string& group);
  void write_ended(const std::string& group);
  /// The store has said that this session does not lead it: it is read.
  void doubt(const std::string& group) { doubted_.insert(group); }

  /// The view is complete.
  void on_view();
  void on_term_changed(const std::string& group);
  void on_session_gone(const KeyView::Gone& gone);

  void tick(SteadyTime now);
  /// Sends what has gathered.
  void flush();
  std::optional<SteadyTime> due() const;
  /// Nothing of what leaves is under way.
  bool idle() const noexcept { return leaving_ == 0 && queue_.idle() && (!self_.deputy || groups_.empty()); }

 private:
  enum class State { waiting, asking, pausing, claiming, leading, leaving };
  /// A group whose term is read.
  struct Doubt {
    std::string group;
    std::uint64_t serial;
    std::uint64_t shown;  // the version that the view had when the read was asked for
  };
  struct Group {
    State state = State::waiting;
    std::uint64_t serial = 0;  // of what is under way: other answers are late
    std::uint64_t epoch = 0;   // of our term, or of the last that was ours
    std::uint64_t version = 0;
    struct {
      std::uint64_t version = 0;  // of the term whose sessions were asked about
      std::size_t open = 0;       // questions
    } asked = {};
    std::vector<SessionOf> unfinished = {};  // of ours: TermRecord::before
    SteadyTime led_at{};                     // since when ours goes on
    SteadyTime paused_until{};
    std::optional<WallTime> last_alive = {};  // of the last leader
    bool announced = false;                   // Elected, and not yet Deposed
    bool leave = false, rejoin = false;
    int writes = 0;
  };
  Group* find(const std::string& name);
  Group* find(const std::string& name, std::uint64_t serial);
  std::uint64_t enter_state(Group& group, State state);
  void leave_state(const Group& group);

  void join(const std::string& name);
  void consider(const std::string& name, Group& group);
  bool is_fit(const std::string& name) const { return !unfit_.contains(name) && !unfit_.contains(""); }
  bool is_vacant(const TermRecord& term) const;
  bool is_ours(const TermRecord& term) const { return term.session == context_.session; }
  std::vector<SessionOf> sessions_of(const TermRecord& term) const;
  void ask(const std::string& name, Group& group);
  void on_asked(const std::string& name, Group& group, bool is_leader, const LastSeen::Found& found);
  void pause(const std::string& name, Group& group);
  std::optional<std::size_t> turn(const std::string& name) const;

  void claim_next();
  /// Candidates of groups that are not claimed: claims go before.
  bool may_enter_candidates() const;
  void claim(const std::string& name, Group& group);
  void send_claim(const std::string& name, Group& group, const TermRecord& term, std::uint64_t over);
  void on_claimed(const std::string& name, Group& group, const TermRecord& term, std::uint64_t over,
                  const KeyAnswer& answer);
  void announce(const std::string& name, Group& group, bool resumed, std::uint64_t revision);
  std::vector<SessionOf> unfinished(const TermRecord& term) const;
  TermRecord own_term(const Group& group, bool clean) const;

  void leave(const std::string& name, Group& group);
  void on_left(const std::string& name, Group& group, const KeyAnswer& answer);
  void lose(const std::string& name, Group& group, Cause cause);
  void gone(const std::string& name, Group& group);
  void erase(const std::string& name, const Group& group);
  void later(const std::string& name, std::uint64_t serial, SteadyTime at);
  void on_later(const std::string& name, Group& group);

  void on_claim_read(const std::string& name, Group& group, const TermRecord& term, std::uint64_t version);
  void read_doubted();
  void on_read(const std::vector<Doubt>& asked, const KeyRead& read);
  void sweep();

  KeyContext& context_;
  KeyView& view_;
  LastSeen& last_seen_;
  const KeySelf self_;
  std::unordered_map<std::string, Group> groups_;
  ClaimOrder order_;  // of groups that are pausing
  KeyQueue queue_;
  KeyCandidates candidates_;
  WaitNotice notice_;
  std::set<std::string> doubted_;  // to be read
  std::multimap<SteadyTime, std::pair<std::string, std::uint64_t>> later_;
  std::optional<SteadyTime> sweep_at_;
  std::set<std::string> unfit_;  // groups; "": all
  std::uint64_t last_serial_ = 0;
  std::size_t claiming_ = 0, leaving_ = 0;  // groups
  bool unclean_ = false;                    // a term of ours has ended in no clean way
  std::minstd_rand random_;
};

}  // namespace ballot::support
