#include "leases.hpp"

#include <algorithm>

#include "support/clock.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;
using namespace support;

namespace {

constexpr Millis late_by = 100ms, again = 100ms, under_way = 1s;

}  // namespace

void Leases::list(const Feed::Entries& entries) {
  leases_.clear();
  for (const auto& [key, stored] : entries) see(key, stored);
}

void Leases::see(const std::string& key, const Stored& stored) {
  if (stored.marker)
    leases_.erase(key);
  else
    leases_[key] = {stored.version, stored.seen + max_age_ + late_by};
}

void Leases::tick(SteadyTime now) {
  for (auto& [key, lease] : leases_)
    if (now >= lease.due) bury(key, lease, now);
}

/// A conflict: it was renewed, or somebody else has written down that it is over: either comes with the feed; or it is
/// still there.
void Leases::bury(const std::string& key, Lease& lease, SteadyTime now) {
  lease.due = now + under_way;
  sessions_.bury(key, lease.version, [this, key, version = lease.version](const KeyAnswer&) {
    const auto found = leases_.find(key);
    if (found != leases_.end() && found->second.version == version) found->second.due = boot_now() + again;
  });
}

std::optional<SteadyTime> Leases::due() const {
  std::optional<SteadyTime> at;
  for (const auto& [key, lease] : leases_) at = at ? std::min(*at, lease.due) : lease.due;
  return at;
}

}  // namespace ballot::nats
