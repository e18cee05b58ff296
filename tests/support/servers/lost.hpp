// Lost: which way packets are lost between one server and the others of its cluster, while those of the other way
// arrive.
#pragma once

#include "support/servers/tcp_relay.hpp"

namespace ballot::testing {

enum class Lost {
  sent,      // nobody hears the server, and it hears all others
  received,  // all others hear the server, and it hears nobody
};

/// The same of a connection between the server and another one.
constexpr TcpRelay::Way way_of(Lost lost, bool server_has_connected) {
  return (lost == Lost::sent) == server_has_connected ? TcpRelay::Way::to_server : TcpRelay::Way::to_client;
}

}  // namespace ballot::testing
