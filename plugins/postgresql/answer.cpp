#include "answer.hpp"

#include <algorithm>

#include "failure.hpp"

namespace ballot::postgresql {

namespace {

[[noreturn]] void fail_value() { fail(Errc::corrupt, "PostgreSQL: a value is not of its column's type"); }

/// With its sign.
std::int64_t read_number(std::string_view bytes) {
  if (bytes.size() != 1 && bytes.size() != 2 && bytes.size() != 4 && bytes.size() != 8) fail_value();
  std::uint64_t value = bytes.size() > 1 && (bytes[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(value);
}

std::int64_t take_number(std::string_view& bytes) {
  if (bytes.size() < 4) fail_value();
  const std::int64_t number = read_number(bytes.substr(0, 4));
  bytes.remove_prefix(4);
  return number;
}

}  // namespace

std::string_view Answer::view(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t Answer::number(int row, int column) const {
  return is_null(row, column) ? 0 : read_number(view(row, column));
}

std::optional<WallTime> Answer::maybe_time(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional(time(row, column));
}

std::optional<int> Answer::maybe_int(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional(static_cast<int>(number(row, column)));
}

RunId Answer::id(int row, int column) const {
  RunId id;
  const std::string_view bytes = view(row, column);
  if (bytes.size() != id.bytes.size()) fail_value();
  std::transform(bytes.begin(), bytes.end(), id.bytes.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
  return id;
}

std::optional<RunId> Answer::maybe_id(int row, int column) const {
  return is_null(row, column) ? std::nullopt : std::optional(id(row, column));
}

std::vector<std::string_view> Answer::elements(int row, int column) const {
  std::vector<std::string_view> all;
  if (is_null(row, column)) return all;
  std::string_view bytes = view(row, column);
  const std::int64_t dimensions = take_number(bytes);
  take_number(bytes);  // whether there are nulls
  take_number(bytes);  // the type
  if (dimensions == 0) return all;
  const std::int64_t count = take_number(bytes);
  take_number(bytes);  // where it begins
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t size = take_number(bytes);
    if (size < 0 || size > std::ssize(bytes)) fail_value();
    all.push_back(bytes.substr(0, static_cast<std::size_t>(size)));
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return all;
}

std::vector<std::string> Answer::texts(int row, int column) const {
  const auto all = elements(row, column);
  return {all.begin(), all.end()};
}

std::vector<WallTime> Answer::times(int row, int column) const {
  std::vector<WallTime> all;
  for (const std::string_view one : elements(row, column)) all.emplace_back(Millis(read_number(one)));
  return all;
}

std::vector<std::string> Answer::all_texts() const {
  std::vector<std::string> all;
  for (int row = 0; row < rows(); ++row) all.push_back(text(row, 0));
  return all;
}

}  // namespace ballot::postgresql
