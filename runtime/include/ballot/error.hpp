/// \file
/// Result<T>: a value, or an Error that a person can act on. Used where a caller branches on the outcome.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace ballot {

/// What kind of an error it is.
enum class Errc {
  invalid,      ///< what was asked makes no sense
  not_found,    ///< no such file, job, run, group
  conflict,     ///< somebody else was there first
  refused,      ///< not allowed: permissions, ownership, another version
  unavailable,  ///< nobody answers: a daemon, a store
  timeout,      ///< no answer in time; the outcome is unknown
  io,           ///< the operating system said no
  corrupt,      ///< what was read cannot be what was written
  denied,       ///< a store does not let this user
};

/// What went wrong.
struct Error {
  Errc code = Errc::invalid;  ///< for who branches on it
  std::string what;           ///< what happened, where, and what to do; one line, no full stop
};

/// A value, or why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      ///< it is there
  Result(Error error) : state_(std::move(error)) {}  ///< it is not

  explicit operator bool() const noexcept { return state_.index() == 0; }  ///< there is a value
  /// Requires: there is a value.
  ///@{
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  ///@}
  /// By value, so that a loop over what a call returns is over something that is there.
  T operator*() && { return std::get<0>(std::move(state_)); }
  /// Requires: no value.
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;                                               ///< it was
  Result(Error error) : error_(std::move(error)), failed_(true) {}  ///< it was not

  explicit operator bool() const noexcept { return !failed_; }  ///< it was done
  /// Requires: no value.
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace ballot
