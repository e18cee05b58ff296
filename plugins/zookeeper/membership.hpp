// Membership: this node's name in the store. Taken when the session begins, renewed while it is open, given back when
// it ends. One daemon has a name at a time: whoever had it before is waited out, and only one that is seen to renew
// itself is in the way.
//
//   | state    | event                                                                   | next                       |
//   | -------- | ----------------------------------------------------------------------- | -------------------------- |
//   | entering | no session is there                                                     | entered                    |
//   | entering | another session is there                                                | waiting                    |
//   | entering | our own session is there (it was resumed)                               | entered, or stale          |
//   | waiting  | it is gone                                                              | entering                   |
//   | waiting  | it is one that this node has left without being sure                    | left behind                |
//   | waiting  | it renews itself, twice, and is none of this process                    | refused                    |
//   | entered  | a renewal finds our entry gone                                          | lost                       |
//
// How long an older session stays open is decided by the store: T and up to one and a half ticks from its last sign of
// life, and anew with each election among the servers.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "members.hpp"
#include "renewals.hpp"
#include "session_context.hpp"
#include "support/name_rival.hpp"

namespace ballot::zookeeper {

class Membership {
 public:
  /// How entering has ended; `text` says why it was refused or failed.
  enum class Entry { entered, stale, left_behind, refused, failed };
  using Entered = std::function<void(Entry entry, Cause cause, std::string text)>;

  struct Terms {
    Millis timeout{0};        // as granted
    Millis tick{0};           // of the servers
    SteadyTime asked{};       // when the session was asked for
    std::string left_behind;  // the session that this node had before, where it may still be open
  };

  Membership(SessionContext& context, Members& members, Terms terms);

  void enter(Entered entered);
  /// The session was resumed: its terms may be too, until then.
  std::optional<SteadyTime> resumed_until() const noexcept { return resumed_until_; }
  /// When the store last answered while it was being entered.
  SteadyTime last_answer() const noexcept { return last_answer_; }

  void renew(RequestId request, SteadyTime asked);
  /// When the last renewal that was answered was asked for.
  SteadyTime confirmed() const noexcept { return confirmed_; }
  /// What the servers' clock said when our entry was written last.
  std::optional<WallTime> store_clock() const noexcept { return store_clock_; }
  /// Our entry was deleted, or another session is in it.
  bool lost() const noexcept { return lost_; }

  /// The session is over by its own wish, and its name is free: written down, or, with `forget`, all of it removed.
  /// `done` gets the code, unless the connection is lost for good.
  void end(bool forget, std::function<void(int rc)> done);

  void on_connected();
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const { return observe_at_; }

 private:
  void observe();
  void read();
  void consider(int version, const std::optional<MemberRecord>& record, const std::vector<std::string>& sessions);
  void consider_own(int version, const std::optional<MemberRecord>& record);
  void withdraw();
  void wait_for(const MemberRecord& rival, int version);
  void observe_later();
  void write_entry(int version);
  void finish(Entry entry, Cause cause, std::string text);
  bool again(int rc);

  std::string path() const { return context_.paths.member(context_.self.node); }
  MemberRecord record(bool ended) const;
  void on_written(SteadyTime sent, const Reply& reply);
  void answer(StoreResult outcome, std::string text);
  void written(const Stat& stat);
  bool has_gone_back(const Stat& stat);

  SessionContext& context_;
  Members& members_;
  const Terms terms_;
  NameRival rival_;
  Entered entered_;
  std::optional<SteadyTime> observe_at_;
  std::optional<SteadyTime> resumed_until_;
  SteadyTime last_answer_;
  SteadyTime deadline_;  // of our terms, as far as it was asked for
  SteadyTime confirmed_;
  Renewals renewals_;
  std::optional<WallTime> store_clock_;
  std::optional<int> version_;  // of our entry, as it was acknowledged last
  bool created_ = false;        // our entry was made
  bool lost_ = false;

  RequestId request_ = 0;  // a renewal under way; 0: none
  SteadyTime asked_{};
};

}  // namespace ballot::zookeeper
