// SimStore: a linearizable store in virtual time, as a backend's server would be: registers, sessions that expire by
// the store's own timer, and one queue of candidates a group. Every call is one atomic step at the loop's time; what
// delays and loses calls is the SimBackend that makes them. One thread, the loop's.
//
//   SimStore store(loop);                       // T is 5 s
//   store.stop(); ... store.start();            // nobody is answered; then all session timers begin anew
//   const auto old = store.contents(); ... store.restore(old);   // back to a snapshot: all sessions are gone
//   store.leader("nightly")                     // what is true, whatever nodes believe
//
// Sessions: one a node, and any number of observers, which never expire. A crashed or kept session lasts until it
// expires, unless its node comes back: on the same boot it resumes its terms (Settings::resumes), else the old session
// is deleted at once. A node that is alive is refused.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"
#include "simulation/store_contents.hpp"
#include "support/sim/sim_loop.hpp"

namespace ballot {

class SimStore {
 public:
  struct Settings {
    Millis timeout{5000};                        // T, where none is asked for
    Capability capability = Capability::fenced;  // sealed: a write's version is compared, its epoch is not
    bool resumes = true;
    /// As on one machine: the groups of a daemon that is gone are free at once, before its deadline.
    bool death_frees = false;
    /// Somebody has made the deadlines of dead terms later by so much.
    Millis forged_deadlines{0};
    /// It gives the time of its clock, which is right.
    bool has_clock = false;
    /// As made with BackendSettings::hold: its backends ask its servers whether they have a quorum.
    bool hold = false;
    /// Of those who wait, the first one by its node's name leads next; else the one that has waited longest.
    bool elects_by_name = false;
  };

  using SessionId = std::uint64_t;  // 0 is none
  /// Elected::old_deadline is in true time: the backend converts it to that of its machine.
  using Event =
      std::variant<backend::Elected, backend::Deposed, backend::SessionClosed, backend::Changed, backend::Vacancy>;
  using Push = std::function<void(Event)>;

  struct Opening {
    SessionRequest request;
    std::uint64_t process = 0;  // which daemon asks
    Millis expiry_shift{0};
    Push push;
  };
  struct Opened {
    SessionId session = 0;  // 0: refused, with `text`
    Millis timeout{0};
    std::string text;
    std::uint64_t revision = 0;
    std::optional<WallTime> clock = {};
  };
  struct Leader {
    std::string node;
    std::uint64_t epoch = 0;
    SessionId session = 0;
  };
  /// What is on disk: snapshot and restore are plain copies.
  using Contents = simulation::StoreContents;

  explicit SimStore(SimLoop& loop) : SimStore(loop, Settings{}) {}
  SimStore(SimLoop& loop, Settings settings) : loop_(loop), settings_(settings) {}
  SimStore(const SimStore&) = delete;
  SimStore& operator=(const SimStore&) = delete;

  // What a backend asks of its server. False or `gone`: there is no such session any more.
  Opened open(Opening opening);
  bool renew(SessionId id);
  bool campaign(SessionId id, const std::string& group);
  bool resign(SessionId id, const std::string& group);
  WriteAnswer write(SessionId id, const RegisterWrite& write);
  WriteAnswer create(const Record& record);
  WriteAnswer remove(const std::string& record);
  /// Of registers and records.
  std::vector<Register> read(const std::vector<std::string>& names) const { return contents_.read(names); }
  std::vector<Register> list(const std::string& prefix) const { return contents_.list(prefix); }
  /// Pushes Changed at once, and with every change of a name that begins so.
  bool watch(SessionId id, const std::string& prefix);
  std::vector<Election> observe(const std::string& group) const;
  WriteAnswer evict(const std::string& group);
  /// Ends a session by its own wish: `shutdown` ends its terms cleanly, anything else does not.
  void end(SessionId id, Cause cause);
  /// Its process is gone or has left its terms for a restart: nothing is pushed any more, and the timer runs.
  void detach(SessionId id);

