// Lease: the session: a lease of etcd's, which one key goes with, and its renewals. Used on the plugin's thread only.
//
// A renewal, each step sent after the answer to the one before, all of it again where the raft term has changed
// meanwhile, as a leader that was deposed without knowing it still keeps leases alive:
//
//   | step       | what is asked                                                  | next | | ---------- |
//   -------------------------------------------------------------- | ------------------------------------ | | keep
//   alive | the lease's timer is restarted                                 | put                                  | |
//   put        | the member's key and the mark of this renewal, with the lease  | observe; over, where the bound key |
//   |            | still on the bound key                                         | is not the lease's | | observe    |
//   nothing: the mark is seen in what is followed, or not in time  | done                                 |
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "feed.hpp"
#include "gateway.hpp"
#include "requests.hpp"

namespace ballot::etcd {

class Lease {
 public:
  using Begun = support::KeyStore::Done<support::SessionBegun>;
  using Done = support::KeyStore::Done<support::KeyAnswer>;

  Lease(Gateway& gateway, Keyspace& keyspace, Feed& feed, Host& host)
      : gateway_(gateway), keyspace_(keyspace), feed_(feed), host_(host) {}

  // As of KeyStore.
  void begin(Millis timeout, const std::optional<support::Handle>& resumed, Begun done);
  void bind(const std::string& key, const std::string& value, Done done);
  void keep(Done done);
  void renew(const std::string& key, const std::string& value, Done done);
  void end(Done done);

  /// For the answer to anything that is asked.
  Millis patience() const noexcept { return patience_; }

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  struct Renewal {
    std::string key, value;
    Done done;
    SteadyTime until{};  // patience is over
    SteadyTime put_sent{};
    std::uint64_t raft_term = 0;  // of the answer to keep alive
    bool found = false;           // the lease, by that answer
    std::uint64_t mark = 0;
    support::KeyAnswer answer = {};
    SteadyTime observe_until{};
  };
  using Shared = std::shared_ptr<Renewal>;

  void check_guard();
  void grant(Millis timeout, Begun done);
  void resume(const std::string& lease, Begun done);
  void keep_alive(const Shared& renewal);
  void put(const Shared& renewal);
  void on_put(const Shared& renewal, const Reply& reply);

  Gateway& gateway_;
  Keyspace& keyspace_;
  Feed& feed_;
  Host& host_;
  Millis patience_{2000};
  std::uint64_t last_mark_ = 0;
  std::vector<Shared> observing_;
};

}  // namespace ballot::etcd
