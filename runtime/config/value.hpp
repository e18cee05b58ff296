// Value: one value of a TOML file with its key. Every reading function either returns what it was asked for, or reports
// one finding at the value's place and returns nothing.
//
//   if (const auto nice = value.integer(-20, 19)) job.nice = static_cast<int>(*nice);
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/time.hpp"
#include "config/diagnostics.hpp"

namespace ballot::config {

/// A hundred years: what is longer is a slip, and would not fit into the arithmetic of instants.
inline constexpr Millis longest_duration{std::int64_t{100} * 365 * 86'400'000};
/// Linux executes no program with an argument, or a variable with its name, that has more bytes.
inline constexpr std::size_t longest_argument = 128 * 1024 - 1;
inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

Position position_of(const toml::source_region& source);

class Value {
 public:
  /// Keeps references to all three.
  Value(std::string_view key, const toml::node& node, Findings& findings)
      : key_(key), node_(node), findings_(findings) {}

  std::string_view key() const { return key_; }
  const toml::node& node() const { return node_; }
  Findings& findings() const { return findings_; }
  Position position() const { return position_of(node_.source()); }

  /// "'key' " and the text, at the value.
  void error(std::string_view text) const;

  std::optional<bool> boolean() const;
  std::optional<std::int64_t> integer(std::int64_t low, std::int64_t high) const;
  std::optional<double> number(double low, double high) const;
  /// Without NUL.
  std::optional<std::string_view> string() const;
  /// The same, for an argument of a program: of at most longest_argument bytes.
  std::optional<std::string_view> argument() const;
  std::optional<Millis> duration(Millis low, Millis high = longest_duration) const;
  /// As a text with a unit, or as an integer: bytes.
  std::optional<std::int64_t> size(std::int64_t low, std::int64_t high) const;
  /// With an offset: a date-time without one is a finding that says what to write.
  std::optional<WallTime> date_time() const;
  /// Each of them as argument().
  std::optional<std::vector<std::string>> strings() const;
  const toml::array* list(std::string_view of) const;
  const toml::table* table() const;

 private:
  void wrong_type(std::string_view wanted) const;

  std::string_view key_;
  const toml::node& node_;
  Findings& findings_;
};

}  // namespace ballot::config
