// ListBound: how many bytes a list of keys, with their values, may hold: bounds::registers or bounds::pages. Pure.
//
//   ListBound bound("r/q/");     for (const KeyEntry& entry : page) bound.add(entry);
//   if (bound.exceeded()) return done({StoreResult::unknown, {}, bound.text()});
#pragma once

#include <string>
#include <utility>

#include "support/bounds.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::support {

class ListBound {
 public:
  explicit ListBound(std::string prefix)
      : prefix_(std::move(prefix)), most_(prefix_.starts_with(jobs) ? bounds::registers : bounds::pages) {}

  void add(const KeyEntry& entry) { bytes_ += sizeof entry + entry.key.size() + entry.value.size(); }
  /// For the same list, begun anew.
  ListBound empty() const { return ListBound(prefix_); }
  bool exceeded() const noexcept { return bytes_ > most_; }
  std::string text() const {
    return "the keys below " + prefix_ + " have more than " + std::to_string(most_) + " bytes";
  }

 private:
  static constexpr const char* jobs = "r/j/";

  std::string prefix_;
  std::size_t most_, bytes_ = 0;
};

}  // namespace ballot::support
