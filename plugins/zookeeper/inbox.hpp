// Inbox: what the client library's threads report to the plugin's thread. Shared with those threads, as a client that
// is being closed may outlive the backend.
#pragma once

#include <string>
#include <vector>

#include "multi.hpp"
#include "support/mailbox.hpp"

namespace ballot::zookeeper {

/// The answer to one operation.
struct Reply {
  int rc = ZOK;
  std::string value = {};               // a node's data; of a create: its path
  std::vector<std::string> names = {};  // children
  Stat stat{};
  std::vector<OpAnswer> ops = {};  // of a Multi
};

struct Message {
  enum class Kind { reply, state, watch, refused, closed };

  std::uint64_t client = 0;  // that reports it
  Kind kind = Kind::reply;
  std::uint64_t operation = 0;  // that is replied to
  Reply reply = {};
  int state = 0;          // of the connection
  std::string path = {};  // that is watched
  bool gone = false;      // what was watched has been removed
  std::string text = {};  // what a server sent that was refused
};

using Inbox = support::Mailbox<Message>;

}  // namespace ballot::zookeeper
