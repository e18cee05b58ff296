// Session: one daemon's session in its namespace, or that of an observer, which bears no node's name and takes part in
// nothing. Carries out calls together, one commit each, and notices what other processes do. Layers: Store (the files),
// Liveness (leases), Groups (elections), PrefixWatches and PeerProcesses (the others). Knows nothing of threads and
// queues.
//
//   auto session = Session::open(opening, host);
//   Events events;
//   (*session)->carry_out(calls, events);        // then post them
//   if ((*session)->over()) ...                  // its files cannot be used any more: post SessionClosed
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "groups.hpp"
#include "opening.hpp"
#include "store.hpp"
#include "support/machine/peer_processes.hpp"
#include "support/machine/prefix_watches.hpp"

namespace ballot::local {

class Session {
 public:
  /// How often the store is polled where a change may be missed, and where none is.
  static constexpr Millis short_interval{250}, long_interval{5'000};

  /// As open_store() and enter().
  static Result<std::unique_ptr<Session>> open(const Opening& opening, Host& host);
  /// Releases the session's locks, and notifies the other daemons.
  ~Session();

  std::int64_t id() const noexcept { return entry_.session.id; }  // 0: an observer's
  std::string handle() { return handle_of(entry_.session, *store_); }
  std::uint64_t revision() const noexcept { return revision_; }
  /// When it ends, as it is stored; never, where it has no lease.
  SteadyTime deadline() const noexcept { return store_->liveness().deadline(); }

  /// Carries all of them out in one commit, each decided on its own, and adds what is to be posted, in order.
  void carry_out(std::vector<Call> calls, Events& events);
  /// Readable when another process has changed something or has died.
  std::vector<int> wait_fds() const;
  /// Adds what was notified there. True: it is time to poll().
  bool take_changes(Events& events);
  /// Finds what has changed by itself: groups that nobody leads any more, terms that were evicted.
  void poll(Events& events);
  /// Polling that often misses nothing.
  Millis poll_interval() const;
  /// Records that its terms ended cleanly, as far as that can be written. Its locks fall with this object.
  void end_terms() noexcept;

  /// Set where it cannot go on. Nothing but destruction may follow.
  const std::optional<backend::SessionClosed>& over() const noexcept { return over_; }

 private:
  enum class Poll { complete, partial, failed };

  Session(std::unique_ptr<Store> store, Entry entry, Host& host);
  bool usable();
  bool change(Access access, const std::function<void(Events&)>& work, const std::vector<Call>& calls, Events& events);
  bool prepare_commit();
  void fail(const DbError& error, const std::vector<Call>& calls, Events& events);
  void warn_of_polling();
  void log_once(Level level, const std::string& text);

  bool takes_part() const noexcept { return entry_.role == Role::member; }
  void renew(const RenewCall& call, Events& events);
  void carry(const RenewCall&, Events&) {}  // see renew()
  void carry(const CampaignCall& call, Events& events);
  void carry(const ResignCall& call, Events&) { groups_.resign(call.group); }
  void carry(const WriteCall& call, Events& events);
  void carry(const ReadCall& call, Events& events);
  void carry(const CreateCall& call, Events& events);
  void carry(const RemoveCall& call, Events& events);
  void carry(const WatchCall& call, Events& events);
  void carry(const ObserveCall& call, Events& events);
  void carry(const EvictCall& call, Events& events);
  void carry(const ListCall& call, Events& events);
  std::vector<std::string> find_work();
  bool lead(const std::vector<std::string>& groups, Events& events);

  Host& host_;
  const Entry entry_;
  const std::unique_ptr<Store> store_;
  Groups groups_;
  PrefixWatches watches_;
  PeerProcesses peers_;
  std::uint64_t revision_;                       // of the store, when it was read last
  SteadyTime others_until_ = SteadyTime::max();  // the first deadline of whoever may lead what is waited for
  Poll last_poll_ = Poll::complete;
  std::string logged_;  // last, not repeated for a minute
  SteadyTime logged_at_{};
  std::optional<backend::SessionClosed> over_;
};

}  // namespace ballot::local
