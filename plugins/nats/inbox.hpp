// Inbox: what the client library's threads report to the plugin's thread. Shared with those threads, as a connection
// that is being closed may outlive the backend.
#pragma once

#include <cstdint>
#include <string>

#include "support/mailbox.hpp"

namespace ballot::nats {

struct Message {
  enum class Kind { message, connected, failed, disconnected, reconnected, closed };

  std::uint64_t client = 0;  // that reports it
  Kind kind = Kind::message;
  std::string to = {};       // the part of its subject that follows the client's inbox; of a failure: why
  std::string subject = {};  // under which it was stored
  std::string reply = {};    // of a message from a consumer: its places in stream and consumer
  std::string data = {};
  int status = 0;               // of a message of the server's own: 100, 503
  bool marker = false;          // the key was removed
  std::string flow = {};        // where the server wants to hear that we are here
  std::uint64_t last_sent = 0;  // the consumer's last one, of a heartbeat
  bool refused = false;         // of a failure: the servers refuse this user
};

using Inbox = support::Mailbox<Message>;

}  // namespace ballot::nats
