// Elections: the groups that this session takes part in. In each it has one ephemeral node in a queue; the first of the
// queue leads, and its node's czxid is the epoch. Who waits watches only the one before it; who leads watches its own
// node. After a wake-up the queue is listed and decided upon again, except by who was next.
//
//   | state    | what is under way                        | next                                                      |
//   | -------- | ---------------------------------------- | --------------------------------------------------------- |
//   | entering | our node is being made                   | looking                                                   |
//   | looking  | the queue is being listed                | claiming: we are first; waiting; entering: we are not in  |
//   | waiting  | the node before ours is watched          | looking, when it has changed; claiming, if we were next   |
//   | claiming | old term is read, ours is written down   | leading, and Elected is told; looking, where it failed    |
//   | leading  | our node is watched                      | looking, when it has changed: gone is evicted             |
//   | leaving  | our node is being removed                | out, and Deposed is told                                  |
//   | stalled  | nothing: an outcome is unknown           | looking, as soon as the store answers again               |
//
// Steps of many groups are sent together. Used on the plugin's thread only.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "link.hpp"
#include "members.hpp"
#include "support/texts.hpp"
#include "support/write_batch.hpp"

namespace ballot::zookeeper {

class Elections {
 public:
  /// Of the nodes of one session, and of what it watches: the store takes no larger packet.
  static constexpr std::size_t most_bytes = 900'000;

  /// `resumed_until`: the session is gone on with, and so are its terms until then.
  Elections(Link& link, Members& members, std::optional<SteadyTime> resumed_until);

  void campaign(const std::string& group);
  void resign(const std::string& group);

  /// Of the term that this session leads now; 0: none.
  std::uint64_t epoch(const std::string& group) const;
  /// Of our node in the group. Requires: it has one, as where epoch() is not 0.
  std::string own_path(const std::string& group) const;
  /// Nothing that this session has led needs to be looked into by whoever leads it next.
  bool left_cleanly() const;
  /// A resignation waits until all that have begun have ended.
  void write_began(const std::string& group);
  void write_ended(const std::string& group);

  /// Something has changed at `path`. `gone`: it has been removed.
  void on_watch(const std::string& path, bool gone);
  void on_connected();
  /// Sends what has gathered: what makes transactions now, or all that leaves.
  void flush(bool all = false);
  /// Of these only what leaves.
  void flush_leaves(bool all);
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  enum class State { entering, looking, waiting, claiming, leading, leaving, stalled };
  struct Group {
    State state = State::entering;
    std::uint64_t turn = 0;  // of what is under way: other answers are late
    std::string node;        // our candidate's name; "": not known
    std::int32_t sequence = 0;
    std::uint64_t epoch = 0;
    WallTime since{};
    TermRecord term;
    std::vector<SessionOf> unfinished;      // of ours: TermRecord::before
    SteadyTime led_at{};                    // since when ours goes on
    int term_version = -1;                  // of the node that `term` was read from; -1: not read
    std::optional<backend::Elected> ready;  // to be told when our term is written down
    bool told = false;                      // Elected, and not yet Deposed
    bool led = false;                       // by the dead daemon that this session stands in for
    bool adopt = false;                     // a node of ours that is there may be of the daemon before
    bool again = false;                     // something has changed while it was looked at
    bool alone = false;                     // sent together with others it was refused
    std::string before;                     // the candidate that is waited for
    bool next = false;                      // nobody else is before us
    bool to_look_ahead = false;             // it is in `ahead_`
    bool guess = false;                     // the claim holds only where `term` is still the last one
    int prepared = 0;                       // so often another daemon had just made some of the groups' nodes
    bool leave = false;
    bool rejoin = false;
    int writes = 0;
  };
  using Names = std::vector<std::string>;
  using Queue = std::deque<std::string>;

  Group* find(const std::string& name);
  Group* find(const std::string& name, std::uint64_t turn);
  std::uint64_t step(Group& group, State state);

  void join(const std::string& name);
  void leave_unknown(const std::string& name);
  void end_unknown(const std::string& name, Group& group);
  void enter(const std::string& name, Group& group);
  void on_entered(const Names& names, const std::vector<std::uint64_t>& turns, const Reply& reply);
  void on_placed(const std::string& name, Group& group);
  void prepare(const Names& names, const std::vector<std::uint64_t>& turns);
  void look(const std::string& name, Group& group);
  void on_listed(const std::string& name, Group& group, const Reply& reply);
  std::optional<std::string> find_self(const std::string& name, Group& group, const Names& names);
  void on_missing(const std::string& name, Group& group);
  void wait(const std::string& name, Group& group, const std::string& before);
  void look_ahead_later(const std::string& name, Group& group, Millis pause);
  void watch_own(const std::string& name, Group& group);
  void look_ahead(const std::string& name, Group& group);
  void succeed(const std::string& name, Group& group);
  void stay(const std::string& name, Group& group);

  void claim(const std::string& name, Group& group, int term_version);
  void claim_epoch(const std::string& name, Group& group, int term_version);
  bool is_ours(const Reply& reply) const;
  bool is_ours(const Group& group) const;
  void weigh_term(const std::string& name, Group& group);
  struct Inquiry;
  void ask_of(const std::string& name, Group& group, const std::vector<SessionOf>& sessions);
  void on_facts(const std::string& name, Group& group, Inquiry& inquiry);
  TermRecord own_term(const Group& group, bool clean) const;
  void take(const std::string& name, Group& group, backend::Elected elected);
  void on_claimed(const Names& names, const std::vector<std::uint64_t>& turns, const Reply& reply);
  void announce(const std::string& name, Group& group, backend::Elected elected);

  void leave(const std::string& name, Group& group);
  void on_left(const Names& names, const std::vector<std::uint64_t>& turns, const Reply& reply);
  void gone(const std::string& name, Group& group);

  void stall(const std::string& name, Group& group, int rc);
  void resume();
  void sweep();
  bool watched(const std::string& path);
  void unwatched(const std::string& path);

  Names take_some(Queue& from, std::vector<std::uint64_t>& turns);
  void one_by_one(const Names& names, const std::vector<std::uint64_t>& turns, Queue& again);
  void flush_entering();
  void flush_claims();
  void flush_ahead();

  Link& link_;
  Members& members_;
  Batching batching_{most_changes};
  const std::optional<SteadyTime> resumed_until_;
  std::optional<SteadyTime> sweep_at_;
  std::unordered_map<std::string, Group> groups_;
  std::uint64_t last_turn_ = 0;
  bool unclean_ = false;       // a term of ours has ended in no clean way
  std::size_t own_bytes_ = 0;  // of our nodes' paths
  std::size_t watched_bytes_ = 0;
  std::unordered_set<std::string> watched_;
  struct Ahead {
    SteadyTime at;
    std::string group;
  };
  Queue entering_, claims_, leaves_;  // what flush() goes on with
  std::deque<Ahead> ahead_;           // as well, when its time has come; mostly in order of time
  std::set<std::string> stalled_;
  std::optional<SteadyTime> resume_at_;
};

}  // namespace ballot::zookeeper
