// Answer: what a statement was answered, read from the binary form of PostgreSQL's protocol. A value that is not what
// the statement asks for is a Failure: corrupt.
//
//   for (int i = 0; i < answer.rows(); ++i) use(answer.number(i, 0), answer.text(i, 1));
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballot/run.hpp"
#include "ballot/time.hpp"

namespace ballot::postgresql {

class Answer {
 public:
  explicit Answer(PGresult* result) : result_(result, PQclear) {}

  int rows() const { return PQntuples(result_.get()); }
  bool is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
  /// Of a boolean too, and of a number of any size; null is 0.
  std::int64_t number(int row, int column) const;
  std::uint64_t natural(int row, int column) const { return static_cast<std::uint64_t>(number(row, column)); }
  bool flag(int row, int column) const { return number(row, column) != 0; }
  WallTime time(int row, int column) const { return WallTime(Millis(number(row, column))); }
  std::optional<WallTime> maybe_time(int row, int column) const;
  std::optional<int> maybe_int(int row, int column) const;
  /// Null is "".
  std::string_view view(int row, int column) const;
  std::string text(int row, int column) const { return std::string(view(row, column)); }
  RunId id(int row, int column) const;
  std::optional<RunId> maybe_id(int row, int column) const;
  std::vector<std::string> texts(int row, int column) const;
  std::vector<WallTime> times(int row, int column) const;
  /// The first column of all rows.
  std::vector<std::string> all_texts() const;

 private:
  std::vector<std::string_view> elements(int row, int column) const;

  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

}  // namespace ballot::postgresql
