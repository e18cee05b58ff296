/// \file
/// Defaulted: a value that most objects leave at its default, and then a null pointer. Copied with its owner.
///
/// \code
///   struct Job { Defaulted<JobDetails> details; };
///   job.details->mail_to;                        // the default's where there is none
///   job.details.edit().mail_to = "root";
///   job.details.reset();
/// \endcode
#pragma once

#include <memory>
#include <utility>

namespace ballot {

/// See above.
template <class T>
class Defaulted {
 public:
  Defaulted() = default;  ///< the default
  /// Keeps nothing where `value` is the default.
  explicit Defaulted(T&& value) : value_(value == defaults() ? nullptr : std::make_unique<T>(std::move(value))) {}
  /// Copies have a value of their own.
  ///@{
  Defaulted(const Defaulted& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Defaulted(Defaulted&&) noexcept = default;
  Defaulted& operator=(Defaulted other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }

  ///@}

  /// The value, or the default.
  ///@{
  const T& operator*() const { return value_ ? *value_ : defaults(); }
  const T* operator->() const { return &**this; }
  ///@}
  /// A value of its own, to be changed.
  T& edit() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  /// Keeps nothing where it is the default again.
  void tidy() {
    if (value_ && *value_ == defaults()) value_.reset();
  }
  /// The default again.
  void reset() { value_.reset(); }

  /// By value.
  friend bool operator==(const Defaulted& a, const Defaulted& b) { return a.value_ == b.value_ || *a == *b; }

 private:
  static const T& defaults() {
    static const T value;
    return value;
  }

  std::unique_ptr<T> value_;
};

}  // namespace ballot
