// OutputPiece: what is kept of a run's output from some byte on, as far as it hangs together. Whoever prints an output
// while it grows goes from piece to piece; what lies between two is gone.
//
//   for (std::int64_t at = 0; at < total; at = piece.end()) print(piece = piece_of(output, at, most));
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "ballot/ledger.hpp"

namespace ballot {

struct OutputPiece {
  std::int64_t begin = 0;  // where it stands in all that was printed; later than asked for where that is not kept
  std::string bytes;
  std::int64_t end() const { return begin + static_cast<std::int64_t>(bytes.size()); }
};

/// Of an output whose tail is the two parts, in order: at most `most` bytes from `from` on. Empty, and at the end: no
/// more was printed.
inline OutputPiece piece_of(std::string_view head, std::string_view tail, std::string_view rest_of_tail,
                            std::int64_t total, std::int64_t from, std::size_t most) {
  from = std::clamp<std::int64_t>(from, 0, total);
  const auto head_size = static_cast<std::int64_t>(head.size());
  if (from < head_size) return {from, std::string(head.substr(static_cast<std::size_t>(from), most))};
  const std::int64_t rest_begin = total - static_cast<std::int64_t>(rest_of_tail.size());
  const std::int64_t tail_begin = rest_begin - static_cast<std::int64_t>(tail.size());
  from = std::max(from, tail_begin);
  if (from < rest_begin) return {from, std::string(tail.substr(static_cast<std::size_t>(from - tail_begin), most))};
  return {from, std::string(rest_of_tail.substr(static_cast<std::size_t>(from - rest_begin), most))};
}

inline OutputPiece piece_of(const Output& output, std::int64_t from, std::size_t most) {
  return piece_of(output.head, output.tail, {}, output.total_bytes, from, most);
}

}  // namespace ballot
