// Params: what a statement is sent with, in the binary form of PostgreSQL's protocol. Pure.
//
//   Params params;
//   params.add(id).add(change).add(texts);       // uuid, bigint, text[]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::postgresql {

/// Numbers of types, as pg_type.dat has them for good.
namespace type {
inline constexpr std::uint32_t boolean = 16, bytes = 17, bigint = 20, integer = 23, text = 25, uuid = 2950;
inline constexpr std::uint32_t booleans = 1000, integers = 1007, texts = 1009, bigints = 1016, uuids = 2951;
}  // namespace type

/// Bytes, where a text would be one of letters.
struct Bytes {
  std::string_view bytes;
};

/// As PostgreSQL takes it: bytes that are no UTF-8, and zeros, are '?'.
std::string clean_text(std::string_view text);

/// Values of a column, for unnest().
class Array {
 public:
  explicit Array(std::uint32_t type) : type_(type) {}
  void add(bool value);
  void add(std::int32_t value);
  void add(std::int64_t value);
  void add(WallTime value) { add(static_cast<std::int64_t>(value.time_since_epoch().count())); }
  void add(const RunId& value);
  void add(std::string_view text);
  template <class T>
  void add(const std::optional<T>& value) {
    if (value)
      add(*value);
    else
      add_null();
  }
  void add_null();

  std::uint32_t type() const { return type_; }
  /// All of it, as a parameter.
  std::string binary() const;

 private:
  std::uint32_t type_;
  std::int32_t count_ = 0;
  bool has_null_ = false;
  std::string elements_;
};

class Params {
 public:
  Params& add(bool value);
  Params& add(std::int32_t value);
  Params& add(std::int64_t value);
  Params& add(std::uint64_t value) { return add(static_cast<std::int64_t>(value)); }
  Params& add(WallTime value) { return add(static_cast<std::int64_t>(value.time_since_epoch().count())); }
  Params& add(Millis value) { return add(static_cast<std::int64_t>(value.count())); }
  Params& add(const RunId& value);
  Params& add(std::string_view text);
  Params& add(const std::string& text) { return add(std::string_view(text)); }
  Params& add(const char* text) { return add(std::string_view(text)); }
  Params& add(Bytes bytes);
  Params& add(const Array& array);
  Params& add(const std::vector<std::string>& texts);
  Params& add(const std::vector<std::int32_t>& numbers);
  Params& add(const std::vector<WallTime>& times);
  Params& add(const std::vector<RunId>& ids);
  /// Nothing, of a type.
  Params& add_null(std::uint32_t type);
  Params& add(const std::optional<WallTime>& value) { return value ? add(*value) : add_null(type::bigint); }
  Params& add(const std::optional<RunId>& value) { return value ? add(*value) : add_null(type::uuid); }

  std::size_t size() const { return types_.size(); }
  const std::uint32_t* types() const { return types_.data(); }
  /// Of libpq: valid until something is added.
  ///@{
  std::vector<const char*> values() const;
  std::vector<int> lengths() const;
  std::vector<int> formats() const { return std::vector<int>(size(), 1); }
  ///@}

 private:
  Params& push(std::uint32_t type, std::string binary);

  std::vector<std::uint32_t> types_;
  std::vector<std::optional<std::string>> values_;
};

}  // namespace ballot::postgresql
