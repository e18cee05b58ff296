// Rates: how many requests each asker, or each address, may send: so many at once, and so many a second from then on.
//
// Pure: the clock is an argument. What is kept is bounded: askers beyond that share one place.
//
//   Rates rates({.a_second = 50, .at_once = 100});
//   if (!rates.take("token ci", now)) refuse(429);
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "ballot/time.hpp"

namespace ballot::web {

struct RateLimit {
  double a_second = 50;
  double at_once = 100;
};

class Rates {
 public:
  explicit Rates(RateLimit limit) : limit_(limit) {}

  /// False: this asker has had what it may.
  bool take(const std::string& key, SteadyTime now);

 private:
  static constexpr std::size_t most_kept = 4096;
  struct Bucket {
    double left = 0;
    SteadyTime at{};
  };
  double left_at(const Bucket& bucket, SteadyTime now) const;
  void forget_full(SteadyTime now);

  const RateLimit limit_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace ballot::web
