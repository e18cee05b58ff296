// EntryWatches: which entries of queues are watched, and what the watches take of what a session may have in all. Knows
// nothing of who watches. Pure.
//
//   if (watches.add("nightly", entry)) store.read_entry(...);   ... watches.remove("nightly", entry)    it went off
#pragma once

#include <string>
#include <unordered_set>

#include "support/queue_store.hpp"

namespace ballot::support {

class EntryWatches {
 public:
  explicit EntryWatches(const QueueStore& store) : store_(store) {}

  /// False: it was watched already.
  bool add(const std::string& group, const std::string& entry) {
    if (!watched_.insert(group + "/" + entry).second) return false;
    size_ += store_.size_of_entry(group);
    return true;
  }
  void remove(const std::string& group, const std::string& entry) {
    if (watched_.erase(group + "/" + entry) > 0) size_ -= store_.size_of_entry(group);
  }
  /// As the store counts it.
  std::size_t size() const noexcept { return size_; }

 private:
  const QueueStore& store_;
  std::unordered_set<std::string> watched_;  // "GROUP/ENTRY"
  std::size_t size_ = 0;
};

}  // namespace ballot::support
