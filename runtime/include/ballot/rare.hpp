// Rare: a value that most objects leave at its default, and then a null pointer. Copied with its owner.
//
//   struct Job { Rare<JobDetails> details; };
//   job.details->mail_to;                        // the default's where there is none
//   job.details.edit().mail_to = "root";
#pragma once

#include <memory>
#include <utility>

namespace ballot {

template <class T>
class Rare {
 public:
  Rare() = default;
  /// Keeps nothing where `value` is the default.
  explicit Rare(T&& value) : value_(value == defaults() ? nullptr : std::make_unique<T>(std::move(value))) {}
  Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }

  const T& operator*() const { return value_ ? *value_ : defaults(); }
  const T* operator->() const { return &**this; }
  T& edit() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  static const T& defaults() {
    static const T value;
    return value;
  }

  std::unique_ptr<T> value_;
};

}  // namespace ballot
