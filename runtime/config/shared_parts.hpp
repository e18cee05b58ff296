// SharedParts: the parts of definitions that are there already: of a hundred thousand jobs that are made from a few
// templates, each command, schedule and plan is kept once. It keeps nothing for itself: what no definition has any more
// goes when the table would grow.
//
//   SharedParts parts;
//   job.command = parts.shared(job.command);
//
// Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ballot/shared.hpp"
#include "schedule/plan.hpp"

namespace ballot::config {

/// Hashes of the values that are shared.
inline std::size_t hash_of(const std::string& text) { return std::hash<std::string>()(text); }
inline std::size_t hash_of(const schedule::Plan& plan) { return plan.hash(); }
inline std::size_t hash_of(const schedule::DayRule& rule) { return hash_of(rule.text()); }
template <class T>
std::size_t hash_of(const std::vector<T>& values) {
  std::size_t hash = values.size();
  for (const T& value : values) hash = hash * 0x9e3779b97f4a7c15 + hash_of(value);
  return hash;
}

/// Handles to equal values, of which the first one stays. `Handle` has the value's operator*, or is the value.
template <class Handle>
class SharedTable {
 public:
  /// One that was there before, or this one. `is_used(handle)`: somebody beside this table has it.
  template <class IsUsed>
  Handle find(Handle handle, IsUsed is_used) {
    if (handles_.size() >= limit_) {
      std::erase_if(handles_, [&](const Handle& one) { return !is_used(one); });
      limit_ = std::max<std::size_t>(64, 2 * handles_.size());
    }
    return *handles_.insert(std::move(handle)).first;
  }
  std::size_t size() const { return handles_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const Handle& handle) const {
      if constexpr (requires { *handle; })
        return hash_of(*handle);
      else
        return hash_of(handle);
    }
  };
  std::unordered_set<Handle, Hash> handles_;
  std::size_t limit_ = 64;
};

class SharedParts {
 public:
  using Text = Shared<std::string>;
  using Texts = Shared<std::vector<std::string>>;
  using Rule = Shared<schedule::DayRule>;

  Text shared(Text text) { return find(texts_, std::move(text)); }
  Texts shared(Texts texts) { return find(lists_, std::move(texts)); }
  Rule shared(Rule rule) { return find(rules_, std::move(rule)); }
  schedule::Plan shared(schedule::Plan plan) {
    return plans_.find(std::move(plan), [](const schedule::Plan& one) { return one.is_shared(); });
  }

  /// So many are kept.
  std::size_t size() const { return texts_.size() + lists_.size() + rules_.size() + plans_.size(); }

 private:
  template <class T>
  static Shared<T> find(SharedTable<Shared<T>>& table, Shared<T> value) {
    if (value.is_default()) return value;  // the default takes no memory
    return table.find(std::move(value), [](const Shared<T>& one) { return one.is_shared(); });
  }

  SharedTable<Text> texts_;
  SharedTable<Texts> lists_;
  SharedTable<Rule> rules_;
  SharedTable<schedule::Plan> plans_;
};

}  // namespace ballot::config
