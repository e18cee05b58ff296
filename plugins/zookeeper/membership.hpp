// Membership: this node's name in the store. Taken when the session begins, renewed while it stands, given back when it
// ends. One daemon has a name at a time: whoever had it before is waited out, and refused where it still lives.
//
//   | state    | event                                                                   | next                       |
//   | -------- | ----------------------------------------------------------------------- | -------------------------- |
//   | entering | nobody stands there                                                     | standing                   |
//   | entering | another session stands there                                            | waiting                    |
//   | entering | our own session stands there (it was gone on with)                      | standing, or stale         |
//   | waiting  | it is gone                                                              | entering                   |
//   | waiting  | it renews itself, or is there after 5/4 T                               | refused                    |
//   | standing | a renewal finds our entry gone                                          | lost                       |
//
// A renewal is two committed writes, T/8 or more apart. A server that is not the leader tells it with its next answer
// to the leader's ping, twice a tick, which of its sessions live: a write that comes after such an answer on the same
// connection proves that the leader has heard of one before. Between renewals the entry is read each T/12, so that each
// of these answers names us.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "link.hpp"
#include "members.hpp"

namespace ballot::zookeeper {

class Membership {
 public:
  /// How entering has ended; `text` says why it was refused or failed.
  enum class Entry { standing, stale, refused, failed };
  using Entered = std::function<void(Entry entry, Cause cause, std::string text)>;

  /// `timeout`: as granted. `asked`: when the session was asked for.
  Membership(Link& link, Members& members, Millis timeout, SteadyTime asked);

  void enter(Entered entered);
  /// The session was gone on with: its terms may be too, until then.
  std::optional<SteadyTime> resumed_until() const noexcept { return resumed_until_; }

  void renew(RequestId request, SteadyTime asked);
  /// When the last renewal that counts was asked for.
  SteadyTime confirmed() const noexcept { return confirmed_; }
  /// What the servers' clock said when our entry was written last.
  std::optional<WallTime> store_clock() const noexcept { return store_clock_; }
  /// Our entry was deleted, or another session stands in it.
  bool lost() const noexcept { return lost_; }

  /// All terms have ended cleanly: written down. `done` comes, unless the connection is lost for good.
  void end(std::function<void()> done);

  void on_connected();
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  void look();
  void weigh(int version, const std::optional<MemberRecord>& record, const std::vector<std::string>& sessions);
  void wait_for(const MemberRecord& rival, int version);
  void stand(int version);
  void stood();
  void refuse(const std::string& why, const MemberRecord& rival);
  void finish(Entry entry, Cause cause, std::string text);
  bool again(int rc);

  MemberRecord record(bool ended) const;
  void write();
  void on_written(SteadyTime sent, const Reply& reply);
  void answer(Outcome outcome, std::string text);
  void written(const Stat& stat);

  struct Rival {
    std::string session;
    int version = 0;
    SteadyTime since{};
  };

  Link& link_;
  Members& members_;
  const Millis timeout_;
  Entered entered_;
  std::optional<Rival> rival_;
  std::optional<SteadyTime> look_at_;
  std::optional<SteadyTime> resumed_until_;
  SteadyTime deadline_;  // of our terms, as far as it was asked for
  SteadyTime confirmed_;
  std::optional<WallTime> store_clock_;
  bool standing_ = false;
  bool lost_ = false;

  RequestId request_ = 0;  // a renewal under way; 0: none
  SteadyTime asked_{};
  std::optional<SteadyTime> write_at_;  // its next write
  bool proving_ = false;                // the next write proves the one before
  SteadyTime touch_at_{};
};

}  // namespace ballot::zookeeper
