#include "http/rates.hpp"

#include <algorithm>

namespace ballot::web {

double Rates::left_at(const Bucket& bucket, SteadyTime now) const {
  const double seconds = static_cast<double>((now - bucket.at).count()) / 1000;
  return std::min(limit_.at_once, bucket.left + std::max(0.0, seconds) * limit_.a_second);
}

void Rates::forget_full(SteadyTime now) {
  std::erase_if(buckets_, [&](const auto& entry) { return left_at(entry.second, now) >= limit_.at_once; });
}

bool Rates::take(const std::string& key, SteadyTime now) {
  auto found = buckets_.find(key);
  if (found == buckets_.end()) {
    if (buckets_.size() >= most_kept) forget_full(now);
    const std::string& kept = buckets_.size() >= most_kept ? std::string() : key;  // "": who share a place
    found = buckets_.try_emplace(kept, Bucket{limit_.at_once, now}).first;
  }
  Bucket& bucket = found->second;
  bucket = {left_at(bucket, now), now};
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

}  // namespace ballot::web
