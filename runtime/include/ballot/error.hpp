// Result<T>: a value, or an Error that a person can act on. Used where a caller branches on the outcome.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace ballot {

enum class Errc {
  invalid,      // what was asked makes no sense
  not_found,    // no such file, job, run, group
  conflict,     // somebody else was there first
  refused,      // not allowed: permissions, ownership, another version
  unavailable,  // nobody answers: a daemon, a store
  timeout,      // no answer in time; the outcome is unknown
  io,           // the operating system said no
  corrupt,      // what was read cannot be what was written
  denied,       // a store does not let this user
};

struct Error {
  Errc code = Errc::invalid;
  std::string what;  // what happened, where, and what to do; one line, no full stop
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const noexcept { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  /// By value, so that a loop over what a call returns is over something that is there.
  T operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  /// Requires: no value.
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}

  explicit operator bool() const noexcept { return !failed_; }
  /// Requires: no value.
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace ballot
