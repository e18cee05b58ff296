// RareList: a list that most of its owners have empty most of the time: it takes a pointer then, and keeps no memory of
// what it once had. Used as a vector is, whose references it keeps and invalidates alike.
//
//   struct Job { RareList<Run> runs; };          // 8 bytes for each of a hundred thousand jobs that run nothing
//   job.runs.push_back(run); ... erase_if(job.runs, has_ended);
//
// Plain values. Threads: as a vector.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace ballot {

template <class T>
class RareList {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  RareList() = default;
  RareList(std::initializer_list<T> values) : RareList(std::vector<T>(values)) {}
  RareList(std::vector<T> values)
      : values_(values.empty() ? nullptr : std::make_unique<std::vector<T>>(std::move(values))) {}
  RareList(const RareList& other) : RareList(other.all()) {}
  RareList(RareList&&) noexcept = default;
  RareList& operator=(RareList other) noexcept {
    values_ = std::move(other.values_);
    return *this;
  }

  /// As a vector.
  const std::vector<T>& all() const {
    static const std::vector<T> none;
    return values_ ? *values_ : none;
  }
  operator const std::vector<T>&() const { return all(); }

  bool empty() const { return !values_; }
  std::size_t size() const { return all().size(); }
  const_iterator begin() const { return all().data(); }
  const_iterator end() const { return begin() + size(); }
  iterator begin() { return values_ ? values_->data() : nullptr; }
  iterator end() { return begin() + size(); }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& front() const { return *begin(); }
  T& front() { return *begin(); }
  const T& back() const { return end()[-1]; }
  T& back() { return end()[-1]; }

  void push_back(T value) { emplace_back(std::move(value)); }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (!values_) values_ = std::make_unique<std::vector<T>>();
    return values_->emplace_back(std::forward<Arguments>(arguments)...);
  }
  void erase(const_iterator at) { erase(at, at + 1); }
  void erase(const_iterator first, const_iterator last) {
    if (first == last) return;
    values_->erase(values_->begin() + (first - begin()), values_->begin() + (last - begin()));
    if (values_->empty()) values_.reset();
  }
  void clear() { values_.reset(); }

  template <class Predicate>
  friend std::size_t erase_if(RareList& list, Predicate predicate) {
    const std::size_t erased = list.values_ ? std::erase_if(*list.values_, predicate) : 0;
    if (list.values_ && list.values_->empty()) list.values_.reset();
    return erased;
  }

  friend bool operator==(const RareList& a, const RareList& b) { return a.all() == b.all(); }

 private:
  std::unique_ptr<std::vector<T>> values_;  // null: none
};

}  // namespace ballot
