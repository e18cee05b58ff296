// HostileHttp: what a server of HTTP can send to harm who asks it: answers without an end, or such that cost more
// memory than they have bytes. Each sends until the client closes the connection, and at most `most_bytes`.
//
//   for (const HostileAnswer& one : hostile_answers()) { HttpPeer peer(one.send); ... }
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "support/servers/http_peer.hpp"

namespace ballot::testing {

struct HostileAnswer {
  static constexpr std::size_t most_bytes = 192 * 1024 * 1024;

  std::string name;
  HttpPeer::Handler send;
};

const std::vector<HostileAnswer>& hostile_answers();

}  // namespace ballot::testing
