// Inbox: what the plugin's thread waits on: what the client library's threads tell, a call from the loop, or an instant
// of the boot clock, which counts suspend. Shared by those who tell, as a client that is being closed may outlive the
// backend.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "multi.hpp"

namespace ballot::zookeeper {

/// The answer to one operation.
struct Reply {
  int rc = ZOK;
  std::string value = {};               // what a node holds; of a create: its path
  std::vector<std::string> names = {};  // children
  Stat stat{};
  std::vector<OpAnswer> ops = {};  // of a Multi
};

struct Message {
  enum class Kind { reply, state, watch, closed };

  std::uint64_t client = 0;  // that tells it
  Kind kind = Kind::reply;
  std::uint64_t operation = 0;  // that is replied to
  Reply reply = {};
  int state = 0;          // of the connection
  std::string path = {};  // that is watched
  bool gone = false;      // what was watched has been removed
};

class Inbox {
 public:
  /// Throws std::system_error where the system has no descriptors left.
  Inbox();
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // From any thread; they do not block.
  void push(Message message);
  void wake() noexcept;

  /// Until there is something, or `time` where there is one. A wake() before the call counts.
  void wait(std::optional<SteadyTime> time);
  std::vector<Message> take();

 private:
  std::mutex mutex_;
  std::vector<Message> messages_;  // under mutex_
  int event_;
  int timer_;
};

}  // namespace ballot::zookeeper
