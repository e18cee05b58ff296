#include "sweep.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "support/clock.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;
using namespace support;

namespace {

constexpr Millis late_by = 100ms, bury_pause = 100ms, look_pause = 2s, erase_pause = 200ms;
constexpr std::size_t at_once = 20;
constexpr int others_windows = 4;

}  // namespace

SteadyTime Sweep::over_at(const Stored& session) const { return session.seen + max_age_ + late_by; }

void Sweep::removed(const std::string& key, std::uint64_t version) {
  markers_.push_back({key, version, boot_now() + window_});
}

void Sweep::filled() {
  const SteadyTime now = boot_now();
  for (const auto& [key, stored] : registers_.feed().entries())
    if (stored.marker && stored.seen + others_windows * window_ <= now) markers_.push_front({key, stored.version, now});
}

void Sweep::tick(SteadyTime now) {
  if (const auto at = bury_due(); at && now >= *at) bury(now);
  if (const auto at = erase_due(); at && now >= *at) erase(now);
}

/// A conflict: the session was renewed, or somebody else has written down that it is over, or another session was
/// renewed meanwhile: each comes with the feed, unless its replica does not agree with the leader.
void Sweep::bury(SteadyTime now) {
  std::vector<std::pair<std::string, std::uint64_t>> over;
  for (const auto& [key, stored] : sessions_.feed().entries())
    if (!stored.marker && now >= over_at(stored)) over.emplace_back(key, stored.version);
  burying_ = over.size();
  for (std::size_t i = 0; i < over.size(); ++i)
    sessions_.bury(over[i].first, over[i].second, i, [this](const KeyAnswer& answer) { on_buried(answer); });
}

void Sweep::on_buried(const KeyAnswer& answer) {
  const SteadyTime now = boot_now();
  --burying_;
  bury_again_ = now + bury_pause;
  if (answer.outcome != StoreResult::conflict || now < look_again_) return;
  look_again_ = now + look_pause;
  sessions_.feed().after_barrier([](bool) {}, now + look_pause);
}

void Sweep::erase(SteadyTime now) {
  erase_again_ = now + erase_pause;
  for (std::size_t i = 0; i < at_once && !markers_.empty() && markers_.front().due <= now; ++i) {
    const Marker& one = markers_.front();
    registers_.erase(one.version, [](const Answer&) {});
    registers_.feed().drop_marker(one.key, one.version);
    markers_.pop_front();
  }
}

std::optional<SteadyTime> Sweep::bury_due() const {
  std::optional<SteadyTime> at;
  if (!sessions_.feed().is_live() || burying_ > 0) return at;
  for (const auto& [key, stored] : sessions_.feed().entries())
    if (!stored.marker) at = earliest(at, std::max(over_at(stored), bury_again_));
  return at;
}

std::optional<SteadyTime> Sweep::erase_due() const {
  if (markers_.empty()) return std::nullopt;
  return std::max(markers_.front().due, erase_again_);
}

std::optional<SteadyTime> Sweep::due() const { return earliest(bury_due(), erase_due()); }

}  // namespace ballot::nats
