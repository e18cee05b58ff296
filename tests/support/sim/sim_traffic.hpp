// SimTraffic: what one node and the store say to each other, counted: requests, the entries that they name or bring
// (registers, records, candidates), the bytes of their names and values both ways, and what the store says unasked.
// What a protocol adds around them is not counted.
//
//   node.link.traffic.by_kind["list n/"].requests
//   const SimTraffic::Count all = node.link.traffic.all() - before;
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/backend.hpp"

namespace ballot {

struct SimTraffic {
  struct Count {
    std::uint64_t requests = 0;  // of the node
    std::uint64_t events = 0;    // of the store, unasked
    std::uint64_t entries = 0;   // named in requests, or brought by answers to lists
    std::uint64_t sent = 0;      // bytes
    std::uint64_t received = 0;

    Count& operator+=(const Count& other) {
      requests += other.requests, events += other.events, entries += other.entries;
      sent += other.sent, received += other.received;
      return *this;
    }
    Count operator-(const Count& before) const {
      return {requests - before.requests, events - before.events, entries - before.entries, sent - before.sent,
              received - before.received};
    }
  };

  /// "renew", "campaign", "write j/", "list n/", ...: those about registers and records by their prefix.
  std::map<std::string, Count> by_kind;

  Count all() const {
    Count sum;
    for (const auto& [kind, count] : by_kind) sum += count;
    return sum;
  }
  void ask(const std::string& kind, std::uint64_t entries, std::uint64_t bytes) {
    by_kind[kind] += {1, 0, entries, bytes, 0};
  }
  void hear(const std::string& kind, std::uint64_t bytes) { by_kind[kind] += {0, 1, 0, 0, bytes}; }
  /// The answer to a request; `entries`: that the request did not name.
  void answer(const std::string& kind, std::uint64_t entries, std::uint64_t bytes) {
    by_kind[kind] += {0, 0, entries, 0, bytes};
  }

  static std::string about(std::string_view what, std::string_view name) {
    return std::string(what) + " " + std::string(name.substr(0, 2));
  }
  static std::uint64_t bytes_of(const std::vector<Register>& registers) {
    std::uint64_t bytes = 0;
    for (const Register& one : registers) bytes += one.name.size() + one.value.size();
    return bytes;
  }
};

}  // namespace ballot
