// HttpLimits: how much of everything clients may have. Not settings: tests make them smaller.
#pragma once

#include <cstddef>

#include "ballot/time.hpp"
#include "http/rates.hpp"

namespace ballot::web {

struct HttpLimits {
  std::size_t connections = 512;  // at once: one more takes the place of one that waits, as http/places.hpp says
  std::size_t head_bytes = 16 << 10;
  std::size_t body_bytes = 1 << 20;                    // as much as a question of the control socket
  std::size_t values = 10'000;                         // of a body, but of admins
  std::size_t requests = 128, requests_of_asker = 16;  // being answered at once
  std::size_t streams = 64;                            // of them, that go on until their client goes
  std::size_t kept_for_operators = 16;                 // of requests, and of streams, that no viewer takes
  std::size_t unread_bytes = 32 << 20;                 // of a response, that its client has not taken
  std::size_t unread_in_all = 128 << 20;               // of all responses
  Millis handshake{10'000};                            // of TLS
  Millis head{10'000};                                 // from the connection's beginning, or a head's first byte
  Millis body{30'000};                                 // from the head's end
  Millis idle{60'000};                                 // between two requests
  Millis patience{10'000};                             // with a client that takes no byte of what is sent
  Millis linger{1'000};                                // after the last response, for what the client still sends
  RateLimit asker{50, 200};                            // requests of an asker with a role
  RateLimit stranger{20, 100};                         // of an address without one
};

}  // namespace ballot::web
