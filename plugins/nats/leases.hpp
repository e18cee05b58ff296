// Leases: the keys of other sessions, which the store removes when they were silent for its maximum age, and says
// nothing. Once one is due its removal is written down, where it is gone: then all learn of it, and a renewal of it
// that is still under way is no more than a duplicate. So a session that was seen to be over stays over.
//
//   Leases leases(bucket, max_age);
//   leases.see(key, stored);  ... leases.tick(now);
#pragma once

#include <map>
#include <optional>
#include <string>

#include "bucket.hpp"

namespace ballot::nats {

class Leases {
 public:
  /// `sessions` outlives it.
  Leases(Bucket& sessions, Millis max_age) : sessions_(sessions), max_age_(max_age) {}

  /// All that there is.
  void list(const Feed::Entries& entries);
  void see(const std::string& key, const Stored& stored);
  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const;

 private:
  struct Lease {
    std::uint64_t version = 0;
    SteadyTime due{};
  };

  void bury(const std::string& key, Lease& lease, SteadyTime now);

  Bucket& sessions_;
  const Millis max_age_;
  std::map<std::string, Lease> leases_;
};

}  // namespace ballot::nats
