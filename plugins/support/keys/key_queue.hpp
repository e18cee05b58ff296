// KeyQueue: changes of a KeyStore that gather in one turn and are sent together. Of one key, one is under way at a
// time, and the next is sent after its answer: a store may carry out two that are under way in any order. Used on the
// plugin's thread only.
//
//   queue.add({key, value, version}, [](const KeyAnswer& answer) { ... });   ... each turn: queue.flush();
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support/keys/key_store.hpp"

namespace ballot::support {

class KeyQueue {
 public:
  using Done = std::function<void(const KeyAnswer&)>;

  explicit KeyQueue(KeyStore& store) : store_(store) {}

  void add(KeyChange change, Done done) { waiting_.push_back({std::move(change), std::move(done)}); }

  void flush() {
    std::vector<KeyChange> changes;
    std::vector<Done> all;
    std::deque<Waiting> later;
    for (Waiting& one : waiting_) {
      if (!busy_.insert(one.change.key).second) {
        later.push_back(std::move(one));
        continue;
      }
      changes.push_back(std::move(one.change));
      all.push_back(std::move(one.done));
    }
    waiting_ = std::move(later);
    if (changes.empty()) return;
    std::vector<std::string> keys;
    for (const KeyChange& change : changes) keys.push_back(change.key);
    const auto done = [this, keys = std::move(keys), all = std::move(all)](const std::vector<KeyAnswer>& answers) {
      for (const std::string& key : keys) busy_.erase(key);
      for (std::size_t i = 0; i < all.size(); ++i) all[i](answers.at(i));
    };
    store_.commit(std::move(changes), done);
  }

  bool idle() const noexcept { return waiting_.empty() && busy_.empty(); }

 private:
  struct Waiting {
    KeyChange change;
    Done done;
  };

  KeyStore& store_;
  std::deque<Waiting> waiting_;
  std::unordered_set<std::string> busy_;  // keys with a change under way
};

}  // namespace ballot::support
