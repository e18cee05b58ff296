#include "tidy.hpp"

#include <algorithm>

#include "support/clock.hpp"

namespace ballot::nats {

using namespace std::chrono_literals;
using namespace support;

namespace {

constexpr std::size_t at_once = 20;
constexpr Millis pause = 200ms;
constexpr int others_windows = 4;

}  // namespace

void Tidy::removed(const std::string& key, std::uint64_t version) {
  markers_.push_back({key, version, boot_now() + window_});
}

void Tidy::filled() {
  const SteadyTime now = boot_now();
  for (const auto& [key, stored] : feed_.entries())
    if (stored.marker && stored.seen + others_windows * window_ <= now) markers_.push_front({key, stored.version, now});
}

void Tidy::tick(SteadyTime now) {
  if (now < next_) return;
  next_ = now + pause;
  for (std::size_t i = 0; i < at_once && !markers_.empty() && markers_.front().due <= now; ++i) {
    const Marker& one = markers_.front();
    bucket_.erase(one.version, [](const Answer&) {});
    feed_.drop_marker(one.key, one.version);
    markers_.pop_front();
  }
}

std::optional<SteadyTime> Tidy::due() const {
  if (markers_.empty()) return std::nullopt;
  return std::max(markers_.front().due, next_);
}

}  // namespace ballot::nats
