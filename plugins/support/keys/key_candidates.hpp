// KeyCandidates: the keys that say in which groups a node takes part. Whoever claims a group writes its key before; the
// others, which only people and whoever hands a group over read, are written a few at a time. Used on the plugin's
// thread only.
//
//   candidates.enter("nightly");   ... each turn: candidates.flush();   ... to claim it: candidates.write("nightly");
//
//   | state   | what is under way      | next                                             |
//   | ------- | ---------------------- | ------------------------------------------------ |
//   | waiting | nothing                | writing, by write() or flush()                   |
//   | writing | its key is written     | out; waiting: it is not known to be, or refused  |
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "support/keys/key_context.hpp"
#include "support/keys/key_queue.hpp"

namespace ballot::support {

class KeyCandidates {
 public:
  /// Both outlive this.
  KeyCandidates(KeyContext& context, KeyQueue& queue) : context_(context), queue_(queue) {}

  void enter(const std::string& group);
  void withdraw(const std::string& group);
  /// Adds its key to the queue now, where it waits.
  void write(const std::string& group);
  /// Adds some of those that wait.
  void flush();
  std::optional<SteadyTime> due() const;

 private:
  enum class State { waiting, writing };
  struct Entry {
    State state;
    std::uint64_t serial;  // of this entry: what is answered of one before it counts no more
    WallTime since;        // the node takes part
  };

  std::string key(const std::string& group) const { return KeyNames::candidate(group, context_.self.node); }
  void on_written(const std::string& group, std::uint64_t serial, const KeyAnswer& answer);

  KeyContext& context_;
  KeyQueue& queue_;
  std::unordered_map<std::string, Entry> entries_;  // by group; of those that are not written
  std::deque<std::string> waiting_;                 // in order; and some that wait no more
  std::size_t under_way_ = 0;
  std::uint64_t last_serial_ = 0;
  SteadyTime paused_until_{};  // after an answer that was none
  bool warned_ = false;        // that one was refused
};

}  // namespace ballot::support