  // What happens to a server.
  void stop() noexcept { down_ = true; }
  /// As stop(), but its servers run, and say so.
  void lose_quorum() noexcept { down_ = without_quorum_ = true; }
  void start();
  bool down() const noexcept { return down_; }
  bool without_quorum() const noexcept { return without_quorum_; }
  /// Nobody can be elected: the session may act until then.
  void promise(SessionId id, SteadyTime until);
  /// Its groups stay without a leader while it elects nobody: each candidate is told so.
  void elect_nobody(bool nobody);
  void restore(Contents contents);
  /// Somebody else writes there who may, and asks nobody: a register, or a record where the name is one's.
  void forge(const std::string& name, const std::string& value);
  /// Somebody changes it by hand: sessions and terms stay.
  void edit(Contents contents) { contents_ = std::move(contents), ++term_changes_; }
  /// Somebody has edited a job's register by hand: its first line of this key cannot be read. False: it has none.
  bool spoil(const std::string& name, const std::string& key = "fence");
  /// Early, against its promise.
  void expire(const std::string& node);
  /// The leader goes to the end of its group's queue, where its process is there.
  void depose(const std::string& group, Cause cause);

  // What is true.
  const Settings& settings() const noexcept { return settings_; }
  const Contents& contents() const noexcept { return contents_; }
  std::optional<Leader> leader(const std::string& group) const;
  SessionId leading_session(const std::string& group) const;  // 0: nobody leads
  std::optional<WallTime> clock() const {
    if (!settings_.has_clock) return std::nullopt;
    return SimClock::default_wall + loop_.now().time_since_epoch();
  }
  /// Grows with each change of a term or of its epoch, and with each renewal.
  std::uint64_t term_changes() const noexcept { return term_changes_; }
  bool is_open(SessionId id) const { return sessions_.contains(id); }
  SessionId of_process(std::uint64_t process) const;
  SessionId of_node(const std::string& node, const std::string& only_group = "") const;
  /// T after its last renewal arrived, or as its servers promised in an outage, whatever the store did to the session:
  /// it may lead no longer than that.
  SteadyTime promised_until(SessionId id) const { return promised_until_.at(id); }
  /// When a renewal of it arrived last; or it was opened.
  SteadyTime renewed_at(SessionId id) const { return renewed_at_.at(id); }

 private:
  struct Session {
    SessionRequest request;
    std::uint64_t process = 0;
    Millis timeout{0};  // T with its shift
    Millis shift{0};
    Push push;          // empty: detached
    bool left = false;  // nobody takes it up again: its terms last until it expires
    SteadyTime deadline{};
    WallTime alive{};
    SimLoop::Timer timer = 0;               // none for an observer
    std::map<std::string, WallTime> since;  // when it began to campaign, a group
    std::set<std::string> watches;
  };
  /// The term before the next: what Elected carries of it.
  struct Past {
    WallTime alive{};
    std::map<std::string, SteadyTime> until;  // by boot: the last deadline of those that did not end cleanly
  };
  struct Group {
    std::list<SessionId> queue;  // the first one leads, where `leading`
    bool leading = false, vacant = false;
    bool kept = false;  // the leader's daemon is gone; its session's next one may go on with the term
    std::optional<Past> past;
  };

  Session* find(SessionId id);
  Session& begin(SessionId id, Opening& opening, Millis timeout);
  SessionId take_over(SessionId old, Opening& opening);
  void touch(SessionId id, Session& session);
  void elect(const std::string& name, Group& group);
  void tell_vacancy(const std::string& name, Group& group, bool is_vacant);
  void push(SessionId id, Event event);
  bool is_dead(const Group& group);
  void changed(const std::string& name);
  Election election(const std::string& name) const;
  std::optional<Candidate> candidate(SessionId id, const std::string& group) const;
  /// Out of the group's queue. `cause` none: nobody is notified.
  void leave(SessionId id, const std::string& name, Group& group, Cause cause, bool clean);

  SimLoop& loop_;
  Settings settings_;
  bool down_ = false, without_quorum_ = false, elects_nobody_ = false;
  SessionId last_session_ = 0;
  std::uint64_t term_changes_ = 0;
  Contents contents_;
  std::map<SessionId, Session> sessions_;
  std::map<SessionId, SteadyTime> promised_until_, renewed_at_;  // of all there ever were
  std::map<std::string, Group> groups_;
};

}  // namespace ballot
