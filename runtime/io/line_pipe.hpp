// LinePipe: a pipe that a child writes to, read line by line on the loop. Whatever is written, the child is never
// blocked for long, and memory stays bounded: a line longer than `longest_line` comes in pieces.
//
// Thread: the loop's. No callback after the destruction.
//
//   LinePipe out(loop.context(), on_line, on_closed);
//   guard.start(..., out.write_end(), ...);  out.close_write_end();
//   ... on_ended: out.finish();                // what a grandchild that holds it open says is awaited for 2 s
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "ballot/time.hpp"

namespace boost::asio {
class io_context;
}

namespace ballot::io {

class LinePipe {
 public:
  static constexpr std::size_t longest_line = 64 * 1024;

  /// `continues`: the line goes on in the next call.
  using OnLine = std::function<void(std::string_view line, bool continues)>;

  /// Throws std::system_error where there is no pipe to be had.
  LinePipe(boost::asio::io_context& loop, OnLine on_line, std::function<void()> on_closed);
  ~LinePipe();

  /// For the child; close-on-exec.
  int write_end() const;
  /// For whoever is to hold it open.
  int read_end() const;
  void close_write_end();

  /// The child is gone: reads to the end, for 2 s at the most, then on_closed. A last line without an end is a line.
  void finish();
  bool closed() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ballot::io
