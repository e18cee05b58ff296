// FleetStore: the store of a simulated fleet, in memory and in virtual time: registers and records, a session a node,
// and who leads each group. It answers at once and never fails; what befalls a fleet is that a node is lost.
//
//   session | event   | next
//   open    | close() | gone, and its groups are vacant at once
//   open    | lose()  | lost: nobody answers for it, and its groups have no other leader
//   lost    | T later, or its node opens another one | gone, and its groups are vacant
//
// A vacant group is led by the best of its candidates (`Rank`) election_takes later. What is posted to a node is posted
// within a call of its own, or of another node; it comes after that call. One thread, the loop's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "core/node/leader_rank.hpp"
#include "simulation/store_contents.hpp"
#include "simulation/virtual_clock.hpp"

namespace ballot::simulation {

inline constexpr Millis election_takes{100};

class FleetStore {
 public:
  using SessionId = std::uint64_t;
  using Post = std::function<void(BackendEvent)>;
  using Rank = std::function<core::LeaderRank(const std::string& group, const std::string& node)>;

  struct Settings {
    Millis session_timeout{0};  // T of the fleet, after which a lost node's groups are led again
    /// A node's first session is granted so much: renewals in time have nothing to say to a simulation, and are most of
    /// its work. One that comes back is granted T: by that it tells until when its term before has led.
    Millis first_timeout{0};
    Rank rank;
  };
  FleetStore(VirtualLoop& loop, const VirtualClock& clock, Settings settings)
      : loop_(loop), clock_(clock), settings_(std::move(settings)) {}
  FleetStore(const FleetStore&) = delete;
  FleetStore& operator=(const FleetStore&) = delete;

  SessionId open(const SessionRequest& request, Post post);
  void close(SessionId id);
  /// The session's host is gone.
  void lose(SessionId id);
  void renew(SessionId id, RequestId request);
  void campaign(SessionId id, const std::string& group);
  void resign(SessionId id, const std::string& group);
  void write(SessionId id, RequestId request, const std::vector<RegisterWrite>& batch);
  void create(SessionId id, RequestId request, const std::vector<Record>& records);
  void remove(SessionId id, RequestId request, const std::vector<std::string>& names);
  void read(SessionId id, RequestId request, const std::vector<std::string>& names);
  void list(SessionId id, RequestId request, const std::string& prefix);
  void watch(SessionId id, const std::string& prefix);
  void observe(SessionId id, RequestId request, const std::string& group);

 private:
  struct Session {
    SessionRequest request;
    Post post;  // empty: lost
    WallTime alive{};
    std::set<std::string> watches;
  };
  struct Group {
    std::map<SessionId, WallTime> candidates;  // since when
    SessionId leader = 0;
    std::optional<WallTime> last_alive;  // of the term before
    VirtualLoop::Timer election = 0;
  };

  void post(SessionId id, decltype(BackendEvent::what) what);
  void end(SessionId id);
  void leave(SessionId id, const std::string& name, Group& group);
  void begin_election(const std::string& name, Group& group);
  void elect(const std::string& name);
  void changed(const std::string& name);
  Election election(const std::string& name, const Group& group) const;

  VirtualLoop& loop_;
  const VirtualClock& clock_;
  const Settings settings_;
  StoreContents contents_;
  SessionId last_session_ = 0;
  std::set<std::string> were_lost_;  // nodes
  std::map<SessionId, Session> sessions_;
  std::map<std::string, Group> groups_;
};

}  // namespace ballot::simulation
