// KeptOutput: the head and the tail of what a run prints, in bounded memory; what lies between is only counted.
//
//   KeptOutput kept(64 * 1024);
//   kept.append(chunk);  ...  Output output = kept.take();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ballot/ledger.hpp"
#include "base/output_piece.hpp"

namespace ballot {

class KeptOutput {
 public:
  /// Called with memory that was taken for a part of it.
  using Grown = void (*)(const char* memory, std::size_t size);

  /// `limit` bytes, half for the head and half for the tail; at most 32 MiB, so that an Ended fits into a frame.
  explicit KeptOutput(std::int64_t limit, Grown grown = nullptr);

  void append(std::string_view bytes);

  /// What is kept of it from `from` on: see piece_of().
  OutputPiece piece(std::int64_t from, std::size_t most) const;
  std::int64_t total() const { return total_; }

  /// What was kept; the object is empty then.
  Output take();

 private:
  void append_tail(std::string_view bytes);
  void grow(std::string& text, std::string_view bytes) const;

  Grown grown_;
  std::size_t head_limit_, tail_limit_;
  std::string head_;
  std::string tail_;            // a ring once it is full
  std::size_t tail_begin_ = 0;  // where its oldest byte is
  std::int64_t total_ = 0;
};

}  // namespace ballot
