// Congestion: which connections of a client are read from, where the answers that are not complete, and those that the
// plugin has not taken yet, have more bytes than bounds::untaken. It is one connection at a time, the one that holds
// most: its answer is complete at some time, and makes room.
//
//   if (is_congested({ask, held}, all, untaken)) ...   // reading goes on a little later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/bounds.hpp"

namespace ballot::http {

/// Bytes of an answer that is not complete, and the request that it is for.
struct PartialAnswer {
  std::size_t held;
  std::uint64_t ask;
};

/// `all` has `own` too. Of answers of one size that of the oldest request is read on, never two: servers whose answers
/// arrive at the same pace would fill the memory of all of them.
inline bool is_congested(const PartialAnswer& own, const std::vector<PartialAnswer>& all, std::size_t untaken) {
  std::size_t sum = untaken;
  bool is_largest = true;
  for (const PartialAnswer& other : all) {
    sum += other.held;
    const bool is_larger = other.held != own.held ? other.held > own.held : other.ask < own.ask;
    is_largest = is_largest && !is_larger;
  }
  if (sum <= support::bounds::untaken) return false;
  return !is_largest || untaken > support::bounds::untaken;
}

}  // namespace ballot::http
