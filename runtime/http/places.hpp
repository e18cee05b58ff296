// Places: who gives way where there are more connections, or more requests, than there is room for. Of connections the
// one that gives way is one that only waits: of those without a role first, then of the others; among them one of the
// address that has most, and of these the one that has waited longest. So whoever opens many, and says nothing on them,
// pushes out his own. One whose request takes a role, and is being answered, gives way to none; one that asks what
// anybody may ask is as one that waits, as its client may read the answer for ever.
//
// Of requests that take a role none gives way: one more than there may be is refused. A stream (events, or output that
// is followed) goes on until its client goes, so streams are a part of them, and the others end by themselves.
//
// | being answered at once             | at most (HttpLimits)         |
// | ---------------------------------- | ---------------------------- |
// | requests                           | requests: 128                |
// | ... of viewers                     | 112: less kept_for_operators |
// | ... of who has shown nothing       | 64: half of requests         |
// | ... of an asker                    | requests_of_asker: 16        |
// | ... of the daemon's user, and root | 64: half of requests         |
// | streams                            | streams: 64                  |
// | ... of viewers                     | 48: less kept_for_operators  |
//
// Pure.
//
//   if (places.is_full()) places.weakest();     // the connection to be closed
//   if (places.begin_request(asker, true) != Places::Admission::begun) refuse(429);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "http/http_limits.hpp"
#include "io/asker.hpp"

namespace ballot::web {

class Places {
 public:
  explicit Places(const HttpLimits& limits) : limits_(limits) {}

  using Number = std::uint64_t;

  /// A connection of `address` that waits, and has shown no role.
  void add(Number connection, std::string address);
  void remove(Number connection);
  /// The connection waits for a request, since now. `has_role`: its last request has shown a role.
  void waits(Number connection, bool has_role);
  void is_answered(Number connection);

  bool is_full() const { return connections_.size() >= limits_.connections; }
  /// None: all are being answered.
  std::optional<Number> weakest() const;
  std::size_t size() const { return connections_.size(); }

  enum class Admission { begun, too_many_of_asker, too_many };
  /// begun: end_request() of the same asker follows. `is_known`: the asker has shown who asks; all others together have
  /// at most half of what there is.
  Admission begin_request(const io::Asker& asker, bool is_known);
  void end_request(const io::Asker& asker);

  /// Of a request of the asker that has begun. False: there are too many; true: end_stream() of the same asker follows.
  bool begin_stream(const io::Asker& asker);
  void end_stream(const io::Asker& asker);

 private:
  struct Connection {
    std::string address;
    bool has_role = false, waits = true;
    std::uint64_t since = 0;  // the smaller, the longer
  };

  /// What is taken of something of which viewers leave some to operators and admins.
  class Shared {
   public:
    bool take(const io::Asker& asker, std::size_t most, std::size_t kept);
    void give_back(const io::Asker& asker);

   private:
    std::size_t all_ = 0, of_viewers_ = 0;
  };

  const HttpLimits& limits_;
  std::map<Number, Connection> connections_;
  struct Answered {
    std::size_t requests = 0;
    bool is_known = false;
  };
  std::map<std::string, Answered> answered_;  // by Asker::key
  Shared requests_, streams_;
  std::size_t of_unknown_ = 0;
  std::uint64_t now_ = 0;
};

}  // namespace ballot::web
