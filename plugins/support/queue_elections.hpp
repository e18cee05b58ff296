// QueueElections: the groups that a session takes part in, in a store of queues. In each group it has one entry, which
// goes with the session; the first of the queue leads, and its entry gives the term its epoch. Who waits watches only
// the one before it; who leads watches its own entry. After a wake-up the queue is listed and decided upon again,
// except by who was next. Knows nothing of how the store does it. Used on the plugin's thread only.
//
//   QueueElections elections(store, self);
//   elections.campaign("nightly");  ... elections.on_watch(group, entry, Gone::yes);  ... each iteration:
//   elections.tick(now);  elections.flush();
//
//   | state    | what is under way                        | next                                                      |
//   | -------- | ---------------------------------------- | --------------------------------------------------------- |
//   | entering | our entry is being made                  | listing                                                   |
//   | listing  | the queue is being listed                | claiming: we are first; waiting; entering: we are not in  |
//   | waiting  | the entry before ours is watched         | listing, when it has changed; claiming, if we were next   |
//   | claiming | old term is read, ours is written down   | leading, and Elected is posted; listing, where it failed  |
//   | leading  | our entry is watched                     | listing, when it has changed: gone is evicted             |
//   | leaving  | our entry is being removed               | out, and Deposed is posted                                |
//   | stalled  | nothing: an outcome is unknown           | listing, as soon as the store answers again               |
//
// Steps of many groups are sent together, by a QueueSender.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ballot/backend.hpp"
#include "support/calls.hpp"
#include "support/delayed_groups.hpp"
#include "support/entry_watches.hpp"
#include "support/queue_place.hpp"
#include "support/queue_sender.hpp"
#include "support/queue_store.hpp"
#include "support/term_inquiry.hpp"
#include "support/texts.hpp"
#include "support/wait_notice.hpp"

namespace ballot::support {

/// The session that takes part.
struct ElectionSelf {
  Host& host;
  std::function<void(Event)> post;
  std::string session;  // as the store names it
  std::string node = {}, boot_id = {};
  Millis timeout{0};      // T
  bool observes = false;  // it takes part in nothing
  bool deputy = false;    // for a dead daemon, to leave on its behalf
  /// The session is resumed, and so are its terms until then.
  std::optional<SteadyTime> resumed_until = {};
  /// The record of this node's session before, until this one overwrote it.
  std::optional<MemberRecord> before = {};
};

class QueueElections final : private QueueSender::Results {
 public:
  /// `store` and `self.host` outlive this.
  QueueElections(QueueStore& store, ElectionSelf self);

  void campaign(const std::string& group);
  void resign(const std::string& group);

  /// Of the term that this session leads now; 0: none.
  std::uint64_t epoch(const std::string& group) const;
  /// Our entry in the group. Requires: it has one, as where epoch() is not 0.
  const std::string& own_entry(const std::string& group) const { return groups_.at(group).entry; }
  /// No group that this session has led leaves anything to inquire about for its next leader.
  bool left_cleanly() const;
  /// A resignation waits until all that have begun have ended.
  void write_began(const std::string& group);
  void write_ended(const std::string& group);

  enum class Gone { no, yes };
  /// An entry that was watched has changed, or was removed.
  void on_watch(const std::string& group, const std::string& entry, Gone gone);
  void on_connected();
  /// Sends what has gathered: what makes transactions now, or all that leaves.
  void flush(bool all = false);
  /// Of these only what leaves.
  void flush_leaves(bool all) { sender_.flush_leaves(all); }
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  enum class State { entering, listing, waiting, claiming, leading, leaving, stalled };
  struct Group {
    State state = State::entering;
    std::uint64_t serial = 0;  // of what is under way: other answers are late
    std::string entry;         // ours; "": not known
    std::uint64_t epoch = 0;
    WallTime since{};
    TermRecord term;
    std::vector<SessionOf> unfinished;      // of ours: TermRecord::before
    SteadyTime led_at{};                    // since when ours goes on
    SteadyTime made_again{};                // when our entry was missing last
    std::optional<std::int64_t> version;    // of `term`, where it was read
    std::optional<backend::Elected> ready;  // to be posted when our term is written down
    bool announced = false;                 // Elected, and not yet Deposed
    bool led = false;                       // by the dead daemon that this session is the deputy of
    bool adopt = false;                     // an entry of ours that is there may be of the daemon before
    bool again = false;                     // something has changed while the queue was listed
    QueueStore::Entry before;               // that is waited for
    std::size_t place = 0;                  // ours in the queue; 2: nobody else is before us
    bool guess = false;                     // the claim is valid only where `term` is still the last one
    bool leave = false;
    bool rejoin = false;
    int writes = 0;
  };
  using Entries = std::vector<QueueStore::Entry>;

  Group* find(const std::string& name);
  Group* find(const std::string& name, std::uint64_t serial);
  Group* find_done(const std::string& name, std::uint64_t serial, const Step& step);
  std::uint64_t enter_state(Group& group, State state);

  void join(const std::string& name);
  void leave_unknown(const std::string& name);
  void end_unknown(const std::string& name, Group& group);
  void enter(const std::string& name, Group& group);
  bool wanted(const std::string& name, std::uint64_t serial) const override;
  void on_entered(const std::string& name, std::uint64_t serial, const Step& step,
                  const QueueStore::Made& made) override;
  void on_placed(const std::string& name, Group& group, const QueueStore::Made& made);
  void relist(const std::string& name, Group& group, Priority priority = Priority::normal);
  void on_listed(const std::string& name, Group& group, const Entries& entries, std::int64_t version);
  void on_missing(const std::string& name, Group& group);
  void wait(const std::string& name, Group& group, const QueueStore::Entry& before_us);
  void watch_own(const std::string& name, Group& group);
  void read_ahead(const std::string& name, Group& group);
  void succeed(const std::string& name, Group& group);
  void stay(const std::string& name, Group& group);

  void claim(const std::string& name, Group& group, std::int64_t version);
  void claim_epoch(const std::string& name, Group& group, std::optional<std::int64_t> version);
  bool is_ours(const Group& group) const;
  void consider_term(const std::string& name, Group& group);
  void on_facts(const std::string& name, Group& group, TermFacts facts);
  TermRecord own_term(const Group& group, bool clean) const;
  void take(const std::string& name, Group& group, backend::Elected elected);
  void on_claimed(const std::string& name, std::uint64_t serial, const Step& step, std::uint64_t revision) override;
  void announce(const std::string& name, Group& group, backend::Elected elected);

  void leave(const std::string& name, Group& group);
  void on_left(const std::string& name, std::uint64_t serial, const Step& step) override;
  void gone(const std::string& name, Group& group);

  void stall(const std::string& name, Group& group, const Step& step);
  void resume();
  void sweep();

  void flush_ahead();

  QueueStore& store_;
  const ElectionSelf self_;
  QueueSender sender_;
  std::optional<SteadyTime> sweep_at_;
  std::unordered_map<std::string, Group> groups_;
  std::uint64_t last_serial_ = 0;
  bool unclean_ = false;      // a term of ours has ended in no clean way
  std::size_t own_size_ = 0;  // of our entries, as the store counts it
  EntryWatches watches_;
  WaitNotice notice_{self_.host, self_.post};
  DelayedGroups ahead_;  // whose facts are to be read ahead
  std::set<std::string> stalled_;
  std::optional<SteadyTime> resume_at_;
};

}  // namespace ballot::support
