/// \file
/// OptionalTime: an instant, or none, in the eight bytes of the instant: the earliest that can be counted stands for
/// none. Otherwise as std::optional, into which it turns. For what there are a hundred thousand of.
///
/// \code
///   OptionalTime<WallTime> wake;
///   wake = now + Millis(5);
///   if (wake && *wake <= now) wake.reset();
/// \endcode
///
/// Plain values.
#pragma once

#include <optional>

namespace ballot {

/// See above.
template <class Time>
class OptionalTime {
 public:
  /// As std::optional has it.
  ///@{
  constexpr OptionalTime() = default;
  constexpr OptionalTime(std::nullopt_t) {}
  constexpr OptionalTime(Time at) : at_(at) {}
  constexpr OptionalTime(const std::optional<Time>& at) : at_(at.value_or(none)) {}

  constexpr bool has_value() const { return at_ != none; }
  constexpr explicit operator bool() const { return has_value(); }
  constexpr operator std::optional<Time>() const { return has_value() ? std::optional(at_) : std::nullopt; }
  ///@}
  /// Requires: there is one.
  ///@{
  constexpr const Time& operator*() const { return at_; }
  constexpr const Time* operator->() const { return &at_; }
  ///@}

  /// As std::optional has it.
  ///@{
  constexpr Time value_or(Time otherwise) const { return has_value() ? at_ : otherwise; }
  constexpr void reset() { at_ = none; }

  friend constexpr bool operator==(const OptionalTime&, const OptionalTime&) = default;
  friend constexpr bool operator==(const OptionalTime& a, const std::optional<Time>& b) { return a == OptionalTime(b); }
  ///@}

 private:
  static constexpr Time none = Time::min();
  Time at_ = none;
};

}  // namespace ballot
