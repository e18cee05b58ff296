// FairQueue: items that wait, bounded as a whole and for each key, so that a key that never gets done delays nobody
// else. Of a key the oldest go first, and the oldest are dropped where too many wait; where too many wait in
// all, the new one is dropped. Pure.
//
//   FairQueue<Ping> queue({.at_once = 32, .at_once_a_key = 1});
//   for (auto& dropped : queue.push("job", ping, bytes)) log(...);
//   while (auto next = queue.take()) begin(next->key, next->item);     // ... queue.done(key)
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ballot::io {

struct QueueBounds {
  std::size_t at_once = 32, at_once_a_key = 4;
  std::size_t waiting = 1'000, waiting_a_key = 20;
  std::size_t bytes = 16 * 1024 * 1024;  // of all that wait
};

template <class T>
class FairQueue {
 public:
  struct Entry {
    std::string key;
    T item;
    std::size_t bytes = 0;
  };

  explicit FairQueue(QueueBounds bounds) : bounds_(bounds) {}

  /// Returns the entries that were dropped: an older one of the key, the new one, or both.
  std::vector<Entry> push(std::string key, T item, std::size_t bytes) {
    std::vector<Entry> dropped;
    Entry entry{std::move(key), std::move(item), bytes};
    const auto known = keys_.find(entry.key);
    if (known != keys_.end() && known->second.waiting >= bounds_.waiting_a_key)
      dropped.push_back(remove(
          std::find_if(waiting_.begin(), waiting_.end(), [&](const Entry& other) { return other.key == entry.key; })));
    const bool is_much = !waiting_.empty() && bytes_ + bytes > bounds_.bytes;  // one alone may be as large as it is
    if (waiting_.size() >= bounds_.waiting || is_much) {
      dropped.push_back(std::move(entry));
      return dropped;
    }
    bytes_ += bytes;
    ++keys_[entry.key].waiting;
    waiting_.push_back(std::move(entry));
    return dropped;
  }

  /// The next one whose key has room: under way until done(key).
  std::optional<Entry> take() {
    if (under_way_ >= bounds_.at_once) return std::nullopt;
    const auto next = std::find_if(waiting_.begin(), waiting_.end(), [this](const Entry& entry) {
      return keys_.at(entry.key).under_way < bounds_.at_once_a_key;
    });
    if (next == waiting_.end()) return std::nullopt;
    Entry entry = remove(next);
    occupy(entry.key);
    return entry;
  }

  /// One of the key is under way that was never pushed.
  void occupy(const std::string& key) {
    ++keys_[key].under_way;
    ++under_way_;
  }

  /// Requires: one of the key is under way.
  void done(const std::string& key) {
    --keys_.at(key).under_way;
    forget(key);
    --under_way_;
  }

  std::size_t waiting() const { return waiting_.size(); }
  std::size_t under_way() const { return under_way_; }

 private:
  struct Key {
    std::size_t waiting = 0, under_way = 0;
  };

  Entry remove(typename std::deque<Entry>::iterator at) {
    Entry entry = std::move(*at);
    waiting_.erase(at);
    bytes_ -= entry.bytes;
    --keys_.at(entry.key).waiting;
    forget(entry.key);
    return entry;
  }
  void forget(const std::string& key) {
    const auto known = keys_.find(key);
    if (known->second.waiting == 0 && known->second.under_way == 0) keys_.erase(known);
  }

  const QueueBounds bounds_;
  std::deque<Entry> waiting_;
  std::map<std::string, Key> keys_;  // of which any wait or are under way
  std::size_t under_way_ = 0, bytes_ = 0;
};

}  // namespace ballot::io
