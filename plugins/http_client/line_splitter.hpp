// LineSplitter: the lines of a text that arrives in pieces. Pure; looks at each byte once.
//
//   splitter.add(piece, [](std::string line) { ... });   // "\n" and "\r\n" end a line, and are not of it
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ballot::http {

class LineSplitter {
 public:
  template <class Take>
  void add(std::string_view piece, Take take) {
    for (std::size_t end; (end = piece.find('\n')) != std::string_view::npos; piece.remove_prefix(end + 1)) {
      line_.append(piece.substr(0, end));
      if (!line_.empty() && line_.back() == '\r') line_.pop_back();
      take(std::exchange(line_, {}));
    }
    line_.append(piece);
  }
  /// What came after the last line's end.
  std::string& rest() { return line_; }
  const std::string& rest() const { return line_; }

 private:
  std::string line_;
};

}  // namespace ballot::http
