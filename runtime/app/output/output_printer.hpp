// OutputPrinter: writes what a run printed, as it comes: to a pipe byte for byte, to a terminal so that nothing in it
// can move the cursor, change colours or hide what stands before. Where bytes are gone it says so on a line of its own.
//
// Threads: one.
//
//   OutputPrinter printer(std::cout, OutputText::as_it_is);
//   printer.print(piece_of(output, printer.at(), most));
//   printer.finish();
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "base/output_piece.hpp"

namespace ballot::app {

enum class OutputText {
  as_it_is,
  harmless  // lines and tabs are kept; other control characters are written as \u001b, what is no UTF-8 as \xff
};

class OutputPrinter {
 public:
  OutputPrinter(std::ostream& out, OutputText text) : out_(out), text_(text) {}

  /// From at() on; what lies between is gone.
  void print(const OutputPiece& piece);
  /// All that is left of it.
  void print(const Output& output);
  /// How much of the output is dealt with.
  std::int64_t at() const { return at_; }
  /// No more comes: half a character is written too.
  void finish();

 private:
  void write(std::string_view bytes);

  std::ostream& out_;
  const OutputText text_;
  std::int64_t at_ = 0;
  bool line_begins_ = true;
  std::string held_;  // the beginning of a character, or of a line's end
};

}  // namespace ballot::app
